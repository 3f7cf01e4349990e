// SPDX-License-Identifier: GPL-2.0
/* Whoever pins memory of a process: what is no more the process's has no mapping. */
#include <stdbool.h>
#include "pins/orphan.h"

enum pin_orphan pin_orphan(const struct ptwalk_page *page)
{
	const bool found_again = page->flags & (PTWALK_PAGE_FLAG_SWAPCACHE | PTWALK_PAGE_FLAG_KSM);

	if (!(page->flags & (PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_TRUNCATED)) ||
	    !(page->flags & PTWALK_PAGE_FLAG_MAYBE_PINNED) || found_again ||
	    !(uint32_t)page->counts || page->counts >> 32 || (uint32_t)page->folio_counts)
		return PIN_NO_ORPHAN;
	/* Those of hugetlb are on no list. */
	if (!(page->flags & (PTWALK_PAGE_FLAG_LRU | PTWALK_PAGE_FLAG_HUGETLB)) ||
	    page->flags & (PTWALK_PAGE_FLAG_LOCKED | PTWALK_PAGE_FLAG_WRITEBACK))
		return PIN_MOVES;
	return PIN_ORPHAN;
}
