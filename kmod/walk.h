/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks the page tables of one VMA. The walk knows levels and locks only; its
 * callbacks decode the entries.
 */
#ifndef PTWALK_WALK_H
#define PTWALK_WALK_H

#include <linux/mm.h>
#include "uapi/linux/ptwalk_record.h"

struct ptwalk_walk;

/**
 * struct ptwalk_walk_ops - callbacks of ptwalk_walk()
 * @ptes: The raw values of @nr consecutive entries of a PTE table, and a 0 behind
 *	them; the first one maps @addr. Takes what each costs of the budget.
 * @pmd: A PMD that is not empty and doesn't point to a table: a leaf, or a
 *	non-present entry. [@addr, @end) is the part of its table, from it on, inside
 *	the range: takes it, and may take more leaves that follow it, whose lock is
 *	the same. Takes what those cost of the budget, PTWALK_WALK_LEAF each.
 * @pud: A PUD of that kind. [@addr, @next) is the part of it inside the range.
 * @pass: Optional. Returns how many of the @nr entries from @ptep on, which may be
 *	empty, @hole may be told of instead of @ptes, which is passed
 *	PTWALK_WALK_FEW at a time then.
 * @hole: The entries at @level that cover [@addr, @next) are empty or, if @bad,
 *	the one that does is corrupt (pmd_bad() and the like).
 *
 * Callbacks must not sleep: they are called under the page-table lock of the
 * entries. Only @hole is called without it for a P4D or PGD entry and for a
 * bad one.
 *
 * Each returns the address up to which it took the entries; if that is before
 * the end of what it was given, the walk ends there. Each may take more of the
 * budget, as what it writes costs, too.
 */
struct ptwalk_walk_ops {
	unsigned long (*ptes)(struct ptwalk_walk *walk, unsigned long addr,
			      const u64 *ptes, unsigned int nr);
	unsigned long (*pmd)(struct ptwalk_walk *walk, unsigned long addr,
			     unsigned long end, pmd_t pmd);
	unsigned long (*pud)(struct ptwalk_walk *walk, unsigned long addr,
			     unsigned long next, pud_t pud);
	unsigned long (*hole)(struct ptwalk_walk *walk, unsigned long addr,
			      unsigned long next, enum ptwalk_level level,
			      bool bad);
	unsigned int (*pass)(struct ptwalk_walk *walk, pte_t *ptep,
			     unsigned int nr);
};

#define PTWALK_WALK_FEW		8

/* What a leaf above the PTE level costs of the budget. */
#define PTWALK_WALK_LEAF	4U

/**
 * struct ptwalk_walk - a walk inside one VMA
 * @ops: The callbacks.
 * @vma: The VMA.
 * @addr: The next address, page-aligned; advanced by the walk.
 * @end: Where the walk ends, exclusive; page-aligned, not past the VMA.
 * @budget: How much more may be done, in the work for a PTE that goes on with what
 *	the one before began; bounds the time for which the mmap lock is held.
 *	Empty entries in a row cost less, leaves above the PTE level more.
 * @levels: Mask of the levels (1 << enum ptwalk_level) that the tables have.
 * @entry: The raw entries that were read last, by level; of those that a callback
 *	takes at a time, the first one.
 * @entry_level: The lowest level at which @entry is valid.
 * @leaf: Pointer to the entry, the first one, while @ops->pmd or @ops->pud runs.
 */
struct ptwalk_walk {
	const struct ptwalk_walk_ops *ops;
	struct vm_area_struct *vma;
	unsigned long addr;
	unsigned long end;
	unsigned int budget;
	u32 levels;
	u64 entry[PTWALK_LEVELS];
	enum ptwalk_level entry_level;
	void *leaf;
};

/* Takes @cost of the budget, or what is left of it. */
static __always_inline void ptwalk_spend(struct ptwalk_walk *walk, unsigned int cost)
{
	walk->budget -= min(walk->budget, cost);
}

/*
 * pagemap reads as much under one hold of the mmap lock (PAGEMAP_WALK_SIZE)
 * where a PTE table has 512 entries.
 */
#define PTWALK_WALK_BUDGET	512U

int ptwalk_walk(struct ptwalk_walk *walk);

#endif /* PTWALK_WALK_H */
