// SPDX-License-Identifier: GPL-2.0
/* Sets of pages, as runs. */
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "sources/claims_file.h"
#include "sources/claims_pages.h"

int claims_pages_append(struct claims_pages *pages, uint64_t first, uint64_t last)
{
	struct range *end = pages->nr ? &pages->run[pages->nr - 1] : NULL;

	/* The page behind the last one of all has no number. */
	if (end && first <= end->last + 1 && end->last != UINT64_MAX) {
		if (last > end->last)
			end->last = last;
		return 0;
	}
	if (!array_room(&pages->run, &pages->max, pages->nr + 1, sizeof(*pages->run)))
		return -ENOMEM;
	pages->run[pages->nr++] = (struct range){ first, last };
	return 0;
}

/* Both sets, in order, in a new one. */
static int merge(struct claims_pages *pages, const struct claims_pages *more)
{
	struct claims_pages all = { 0 };
	size_t a = 0, b = 0;
	int err = 0;

	while (!err && (a < pages->nr || b < more->nr)) {
		const struct range *next;

		if (b == more->nr ||
		    (a < pages->nr && pages->run[a].start <= more->run[b].start))
			next = &pages->run[a++];
		else
			next = &more->run[b++];
		err = claims_pages_append(&all, next->start, next->last);
	}
	if (err) {
		claims_pages_free(&all);
		return err;
	}
	claims_pages_free(pages);
	*pages = all;
	return 0;
}

int claims_pages_add(struct claims_pages *pages, const struct claims *claims,
		     unsigned int page_shift)
{
	struct claims_pages own = { 0 }, *to = pages;
	uint64_t page;
	int err = 0;

	/* Those who translate in ascending order, as nearly all do, need no second set. */
	if (pages->nr && claims->nr &&
	    claims->claim[0].vaddr >> page_shift < pages->run[pages->nr - 1].start)
		to = &own;
	for (size_t i = 0; !err && i < claims->nr; i++) {
		page = claims->claim[i].vaddr >> page_shift;
		err = claims_pages_append(to, page, page);
	}
	if (!err && to == &own)
		err = merge(pages, &own);
	claims_pages_free(&own);
	return err;
}

bool claims_pages_next(const struct claims_pages *pages, uint64_t first,
		       uint64_t last, bool in, struct range *run)
{
	size_t at = array_from(pages->run, pages->nr, last, first);
	const struct range *found = at < pages->nr ? &pages->run[at] : NULL;

	if (in) {
		if (!found || found->start > last)
			return false;
		run->start = found->start > first ? found->start : first;
		run->last = found->last < last ? found->last : last;
		return true;
	}
	if (found && found->start <= first) {
		if (found->last >= last)
			return false;
		first = found->last + 1;
		found = at + 1 < pages->nr ? found + 1 : NULL;
	}
	run->start = first;
	run->last = found && found->start <= last ? found->start - 1 : last;
	return true;
}

uint64_t claims_pages_count(const struct claims_pages *pages)
{
	uint64_t count = 0;

	for (size_t i = 0; i < pages->nr; i++)
		count += pages->run[i].last - pages->run[i].start + 1;
	return count;
}

void claims_pages_free(struct claims_pages *pages)
{
	free(pages->run);
	*pages = (struct claims_pages){ 0 };
}
