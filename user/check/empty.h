/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Terabytes of nothing are read only here and there: where mistakes are made, and
 * at places in between. Pure.
 */
#ifndef PTWALK_CHECK_EMPTY_H
#define PTWALK_CHECK_EMPTY_H

#include <stdbool.h>
#include "lib/ptwalk.h"

/**
 * struct empty - empty pages in a row of a VMA; all numbers count from its first page
 * @first: The first one.
 * @end: The one behind the last.
 * @vma_pages: Pages of the VMA.
 * @vma_first: Number of its first page in the address space.
 * @brief: Of the tables at both ends, what is next to it is enough.
 */
struct empty {
	uint64_t first, end;
	uint64_t vma_pages, vma_first;
	bool brief;
};

/*
 * The next of its pages from @at on that are read, up to *@end; @at if it is one
 * of them, and @empty->end if there are no more.
 *
 * These are, at both ends, the rest of the table in which the page beside it stands,
 * and some without a table, or if @brief some pages of that table; around the first
 * border of a PMD table's span, unless @brief; and of the VMA both ends, and places at
 * the same distance. So the cost follows what is mapped, not what is reserved.
 */
uint64_t empty_next(const struct empty *empty, const struct ptwalk_kernel *kernel,
		    uint64_t at, uint64_t *end);

#endif /* PTWALK_CHECK_EMPTY_H */
