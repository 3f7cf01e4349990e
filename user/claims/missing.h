/* SPDX-License-Identifier: GPL-2.0 */
/* Present pages that nobody has claimed. */
#ifndef PTWALK_CLAIMS_MISSING_H
#define PTWALK_CLAIMS_MISSING_H

#include "claims/pages.h"
#include "module/truth.h"

struct env;
struct page_truth;
struct process;
struct ranges;

/**
 * struct missing_run - present pages in a row that nobody has claimed
 * @addr: Address of the first one.
 * @pages: How many, in one VMA, by leaves of one size.
 * @value: PFN of the first one, if it is at rest.
 * @bits: Of the first one, as in struct ptwalk_extent.
 * @rules: By which pagemap doesn't show them, or 0.
 * @in_leaf: They are in a leaf of several pages, of which the first alone is claimed.
 */
struct missing_run {
	uint64_t addr, pages;
	uint64_t value, bits;
	uint64_t rules;
	bool in_leaf;
};

/**
 * struct missing - what one walk has found
 * @env: The run.
 * @claimed: The pages that are claimed.
 * @among: No other pages are looked at; NULL: all are.
 * @ranges: Nor any in other ranges.
 * @run: What was found, ascending, with @nr and room for @max.
 * @pages: The same as a set.
 */
struct missing {
	const struct env *env;
	const struct claims_pages *claimed, *among;
	const struct ranges *ranges;
	struct missing_run *run;
	size_t nr, max;
	struct claims_pages pages;
};

/*
 * Takes extents of one VMA, ascending from call to call, as truth_stream() tells them;
 * @arg is a struct missing. Pure. Returns 0 or -ENOMEM.
 */
int missing_take(const struct ptwalk_vma *vma, const struct ptwalk_extent *extents,
		 size_t nr, void *arg);
/* The rules by which pagemap doesn't look at a page at all, or 0. Pure. */
uint64_t missing_hidden(const struct env *env, const struct page_truth *truth);

/*
 * To how many bits addresses may have been cut if the last one claimed is @end, and
 * @missing the first one unclaimed; 0: to none that is known.
 */
unsigned int missing_width(uint64_t end, uint64_t missing);

/*
 * To how many bits addresses were cut if what is claimed are those of most that are
 * missing, without their upper bits; *@example is a missing one. 0: to none. Pure.
 */
unsigned int missing_cut(const struct missing *missing, uint64_t *example);
void missing_free(struct missing *missing);

/*
 * Says and counts which pages in the ranges stay present and aren't among @claimed.
 * Returns 0 or a negative errno, see base/error.h.
 */
int claims_missing(struct process *p, const struct ranges *ranges,
		   const struct claims_pages *claimed);

#endif /* PTWALK_CLAIMS_MISSING_H */
