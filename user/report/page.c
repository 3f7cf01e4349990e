// SPDX-License-Identifier: GPL-2.0
/* What the kernel counts of a page, and the flags that it has. */
#include <inttypes.h>
#include <stdio.h>
#include "base/jsonw.h"
#include "base/print.h"
#include "module/names.h"
#include "report/page.h"

bool page_maybe_pinned(const struct ptwalk_page *page)
{
	return page->flags & PTWALK_PAGE_FLAG_MAYBE_PINNED;
}

const char *page_pinned(const struct ptwalk_page *page)
{
	return page_maybe_pinned(page) ? "may be pinned, for DMA or the like" :
					 "not pinned";
}

void page_write(const struct ptwalk_page *page)
{
	char flags[512];

	if (page->flags & PTWALK_PAGE_FLAG_FREE) {
		printf("free");
		return;
	}
	names_mask(&names_page_flag, page->flags, ",", flags, sizeof(flags));
	printf("references %" PRId32 ", mapped %" PRIu64 " times, %s; %s",
	       (int32_t)page->counts, (uint64_t)page->counts >> 32,
	       page->flags ? flags : "no flags",
	       page_pinned(page));
}

void page_json(const struct ptwalk_page *page)
{
	jsonw_mask("flags", &names_page_flag, page->flags);
	jsonw_signed("references", (int32_t)page->counts);
	jsonw_number("mapcount", page->counts >> 32);
	jsonw_number("folio_mapcount", (uint32_t)page->folio_counts);
	jsonw_number("folio_entire_mapcount", page->folio_counts >> 32);
	jsonw_number("order", page->place & 0xff);
	jsonw_number("node", page->place >> 8 & 0xffffff);
	jsonw_number("offset", page->place >> 32);
}
