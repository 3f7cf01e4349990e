// SPDX-License-Identifier: GPL-2.0
/* Locks that belong to others, waited for so long and no longer. */
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/task_work.h>
#include <linux/workqueue.h>
#include "lock.h"

/**
 * struct ptwalk_lock_timeout - what ends a wait
 * @work: Runs when the time is over.
 * @task: Who waits.
 * @over: The time is over.
 */
struct ptwalk_lock_timeout {
	struct delayed_work work;
	struct task_struct *task;
	bool over;
};

/* As set_notify_signal(), which calls what isn't exported. */
static void ptwalk_lock_end_wait(struct work_struct *work)
{
	struct ptwalk_lock_timeout *timeout =
		container_of(to_delayed_work(work), struct ptwalk_lock_timeout, work);

	timeout->over = true;
	set_tsk_thread_flag(timeout->task, TIF_NOTIFY_SIGNAL);
	wake_up_process(timeout->task);
}

/* Somebody else may have set it as well, for work that is still to be done. */
static void ptwalk_lock_clear_timeout(void)
{
	clear_notify_signal();
	if (task_work_pending(current))
		set_thread_flag(TIF_NOTIFY_SIGNAL);
}

/**
 * ptwalk_down_read_timeout() - take a semaphore for reading, or give up
 * @sem: The semaphore.
 * @left: Jiffies for which the caller may still wait; reduced.
 *
 * The caller waits in the semaphore's own queue: where threads that write
 * follow each other, one who only tries again and again never gets it. No
 * function of the kernel does that for a limited time; an interruptible wait
 * that is interrupted does.
 *
 * Context: May sleep, for @left and no longer than it takes to be scheduled.
 * Return: 0, -EBUSY when the time is over or a signal came, -EINTR when that
 * is fatal: netlink doesn't answer a request that fails with it.
 */
int ptwalk_down_read_timeout(struct rw_semaphore *sem, unsigned long *left)
{
	struct ptwalk_lock_timeout timeout = { .task = current };
	unsigned long begin = jiffies;
	int err;

	if (down_read_trylock(sem))
		return 0;
	if (!*left)
		return -EBUSY;

	INIT_DELAYED_WORK_ONSTACK(&timeout.work, ptwalk_lock_end_wait);
	schedule_delayed_work(&timeout.work, *left);
	err = down_read_interruptible(sem);
	cancel_delayed_work_sync(&timeout.work);
	destroy_delayed_work_on_stack(&timeout.work);

	*left -= min(*left, jiffies - begin);
	if (timeout.over) {
		*left = 0;
		ptwalk_lock_clear_timeout();
	}
	if (err && !fatal_signal_pending(current))
		err = -EBUSY;
	return err;
}
