/* SPDX-License-Identifier: GPL-2.0 */
/* Memory whose pages are moved, split or given up while others look at it. */
#ifndef PTWALK_TEST_AREA_H
#define PTWALK_TEST_AREA_H

#include "ptw.h"

#define AREA_MAX_PAGES	4096

enum area_kind { SMALL, THP, HUGETLB };

/**
 * struct area - memory of the process that is looked at
 * @at: Where; nothing of it is the parent's.
 * @pages: How many base pages.
 * @page_size: Their size.
 * @kind: Unless small, all of it is one huge page.
 */
struct area {
	char *at;
	size_t pages, page_size;
	enum area_kind kind;
};

/*
 * Room for the pages, which nobody has touched yet; or says what is missing.
 * area_release() is for either case.
 */
const char *area_find_room(struct area *area, const struct ptw_info *info,
			   enum area_kind kind);
void area_release(struct area *area);

static inline size_t area_size(const struct area *area)
{
	return area->pages * area->page_size;
}

/* Address of a page. */
u64 area_address(const struct area *area, size_t i);

/* Writes to each page. */
void area_fill(const struct area *area);

/* Moves all pages to a node, of which there are area_nodes(). */
void area_move_to(const struct area *area, int node);
int area_nodes(void);

#endif /* PTWALK_TEST_AREA_H */
