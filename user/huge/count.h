/* SPDX-License-Identifier: GPL-2.0 */
/* How much of a VMA is mapped by huge leaves, and why the rest isn't. Pure. */
#ifndef PTWALK_HUGE_COUNT_H
#define PTWALK_HUGE_COUNT_H

#include "huge/reasons.h"
#include "module/contiguity.h"
#include "module/entry.h"
#include "module/truth.h"
#include "proc/thp.h"
#include "proc/tmpfs.h"

#define HUGE_SHIFTS	64

/**
 * struct huge_sum - what was counted, in base pages
 * @present: Pages that are mapped, the zero page included.
 * @leaf: Of these, by log2 of the bytes of the leaf that maps them.
 * @order: Of these, by the order of their folio; those that the kernel doesn't
 *	count as mapped pages (special mappings, the zero page) are @no_folio.
 * @aligned: By log2 of the bytes of the largest leaf that could map them where
 *	they lie: to whose size both addresses are aligned, and which frames in a
 *	row fill.
 * @windows: Aligned ranges of the size of a huge leaf that lie in a VMA and
 *	were read as a whole.
 * @huge: Windows that a huge leaf maps.
 * @why: By reason, the windows that none does, and the pages that are mapped
 *	there; also those that are in no window.
 */
struct huge_sum {
	uint64_t present;
	uint64_t leaf[HUGE_SHIFTS], order[HUGE_SHIFTS], no_folio;
	uint64_t aligned[HUGE_SHIFTS];
	uint64_t windows, huge;
	struct {
		uint64_t windows, pages;
	} why[NR_HUGE_REASONS];
};

/**
 * struct huge_facts - what the reasons follow from, beside the entries
 * @tmpfs: The mounts that the process sees; NULL: they aren't known.
 */
struct huge_facts {
	const struct ptwalk_kernel *kernel;
	const struct thp_settings *settings;
	const struct thp_process *process;
	const struct tmpfs_mounts *tmpfs;
};

/*
 * log2 of the bytes of the leaf that an entry of @vma is, or is part of: hugetlb
 * makes large ones of several entries.
 */
unsigned int huge_leaf_shift(const struct ptwalk_kernel *kernel,
			     const struct ptwalk_vma *vma, uint64_t bits);

/**
 * struct huge_window - an aligned range of the size of a huge leaf
 * @base: First address.
 * @seen: Pages of it in the extents that came.
 * @leaves: Of these, in a huge leaf, @small: in smaller ones that are present.
 * @none: Empty or the zero page, @empty: empty.
 * @absent: Neither empty nor present; swapped for the most part.
 * @shared: That several processes may map, @young: accessed lately.
 * @writable: An entry allows writing.
 * @copies: A page is anonymous.
 * @parted: A page is of no huge folio.
 * @why: What khugepaged would meet first.
 */
struct huge_window {
	uint64_t base, seen, leaves, small;
	uint64_t none, empty, absent, shared, young;
	bool writable, copies, parted;
	enum huge_reason why;
};

/**
 * struct huge_counter - a VMA that is counted extent by extent
 * @vma: It; where it ends may change as long as it isn't counted to its end.
 * @sum: What it has.
 * @pages: Of a window.
 * @nature: Why memory of this kind has none; @setting: why nobody has asked for
 *	any; @place: why none would lie right. NR_HUGE_REASONS without a reason.
 * @row: Pages in a row that may go on in the next extent.
 */
struct huge_counter {
	struct huge_facts facts;
	struct ptwalk_vma vma;
	struct huge_sum sum;
	uint64_t pages;
	enum huge_reason nature, setting, place;
	struct huge_window window;
	struct contiguous row;
};

/* Counts @vma: huge_take() with all its extents, in order, and then huge_end(). */
void huge_begin(struct huge_counter *c, const struct huge_facts *facts,
		const struct ptwalk_vma *vma);
void huge_take(struct huge_counter *c, const struct ptwalk_extent *extents,
	       const struct ptwalk_page *pages, size_t nr);
void huge_end(struct huge_counter *c);

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

/*
 * Why no leaf can be of that size, with those of which there are some: of the levels
 * of @kernel and @hugetlb, a mask of sizes. Until the next call; NULL: there are some.
 */
const char *huge_goal_beyond(const struct huge_goal *goal,
			     const struct ptwalk_kernel *kernel, uint64_t hugetlb);

/* Of nothing, no share is reached. */
bool huge_goal_met(const struct huge_goal *goal, const struct huge_sum *sum);

#endif /* PTWALK_HUGE_COUNT_H */
