/* SPDX-License-Identifier: GPL-2.0 */
/* Locks that belong to others, tried for so long and no longer. */
#ifndef PTWALK_LOCK_H
#define PTWALK_LOCK_H

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

/*
 * How long a request tries to get locks, in jiffies. generic netlink holds its
 * cb_lock around each .doit and .start, and whoever registers a family waits
 * for that; a buffer of a dump is filled without it.
 */
#define PTWALK_WAIT_SHARED	(HZ / 10)
#define PTWALK_WAIT		HZ

/**
 * ptwalk_lock_pause() - before a lock is tried again
 * @deadline: The last moment to try, in jiffies.
 *
 * To try is bounded by nothing but the clock, and under cb_lock nobody may wait
 * in a lock's queue: threads that keep it for each other keep us out.
 *
 * Context: Sleeps, for a fraction of a millisecond.
 * Return: 0, -EBUSY when the time is over, -EINTR on a fatal signal. netlink
 * answers no request that ends with -EINTR, so that others must not end it.
 */
static inline int ptwalk_lock_pause(unsigned long deadline)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	if (time_after_eq(jiffies, deadline))
		return -EBUSY;
	usleep_range(50, 200);
	return 0;
}

#endif /* PTWALK_LOCK_H */
