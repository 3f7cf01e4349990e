/* SPDX-License-Identifier: GPL-2.0 */
/* Free pages that no flag tells of. */
#ifndef PTWALK_FREE_H
#define PTWALK_FREE_H

#include <linux/types.h>

struct page;

/* What is known of free memory while frames are looked at. */
struct ptwalk_free {
	unsigned int links;	/* of lists of the CPUs that may still be followed */
	/*
	 * Of the free block of the buddy allocator which a page was in last: the pages behind
	 * it mostly are in the same one, or in one like it.
	 */
	unsigned long order;
};

bool ptwalk_page_is_free(struct page *page, struct ptwalk_free *known);

#endif /* PTWALK_FREE_H */
