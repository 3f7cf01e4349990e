// SPDX-License-Identifier: GPL-2.0
/*
 * The descent through the page tables of a process, from the top level to the
 * leaf at whichever level it stands.
 *
 * Inside a VMA and under the mmap lock (read), tables of the upper levels stay:
 * free_pgtables() takes the write lock, or works outside of all VMAs. Two kinds
 * of tables don't: PTE tables, which khugepaged (from Linux 6.5 on) and the
 * reclaim of empty tables (from 6.14 on, CONFIG_PT_RECLAIM) free under RCU; and
 * shared PMD tables of hugetlb, which go when another process unshares them
 * under i_mmap_rwsem.
 *
 * Nor is an empty PMD or PUD empty for good: hugetlb's write protection and
 * migration, and faults that replace a huge zero page, empty an entry and set it
 * again under its page-table lock. So these are judged under that lock, too.
 */
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/pgtable.h>
#include "compat/pgtable.h"
#include "walk.h"

/* How often an entry that changes under our hands is read again. */
#define PTWALK_WALK_RETRIES	32

/* PTEs that are read before they are handed on. */
#define PTWALK_WALK_PTES	64

/* Outcome of one step; a step covers one leaf entry or one PTE table. */
enum ptwalk_step {
	STEP_ON,	/* took all of it */
	STEP_FULL,	/* whoever takes the entries wants no more */
	STEP_AGAIN,	/* the entry changed before its lock was taken */
};

static void ptwalk_note(struct ptwalk_walk *walk, enum ptwalk_level level, u64 val)
{
	walk->entry[level] = val;
	walk->entry_level = level;
}

static enum ptwalk_step ptwalk_advance(struct ptwalk_walk *walk, unsigned long to,
				       unsigned long next)
{
	walk->addr = to;
	return to == next ? STEP_ON : STEP_FULL;
}

static enum ptwalk_step ptwalk_walk_hole(struct ptwalk_walk *walk,
					 unsigned long next,
					 enum ptwalk_level level, bool bad)
{
	/* A level that is folded is that above. */
	while (!(walk->levels & BIT(level)))
		level++;
	return ptwalk_advance(walk,
			      walk->ops->hole(walk, walk->addr, next, level, bad),
			      next);
}

/*
 * The lock of an entry that covers @size. Of hugetlb memory the size of its
 * pages decides (huge_pte_lockptr()), but only at the level where they stand:
 * above it, an entry has the lock of its level, and a table there has none of
 * its own to be found by the size of the pages.
 */
static spinlock_t *ptwalk_walk_lockptr(struct ptwalk_walk *walk, void *entry,
				       unsigned long size, spinlock_t *ordinary)
{
#ifdef CONFIG_HUGETLB_PAGE
	struct vm_area_struct *vma = walk->vma;

	if (is_vm_hugetlb_page(vma) && huge_page_size(hstate_vma(vma)) >= size)
		return huge_pte_lockptr(hstate_vma(vma), vma->vm_mm, entry);
#endif
	return ordinary;
}

static enum ptwalk_step ptwalk_walk_ptes(struct ptwalk_walk *walk, pmd_t *pmdp,
					 pmd_t pmd, unsigned long next)
{
	struct mm_struct *mm = walk->vma->vm_mm;
	u64 ptes[PTWALK_WALK_PTES];
	pte_t *table, *ptep;
	spinlock_t *ptl;
	enum ptwalk_step step = STEP_ON;

	rcu_read_lock();
	table = ptwalk_pte_map(&pmd, walk->addr);
	ptl = ptwalk_walk_lockptr(walk, table, PAGE_SIZE, ptwalk_pte_lockptr(mm, &pmd));
	spin_lock(ptl);
	if (!pmd_same(pmd, ptwalk_pmdp_get(pmdp))) {
		step = STEP_AGAIN;
		goto unlock;
	}

	ptep = table;
	while (walk->addr < next && step == STEP_ON && walk->budget) {
		unsigned int nr = min_t(unsigned long, PTWALK_WALK_PTES,
					(next - walk->addr) >> PAGE_SHIFT);
		unsigned long addr = walk->addr;
		unsigned int i;

		for (i = 0; i < nr; i++)
			ptes[i] = pte_val(ptwalk_ptep_get(ptep++));
		ptwalk_note(walk, PTWALK_LEVEL_PTE, ptes[0]);
		walk->budget -= min(walk->budget, nr);
		step = ptwalk_advance(walk, walk->ops->ptes(walk, addr, ptes, nr),
				      addr + nr * PAGE_SIZE);
	}

unlock:
	spin_unlock(ptl);
	ptwalk_pte_unmap(table);
	rcu_read_unlock();
	return step;
}

