/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stops processes while they are examined. A child of ptwalk traces each of
 * their threads: whatever ends ptwalk also ends the child, and the kernel
 * releases what a tracer leaves behind.
 */
#ifndef PTWALK_PROC_FREEZE_H
#define PTWALK_PROC_FREEZE_H

#include <sys/types.h>

/*
 * Stops all threads of @pid, until thaw(). ptwalk itself, which does nothing
 * else meanwhile, isn't stopped. Returns 0 or a negative errno, see
 * base/error.h; nothing is stopped then.
 */
int freeze(pid_t pid);

/*
 * Lets go what freeze() has stopped, if it has. Returns 0, or a negative errno
 * if it has not stood still all the time.
 */
int thaw(void);

#endif /* PTWALK_PROC_FREEZE_H */
