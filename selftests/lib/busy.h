/* SPDX-License-Identifier: GPL-2.0 */
/* What the fixture driver has a process do: hold its mmap lock, forget its pins. */
#ifndef PTWALK_TEST_BUSY_H
#define PTWALK_TEST_BUSY_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Starts one, for process_end(), and returns when it holds the lock; -ENOENT
 * without the driver, and other negative errnos. Whoever writes "go" to @fd, which
 * is the caller's to close, lets it go on.
 */
pid_t busy_start(int *fd);

/* Has this process's fork() share what is pinned; false without the driver. */
bool busy_forget_pins(void);

#endif /* PTWALK_TEST_BUSY_H */
