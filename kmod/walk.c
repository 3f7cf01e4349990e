// SPDX-License-Identifier: GPL-2.0
/*
 * Walks the page tables of a process from the PGD to the leaves, at whichever
 * level these are.
 *
 * Inside a VMA and with the mmap lock held for reading, tables above the PTE
 * level aren't freed: free_pgtables() runs under the write lock, or outside of
 * all VMAs. Two kinds of tables can go away nevertheless:
 *
 * - PTE tables are freed under RCU by khugepaged (from Linux 6.6 on) and by the
 *   reclaim of empty tables (CONFIG_PT_RECLAIM, from 6.14 on).
 * - Shared PMD tables of hugetlb go away when another process unshares them
 *   under i_mmap_rwsem.
 *
 * Outside of all VMAs, nothing keeps a table but the mmap lock for writing.
 *
 * An empty PMD or PUD may be empty for a moment only: hugetlb's write
 * protection and migration, and faults that replace the huge zero page, clear
 * an entry and set it again under its page-table lock. So an entry that is
 * found empty is read again under that lock.
 */
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/mmap_lock.h>
#include <linux/pgtable.h>
#include <linux/sched.h>
#include "compat/pgtable.h"
#include "walk.h"

/* How often a step is repeated because its entry has changed meanwhile. */
#define PTWALK_WALK_RETRIES	32

/* Outcome of one step, which covers one PTE table or entries above it. */
enum ptwalk_step {
	STEP_ON,	/* the callback took all of it */
	STEP_FULL,	/* the callback took less, which ends the walk */
	STEP_AGAIN,	/* the entry changed before its lock was taken */
};

static enum ptwalk_step ptwalk_advance(struct ptwalk_walk *walk, unsigned long to,
				       unsigned long next)
{
	walk->addr = to;
	/* Somebody waits. */
	if (mmap_lock_is_contended(walk->vma->vm_mm) || need_resched())
		walk->budget = 0;
	return to < next ? STEP_FULL : STEP_ON;
}

static enum ptwalk_step ptwalk_walk_hole(struct ptwalk_walk *walk, unsigned long next,
					 enum ptwalk_level level, bool bad)
{
	level = ptwalk_unfolded(walk, level);
	return ptwalk_advance(walk, walk->ops->hole(walk, walk->addr, next, level, bad), next);
}

/*
 * The page-table lock of an entry that covers @size bytes. In hugetlb VMAs the
 * page size decides (huge_pte_lockptr()), but only for entries that map a page
 * or a part of one. Entries above those have the lock of their level, as in
 * other VMAs: huge_pte_lockptr() would take @entry for one of a lower level.
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
	enum ptwalk_step step = STEP_AGAIN;
	spinlock_t *ptl;
	pte_t *table;

	rcu_read_lock();
	/* @pmd was read before: its table, and the lock of that, may be gone. */
	if (!pmd_same(pmd, ptwalk_pmdp_get(pmdp))) {
		rcu_read_unlock();
		return STEP_AGAIN;
	}
	table = ptwalk_pte_map(&pmd, walk->addr);
	ptl = ptwalk_walk_lockptr(walk, table, PAGE_SIZE, ptwalk_pte_lockptr(mm, &pmd));
	spin_lock(ptl);
	if (pmd_same(pmd, ptwalk_pmdp_get(pmdp)))
		step = ptwalk_advance(walk, walk->ops->ptes(walk, walk->addr, table,
							    (next - walk->addr) >> PAGE_SHIFT),
				      next);
	spin_unlock(ptl);
	ptwalk_pte_unmap(table);
	rcu_read_unlock();
	return step;
}

/* m68k's pmd_none() wants something that has an address. */
static bool ptwalk_walk_pmd_is_none(pmd_t *pmdp)
{
	pmd_t pmd = ptwalk_pmdp_get(pmdp);

	return pmd_none(pmd);
}

/*
 * Of an entry that is empty and whose page-table lock is held, the address behind
 * it and those that follow in the same table and are empty, too, up to @end. All
 * entries of a table have one lock.
 */
static unsigned long ptwalk_walk_skip_pmds(pmd_t *pmdp, unsigned long addr, unsigned long end)
{
	do {
		addr = pmd_addr_end(addr, end);
	} while (addr < end && ptwalk_walk_pmd_is_none(++pmdp));
	return addr;
}

static unsigned long ptwalk_walk_skip_puds(pud_t *pudp, unsigned long addr, unsigned long end)
{
	do {
		addr = pud_addr_end(addr, end);
	} while (addr < end && pud_none(pudp_get(++pudp)));
	return addr;
}

