// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the address space of a process, and takes and releases all references
 * to it and its mmap lock.
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
 * The address space of a process stays as long as one thread has it, and the
 * group leader may exit before the others. for_each_thread() can't be used:
 * with lockdep it refers to tasklist_lock, which isn't exported.
 */
static struct mm_struct *ptwalk_target_process_mm(struct task_struct *task)
{
	struct task_struct *thread;
	struct mm_struct *mm = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(thread, &task->signal->thread_head, thread_node) {
		mm = get_task_mm(thread);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/*
 * Whether the sender of @skb may read the page tables of @task: for a process
 * other than its own, sk_capable() asks for CAP_SYS_PTRACE of both the sender
 * and the opener of the socket.
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
 * Like mm_access(), which asks the security modules as well, but gives up on
 * exec_update_lock after @target->wait: an exec may hold it for long. Modules can
 * call neither mm_access() nor ptrace_may_access().
 */
static struct mm_struct *ptwalk_target_access_mm(struct ptwalk_target *target,
						 struct task_struct *task)
{
	struct rw_semaphore *lock = &task->signal->exec_update_lock;
	struct mm_struct *mm = ERR_PTR(-EACCES);
	int err;

	while (!down_read_trylock(lock)) {
		err = ptwalk_lock_pause(&target->wait);
		if (err)
			return ERR_PTR(err);
	}
	if (ptrace_may_access(task, PTRACE_MODE_READ_FSCREDS))
		mm = ptwalk_target_process_mm(task);
	up_read(lock);
	return mm;
}
#endif

/*
 * Finds and pins the address space that the process with this pid, or with a thread that has
 * it, has now, in the PID namespace of the caller. ptwalk_target_put() releases it. After an
 * exec the process has another one; ptwalk_target_lock() then fails with -ESRCH, unless
 * another process shares the old mm (CLONE_VM).
 *
 * Context: Process context of the sender. Sleeps for ptwalk_wait_shared() at most.
 * Return: 0, -ESRCH if there is no such process or it has exited, -EINVAL for a kernel
 * thread, -EACCES if the caller may not trace the process, or an error of
 * ptwalk_lock_pause(); @extack has the reason.
 */
int ptwalk_target_get(struct ptwalk_target *target, struct sk_buff *skb,
		      u32 pid, struct netlink_ext_ack *extack)
{
	struct task_struct *task;
	struct mm_struct *mm;
	struct pid *ref;

	ref = find_get_pid(pid);
	task = get_pid_task(ref, PIDTYPE_PID);
	put_pid(ref);
	if (!task) {
		NL_SET_ERR_MSG(extack, "no such process");
		return -ESRCH;
	}

	*target = (struct ptwalk_target) { .wait = ptwalk_wait_shared(skb) };
	mm = ptwalk_target_may_trace(skb, task) ?
	     ptwalk_target_access_mm(target, task) : ERR_PTR(-EACCES);
	if (!mm)
		mm = ERR_PTR(task->flags & PF_KTHREAD ? -EINVAL : -ESRCH);
	put_task_struct(task);
	if (IS_ERR(mm)) {
		ptwalk_target_explain(PTR_ERR(mm), extack);
		return PTR_ERR(mm);
	}

	mmgrab(mm);
	mmput_async(mm);
	target->mm = mm;
	return 0;
}

/* Drops the reference of ptwalk_target_get(). The target isn't locked. */
void ptwalk_target_put(struct ptwalk_target *target)
{
	mmdrop(target->mm);
	target->mm = NULL;
}

/*
 * mmap_write_lock() and mmap_write_unlock() count in mm_lock_seq how often VMAs
 * may have been changed. Here they aren't, and there is no mmap_write_trylock()
 * from Linux 6.10 on.
 */
static bool ptwalk_target_trylock(const struct ptwalk_target *target)
{
	return target->exclusive ? down_write_trylock(&target->mm->mmap_lock) :
				   mmap_read_trylock(target->mm);
}

/*
 * Takes the mmap lock, and a reference to mm_users, of a pinned target.
 *
 * The mmap lock may be held for writing without limit: ->mmap() of a driver or a file system
 * can wait for hardware or for a server that doesn't answer. So it is tried until
 * @target->wait ends. Callers for whom nobody else can wait set @target->queue and wait in
 * the queue of the lock until a signal comes: a trylock may never succeed while writers
 * follow each other. With @target->exclusive it is only tried: whoever comes behind a writer
 * in the queue waits for the readers before it, too.
 *
 * Context: Process context, may sleep. On success the mmap lock is held for reading, or with
 * @target->exclusive for writing, and exit_mmap() can't run until ptwalk_target_unlock().
 * Return: 0, -ESRCH if the address space has no users any more, -EBUSY after that, -EINTR on
 * a fatal signal, or with @target->queue on any signal.
 */
int ptwalk_target_lock(struct ptwalk_target *target)
{
	int err = 0;

	if (!mmget_not_zero(target->mm))
		return -ESRCH;
	while (!err && !ptwalk_target_trylock(target)) {
		if (target->queue) {
			err = down_read_interruptible(&target->mm->mmap_lock);
			break;
		}
		err = ptwalk_lock_pause(&target->wait);
	}
	if (err)
		mmput_async(target->mm);
	return err;
}

/*
 * Releases what ptwalk_target_lock() took. If this drops the last reference to mm_users, a
 * workqueue runs exit_mmap(): it may take long, and the caller may hold cb_lock.
 */
void ptwalk_target_unlock(struct ptwalk_target *target)
{
	if (target->exclusive)
		up_write(&target->mm->mmap_lock);
	else
		mmap_read_unlock(target->mm);
	mmput_async(target->mm);
}

/*
 * Whether to walk again after an error: both a lock that couldn't be taken at once and an
 * entry that changed each time are tried until @target->wait ends. The target isn't locked;
 * sleeps for 50 to 200 us. Returns 0 to walk again, -EINTR on a fatal signal, otherwise @err.
 */
int ptwalk_target_retry(struct ptwalk_target *target, int err)
{
	int pause;

	if (err != -EAGAIN && err != -EBUSY)
		return err;
	pause = ptwalk_lock_pause(&target->wait);
	return pause == -EBUSY ? err : pause;
}

/* Sets the extended ack for an error of ptwalk_target_*() or of the walk, if it has a message. */
void ptwalk_target_explain(int err, struct netlink_ext_ack *extack)
{
	switch (err) {
	case -ESRCH:
		NL_SET_ERR_MSG(extack, "the process is gone: it has exited or called exec");
		break;
	case -EINVAL:
		NL_SET_ERR_MSG(extack, "a kernel thread has no address space");
		break;
	case -EACCES:
		NL_SET_ERR_MSG(extack, "the right to trace the process is needed: CAP_SYS_PTRACE in the initial user namespace");
		break;
	case -EBUSY:
		NL_SET_ERR_MSG(extack, "the process is busy: a lock of it is held or waited for by a writer");
		break;
	case -EINTR:
		NL_SET_ERR_MSG(extack, "the process is busy: a signal came while its mmap lock was waited for");
		break;
	case -EAGAIN:
		NL_SET_ERR_MSG(extack, "an entry keeps changing");
		break;
	}
}

/*
 * The page-table levels that an address space has, as a mask of 1 << enum ptwalk_level. Some
 * architectures fold levels at boot (x86 without LA57) or for each mm (s390).
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
