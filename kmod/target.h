/* SPDX-License-Identifier: GPL-2.0 */
/* The process whose tables are walked. */
#ifndef PTWALK_TARGET_H
#define PTWALK_TARGET_H

#include <linux/types.h>
#include "lock.h"

struct mm_struct;
struct netlink_ext_ack;
struct sk_buff;

/**
 * struct ptwalk_target - an address space, pinned
 * @mm: Held by mm_count between pieces of work: the structure stays, the
 *	memory of a process that has ended doesn't.
 * @deadline: Until when its locks are tried, in jiffies.
 * @queue: The mmap lock is waited for in its queue, until a signal comes.
 */
struct ptwalk_target {
	struct mm_struct *mm;
	unsigned long deadline;
	bool queue;
};

int ptwalk_target_get(struct ptwalk_target *target, struct sk_buff *skb,
		      u32 pid, struct netlink_ext_ack *extack);
void ptwalk_target_put(struct ptwalk_target *target);

int ptwalk_target_lock(struct ptwalk_target *target);
void ptwalk_target_unlock(struct ptwalk_target *target);
void ptwalk_target_explain(int err, struct netlink_ext_ack *extack);

u32 ptwalk_mm_levels(struct mm_struct *mm);

#endif /* PTWALK_TARGET_H */
