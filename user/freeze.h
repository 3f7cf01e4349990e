/* SPDX-License-Identifier: GPL-2.0 */
/* Holding a process still while it is looked at. */
#ifndef PTWALK_FREEZE_H
#define PTWALK_FREEZE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Stops @pid with SIGSTOP and waits until all of it stands. Returns false if
 * it doesn't (init, ourselves, a process in an uninterruptible sleep). One
 * process at a time; it goes on when thaw() is called, or when this program
 * exits or is ended by a signal that can be caught. A process that somebody
 * else has stopped stays stopped.
 */
bool freeze(pid_t pid);
void thaw(void);

#endif /* PTWALK_FREEZE_H */
