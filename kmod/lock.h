/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounded waiting for locks that other tasks may hold for long: a trylock in a
 * loop, with ptwalk_lock_pause() between the attempts.
 */
#ifndef PTWALK_LOCK_H
#define PTWALK_LOCK_H

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>

/*
 * How long a request tries to take locks, in jiffies. Generic netlink holds
 * cb_lock for reading around each ->doit and ->start and around the first
 * ->dumpit, and registering any family takes it for writing, see
 * ptwalk_wait_shared(). Later ->dumpit calls run without cb_lock, but with a mutex
 * of the socket that another request on it waits for with cb_lock held.
 */
#define PTWALK_WAIT_SHARED	(HZ / 10)

/*
 * And how many attempts it makes at least. On a virtual CPU that got no time
 * meanwhile, the first that fails may be the last before the deadline.
 */
#define PTWALK_TRIES		16

/* How long something is tried. */
struct ptwalk_wait {
	unsigned long deadline;		/* when to give up, in jiffies */
	unsigned int tries;		/* so far */
};

/* Begins now and takes @time jiffies. */
static inline struct ptwalk_wait ptwalk_wait_begin(unsigned long time)
{
	return (struct ptwalk_wait) { .deadline = jiffies + time };
}

/*
 * Begins what is tried under cb_lock, which is held for all messages of one sendmsg(): only
 * the first of them waits, for PTWALK_WAIT_SHARED, and the others make one attempt. Otherwise
 * the sender could hold cb_lock for as long as its send buffer allows. netlink_sendmsg()
 * leaves no headroom, and netlink_rcv_skb() pulls each message when it is done.
 */
static inline struct ptwalk_wait ptwalk_wait_shared(const struct sk_buff *skb)
{
	if (!skb_headroom(skb))
		return ptwalk_wait_begin(PTWALK_WAIT_SHARED);
	return (struct ptwalk_wait) {
		.deadline = jiffies,
		.tries = PTWALK_TRIES,
	};
}

/* Whether the attempt that failed was the last one. */
static inline bool ptwalk_wait_is_over(const struct ptwalk_wait *wait)
{
	return wait->tries >= PTWALK_TRIES && time_after_eq(jiffies, wait->deadline);
}

/*
 * Sleeps for 50 to 200 us between two attempts to take a lock. A caller that holds cb_lock
 * must not queue for another lock, whose owner may hold it without limit. A trylock may fail
 * for as long as other tasks hand the lock to each other, hence the end.
 *
 * Returns 0, -EBUSY after @wait, -EINTR on a fatal signal. Other signals don't count:
 * netlink_rcv_skb() sends no ack for a request that fails with -EINTR.
 */
static inline int ptwalk_lock_pause(struct ptwalk_wait *wait)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	if (ptwalk_wait_is_over(wait))
		return -EBUSY;
	wait->tries++;
	usleep_range(50, 200);
	return 0;
}

#endif /* PTWALK_LOCK_H */
