// SPDX-License-Identifier: GPL-2.0
/*
 * The one place that takes and releases the target's references and its mmap
 * lock.
 */
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/pgtable.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <net/sock.h>
#include "target.h"
#include "uapi/linux/ptwalk.h"

/*
 * The address space of a process belongs to all its threads, and outlives the
 * first one. Not for_each_thread(), which needs tasklist_lock for lockdep.
 */
static struct mm_struct *ptwalk_target_process_mm(struct task_struct *task)
{
	struct task_struct *thread;
	struct mm_struct *mm;

	mm = get_task_mm(task);
	if (mm)
		return mm;

	rcu_read_lock();
	list_for_each_entry_rcu(thread, &task->signal->thread_head, thread_node) {
		if (READ_ONCE(thread->mm))
			mm = get_task_mm(thread);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/*
 * Whether the sender of @skb may look into @task: like the opener of the socket
 * it needs CAP_SYS_PTRACE, but for its own process.
 */
static bool ptwalk_target_may_trace(struct sk_buff *skb, struct task_struct *task)
{
	return same_thread_group(task, current) ||
	       sk_capable(NETLINK_CB(skb).sk, CAP_SYS_PTRACE);
}

#ifdef MODULE
static struct mm_struct *ptwalk_target_access_mm(struct ptwalk_target *target,
						 struct task_struct *task)
{
	return ptwalk_target_process_mm(task);
}
#else
/*
 * As mm_access(), which asks security modules and isn't exported; but that
 * waits for an exec as long as it takes.
 */
static struct mm_struct *ptwalk_target_access_mm(struct ptwalk_target *target,
						 struct task_struct *task)
{
	struct rw_semaphore *lock = &task->signal->exec_update_lock;
	struct mm_struct *mm = ERR_PTR(-EACCES);
	int err;

	while (!down_read_trylock(lock)) {
		err = ptwalk_lock_pause(target->deadline);
		if (err)
			return ERR_PTR(err);
	}
	if (ptrace_may_access(task, PTRACE_MODE_READ_FSCREDS))
		mm = ptwalk_target_process_mm(task);
	up_read(lock);
	return mm;
}
#endif

/**
 * ptwalk_target_get() - find and pin the address space of a process
 * @target: Filled on success; ptwalk_target_put() releases it.
 * @skb: The request.
 * @pid: The process, in the PID namespace of the caller.
 * @extack: Receives the reason of a failure.
 *
 * What is pinned is the address space of this moment: a later exec gives the
 * process another one, and ptwalk_target_lock() then fails.
 *
 * Context: Process context of the one who asks. May sleep, for
 * PTWALK_WAIT_SHARED at most.
 * Return: 0, -ESRCH without such a process or when it has exited, -EINVAL for
 * a kernel thread, -EACCES without the right to trace it, or what
 * ptwalk_lock_pause() returns.
 */
int ptwalk_target_get(struct ptwalk_target *target, struct sk_buff *skb,
		      u32 pid, struct netlink_ext_ack *extack)
{
	struct task_struct *task;
	struct mm_struct *mm;
	struct pid *ref;
	bool kthread;

	ref = find_get_pid(pid);
	task = get_pid_task(ref, PIDTYPE_PID);
	put_pid(ref);
	if (!task) {
		NL_SET_ERR_MSG(extack, "no such process");
		return -ESRCH;
	}

	target->deadline = jiffies + PTWALK_WAIT_SHARED;
	target->queue = false;
	mm = ptwalk_target_may_trace(skb, task) ?
	     ptwalk_target_access_mm(target, task) : ERR_PTR(-EACCES);
	kthread = task->flags & PF_KTHREAD;
	put_task_struct(task);
	if (IS_ERR(mm)) {
		ptwalk_target_explain(PTR_ERR(mm), extack);
		return PTR_ERR(mm);
	}
	if (!mm) {
		if (kthread) {
			NL_SET_ERR_MSG(extack, "a kernel thread has no address space");
			return -EINVAL;
		}
		NL_SET_ERR_MSG(extack, "the process has exited");
		return -ESRCH;
	}

	mmgrab(mm);
	mmput_async(mm);
	target->mm = mm;
	return 0;
}

/**
 * ptwalk_target_put() - release what ptwalk_target_get() pinned
 * @target: A target that is not locked.
 */
void ptwalk_target_put(struct ptwalk_target *target)
{
	mmdrop(target->mm);
	target->mm = NULL;
}

static int ptwalk_target_try_lock(struct ptwalk_target *target)
{
	struct mm_struct *mm = target->mm;
	int err;

	while (!mmap_read_trylock(mm)) {
		if (target->queue)
			return down_read_interruptible(&mm->mmap_lock);
		err = ptwalk_lock_pause(target->deadline);
		if (err)
			return err;
	}
	return 0;
}

/**
 * ptwalk_target_lock() - lock the address space for one piece of work
 * @target: A pinned target.
 *
 * The mmap lock may be held for writing as long as the process likes: a
 * driver's or a file system's mmap() can wait for hardware or a dead server.
 * It is tried until @target->deadline; with @target->queue, for who holds no
 * lock of others, it is waited for until a signal comes: where threads that
 * write follow each other, one who only tries may never get it.
 *
 * Context: May sleep. On success the mmap lock is held for reading, and the
 * address space can't be torn down, until ptwalk_target_unlock().
 * Return: 0, -ESRCH if the process has exited or called exec meanwhile, -EBUSY
 * when the time is over, -EINTR on a signal, of which only a fatal one counts
 * without @target->queue.
 */
int ptwalk_target_lock(struct ptwalk_target *target)
{
	int err;

	if (!mmget_not_zero(target->mm))
		return -ESRCH;
	err = ptwalk_target_try_lock(target);
	if (err)
		mmput_async(target->mm);
	return err;
}

/**
 * ptwalk_target_unlock() - end a piece of work
 * @target: A target that ptwalk_target_lock() has locked.
 *
 * If the process has ended meanwhile, its memory is torn down elsewhere: that
 * may take long, and a request runs under a lock of generic netlink.
 */
void ptwalk_target_unlock(struct ptwalk_target *target)
{
	mmap_read_unlock(target->mm);
	mmput_async(target->mm);
}

/**
 * ptwalk_target_explain() - why a piece of work wasn't done
 * @err: What ptwalk_target_*() or the walk has returned.
 * @extack: Receives the reason, if there is one to be told.
 */
void ptwalk_target_explain(int err, struct netlink_ext_ack *extack)
{
	switch (err) {
	case -ESRCH:
		NL_SET_ERR_MSG(extack, "the process is gone: it has exited or called exec");
		break;
	case -EACCES:
		NL_SET_ERR_MSG(extack, "the right to trace the process is needed: CAP_SYS_PTRACE in the initial user namespace");
		break;
	case -EBUSY:
		NL_SET_ERR_MSG(extack, "the process is busy: a lock of it is held for writing");
		break;
	case -EINTR:
		NL_SET_ERR_MSG(extack, "the process is busy: a signal came while its mmap lock was waited for");
		break;
	case -EAGAIN:
		NL_SET_ERR_MSG(extack, "an entry keeps changing");
		break;
	}
}

/**
 * ptwalk_mm_levels() - the levels that the tables of a process have
 * @mm: Its address space.
 *
 * Some architectures fold levels at boot (x86 without LA57) or for each
 * process (s390).
 *
 * Return: A mask of 1 << enum ptwalk_level.
 */
u32 ptwalk_mm_levels(struct mm_struct *mm)
{
	u32 levels = BIT(PTWALK_LEVEL_PTE) | BIT(PTWALK_LEVEL_PGD);

	if (!mm_pmd_folded(mm))
		levels |= BIT(PTWALK_LEVEL_PMD);
	if (!mm_pud_folded(mm))
		levels |= BIT(PTWALK_LEVEL_PUD);
	if (!mm_p4d_folded(mm))
		levels |= BIT(PTWALK_LEVEL_P4D);
	return levels;
}
