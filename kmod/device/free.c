// SPDX-License-Identifier: GPL-2.0
/*
 * Free pages that no flag tells of: those in the lists of each CPU.
 *
 * Small blocks that were freed stand in such a list before the allocator takes them
 * back, and are given out again from there. Their pages have no reference, as have all
 * but the first page of an allocation that isn't compound: that the first page of the
 * block is in one of these lists makes the difference, and which list it is tells the
 * size of the block.
 *
 * The lists' lock isn't for modules, so that their links are followed without. Anything
 * may be where a page would have them. They are read where struct pages of the zone
 * are, and in its lists, nowhere else; memory that has been removed is no fault. Each
 * must agree with the one before. What was so while they were read may be of the past.
 */
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/uaccess.h>
#include "../compat/page.h"
#include "free.h"

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
#define MOST_ORDER	HPAGE_PMD_ORDER
#else
#define MOST_ORDER	PAGE_ALLOC_COSTLY_ORDER
#endif

/* Whether @at is where one of the zone's struct pages has its links. */
static bool ptwalk_free_is_link(const struct zone *zone, const struct list_head *at)
{
	const struct page *first = pfn_to_page(zone->zone_start_pfn);
	unsigned long offset = (unsigned long)at - (unsigned long)&first->pcp_list;

	return offset / sizeof(*first) < zone->spanned_pages && !(offset % sizeof(*first));
}

/*
 * The order of the blocks in the list that begins at @at; below 0: none does there.
 * The greatest is that of pageblocks in older kernels, which on x86-64 and arm64 isn't
 * smaller.
 */
static int ptwalk_free_order(const struct zone *zone, const struct list_head *at)
{
	const struct per_cpu_pages __percpu *all = READ_ONCE(zone->per_cpu_pageset);
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct per_cpu_pages *pcp = per_cpu_ptr(all, cpu);

		if (at < pcp->lists || at >= pcp->lists + NR_PCP_LISTS)
			continue;
		return at < pcp->lists + NR_LOWORDER_PCP_LISTS ?
		       (at - pcp->lists) / MIGRATE_PCPTYPES : MOST_ORDER;
	}
	return -ENOENT;
}

/* What was freed last stands first, and so the way to there is mostly short. */
static int ptwalk_free_find(struct page *page, unsigned int *links)
{
	const struct list_head *at = &page->pcp_list, *behind = NULL;
	const struct zone *zone = page_zone(page);
	struct list_head node;
	int order;

	do {
		if (!*links || copy_from_kernel_nofault(&node, at, sizeof(node)) ||
		    (behind && node.next != behind))
			return -ENOENT;
		--*links;
		behind = at;
		at = node.prev;
	} while (at != &page->pcp_list && ptwalk_free_is_link(zone, at));
	order = ptwalk_free_order(zone, at);
	if (order < 0 || copy_from_kernel_nofault(&node, at, sizeof(node)) ||
	    node.next != behind)
		return -ENOENT;
	return order;
}

static bool ptwalk_free_may_be(struct page *page)
{
	return !PageCompound(page) && !ptwalk_peek(page_ref_count(page)) &&
	       ptwalk_peek(page->_mapcount.counter) == -1 &&
	       !ptwalk_peek(((struct folio *)page)->mapping);
}

/*
 * Whether @page is in a free block of 2^@order pages or more of the buddy allocator,
 * which begins at a multiple of that; it, and not its other pages, has a flag. None
 * reaches beyond a section, so that its struct page is there as is @page; where there
 * are no sections, memory may have holes. Of an allocated page ->private may be anything.
 */
static bool ptwalk_free_in_buddy(struct page *page, unsigned long order, unsigned long *is)
{
	struct page *head = page - (page_to_pfn(page) & (BIT(order) - 1));

	if (!IS_ENABLED(CONFIG_SPARSEMEM) && !pfn_valid(page_to_pfn(head)))
		return false;
	if (!ptwalk_peek(PageBuddy(head)))
		return false;
	*is = READ_ONCE(page_private(head));
	return *is >= order && *is <= ilog2(MAX_ORDER_NR_PAGES);
}

/* Those of the allocator are many more than those of the CPUs, and found sooner. */
static bool ptwalk_free_is_buddy(struct page *page, struct ptwalk_free *known)
{
	unsigned long order, is;

	if (ptwalk_free_in_buddy(page, known->order, &is))
		return true;
	for (order = 0; order <= ilog2(MAX_ORDER_NR_PAGES); order++) {
		if (ptwalk_free_in_buddy(page, order, &is)) {
			known->order = is;
			return true;
		}
	}
	return false;
}

/**
 * ptwalk_page_is_free() - whether a page is in a list of free pages of a CPU
 * @page: The page; it is online.
 * @known: Of this and earlier pages. Without links, the answer is false.
 *
 * Of a block, the first page is in the list. Where the struct pages aren't in one piece,
 * with CONFIG_SPARSEMEM but without CONFIG_SPARSEMEM_VMEMMAP, nothing is looked for.
 *
 * Context: The RCU read lock, under which the page was found to be online.
 * Return: true if it is.
 */
bool ptwalk_page_is_free(struct page *page, struct ptwalk_free *known)
{
	unsigned long pfn = page_to_pfn(page), first, last = pfn + 1;
	struct page *head;
	int order;

	if (IS_ENABLED(CONFIG_SPARSEMEM) && !IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP))
		return false;
	if (!known->links || !ptwalk_free_may_be(page) || ptwalk_free_is_buddy(page, known))
		return false;
	for (order = 0; order <= MOST_ORDER;
	     order = order == PAGE_ALLOC_COSTLY_ORDER ? max(order + 1, MOST_ORDER) : order + 1) {
		first = round_down(pfn, BIT(order));
		if (first == last)
			continue;
		last = first;
		head = pfn_to_online_page(first);
		if (head && ptwalk_free_may_be(head) &&
		    ptwalk_free_find(head, &known->links) >= order)
			/* Who has taken it meanwhile has a reference to its first page. */
			return ptwalk_free_may_be(head) && ptwalk_free_may_be(page);
	}
	return false;
}
