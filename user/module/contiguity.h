/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long the runs are of present pages that lie in a row in virtual memory and
 * in physical memory, too; told run by run of the module, none of which is kept.
 * Pure.
 */
#ifndef PTWALK_MODULE_CONTIGUITY_H
#define PTWALK_MODULE_CONTIGUITY_H

#include "lib/ptwalk.h"

/* Pages in a row from address @addr and frame @pfn on. */
struct contiguous {
	uint64_t addr, pfn, pages;
};

/**
 * struct contiguity - the runs so far
 * @page_shift: Of the base page, set by the caller; all else 0.
 * @open: The one that may go on.
 * @longest: The first one of those that are as long.
 * @runs: How many have 2^i pages or more, and less than twice that.
 * @pages: Those of them.
 */
struct contiguity {
	unsigned int page_shift;
	struct contiguous open, longest;
	uint64_t runs[64], pages[64];
};

/* Pages in a row from @addr and @pfn on, which are present; in ascending order. */
void contiguity_add(struct contiguity *c, uint64_t addr, uint64_t pfn, uint64_t pages);

/**
 * struct contiguity_lists - what is in lists, by ptwalk_mixed_number()
 * @bits: What its pages are.
 * @step: How far the value of one of them goes on from that of the one before.
 * @alone: How many don't go on from the one before, nor the next one from them.
 * @pages: How many others.
 * @extents: How many runs these are by themselves.
 */
struct contiguity_lists {
	uint64_t bits[PTWALK_MIXED_MAX], step[PTWALK_MIXED_MAX];
	uint64_t alone[PTWALK_MIXED_MAX];
	uint64_t pages[PTWALK_MIXED_MAX], extents[PTWALK_MIXED_MAX];
};

/* Of the mixed lists of a message, or, with @nr 1, of a list of pages that are alike. */
void contiguity_lists_begin(struct contiguity_lists *l, const uint64_t *bits, size_t nr);

/* Of the list @run, @pages from number @first on, which has address @addr. */
void contiguity_lists_take(struct contiguity *c, struct contiguity_lists *l,
			   const struct ptwalk_run *run, uint64_t addr, uint64_t first,
			   uint64_t pages);

/* Adds those that stand alone to @c, and to the others in @l. */
void contiguity_lists_end(struct contiguity *c, struct contiguity_lists *l);

/* There are no more. */
void contiguity_end(struct contiguity *c);

#endif /* PTWALK_MODULE_CONTIGUITY_H */
