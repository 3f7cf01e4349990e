// SPDX-License-Identifier: GPL-2.0
/* Reads the NUMA policy that /proc/PID/numa_maps shows of a VMA. */
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/rbtree.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/shmem_fs.h>
#include "compat/mm.h"
#include "vma.h"

#if defined(CONFIG_NUMA) && defined(CONFIG_MEMCG)
static bool ptwalk_policy_copy(const struct mempolicy *pol, u32 *policy, u64 *nodes)
{
	int node;

	*policy = MPOL_DEFAULT;
	*nodes = 0;
	if (!pol)
		return true;
	*policy = pol->mode | (u32)(pol->flags & MPOL_MODE_FLAGS) << 16;
	if (pol->mode == MPOL_LOCAL)
		return true;
	for_each_node_mask(node, pol->nodes) {
		if (node >= 64)
			return false;
		*nodes |= BIT_ULL(node);
	}
	return true;
}

/*
 * Of a VMA without one, that of the process: of its first thread, which owns its
 * memory unless it has ended. Where several processes have the memory
 * (CLONE_VM), the owner may be another one than was asked about.
 */
static bool ptwalk_policy_of_process(struct mm_struct *mm, u32 *policy, u64 *nodes)
{
	struct task_struct *task;
	bool known = false;

	if (ptwalk_mm_flag(MMF_MULTIPROCESS, mm))
		return false;
	rcu_read_lock();
	task = rcu_dereference(mm->owner);
	if (task && thread_group_leader(task)) {
		task_lock(task);
		known = task->mm == mm &&
			ptwalk_policy_copy(task->mempolicy, policy, nodes);
		task_unlock(task);
	}
	rcu_read_unlock();
	return known;
}

/*
 * Shared memory has policies for ranges of it. Of a VMA that maps several, the
 * file shows the first one's. mpol_shared_policy_lookup() would take a reference,
 * and modules can't give one back.
 */
static bool ptwalk_policy_of_shmem(struct vm_area_struct *vma, u32 *policy, u64 *nodes)
{
	struct shared_policy *shared = &SHMEM_I(file_inode(vma->vm_file))->policy;
	const struct sp_node *range;
	struct rb_node *node;
	bool known = false;

	read_lock(&shared->lock);
	node = shared->root.rb_node;
	while (node) {
		range = rb_entry(node, struct sp_node, nd);
		if (vma->vm_pgoff >= range->end) {
			node = node->rb_right;
		} else if (vma->vm_pgoff < range->start) {
			node = node->rb_left;
		} else {
			known = ptwalk_policy_copy(range->policy, policy, nodes);
			break;
		}
	}
	read_unlock(&shared->lock);
	return node ? known : ptwalk_policy_of_process(vma->vm_mm, policy, nodes);
}

/**
 * ptwalk_policy_read() - read the NUMA policy of a VMA
 * @vma: The VMA.
 * @shmem: It maps a file of tmpfs, such as shared memory.
 * @policy: Receives its mode, with its mode flags from bit 16 on.
 * @nodes: Receives its nodes as a mask.
 *
 * What else has a policy of its own keeps it where nobody can look.
 *
 * Context: The mmap lock is held.
 * Return: false if it isn't known.
 */
bool ptwalk_policy_read(struct vm_area_struct *vma, bool shmem, u32 *policy, u64 *nodes)
{
	if (vma->vm_ops && vma->vm_ops->get_policy)
		return shmem && ptwalk_policy_of_shmem(vma, policy, nodes);
	return vma->vm_policy ? ptwalk_policy_copy(vma->vm_policy, policy, nodes) :
				ptwalk_policy_of_process(vma->vm_mm, policy, nodes);
}
#else
bool ptwalk_policy_read(struct vm_area_struct *vma, bool shmem, u32 *policy, u64 *nodes)
{
	return false;
}
#endif
