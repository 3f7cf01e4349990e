/* SPDX-License-Identifier: GPL-2.0 */
/* How much of a VMA is mapped by huge leaves, and why the rest isn't. Pure. */
#ifndef PTWALK_HUGE_COUNT_H
#define PTWALK_HUGE_COUNT_H

#include "huge/reasons.h"
#include "module/truth.h"
#include "proc/thp.h"

#define HUGE_SHIFTS	64

/**
 * struct huge_sum - what was counted, in base pages
 * @present: Pages that are mapped, the zero page included.
 * @leaf: Of these, by log2 of the bytes of the leaf that maps them.
 * @order: Of these, by the order of their folio; those that the kernel doesn't
 *	count as mapped pages (special mappings, the zero page) are @no_folio.
 * @windows: Aligned ranges of the size of a huge leaf that lie in a VMA and
 *	were read as a whole.
 * @huge: Windows that a huge leaf maps.
 * @why: By reason, the windows that none does, and the pages that are mapped
 *	there; also those that are in no window.
 */
struct huge_sum {
	uint64_t present;
	uint64_t leaf[HUGE_SHIFTS], order[HUGE_SHIFTS], no_folio;
	uint64_t windows, huge;
	struct {
		uint64_t windows, pages;
	} why[NR_HUGE_REASONS];
};

/**
 * struct huge_facts - what the reasons follow from, beside the entries
 */
struct huge_facts {
	const struct ptwalk_kernel *kernel;
	const struct thp_settings *settings;
	const struct thp_process *process;
};

/* log2 of the bytes of a huge leaf: of the lowest level above the PTE level. */
unsigned int huge_shift(const struct ptwalk_kernel *kernel);

/*
 * log2 of the bytes of the leaf that an entry of @vma is, or is part of: hugetlb
 * makes large ones of several entries.
 */
unsigned int huge_leaf_shift(const struct ptwalk_kernel *kernel,
			     const struct ptwalk_vma *vma, uint64_t bits);

/*
 * Counts the extents of @vma, the first of which is number *@next of @truth, and
 * moves *@next behind them. @truth has pages.
 */
void huge_count(const struct huge_facts *facts, const struct truth *truth,
		const struct ptwalk_vma *vma, size_t *next,
		struct huge_sum *sum);

void huge_add(struct huge_sum *sum, const struct huge_sum *other);

/* Pages that leaves of at least @size bytes map. */
uint64_t huge_at_least(const struct huge_sum *sum, uint64_t size);

/**
 * struct huge_goal - so much is to be mapped by leaves of that size
 */
struct huge_goal {
	uint64_t percent, size;
};

/* Parses "95% 2M". Returns NULL, or a reason as the parsers do. */
const char *huge_goal_parse(const char *s, struct huge_goal *goal);

/* Of nothing, no share is reached. */
bool huge_goal_met(const struct huge_goal *goal, const struct huge_sum *sum);

#endif /* PTWALK_HUGE_COUNT_H */