static enum ptwalk_step ptwalk_walk_pmd(struct ptwalk_walk *walk, pmd_t *pmdp,
					unsigned long end)
{
	unsigned long next = pmd_addr_end(walk->addr, end);
	pmd_t pmd = ptwalk_pmdp_get(pmdp);
	enum ptwalk_step step = STEP_AGAIN;
	spinlock_t *ptl;

	ptwalk_note(walk, PTWALK_LEVEL_PMD, pmd_val(pmd));
	if (pmd_present(pmd) && !pmd_leaf(pmd) && !pmd_trans_huge(pmd)) {
		if (pmd_bad(pmd))
			return ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PMD, true);
		return ptwalk_walk_ptes(walk, pmdp, pmd, next);
	}

	ptl = ptwalk_walk_lockptr(walk, pmdp, PMD_SIZE,
				  pmd_lockptr(walk->vma->vm_mm, pmdp));
	spin_lock(ptl);
	if (pmd_same(pmd, ptwalk_pmdp_get(pmdp))) {
		walk->leaf = pmdp;
		if (pmd_none(pmd))
			step = ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PMD, false);
		else
			step = ptwalk_advance(walk,
					      walk->ops->pmd(walk, walk->addr, next, pmd),
					      next);
	}
	spin_unlock(ptl);
	return step;
}

static enum ptwalk_step ptwalk_walk_pud(struct ptwalk_walk *walk, pud_t *pudp,
					unsigned long end)
{
	unsigned long next = pud_addr_end(walk->addr, end);
	pud_t pud = pudp_get(pudp);
	enum ptwalk_step step = STEP_AGAIN;
	spinlock_t *ptl;

	ptwalk_note(walk, PTWALK_LEVEL_PUD, pud_val(pud));
	if (pud_present(pud) && !pud_leaf(pud)) {
		if (pud_bad(pud))
			return ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PUD, true);
		return ptwalk_walk_pmd(walk, ptwalk_pmd_offset(pudp, pud, walk->addr),
				       next);
	}

	ptl = ptwalk_walk_lockptr(walk, pudp, PUD_SIZE,
				  pud_lockptr(walk->vma->vm_mm, pudp));
	spin_lock(ptl);
	if (pud_val(pud) == pud_val(pudp_get(pudp))) {
		walk->leaf = pudp;
		if (pud_none(pud))
			step = ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PUD, false);
		else
			step = ptwalk_advance(walk,
					      walk->ops->pud(walk, walk->addr, next, pud),
					      next);
	}
	spin_unlock(ptl);
	return step;
}

/*
 * A PGD or P4D that holds a table goes on holding it while its VMA lives, so
 * it may be read again on the way down; what is recorded is read after the
 * test. Nothing empties one for a moment, so that no lock is needed to tell
 * that it is empty.
 */
static enum ptwalk_step ptwalk_walk_pgd(struct ptwalk_walk *walk)
{
	pgd_t *pgdp = pgd_offset(walk->vma->vm_mm, walk->addr);
	unsigned long next = pgd_addr_end(walk->addr, walk->end);
	p4d_t *p4dp;

	walk->budget--;
	ptwalk_note(walk, PTWALK_LEVEL_PGD, pgd_val(pgdp_get(pgdp)));
	if (pgd_none(pgdp_get(pgdp)))
		return ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PGD, false);
	if (pgd_bad(pgdp_get(pgdp)))
		return ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PGD, true);
	ptwalk_note(walk, PTWALK_LEVEL_PGD, pgd_val(pgdp_get(pgdp)));

	p4dp = ptwalk_p4d_offset(pgdp, walk->addr);
	next = p4d_addr_end(walk->addr, next);
	ptwalk_note(walk, PTWALK_LEVEL_P4D, p4d_val(p4dp_get(p4dp)));
	if (p4d_none(p4dp_get(p4dp)))
		return ptwalk_walk_hole(walk, next, PTWALK_LEVEL_P4D, false);
	if (p4d_bad(p4dp_get(p4dp)))
		return ptwalk_walk_hole(walk, next, PTWALK_LEVEL_P4D, true);
	ptwalk_note(walk, PTWALK_LEVEL_P4D, p4d_val(p4dp_get(p4dp)));

	return ptwalk_walk_pud(walk, ptwalk_pud_offset(p4dp, walk->addr), next);
}

/**
 * ptwalk_walk() - walk a range inside a VMA
 * @walk: Where, how far, and who takes what is found.
 *
 * Ends at @walk->end, when @walk->budget is used up, or when an operation
 * takes no more; @walk->addr tells where.
 *
 * Tables of hugetlb that may be shared want i_mmap_rwsem as well, which is held
 * for writing while anyone who shares them unmaps. It is only tried: who waited
 * for it with the mmap lock held would keep the process itself waiting.
 *
 * Context: The mmap lock is held for reading.
 * Return: 0, -EAGAIN when the entry for @walk->addr kept changing, or -EBUSY
 * when i_mmap_rwsem is held for writing; nothing was walked then.
 */
int ptwalk_walk(struct ptwalk_walk *walk)
{
	struct address_space *mapping = NULL;
	unsigned int retries = 0;
	int err = 0;

	if (is_vm_hugetlb_page(walk->vma) && walk->vma->vm_flags & VM_MAYSHARE) {
		mapping = walk->vma->vm_file->f_mapping;
		if (!i_mmap_trylock_read(mapping))
			return -EBUSY;
	}

	while (walk->addr < walk->end && walk->budget) {
		enum ptwalk_step outcome = ptwalk_walk_pgd(walk);

		if (outcome == STEP_FULL)
			break;
		if (outcome == STEP_ON) {
			retries = 0;
		} else if (++retries > PTWALK_WALK_RETRIES) {
			err = -EAGAIN;
			break;
		}
	}

	if (mapping)
		i_mmap_unlock_read(mapping);
	return err;
}
