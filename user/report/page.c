// SPDX-License-Identifier: GPL-2.0
/* What the kernel counts of a page, and the flags that it has. */
#include <inttypes.h>
#include <stdio.h>
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

	names_mask(&names_page_flag, page->flags, ",", flags, sizeof(flags));
	printf("references %" PRIu32 ", mapped %" PRIu64 " times, %s; %s",
	       (uint32_t)page->counts, (uint64_t)page->counts >> 32, flags,
	       page_pinned(page));
}

json_t *page_json(const struct ptwalk_page *page)
{
	json_t *object = json_object();

	json_object_set_new(object, "flags",
			    json_mask(&names_page_flag, page->flags));
	json_object_set_new(object, "references",
			    json_integer((uint32_t)page->counts));
	json_object_set_new(object, "mapcount",
			    json_integer(page->counts >> 32));
	json_object_set_new(object, "folio_mapcount",
			    json_integer((uint32_t)page->folio_counts));
	json_object_set_new(object, "folio_entire_mapcount",
			    json_integer(page->folio_counts >> 32));
	json_object_set_new(object, "order",
			    json_integer(page->place & 0xff));
	json_object_set_new(object, "node",
			    json_integer(page->place >> 8 & 0xffffff));
	json_object_set_new(object, "offset", json_integer(page->place >> 32));
	return object;
}
