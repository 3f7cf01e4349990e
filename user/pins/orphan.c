// SPDX-License-Identifier: GPL-2.0
/* Whoever pins memory of a process: what is no more the process's has no mapping. */
#include "pins/orphan.h"

#define IN_FLUX	(PTWALK_PAGE_FLAG_SWAPCACHE | PTWALK_PAGE_FLAG_LOCKED | \
		 PTWALK_PAGE_FLAG_WRITEBACK | PTWALK_PAGE_FLAG_KSM)

bool pin_is_orphan(const struct ptwalk_page *page)
{
	return page->flags & (PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_TRUNCATED) &&
	       page->flags & PTWALK_PAGE_FLAG_MAYBE_PINNED &&
	       /* Those of hugetlb are on no list. */
	       page->flags & (PTWALK_PAGE_FLAG_LRU | PTWALK_PAGE_FLAG_HUGETLB) &&
	       !(page->flags & IN_FLUX) && (uint32_t)page->counts &&
	       !(page->counts >> 32) && !(uint32_t)page->folio_counts;
}
