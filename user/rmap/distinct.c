// SPDX-License-Identifier: GPL-2.0
/* A set of frames. */
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "rmap/distinct.h"

#define AT_LEAST	65536	/* pieces before they are put in order in between */

uint64_t distinct_count(struct distinct *set)
{
	uint64_t pages = 0;
	size_t kept = 0;

	if (set->nr)
		qsort(set->piece, set->nr, sizeof(*set->piece), array_order);
	for (size_t i = 0; i < set->nr; i++) {
		const struct distinct_piece next = set->piece[i];
		struct distinct_piece *last = kept ? &set->piece[kept - 1] : NULL;

		if (!last || next.pfn > last->pfn + last->pages)
			set->piece[kept++] = next;
		else if (next.pfn + next.pages > last->pfn + last->pages)
			last->pages = next.pfn + next.pages - last->pfn;
	}
	set->nr = set->put_in_order = kept;
	for (size_t i = 0; i < kept; i++)
		pages += set->piece[i].pages;
	return pages;
}

int distinct_add(struct distinct *set, uint64_t pfn, uint64_t pages)
{
	struct distinct_piece *last = set->nr ? &set->piece[set->nr - 1] : NULL;

	if (last && last->pfn + last->pages == pfn) {
		last->pages += pages;
		return 0;
	}
	/* What is mapped again and again takes no more room than once. */
	if (set->nr > AT_LEAST && set->nr > 2 * set->put_in_order)
		distinct_count(set);
	return array_add(set->piece, set->nr, set->max,
			 (struct distinct_piece){ pfn, pages }) ? 0 : -ENOMEM;
}

int distinct_add_all(struct distinct *set, const struct distinct *other)
{
	int err = 0;

	for (size_t i = 0; !err && i < other->nr; i++)
		err = distinct_add(set, other->piece[i].pfn, other->piece[i].pages);
	return err;
}

void distinct_free(struct distinct *set)
{
	free(set->piece);
	*set = (struct distinct){ 0 };
}
