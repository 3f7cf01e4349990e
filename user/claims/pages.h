/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of pages: those that are claimed, and those that nobody has claimed. Pure. */
#ifndef PTWALK_CLAIMS_PAGES_H
#define PTWALK_CLAIMS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/parse.h"

struct claims;

/**
 * struct claims_pages - a set of pages as runs of page numbers
 * @run: Them, ascending; between two of them is a page that is in none. @nr, and
 *	room for @max.
 * @disordered: Not so yet, for more claims will come. @sorted: How many there were when
 *	they were sorted last.
 *
 * All zero is the empty set. It takes 16 bytes a run, however many pages that has.
 */
struct claims_pages {
	struct range *run;
	size_t nr, max, sorted;
	bool disordered;
};

/*
 * Adds the pages of the claims that were read last, "-" included: whoever says that
 * nothing is there has said something. The set is complete when the last ones were
 * added. Returns 0 or -ENOMEM.
 */
int claims_pages_add(struct claims_pages *pages, const struct claims *claims,
		     unsigned int page_shift);

/* Adds pages behind, or in the last run of, all that it has. Returns 0 or -ENOMEM. */
int claims_pages_append(struct claims_pages *pages, uint64_t first, uint64_t last);

/*
 * The first pages of [@first, @last] that are in the set, or with @in false those that
 * aren't; false: none is. @run receives them.
 */
bool claims_pages_next(const struct claims_pages *pages, uint64_t first,
		       uint64_t last, bool in, struct range *run);

void claims_pages_free(struct claims_pages *pages);

#endif /* PTWALK_CLAIMS_PAGES_H */
