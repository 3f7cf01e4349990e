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

/*
 * Callbacks of ptwalk_walk(). Each charges its work to the budget, but for empty entries
 * above the PTE level, and returns the address up to which it took the entries; if that is
 * before the end of what it was given, the walk ends there.
 *
 * Context: The page-table lock of the entries is held, so callbacks must not sleep. Only
 * ->hole() is called without it, for a P4D or PGD entry and for a bad one.
 */
struct ptwalk_walk_ops {
	/*
	 * The @nr consecutive PTEs of a table from @ptep on, of which some may be empty; the
	 * first one maps @addr. Notes what it read of that.
	 */
	unsigned long (*ptes)(struct ptwalk_walk *walk, unsigned long addr,
			      pte_t *ptep, unsigned int nr);
	/*
	 * A PMD, or a PUD, that is not empty and doesn't point to a table: a leaf, or a
	 * non-present entry, which maps [@addr, @next).
	 */
	unsigned long (*pmd)(struct ptwalk_walk *walk, unsigned long addr,
			     unsigned long next, pmd_t pmd);
	unsigned long (*pud)(struct ptwalk_walk *walk, unsigned long addr,
			     unsigned long next, pud_t pud);
	/*
	 * The entries at @level that cover [@addr, @next) are empty or, if @bad, the one that
	 * does is corrupt (pmd_bad() and the like).
	 */
	unsigned long (*hole)(struct ptwalk_walk *walk, unsigned long addr,
			      unsigned long next, enum ptwalk_level level,
			      bool bad);
};

/* A walk inside one VMA. Addresses are page-aligned. */
struct ptwalk_walk {
	const struct ptwalk_walk_ops *ops;
	struct vm_area_struct *vma;
	unsigned long addr;		/* the next one; advanced by the walk */
	unsigned long end;		/* exclusive; not past the VMA */
	/*
	 * How much more may be done, in instructions of x86-64, about: bounds the time for
	 * which the mmap lock is held. 0 also once somebody waits for that or for the CPU.
	 */
	unsigned int budget;
	u32 levels;			/* mask of 1 << enum ptwalk_level: what the tables have */
	/*
	 * The raw entries that were read last, by level, 0 for folded ones; of PTEs read
	 * together, the first.
	 */
	u64 entry[PTWALK_LEVELS];
	enum ptwalk_level entry_level;	/* the lowest one at which @entry is valid */
	void *leaf;			/* pointer to the entry while ->pmd() or ->pud() runs */
};

/*
 * The entry of a folded level is that of the level above, and replaces the one that was
 * read there: where levels are folded at boot (arm64), pgd_offset() gives the first entry
 * for every address.
 */
static inline enum ptwalk_level ptwalk_unfolded(const struct ptwalk_walk *walk,
						enum ptwalk_level level)
{
	while (!(walk->levels & BIT(level)))
		level++;
	return level;
}

static inline void ptwalk_note(struct ptwalk_walk *walk, enum ptwalk_level level, u64 val)
{
	level = ptwalk_unfolded(walk, level);
	walk->entry[level] = val;
	walk->entry_level = level;
}

/* Charges @cost to the budget, or what is left of it. */
static __always_inline void ptwalk_charge(struct ptwalk_walk *walk, unsigned int cost)
{
	walk->budget -= min(walk->budget, cost);
}

/*
 * pagemap reads 512 PTEs under one hold of the mmap lock, which takes some 60,000
 * instructions, and another walk may wait for a hold for each.
 */
#define PTWALK_WALK_BUDGET	90000U

/* A level of tables on the way down, with its lock; and an empty entry above PTEs. */
#define PTWALK_WALK_STEP	200
#define PTWALK_WALK_EMPTY	8

int ptwalk_walk(struct ptwalk_walk *walk);

#endif /* PTWALK_WALK_H */
