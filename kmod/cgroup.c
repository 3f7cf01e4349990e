// SPDX-License-Identifier: GPL-2.0
/* Which memory cgroup a page is charged to. */
#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include "cgroup.h"

/**
 * ptwalk_folio_cgroup() - the memory cgroup that a folio is charged to
 * @folio: The folio.
 *
 * As page_cgroup_ino(), which isn't exported: what a cgroup that is gone was
 * charged for is its nearest ancestor's.
 *
 * Context: The folio can't be freed.
 * Return: The inode number of the cgroup's directory, 0 if there is none.
 */
u64 ptwalk_folio_cgroup(struct folio *folio)
{
	u64 inode = 0;
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg;

	rcu_read_lock();
	memcg = page_memcg_check(&folio->page);
	while (memcg && !(memcg->css.flags & CSS_ONLINE))
		memcg = parent_mem_cgroup(memcg);
	if (memcg)
		inode = cgroup_ino(memcg->css.cgroup);
	rcu_read_unlock();
#endif
	return inode;
}
