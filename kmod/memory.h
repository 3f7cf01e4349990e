/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory stays while it is looked at. For the main file of a module, once in each.
 *
 * pfn_to_online_page() holds for the moment only: of memory that has gone offline, the
 * struct pages and the kernel's own mapping may be removed, with its page tables. What
 * reads these asks under the RCU read lock or a page-table lock first, and removal
 * comes behind the notifier, which waits for all of them.
 */
#ifndef PTWALK_MEMORY_H
#define PTWALK_MEMORY_H

#include <linux/memory.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>

static unsigned int *ptwalk_memory_count;

static int ptwalk_memory_event(struct notifier_block *block, unsigned long event, void *unused)
{
	/* Under the lock of memory hotplug. */
	if (ptwalk_memory_count && (event == MEM_ONLINE || event == MEM_OFFLINE))
		WRITE_ONCE(*ptwalk_memory_count, *ptwalk_memory_count + 1);
	if (event == MEM_OFFLINE)
		synchronize_rcu();
	return NOTIFY_OK;
}

static struct notifier_block ptwalk_memory_block = {
	.notifier_call	= ptwalk_memory_event,
};

/*
 * Module init, before anybody can ask. @count is increased when memory goes online or
 * offline, in the latter case before it is removed; or NULL. Returns 0 or a negative error.
 */
static inline int ptwalk_memory_init(unsigned int *count)
{
	ptwalk_memory_count = count;
	return register_memory_notifier(&ptwalk_memory_block);
}

/* Module exit, when nobody can ask any more. */
static inline void ptwalk_memory_exit(void)
{
	unregister_memory_notifier(&ptwalk_memory_block);
}

#endif /* PTWALK_MEMORY_H */
