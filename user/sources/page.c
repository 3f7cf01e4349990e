// SPDX-License-Identifier: GPL-2.0
/* A page as the page tables have it. */
#include "sources/page.h"

struct page_truth page_at(const struct page_truth *first, uint64_t nr,
			  unsigned int page_shift)
{
	struct page_truth page = *first;

	page.addr += nr << page_shift;
	if (ptwalk_kind_ascends(ptwalk_bits_kind(page.bits)))
		page.value += nr;
	return page;
}
