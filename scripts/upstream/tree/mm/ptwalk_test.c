// SPDX-License-Identifier: GPL-2.0
/*
 * Reads page-table entries of processes, for selftests that compare them with
 * what other interfaces tell.
 */
#include <linux/debugfs.h>
#include <linux/leafops.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>
#include "ptwalk_test.h"

static void ptwalk_test_swap(struct ptwalk_test_entry *out, softleaf_t leaf,
			     unsigned long idx)
{
	u64 offset = softleaf_has_pfn(leaf) ? softleaf_to_pfn(leaf) :
					      swp_offset(leaf);

	out->flags |= PTWALK_TEST_SWAP;
	out->frame = swp_type(leaf) | (offset + idx) << MAX_SWAPFILES_SHIFT;
}

static void ptwalk_test_bits(struct ptwalk_test_entry *out, bool soft_dirty,
			     bool uffd)
{
	if (soft_dirty)
		out->flags |= PTWALK_TEST_SOFT_DIRTY;
	if (uffd)
		out->flags |= PTWALK_TEST_UFFD;
}

static void ptwalk_test_pmd(struct ptwalk_test_entry *out, pmd_t pmd)
{
	unsigned long idx = (out->addr & ~PMD_MASK) >> PAGE_SHIFT;

	if (pmd_present(pmd)) {
		out->flags |= PTWALK_TEST_PRESENT;
		out->frame = pmd_pfn(pmd) + idx;
		ptwalk_test_bits(out, pmd_soft_dirty(pmd), pmd_uffd(pmd));
	} else if (thp_migration_supported()) {
		ptwalk_test_swap(out, softleaf_from_pmd(pmd), idx);
		ptwalk_test_bits(out, pmd_swp_soft_dirty(pmd),
				 pmd_swp_uffd(pmd));
	}
}

static void ptwalk_test_pte(struct ptwalk_test_entry *out, pte_t pte)
{
	softleaf_t leaf = softleaf_from_pte(pte);

	if (pte_present(pte)) {
		out->flags |= PTWALK_TEST_PRESENT;
		out->frame = pte_pfn(pte);
		ptwalk_test_bits(out, pte_soft_dirty(pte), pte_uffd(pte));
		return;
	}
	ptwalk_test_swap(out, leaf, 0);
	ptwalk_test_bits(out, pte_swp_soft_dirty(pte), pte_swp_uffd_any(pte));
	if (softleaf_is_guard_marker(leaf))
		out->flags |= PTWALK_TEST_GUARD;
}

/*
 * Descends to @out->addr in @vma, as folio_walk_start() does, but leaves bad
 * entries as they are. Special mappings are read like others; nothing behind an
 * entry is looked at.
 *
 * Locking: the mmap lock is held for reading, with which the upper tables stay,
 * and vma_pgtable_walk_begin() keeps the shared PMD tables of hugetlb. An entry
 * that may be a leaf is read under its page-table lock.
 *
 * Return: 0, or -EAGAIN if a PTE table went away meanwhile.
 */
static int ptwalk_test_descend(struct vm_area_struct *vma,
			       struct ptwalk_test_entry *out)
{
	struct mm_struct *mm = vma->vm_mm;
	unsigned long addr = out->addr;
	spinlock_t *ptl;
	pgd_t *pgdp;
	p4d_t *p4dp;
	pud_t *pudp, pud;
	pmd_t *pmdp, pmd;
	pte_t *ptep, pte;

	out->level = PTWALK_TEST_PGD;
	pgdp = pgd_offset(mm, addr);
	if (pgd_none(*pgdp))
		return 0;
	out->entry[PTWALK_TEST_PGD] = pgd_val(*pgdp);
	if (pgd_bad(*pgdp))
		return 0;

	out->level = PTWALK_TEST_P4D;
	p4dp = p4d_offset(pgdp, addr);
	if (p4d_none(*p4dp))
		return 0;
	out->entry[PTWALK_TEST_P4D] = p4d_val(*p4dp);
	if (p4d_bad(*p4dp))
		return 0;

