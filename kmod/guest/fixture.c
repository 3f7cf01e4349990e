// SPDX-License-Identifier: GPL-2.0
/*
 * For tests alone: while it is loaded, the page table of the process pid= has what no MMU
 * notifier was told of, as by a kernel that forgets one: a guest goes on with what was
 * there. Or the kernel forgets something else. wrong= says what that is:
 *
 *	places		the page at addr= and the one behind it have changed places
 *	read-only	the process can't write to the page at addr= any more
 *	zapped		no page is at addr= any more
 *	slot		KVM forgets the entries of a slot that the process takes away
 *	iommu		the IOMMU forgets to unmap what the process unmaps for a device
 *
 * Both pages must be present, and nobody may touch them; both are the process's own.
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

static int pid;
module_param(pid, int, 0444);
MODULE_PARM_DESC(pid, "The process");

static unsigned long addr;
module_param(addr, ulong, 0444);
MODULE_PARM_DESC(addr, "Address of the first of two pages");

static char *wrong = "places";
module_param(wrong, charp, 0444);
MODULE_PARM_DESC(wrong, "What is to be wrong in the page table");

static struct mm_struct *mm;

/* What the first PTE is exchanged for, unless the two change places. */
static pte_t other;

static pmd_t *pmd_at(void)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d = pgd_none(*pgd) ? NULL : p4d_offset(pgd, addr);
	pud_t *pud = !p4d || p4d_none(*p4d) ? NULL : pud_offset(p4d, addr);

	return pud && pud_present(*pud) && !pud_leaf(*pud) ? pmd_offset(pud, addr) : NULL;
}

/* Done twice, nothing is wrong any more. */
static void change(pte_t *pte)
{
	const pte_t first = pte[0];

	if (!strcmp(wrong, "places")) {
		WRITE_ONCE(pte[0], pte[1]);
		WRITE_ONCE(pte[1], first);
		return;
	}
	if (pte_none(other) && !strcmp(wrong, "read-only"))
		other = pte_wrprotect(first);
	WRITE_ONCE(pte[0], other);
	other = first;
}

/* Whether it is as it was, or as change() left it. */
static bool is_untouched(pte_t pte)
{
	const bool zapped = !pte_none(other) && !strcmp(wrong, "zapped");

	return zapped ? pte_none(pte) : pte_present(pte);
}

/* Both lie in one table, which khugepaged and reclaim free behind RCU. */
static int change_table(void)
{
	int err = -EAGAIN;
	spinlock_t *lock;
	pmd_t *pmd, was;
	pte_t *pte;

	mmap_read_lock(mm);
	rcu_read_lock();
	pmd = pmd_at();
	was = pmd ? READ_ONCE(*pmd) : __pmd(0);
	if (pmd_present(was) && !pmd_leaf(was) && pte_index(addr) + 1 < PTRS_PER_PTE) {
		lock = pte_lockptr(mm, &was);
		spin_lock(lock);
		pte = pte_offset_kernel(&was, addr);
		if (pmd_same(was, READ_ONCE(*pmd)) && is_untouched(pte[0]) &&
		    pte_present(pte[1])) {
			change(pte);
			err = 0;
		}
		spin_unlock(lock);
	}
	rcu_read_unlock();
	mmap_read_unlock(mm);
	return err;
}

/* What the process calls in place of a probed function. */
static notrace noinline void do_nothing(void)
{
}

static int skip(struct kprobe *probe, struct pt_regs *regs)
{
	if (current->tgid != pid)
		return 0;
	/* Of iommu_unmap(), the size: it has been unmapped. */
	regs_set_return_value(regs, regs_get_kernel_argument(regs, 2));
	instruction_pointer_set(regs, (unsigned long)do_nothing);
	return 1;
}

/* Without one behind it, a probe may be one that goes on where it is. */
static void skip_not(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

#define SKIPPED(name) { .symbol_name = name, .pre_handler = skip, .post_handler = skip_not }

static struct kprobe slot = SKIPPED("kvm_arch_flush_shadow_memslot");
static struct kprobe iommu = SKIPPED("iommu_unmap");
static struct kprobe iommu_fast = SKIPPED("iommu_unmap_fast");
static struct kprobe *slots[] = { &slot }, *iommus[] = { &iommu, &iommu_fast };

/* Whether it is about functions that are skipped; these are *@probes, *@nr of them. */
static bool is_skipped(struct kprobe ***probes, int *nr)
{
	const bool is_slot = !strcmp(wrong, "slot");

	*probes = is_slot ? slots : iommus;
	*nr = is_slot ? ARRAY_SIZE(slots) : ARRAY_SIZE(iommus);
	return is_slot || !strcmp(wrong, "iommu");
}

static int change_tables_of(struct task_struct *task)
{
	int err;

	mm = get_task_mm(task);
	if (!mm)
		return -ESRCH;
	err = change_table();
	if (err)
		mmput(mm);
	return err;
}

static int __init fixture_init(void)
{
	struct pid *found;
	struct task_struct *task;
	struct kprobe **probes;
	int err, nr;

	if (is_skipped(&probes, &nr))
		return register_kprobes(probes, nr);
	found = find_get_pid(pid);
	task = get_pid_task(found, PIDTYPE_PID);
	put_pid(found);
	if (!task)
		return -ESRCH;
	err = change_tables_of(task);
	put_task_struct(task);
	return err;
}
module_init(fixture_init);

static void __exit fixture_exit(void)
{
	struct kprobe **probes;
	int nr;

	if (is_skipped(&probes, &nr)) {
		unregister_kprobes(probes, nr);
		return;
	}
	if (change_table())
		pr_warn("ptwalk_guest_fixture: what was changed at 0x%lx is left\n", addr);
	mmput(mm);
}
module_exit(fixture_exit);

MODULE_DESCRIPTION("A page table that KVM wasn't told of, for tests");
MODULE_LICENSE("GPL");
