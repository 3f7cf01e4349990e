// SPDX-License-Identifier: GPL-2.0
/* The policies operation: the NUMA policies that /proc/PID/numa_maps shows of VMAs. */
#include <linux/magic.h>
#include <linux/mempolicy.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/rbtree.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include "../compat/mm.h"
#include "../request.h"
#include "device.h"
#include "netlink-gen.h"

#if defined(CONFIG_NUMA) && defined(CONFIG_MEMCG)
static bool ptwalk_policy_copy(const struct mempolicy *pol, struct ptwalk_policy *out)
{
	int node;

	*out = (struct ptwalk_policy) { .mode = MPOL_DEFAULT };
	if (!pol)
		return true;
	out->mode = pol->mode | (u32)(pol->flags & MPOL_MODE_FLAGS) << 16;
	if (pol->mode == MPOL_LOCAL)
		return true;
	for_each_node_mask(node, pol->nodes) {
		if (node >= 64)
			return false;
		out->nodes |= BIT_ULL(node);
	}
	return true;
}

/*
 * Of a VMA without one, that of the process: of its first thread, which owns its
 * memory unless it has ended. Where several processes have the memory
 * (CLONE_VM), the owner may be another one than was asked about.
 */
static bool ptwalk_policy_of_process(struct mm_struct *mm, struct ptwalk_policy *out)
{
	struct task_struct *task;
	bool known = false;

	if (ptwalk_mm_flag(MMF_MULTIPROCESS, mm))
		return false;
	rcu_read_lock();
	task = rcu_dereference(mm->owner);
	if (task && thread_group_leader(task)) {
		task_lock(task);
		known = task->mm == mm && ptwalk_policy_copy(task->mempolicy, out);
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
static bool ptwalk_policy_of_shmem(struct vm_area_struct *vma, struct ptwalk_policy *out)
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
			known = ptwalk_policy_copy(range->policy, out);
			break;
		}
	}
	read_unlock(&shared->lock);
	return node ? known : ptwalk_policy_of_process(vma->vm_mm, out);
}

/* A regular file: device nodes are on a tmpfs as well. */
static bool ptwalk_policy_is_shmem(const struct vm_area_struct *vma)
{
	const struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;

	return inode && S_ISREG(inode->i_mode) && inode->i_sb->s_magic == TMPFS_MAGIC;
}

/*
 * What else has a policy of its own keeps it where nobody can look. The mmap lock is held.
 * Returns false if the policy isn't known.
 */
static bool ptwalk_policy_read(struct vm_area_struct *vma, struct ptwalk_policy *out)
{
	if (vma->vm_ops && vma->vm_ops->get_policy)
		return ptwalk_policy_is_shmem(vma) && ptwalk_policy_of_shmem(vma, out);
	return vma->vm_policy ? ptwalk_policy_copy(vma->vm_policy, out) :
				ptwalk_policy_of_process(vma->vm_mm, out);
}
#else
static bool ptwalk_policy_read(struct vm_area_struct *vma, struct ptwalk_policy *out)
{
	return false;
}
#endif

/*
 * Reads as many policies as can be read under one hold of the mmap lock until somebody
 * waits for that or for the CPU. Returns how many, or an error of ptwalk_target_lock().
 */
static int ptwalk_policies_read(struct ptwalk_target *target, const void *addresses,
				struct ptwalk_policy *out, u32 nr)
{
	struct vm_area_struct *vma;
	u32 done = 0;
	u64 addr;
	int err;

	err = ptwalk_target_lock(target);
	if (err)
		return err;
	do {
		memcpy(&addr, addresses + done * sizeof(addr), sizeof(addr));
		vma = addr <= ULONG_MAX ? vma_lookup(target->mm, addr) : NULL;
		if (!vma || !ptwalk_policy_read(vma, &out[done]))
			out[done] = (struct ptwalk_policy) { .mode = PTWALK_NO_POLICY };
	} while (++done < nr && !mmap_lock_is_contended(target->mm) && !need_resched());
	ptwalk_target_unlock(target);
	/* Many requests may come with one sendmsg(). */
	cond_resched();
	return done;
}

static int ptwalk_policies_send(struct genl_info *info, const struct ptwalk_policy *policies,
				u32 nr)
{
	const size_t bytes = nr * sizeof(*policies);
	struct sk_buff *reply = genlmsg_new(nla_total_size_64bit(bytes) +
					    nla_total_size_64bit(sizeof(u64)), GFP_KERNEL);
	void *header;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &ptwalk_device_nl_family, 0,
				   PTWALK_CMD_POLICIES);
	if (!header ||
	    nla_put_uint(reply, PTWALK_A_POLICIES_POLICY_BYTES, sizeof(*policies)) ||
	    nla_put_64bit(reply, PTWALK_A_POLICIES_POLICIES, bytes, policies,
			  PTWALK_A_POLICIES_PAD)) {
		WARN_ON_ONCE(header);
		nlmsg_free(reply);
		return -EMSGSIZE;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

static int ptwalk_policies_reply(struct genl_info *info, struct ptwalk_target *target,
				 const struct nlattr *addresses)
{
	const u32 nr = nla_len(addresses) / sizeof(u64);
	struct ptwalk_policy *policies = kcalloc(nr, sizeof(*policies), GFP_KERNEL);
	int ret;

	if (!policies)
		return -ENOMEM;
	ret = ptwalk_policies_read(target, nla_data(addresses), policies, nr);
	if (ret < 0)
		ptwalk_target_explain(ret, info->extack);
	else
		ret = ptwalk_policies_send(info, policies, ret);
	kfree(policies);
	return ret;
}

/**
 * ptwalk_device_nl_policies_doit() - answer PTWALK_CMD_POLICIES
 * @skb: The request.
 * @info: The parsed request.
 *
 * Answers at least the first address; the caller asks again for the rest.
 *
 * Context: Process context, under cb_lock. The mmap lock is tried for
 * ptwalk_wait_shared(), and held once.
 * Return: 0 or a negative error: among others -EBUSY if the lock can't be taken in
 * time, or an error of ptwalk_may_ask() or ptwalk_target_get().
 */
int ptwalk_device_nl_policies_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *const pid = info->attrs[PTWALK_A_POLICIES_PID];
	struct nlattr *const addresses = info->attrs[PTWALK_A_POLICIES_ADDRESSES];
	struct ptwalk_target target;
	int err;

	err = ptwalk_may_ask(skb, info->extack);
	if (err)
		return err;
	if (GENL_REQ_ATTR_CHECK(info, PTWALK_A_POLICIES_PID) ||
	    GENL_REQ_ATTR_CHECK(info, PTWALK_A_POLICIES_ADDRESSES)) {
		NL_SET_ERR_MSG(info->extack, "a pid and addresses are needed");
		return -EINVAL;
	}
	if (!nla_len(addresses) || nla_len(addresses) % sizeof(u64)) {
		NL_SET_ERR_MSG_ATTR(info->extack, addresses,
				    "one or more addresses of 8 bytes each are needed");
		return -EINVAL;
	}

	err = ptwalk_target_get(&target, skb, nla_get_u32(pid), info->extack);
	if (err) {
		NL_SET_BAD_ATTR(info->extack, pid);
		return err;
	}
	err = ptwalk_policies_reply(info, &target, addresses);
	ptwalk_target_put(&target);
	return err;
}