/* One entry, or several that are empty, of a table that ends at @end or behind it. */
static enum ptwalk_step ptwalk_walk_pmd(struct ptwalk_walk *walk, pmd_t *pmdp,
					unsigned long end)
{
	unsigned long next = pmd_addr_end(walk->addr, end);
	pmd_t pmd = ptwalk_pmdp_get(pmdp);
	enum ptwalk_step step = STEP_AGAIN;
	spinlock_t *ptl;

	ptwalk_note(walk, PTWALK_LEVEL_PMD, pmd_val(pmd));
	if (pmd_present(pmd) && !pmd_leaf(pmd) && !pmd_trans_huge(pmd)) {
		ptwalk_charge(walk, PTWALK_WALK_STEP);
		if (pmd_bad(pmd))
			return ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PMD, true);
		return ptwalk_walk_ptes(walk, pmdp, pmd, next);
	}

	ptl = ptwalk_walk_lockptr(walk, pmdp, PMD_SIZE, pmd_lockptr(walk->vma->vm_mm, pmdp));
	spin_lock(ptl);
	if (pmd_same(pmd, ptwalk_pmdp_get(pmdp))) {
		walk->leaf = pmdp;
		if (pmd_none(pmd)) {
			next = ptwalk_walk_skip_pmds(pmdp, walk->addr, end);
			ptwalk_charge(walk, PTWALK_WALK_STEP +
					    ((next - walk->addr) >> PMD_SHIFT) *
					    PTWALK_WALK_EMPTY);
			step = ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PMD, false);
		} else {
			step = ptwalk_advance(walk,
					      walk->ops->pmd(walk, walk->addr, next, pmd),
					      next);
		}
	}
	spin_unlock(ptl);
	return step;
}

/*
 * The entries from @pmdp on up to that for @end, which are in one table. It stays
 * in place, see above, so nothing above it is read again.
 */
static enum ptwalk_step ptwalk_walk_pmds(struct ptwalk_walk *walk, pmd_t *pmdp,
					 unsigned long end)
{
	enum ptwalk_step step;
	unsigned long addr;

	do {
		addr = walk->addr;
		step = ptwalk_walk_pmd(walk, pmdp, end);
		pmdp += (walk->addr >> PMD_SHIFT) - (addr >> PMD_SHIFT);
	} while (step == STEP_ON && walk->addr < end && walk->budget);
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
		return ptwalk_walk_pmds(walk, ptwalk_pmd_offset(pudp, pud, walk->addr), next);
	}

	ptl = ptwalk_walk_lockptr(walk, pudp, PUD_SIZE, pud_lockptr(walk->vma->vm_mm, pudp));
	spin_lock(ptl);
	if (pud_val(pud) == pud_val(pudp_get(pudp))) {
		walk->leaf = pudp;
		if (pud_none(pud)) {
			next = ptwalk_walk_skip_puds(pudp, walk->addr, end);
			ptwalk_charge(walk, PTWALK_WALK_STEP +
					    ((next - walk->addr) >> PUD_SHIFT) *
					    PTWALK_WALK_EMPTY);
			step = ptwalk_walk_hole(walk, next, PTWALK_LEVEL_PUD, false);
		} else {
			step = ptwalk_advance(walk,
					      walk->ops->pud(walk, walk->addr, next, pud),
					      next);
		}
	}
	spin_unlock(ptl);
	return step;
}

/*
 * A PGD or P4D entry that points to a table does so for the lifetime of the
 * VMA, so it can be read more than once on the way down. It is noted again
 * after it was tested: a fault may have set it since. These entries are never
 * cleared for a moment, so no lock is needed to tell that one is empty.
 */
static enum ptwalk_step ptwalk_walk_pgd(struct ptwalk_walk *walk)
{
	pgd_t *pgdp = pgd_offset(walk->vma->vm_mm, walk->addr);
	unsigned long next = pgd_addr_end(walk->addr, walk->end);
	p4d_t *p4dp;

	ptwalk_charge(walk, PTWALK_WALK_STEP);
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

/*
 * Walks a range inside a VMA. Ends at @walk->end, when @walk->budget is used up, after a step
 * during which somebody waited for the mmap lock or the CPU, or when a callback takes less
 * than it was given; @walk->addr is the address it got to.
 *
 * PMD tables of hugetlb that may be shared are protected by i_mmap_rwsem as well: a process
 * that shares them holds it for writing to unmap them. It is only tried, since waiting for
 * it with the mmap lock held would block the target.
 *
 * Context: The mmap lock is held for reading, or outside of all VMAs for writing. Takes
 * i_mmap_rwsem for reading, the RCU read lock and page-table locks.
 * Return: 0, -EAGAIN if the entry for @walk->addr kept changing, or -EBUSY if i_mmap_rwsem
 * can't be taken at once; nothing was walked then.
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
		unsigned long addr = walk->addr;
		enum ptwalk_step outcome = ptwalk_walk_pgd(walk);

		if (outcome == STEP_FULL)
			break;
		if (walk->addr != addr)
			retries = 0;
		if (outcome == STEP_AGAIN && ++retries > PTWALK_WALK_RETRIES) {
			err = -EAGAIN;
			break;
		}
	}

	if (mapping)
		i_mmap_unlock_read(mapping);
	return err;
}
