/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions in what a page is charged to. */
#ifndef PTWALK_COMPAT_CGROUP_H
#define PTWALK_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>

/**
 * ptwalk_page_cgroup_ino() - the memory cgroup that a page is charged to
 * @page: The page, which can't be freed.
 *
 * As page_cgroup_ino(), which not all kernels export: what a cgroup that is gone
 * was charged for is its nearest ancestor's.
 *
 * Return: The inode number of the cgroup's directory, 0 if there is none.
 */
static inline u64 ptwalk_page_cgroup_ino(struct page *page)
{
	u64 inode = 0;
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg;

	rcu_read_lock();
	memcg = page_memcg_check(&page_folio(page)->page);
	while (memcg && !(memcg->css.flags & CSS_ONLINE))
		memcg = parent_mem_cgroup(memcg);
	if (memcg)
		inode = cgroup_ino(memcg->css.cgroup);
	rcu_read_unlock();
#endif
	return inode;
}

#endif /* PTWALK_COMPAT_CGROUP_H */