	out->level = PTWALK_TEST_PUD;
	pudp = pud_offset(p4dp, addr);
	ptl = pud_lock(mm, pudp);
	pud = pudp_get(pudp);
	spin_unlock(ptl);
	if (pud_none(pud))
		return 0;
	out->entry[PTWALK_TEST_PUD] = pud_val(pud);
	if (pud_present(pud) && pud_leaf(pud)) {
		out->flags |= PTWALK_TEST_PRESENT;
		out->frame = pud_pfn(pud) + ((addr & ~PUD_MASK) >> PAGE_SHIFT);
	}
	if (!pud_present(pud) || pud_leaf(pud))
		return 0;

	out->level = PTWALK_TEST_PMD;
	pmdp = pmd_offset(pudp, addr);
	ptl = pmd_lock(mm, pmdp);
	pmd = pmdp_get(pmdp);
	spin_unlock(ptl);
	if (pmd_none(pmd))
		return 0;
	out->entry[PTWALK_TEST_PMD] = pmd_val(pmd);
	if (!pmd_present(pmd) || pmd_leaf(pmd)) {
		ptwalk_test_pmd(out, pmd);
		return 0;
	}

	out->level = PTWALK_TEST_PTE;
	ptep = pte_offset_map_lock(mm, pmdp, addr, &ptl);
	if (!ptep)
		return -EAGAIN;
	pte = ptep_get(ptep);
	pte_unmap_unlock(ptep, ptl);
	if (pte_none(pte))
		return 0;
	out->entry[PTWALK_TEST_PTE] = pte_val(pte);
	ptwalk_test_pte(out, pte);
	return 0;
}

static int ptwalk_test_one(struct mm_struct *mm, struct ptwalk_test_entry *out)
{
	struct vm_area_struct *vma;
	int err = 0;

	if (out->addr > ULONG_MAX)
		return -EINVAL;
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	vma = vma_lookup(mm, out->addr);
	if (vma) {
		out->flags = PTWALK_TEST_VMA |
			     (vma->vm_flags & VM_SOFTDIRTY ? PTWALK_TEST_VMA_SOFT_DIRTY : 0) |
			     (is_vm_hugetlb_page(vma) ? PTWALK_TEST_HUGETLB : 0);
		vma_pgtable_walk_begin(vma);
		err = ptwalk_test_descend(vma, out);
		vma_pgtable_walk_end(vma);
	}
	mmap_read_unlock(mm);
	return err;
}

static long ptwalk_test_ioctl(struct file *file, unsigned int cmd,
			      unsigned long arg)
{
	struct ptwalk_test_entry __user *user;
	struct ptwalk_test test;
	struct task_struct *task;
	struct mm_struct *mm;
	unsigned int flags;
	long err = 0;

	if (cmd != PTWALK_TEST_WALK)
		return -ENOTTY;
	/* As for the PFNs in /proc/PID/pagemap. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&test, (void __user *)arg, sizeof(test)))
		return -EFAULT;
	task = pidfd_get_task(test.pidfd, &flags);
	if (IS_ERR(task))
		return PTR_ERR(task);
	mm = mm_access(task, PTRACE_MODE_READ_FSCREDS);
	put_task_struct(task);
	if (IS_ERR(mm))
		return PTR_ERR(mm);

	for (user = u64_to_user_ptr(test.entries); test.nr && !err; test.nr--, user++) {
		struct ptwalk_test_entry out = {};

		if (copy_from_user(&out.addr, &user->addr, sizeof(out.addr)))
			err = -EFAULT;
		else
			err = ptwalk_test_one(mm, &out);
		if (!err && copy_to_user(user, &out, sizeof(out)))
			err = -EFAULT;
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		cond_resched();
	}
	mmput(mm);
	return err;
}

static const struct file_operations ptwalk_test_fops = {
	.open = nonseekable_open,
	.unlocked_ioctl = ptwalk_test_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static int __init ptwalk_test_init(void)
{
	debugfs_create_file_unsafe("ptwalk_test", 0600, NULL, NULL,
				   &ptwalk_test_fops);
	return 0;
}

late_initcall(ptwalk_test_init);
