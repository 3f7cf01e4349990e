// SPDX-License-Identifier: GPL-2.0
/* Sets of pages, as runs. */
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "claims/file.h"
#include "claims/pages.h"

int claims_pages_append(struct claims_pages *pages, uint64_t first, uint64_t last)
{
	struct range *end = pages->nr ? &pages->run[pages->nr - 1] : NULL;

	/* The page behind the last one of all has no number. */
	if (end && first >= end->start && first <= end->last + 1 &&
	    end->last != UINT64_MAX) {
		if (last > end->last)
			end->last = last;
		return 0;
	}
	return array_add(pages->run, pages->nr, pages->max,
			 (struct range){ first, last }) ? 0 : -ENOMEM;
}

static void sort_pages(struct claims_pages *pages)
{
	const size_t nr = pages->nr;

	qsort(pages->run, nr, sizeof(*pages->run), array_order);
	pages->nr = 0;
	for (size_t i = 0; i < nr; i++)
		claims_pages_append(pages, pages->run[i].start, pages->run[i].last);
	pages->sorted = pages->nr;
	pages->disordered = false;
}

int claims_pages_add(struct claims_pages *pages, const struct claims *claims,
		     unsigned int page_shift)
{
	const uint64_t start = pages->nr ? pages->run[pages->nr - 1].start : 0;
	int err = 0;

	/* Those who translate in ascending order, as nearly all do, need no sort. */
	pages->disordered |= claims->nr && claims->claim[0].vaddr >> page_shift < start;
	for (size_t i = 0; !err && i < claims->nr; i++)
		err = claims_pages_append(pages, claims->claim[i].vaddr >> page_shift,
					  claims->claim[i].vaddr >> page_shift);
	/* A sort for each read would take the square of the claims. */
	if (!err && pages->disordered && (claims->last || pages->nr / 2 >= pages->sorted))
		sort_pages(pages);
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

void claims_pages_free(struct claims_pages *pages)
{
	free(pages->run);
	*pages = (struct claims_pages){ 0 };
}
