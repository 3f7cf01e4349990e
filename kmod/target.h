/* SPDX-License-Identifier: GPL-2.0 */
/* The address space whose page tables are walked. */
#ifndef PTWALK_TARGET_H
#define PTWALK_TARGET_H

#include <linux/types.h>
#include "lock.h"

struct mm_struct;
struct netlink_ext_ack;
struct sk_buff;

/* A pinned address space. */
struct ptwalk_target {
	/*
	 * Pinned by mm_count, which keeps the mm_struct but not the memory of a process
	 * that has exited. ptwalk_target_lock() adds a reference to mm_users.
	 */
	struct mm_struct *mm;
	struct ptwalk_wait wait;	/* how long locks and entries that change are tried */
	/*
	 * Wait in the queue of the mmap lock, until a signal comes, instead of trying it.
	 * Not under cb_lock, nor where somebody can wait with it held.
	 */
	bool queue;
	bool exclusive;			/* take the mmap lock for writing; not with @queue */
};

int ptwalk_target_get(struct ptwalk_target *target, struct sk_buff *skb,
		      u32 pid, struct netlink_ext_ack *extack);
void ptwalk_target_put(struct ptwalk_target *target);

int ptwalk_target_lock(struct ptwalk_target *target);
void ptwalk_target_unlock(struct ptwalk_target *target);
int ptwalk_target_retry(struct ptwalk_target *target, int err);
void ptwalk_target_explain(int err, struct netlink_ext_ack *extack);

u32 ptwalk_mm_levels(struct mm_struct *mm);

#endif /* PTWALK_TARGET_H */
