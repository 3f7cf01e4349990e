// SPDX-License-Identifier: GPL-2.0
/* What a bus address leads to that it shouldn't. */
#include "dma/lead.h"
#include "proc/pagemap_bits.h"

const struct lead_text lead_text[NR_LEADS] = {
	[LEAD_GOOD] = { "good", "" },
	[LEAD_FREE] = { "iova-free", "the frame is free: it was given back before it was unmapped for the device" },
	[LEAD_TABLE] = { "iova-page-table", "the frame is a page table" },
	[LEAD_SLAB] = { "iova-slab", "the frame is a slab of the kernel's, in a domain that user space fills" },
	[LEAD_UNPINNED] = { "iova-unpinned", "a process has the page, and nobody has pinned it: the kernel may move it away" },
	[LEAD_GONE] = { "iova-gone", "anonymous memory that no process maps any more: what the device writes is lost" },
};

#define HAS(name)	(kpageflags & KPF_BIT(name))

/* What both say. */
#define IS(name)	(HAS(name) || page->flags & PTWALK_PAGE_FLAG_##name)

enum lead lead_of(uint64_t kpageflags, const struct ptwalk_page *page, bool managed)
{
	const uint32_t references = page->counts, mapped = page->counts >> 32;

	/* What has no struct page, or is no memory of the kernel's, has no owner to ask. */
	if (HAS(NOPAGE) || HAS(OFFLINE) || IS(RESERVED) || IS(HWPOISON))
		return LEAD_GOOD;
	if (HAS(BUDDY) || page->flags & PTWALK_PAGE_FLAG_FREE)
		return LEAD_FREE;
	if (HAS(PGTABLE))
		return LEAD_TABLE;
	if (HAS(SLAB))
		return managed ? LEAD_SLAB : LEAD_GOOD;
	/* All but the first page of an allocation, or a device's memory: not free. */
	if (!references)
		return LEAD_GOOD;
	if (IS(ANON) && !mapped && !IS(SWAPCACHE))
		return LEAD_GONE;
	/* Under I/O, a page needs no pin. */
	if (mapped && (IS(ANON) || IS(LRU)) && !(page->flags &
	    (PTWALK_PAGE_FLAG_MAYBE_PINNED | PTWALK_PAGE_FLAG_LOCKED | PTWALK_PAGE_FLAG_WRITEBACK)))
		return LEAD_UNPINNED;
	return LEAD_GOOD;
}

bool lead_is_wrong(enum lead lead, bool managed)
{
	return lead == LEAD_FREE || lead == LEAD_TABLE ||
	       (managed && (lead == LEAD_SLAB || lead == LEAD_UNPINNED));
}
