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

/*
 * Of @run, @pages from number @first on, which has address @addr; in ascending order.
 * Returns how many runs they are by themselves, 0 if they aren't present.
 */
uint64_t contiguity_take(struct contiguity *c, const struct ptwalk_run *run,
			 uint64_t addr, uint64_t first, uint64_t pages);

/**
 * struct contiguity_mixed - the pages of a mixed list by their numbers
 * @pages: How many.
 * @extents: How many runs they are by themselves.
 */
struct contiguity_mixed {
	uint64_t pages[PTWALK_MIXED_MAX], extents[PTWALK_MIXED_MAX];
};

/* As contiguity_take(), of a mixed list of @runs; also counts what isn't present. */
void contiguity_take_mixed(struct contiguity *c, const struct ptwalk_runs *runs,
			   const struct ptwalk_run *run, uint64_t addr, uint64_t first,
			   uint64_t pages, struct contiguity_mixed *mixed);

/*
 * Of a run that lists the value of each page: the number of the first page behind
 * page @i whose value isn't that of the page before it and @step; at most @end.
 */
static inline uint64_t contiguity_break(const struct ptwalk_run *run, uint64_t i,
					uint64_t end, uint64_t step)
{
	do
		i++;
	while (i < end && run->value[i] == run->value[i - 1] + step);
	return i;
}

/* There are no more. */
void contiguity_end(struct contiguity *c);

#endif /* PTWALK_MODULE_CONTIGUITY_H */
