/* SPDX-License-Identifier: GPL-2.0 */
/* Pages that are pinned for as long as one likes, as those of io_uring's buffers. */
#ifndef PTWALK_TEST_PIN_H
#define PTWALK_TEST_PIN_H

#include <stddef.h>

/* Pins the pages of @size bytes at @at. Returns what pin_end() takes, or a negative errno. */
int pin_begin(void *at, size_t size);

/* Lets them go, which may take the kernel a while. */
void pin_end(int ring);

#endif /* PTWALK_TEST_PIN_H */
