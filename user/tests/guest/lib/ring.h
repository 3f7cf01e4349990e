/* SPDX-License-Identifier: GPL-2.0 */
/* Rings of io_uring, and memory that they hold. */
#ifndef PTWALK_TEST_RING_H
#define PTWALK_TEST_RING_H

#include <stddef.h>
#include <sys/uio.h>

/* A ring, or a negative errno. Kernels that let nobody have one are set up anew. */
int ring_open(void);

/* Registers buffers of ours; 0 or a negative errno. */
int ring_register(int ring, const struct iovec *buffers, unsigned int nr);

/* Registers another one in place of number @index; likewise. */
int ring_update(int ring, unsigned int index, const struct iovec *buffer);

/* Lets go of all of them; likewise. */
int ring_unregister(int ring);

/* Memory between two pages that are none: it is never merged with another. NULL: there is none. */
char *room(size_t size, size_t page);

/* HUGE_ROOM bytes where a huge page may be, and asked for. NULL: there are none. */
#define HUGE_ROOM	(2UL << 20)
char *huge_room(void);

#endif /* PTWALK_TEST_RING_H */
