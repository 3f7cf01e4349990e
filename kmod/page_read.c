// SPDX-License-Identifier: GPL-2.0
/* Flags and counts of a page, whoever asks for them. They may change at any time. */
#include <linux/mm.h>
#include "page.h"

/*
 * The entry counts as a mapping, or the folio is held: it is neither freed nor split,
 * and folio_maybe_dma_pinned() can read the pin count in the tail of a large one. A
 * small one has none: 1024 references are taken for a pin.
 */
static u64 ptwalk_page_flags(struct page *page, struct folio *folio)
{
	u64 flags = 0;

#define PUT(test, flag) \
	do { if (test) flags |= PTWALK_PAGE_FLAG_##flag; } while (0)
	PUT(folio_test_locked(folio), LOCKED);
	PUT(folio_test_writeback(folio), WRITEBACK);
	PUT(folio_test_referenced(folio), REFERENCED);
	PUT(folio_test_uptodate(folio), UPTODATE);
	PUT(folio_test_dirty(folio), DIRTY);
	PUT(folio_test_lru(folio), LRU);
	PUT(folio_test_active(folio), ACTIVE);
	PUT(folio_test_workingset(folio), WORKINGSET);
	PUT(folio_test_swapbacked(folio), SWAPBACKED);
	PUT(folio_test_unevictable(folio), UNEVICTABLE);
	PUT(folio_test_mlocked(folio), MLOCKED);
	PUT(folio_test_swapcache(folio), SWAPCACHE);
	PUT(PageReserved(page), RESERVED);
	PUT(folio_test_private(folio), PRIVATE);
	PUT(PageHWPoison(page), HWPOISON);
	PUT(folio_test_anon(folio), ANON);
	PUT(folio_test_ksm(folio), KSM);
	PUT(folio_test_swapbacked(folio) && !folio_test_anon(folio), SHMEM);
	PUT(folio_test_large(folio), LARGE);
	/* What was freed too often has less than none, which it would take for many. */
	PUT(folio_ref_count(folio) > 0 && folio_maybe_dma_pinned(folio), MAYBE_PINNED);
#undef PUT
	return flags;
}

/*
 * Reads flags and counts of the page behind a present entry. If it isn't part of a large
 * folio, @page may be a copy; @facts are those of ptwalk_page_facts(). The page-table lock of
 * the entry is held, or a reference to the folio.
 */
void ptwalk_page_read(struct page *page, u32 facts, struct ptwalk_page *out,
		      struct ptwalk_large *large)
{
	struct folio *folio = page_folio(page);

	out->flags = ptwalk_page_flags(page, folio);
	if (facts & PTWALK_FLAG_HUGETLB) {
		out->flags |= PTWALK_PAGE_FLAG_HUGETLB;
		/* The first page has it, whichever failed. */
		if (folio_test_hwpoison(folio))
			out->flags |= PTWALK_PAGE_FLAG_HWPOISON;
	}
	out->counts = (u32)folio_ref_count(folio) |
		      (u64)ptwalk_page_mapcount(folio, page) << 32;
	if (!folio_test_large(folio)) {
		out->folio_counts = (u32)ptwalk_folio_mapcount(folio);
	} else {
		if (folio != large->folio)
			*large = (struct ptwalk_large) {
				.folio = folio,
				.counts = (u32)ptwalk_folio_mapcount(folio) |
					  (u64)folio_entire_mapcount(folio) << 32,
			};
		out->folio_counts = large->counts;
	}
	out->place = folio_order(folio) |
		     (u64)(page_to_nid(page) & 0xffffff) << 8 |
		     (u64)folio_page_idx(folio, page) << 32;
}
