/* SPDX-License-Identifier: GPL-2.0 */
/* Rings of io_uring that a process has open, and the buffers registered with them. */
#ifndef PTWALK_PROC_URING_H
#define PTWALK_PROC_URING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * struct uring_buffer - memory registered with a ring (IORING_REGISTER_BUFFERS)
 * @fd: Descriptor of the ring in the process.
 * @index: Of the buffer in the ring.
 * @addr: Its first address in the memory of whoever registered it.
 * @length: In bytes.
 */
struct uring_buffer {
	int fd;
	unsigned int index;
	uint64_t addr, length;
};

/* Below, at or above 0, as qsort() has it: by descriptor, then by index. */
int uring_buffer_order(const struct uring_buffer *x, const struct uring_buffer *y);

/**
 * struct urings - the rings of a process; all zero is a valid empty list
 * @buffer: Of all rings, in ascending order of descriptor and index.
 * @rings: How many were read.
 * @busy: How many couldn't be read, as somebody worked with them.
 * @nr_strange: How many list what isn't understood; the first of these has the
 *	descriptor @strange_fd, and the line @strange, as far as there is room.
 * @files: Files registered with them; they are no memory.
 * @kernel: Buffers of the kernel (IO_REGISTER_BVEC of ublk): no process has them.
 */
struct urings {
	struct uring_buffer *buffer;
	size_t nr, max;
	uint64_t rings, busy, files, kernel, nr_strange;
	int strange_fd;
	char strange[80];
};

/*
 * Adds the rings of process @pid. Returns 0 or a negative errno, for which procs_gone()
 * has an answer.
 */
int urings_read(struct urings *rings, pid_t pid);
void urings_free(struct urings *rings);

/*
 * Whether another process has the ring @fd of process @pid, too, as a child has. Also
 * where the kernel doesn't tell (kcmp() without CONFIG_KCMP, or without the right).
 */
bool uring_is_shared(pid_t pid, int fd);

/*
 * The part that only parses: adds what the fdinfo of descriptor @fd lists. Returns 0, or
 * a negative errno: -EAGAIN of a ring that was busy, which lists nothing, and -EINVAL of
 * one with a line that isn't understood, which is in @strange then.
 */
int urings_parse(FILE *fdinfo, int fd, struct urings *rings);

#endif /* PTWALK_PROC_URING_H */
