/* SPDX-License-Identifier: GPL-2.0 */
/* A process that holds its mmap lock for writing, as the fixture driver has it do. */
#ifndef PTWALK_TEST_BUSY_H
#define PTWALK_TEST_BUSY_H

#include <sys/types.h>

/*
 * Starts one, for process_end(), and returns when it holds the lock; -ENOENT
 * without the driver, and other negative errnos. Whoever writes "go" to @fd, which
 * is the caller's to close, lets it go on.
 */
pid_t busy_start(int *fd);

#endif /* PTWALK_TEST_BUSY_H */
