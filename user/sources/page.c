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

bool page_is_file(const struct page_truth *page)
{
	const uint64_t huge = PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_SHARED;
	uint32_t flags = page_flags(page);

	if (!(flags & PTWALK_FLAG_PAGE) ||
	    flags & (PTWALK_FLAG_ANON | PTWALK_FLAG_ZERO))
		return false;
	return page_kind(page) != PTWALK_KIND_HWPOISON || !page->vma ||
	       (page->vma->flags & huge) != PTWALK_VMA_FLAG_HUGETLB;
}
