// SPDX-License-Identifier: GPL-2.0
/* Which pages of much empty memory are read. */
#include "check/empty.h"

#define VMA_EDGE	4096	/* pages at each end of the VMA */
#define PLACES		64	/* in between */
#define PLACE_PAGES	512
#define BORDER_PAGES	8	/* at each side of where a table ends */
#define NEAR_PAGES	32	/* in brief, of a table that goes on beside it */

struct pages {
	uint64_t first, end;
};

/* So many pages before @page, or the first one. */
static uint64_t before(uint64_t page, uint64_t pages)
{
	return page > pages ? page - pages : 0;
}

static struct pages around(uint64_t border)
{
	return (struct pages){ before(border, BORDER_PAGES), border + BORDER_PAGES };
}

/* Where the span of @pages pages ends in which @page of the VMA lies, or begins. */
static uint64_t border_behind(const struct empty *e, uint64_t page, uint64_t pages)
{
	return page + pages - 1 - (e->vma_first + page + pages - 1) % pages;
}

static uint64_t border_before(const struct empty *e, uint64_t page, uint64_t pages)
{
	const uint64_t in_span = (e->vma_first + page) % pages;

	return page > in_span ? page - in_span : 0;
}

/* Whether a table ends at @page. */
static bool is_border(const struct empty *e, uint64_t page, uint64_t table)
{
	return !((e->vma_first + page) % table);
}

/*
 * Pages beside @page in brief: none where a table ends, but a few where whole tables
 * are empty.
 */
static uint64_t near(const struct empty *e, uint64_t page, uint64_t table)
{
	if (!is_border(e, page, table))
		return NEAR_PAGES;
	return is_border(e, e->first, table) && is_border(e, e->end, table) ?
	       BORDER_PAGES : 0;
}

/* The first of the places in between that ends behind @at. */
static struct pages place(const struct empty *e, uint64_t at)
{
	uint64_t step, in_step, nr = 0;

	if (e->vma_pages < 2 * VMA_EDGE + PLACES * PLACE_PAGES)
		return (struct pages){ 0, e->vma_pages };
	step = (e->vma_pages - 2 * VMA_EDGE) / PLACES;
	in_step = VMA_EDGE + (step - PLACE_PAGES) / 2;
	if (at >= in_step + PLACE_PAGES)
		nr = (at - in_step - PLACE_PAGES) / step + 1;
	if (nr >= PLACES)
		return (struct pages){ 0, 0 };
	return (struct pages){ in_step + nr * step,
			       in_step + nr * step + PLACE_PAGES };
}

#define ROWS		6

/* The @nr-th of the rows of pages that are read, if it ends behind @at. */
static bool row_of(const struct empty *e, const struct ptwalk_kernel *kernel,
		   unsigned int nr, uint64_t at, struct pages *row)
{
	const uint32_t entries = kernel->level_entries[PTWALK_LEVEL_PTE];
	const uint64_t table = entries ? entries : 1;
	const unsigned int pud = kernel->level_shift[PTWALK_LEVEL_PUD];

	switch (nr) {
	case 0:
		*row = (struct pages){ e->first, e->brief ?
				       e->first + near(e, e->first, table) :
				       around(border_behind(e, e->first, table)).end };
		break;
	case 1:
		*row = (struct pages){ e->brief ?
				       before(e->end, near(e, e->end, table)) :
				       around(border_before(e, e->end, table)).first, e->end };
		break;
	case 2:
		*row = (struct pages){ 0, VMA_EDGE };
		break;
	case 3:
		*row = (struct pages){ before(e->vma_pages, VMA_EDGE), e->vma_pages };
		break;
	case 4:
		*row = place(e, at);
		break;
	case 5:
		*row = (struct pages){ 0, 0 };
		if (pud && !e->brief)
			*row = around(border_behind(e, e->first, 1ULL <<
						    (pud - kernel->page_shift)));
		break;
	default:
		return false;
	}
	if (row->first < at)
		row->first = at;
	if (row->end > e->end)
		row->end = e->end;
	return true;
}

uint64_t empty_next(const struct empty *e, const struct ptwalk_kernel *kernel,
		    uint64_t at, uint64_t *end)
{
	uint64_t first = e->end, reached;
	struct pages row[ROWS];
	unsigned int nr, i;

	for (nr = 0; row_of(e, kernel, nr, at, &row[nr]); nr++)
		if (row[nr].first < row[nr].end && row[nr].first < first)
			first = row[nr].first;
	*end = first;
	do {
		reached = *end;
		for (i = 0; i < nr; i++)
			if (row[i].first <= *end && row[i].end > *end)
				*end = row[i].end;
	} while (*end > reached);
	return first;
}
