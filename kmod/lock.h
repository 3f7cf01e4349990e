/* SPDX-License-Identifier: GPL-2.0 */
/* Locks that belong to others, waited for so long and no longer. */
#ifndef PTWALK_LOCK_H
#define PTWALK_LOCK_H

#include <linux/jiffies.h>

struct rw_semaphore;

/*
 * How long a request waits for locks, in jiffies. generic netlink holds its
 * cb_lock around each .doit and .start, and whoever registers a family waits
 * for that; a buffer of a dump is filled without it.
 */
#define PTWALK_WAIT_SHARED	(HZ / 10)
#define PTWALK_WAIT		HZ

int ptwalk_down_read_timeout(struct rw_semaphore *sem, unsigned long *left);

#endif /* PTWALK_LOCK_H */
