/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The descent through the page tables. It handles levels and locks only; the
 * operations passed to it decode the entries.
 */
#ifndef PTWALK_WALK_H
#define PTWALK_WALK_H

#include <linux/mm.h>
#include "uapi/linux/ptwalk_record.h"

struct ptwalk_walk;

/**
 * struct ptwalk_walk_ops - who takes what the descent finds
 * @ptes: The raw values of @nr entries in a row of a PTE table, the first one
 *	mapping @addr.
 * @pmd: A PMD that is no table: a leaf, or not present. [@addr, @next) is the
 *	part of it that was asked for.
 * @pud: The same for a PUD.
 * @hole: [@addr, @next) has no entries below the empty (or, if @bad, corrupt)
 *	entry at @level.
 *
 * They must not sleep: but for a @hole at the P4D or PGD level, they are called
 * under the page-table lock of the entries. Each returns the address up to
 * which it took what it was given; an address before the end ends the walk
 * there.
 */
struct ptwalk_walk_ops {
	unsigned long (*ptes)(struct ptwalk_walk *walk, unsigned long addr,
			      const u64 *ptes, unsigned int nr);
	unsigned long (*pmd)(struct ptwalk_walk *walk, unsigned long addr,
			     unsigned long next, pmd_t pmd);
	unsigned long (*pud)(struct ptwalk_walk *walk, unsigned long addr,
			     unsigned long next, pud_t pud);
	unsigned long (*hole)(struct ptwalk_walk *walk, unsigned long addr,
			      unsigned long next, enum ptwalk_level level,
			      bool bad);
};

/**
 * struct ptwalk_walk - a walk inside one VMA
 * @ops: Who takes what is found.
 * @vma: The VMA.
 * @addr: Where the walk stands; page-aligned. Moves forward.
 * @end: Where it shall end, exclusive; page-aligned, not past the VMA.
 * @budget: Entries that may still be visited; bounds the time for which the
 *	mmap lock is held.
 * @levels: Mask of the levels (1 << enum ptwalk_level) that the tables have.
 * @entry: Raw entries seen on the way to @addr, by level.
 * @entry_level: The lowest level of which @entry is valid.
 * @leaf: While @ops->pmd or @ops->pud runs, the place of the entry.
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

/* As many as pagemap reads at a time where a table has them. */
#define PTWALK_WALK_BUDGET	512U

int ptwalk_walk(struct ptwalk_walk *walk);

#endif /* PTWALK_WALK_H */
