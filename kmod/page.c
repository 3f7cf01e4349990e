// SPDX-License-Identifier: GPL-2.0
/*
 * Facts of the page behind an entry, from its struct page.
 *
 * All functions here are called under the page-table lock of the entry, which
 * keeps the page from being freed. Its flags and counts may change at any time.
 */
#include <linux/hugetlb.h>
#include <linux/ksm.h>
#include <linux/memory_hotplug.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>
#include "page.h"

unsigned int ptwalk_memory_changes;

/* Whether entries of this level have a special bit, for vm_normal_page(). */
static bool ptwalk_page_level_has_special(enum ptwalk_level level)
{
	switch (level) {
	case PTWALK_LEVEL_PTE:
		return IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL);
	case PTWALK_LEVEL_PMD:
		return IS_ENABLED(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP);
	default:
		return IS_ENABLED(CONFIG_ARCH_SUPPORTS_PUD_PFNMAP);
	}
}

/*
 * Whether the kernel counts the entry as a mapping of a struct page. This
 * follows vm_normal_page(), which isn't exported. Without a special bit, a page
 * of a VM_PFNMAP mapping is normal only if it is a private copy:
 * remap_pfn_range() leaves the first PFN in vm_pgoff, and copies have others.
 */
static bool ptwalk_page_is_normal(const struct ptwalk_frame *frame)
{
	const struct vm_area_struct *vma = frame->vma;
	unsigned long offset;

	if (ptwalk_page_level_has_special(frame->level))
		return !frame->special;
	if (!(vma->vm_flags & (VM_PFNMAP | VM_MIXEDMAP)))
		return true;
	if (vma->vm_flags & VM_MIXEDMAP)
		return pfn_valid(frame->pfn);
	offset = (frame->addr - vma->vm_start) >> PAGE_SHIFT;
	return frame->pfn != vma->vm_pgoff + offset &&
	       (vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE;
}

/*
 * The PFN of the huge zero page isn't exported. But in anonymous VMAs and in
 * those of DAX files (over holes) it is the only page in RAM that isn't
 * anonymous and that a PMD leaf maps.
 */
static bool ptwalk_page_is_huge_zero(const struct ptwalk_frame *frame, u32 facts)
{
	return frame->level == PTWALK_LEVEL_PMD && facts & PTWALK_FLAG_RAM &&
	       !(frame->vma->vm_flags & (VM_PFNMAP | VM_MIXEDMAP | VM_HUGETLB)) &&
	       (vma_is_anonymous(frame->vma) || vma_is_dax(frame->vma)) &&
	       !folio_test_anon(page_folio(pfn_to_page(frame->pfn)));
}

/* Of a page that isn't part of a large folio, or of a copy. */
static u32 ptwalk_small_page_facts(struct page *page)
{
	struct folio *folio = (struct folio *)page;
	int others = atomic_read(&page->_mapcount);
	u32 facts = PTWALK_FLAG_PAGE;

	if (folio_test_anon(folio)) {
		facts |= PTWALK_FLAG_ANON;
		if (folio_test_ksm(folio))
			facts |= PTWALK_FLAG_KSM;
	}
	/* _mapcount may hold a page type instead, which is below -1. */
	if (!others)
		facts |= PTWALK_FLAG_EXCLUSIVE;
	else if (!PTWALK_PAGE_MAPCOUNT && others > 0)
		facts |= PTWALK_FLAG_MAYBE_SHARED;
	return facts;
}

static u32 ptwalk_large_page_facts(struct page *page, const struct ptwalk_frame *frame)
{
	struct folio *folio = page_folio(page);
	u32 facts = PTWALK_FLAG_PAGE | PTWALK_FLAG_LARGE;
	bool hugetlb = is_vm_hugetlb_page(frame->vma);
	int mapcount = ptwalk_page_mapcount(folio, page);

	if (folio_test_anon(folio))
		facts |= PTWALK_FLAG_ANON;
	if (folio_test_ksm(folio))
		facts |= PTWALK_FLAG_KSM;
	if (mapcount == 1)
		facts |= PTWALK_FLAG_EXCLUSIVE;
	if (hugetlb)
		facts |= PTWALK_FLAG_HUGETLB;
	if ((hugetlb || !PTWALK_PAGE_MAPCOUNT) && ptwalk_folio_maybe_shared(folio, page))
		facts |= PTWALK_FLAG_MAYBE_SHARED;
	if (hugetlb && frame->level == PTWALK_LEVEL_PMD && hugetlb_pmd_shared(frame->entry))
		facts |= PTWALK_FLAG_PMD_SHARED;

	if (frame->level != PTWALK_LEVEL_PTE) {
		unsigned long mask = frame->level == PTWALK_LEVEL_PMD ?
				     PMD_MASK : PUD_MASK;
		struct page *first = pfn_to_page(frame->pfn -
						 ((frame->addr & ~mask) >> PAGE_SHIFT));

		if (first != page)
			mapcount = ptwalk_page_mapcount(folio, first);
		if (mapcount == 1)
			facts |= PTWALK_FLAG_HEAD_EXCLUSIVE;
	}
	return facts;
}

/* The slow path of ptwalk_online(): asks the kernel, and keeps it if @pfn is online. */
bool ptwalk_online_find(struct ptwalk_online *online, unsigned long pfn)
{
	u32 nr = pfn >> PTWALK_ROW_SHIFT;
	unsigned int i = nr % PTWALK_ROWS;

	if (!pfn_to_online_page(pfn))
		return false;
	if (online->row[i] != nr) {
		online->row[i] = nr;
		online->units[i] = 0;
	}
	online->units[i] |= BIT((pfn >> PTWALK_UNIT_SHIFT) % PTWALK_UNITS);
	return true;
}

/**
 * ptwalk_page_facts() - facts of the page behind a present entry
 * @frame: The frame and the entry that maps it.
 * @online: Cache of online memory; may be updated.
 * @key: Filled if PTWALK_FLAG_PAGE is returned.
 * @out: Filled as by ptwalk_page_read(), or NULL.
 * @large: The latest large folio; updated if @out is filled.
 *
 * The struct page is read only if the kernel counts the entry as a mapping of
 * it: only such an entry keeps the page from being freed. If it isn't part of a large
 * folio, all is of one reading, so that the same is true of other pages with @key.
 * Otherwise it is if the page still has @key.
 *
 * Context: The page-table lock of the entry is held.
 * Return: Mask of enum ptwalk_flag, from PTWALK_FLAG_PAGE on.
 */
u32 ptwalk_page_facts(const struct ptwalk_frame *frame, struct ptwalk_online *online,
		      struct ptwalk_key *key, struct ptwalk_page *out, struct ptwalk_large *large)
{
	unsigned long pfn = frame->pfn;
	struct folio copy;
	struct page *page;
	u32 facts = 0;

	if (out)
		*out = (struct ptwalk_page) {};
	if (ptwalk_online(online, pfn))
		facts = PTWALK_FLAG_RAM;
	if (is_zero_pfn(pfn) || ptwalk_page_is_huge_zero(frame, facts))
		return facts | PTWALK_FLAG_ZERO;
	/*
	 * ZONE_DEVICE memory has a struct page and is never online. If there
	 * is none, the memory was removed while it was mapped.
	 */
	if (!facts && (frame->devmap || ptwalk_page_is_normal(frame)) && !pfn_valid(pfn))
		return PTWALK_FLAG_STALE;
	/* Online sections have holes that drivers and /dev/mem can map. */
	if (!ptwalk_page_is_normal(frame)) {
		if (!facts || page_is_ram(pfn))
			return facts;
		/* With FLATMEM, RAM may end inside a unit. */
		return pfn_valid(pfn) ? PTWALK_FLAG_ONLINE : 0;
	}

	page = pfn_to_page(pfn);
	if (PageCompound(page)) {
		*key = (struct ptwalk_key) {
			.folio = page_folio(page),
			.mapcount = atomic_read(&page->_mapcount),
		};
		facts |= ptwalk_large_page_facts(page, frame);
	} else {
		ptwalk_peek(memcpy(&copy.page, page, sizeof(copy.page)));
		page = &copy.page;
		*key = (struct ptwalk_key) {
			.flags = ptwalk_flags_word(page),
			.mapping = ptwalk_page_mapping(page),
			.mapcount = atomic_read(&page->_mapcount),
			.references = page_ref_count(page),
		};
		facts |= ptwalk_small_page_facts(page);
	}
	if (out)
		ptwalk_page_read(page, facts, out, large);
	return facts;
}

/**
 * ptwalk_page_facts_absent() - facts of the page behind a non-present entry
 * @pfn: The PFN in the entry.
 * @kind: The kind of the entry. Device-private memory has a struct page and is
 *	never online; memory behind a hwpoison entry may have been removed.
 * @hugetlb: The entry is one of a hugetlb VMA.
 *
 * Migration and hwpoison entries don't count as mappings, so that the folio may
 * be split at any time: its size and its map counts aren't read. Whether it is
 * anonymous or merged by KSM doesn't change, but for a hugetlb page that failed:
 * the kernel may have taken it apart, and others may use what is good of it.
 *
 * Context: The page-table lock of the entry is held.
 * Return: Mask of enum ptwalk_flag, from PTWALK_FLAG_PAGE on; 0 without a
 * struct page.
 */
u32 ptwalk_page_facts_absent(unsigned long pfn, enum ptwalk_kind kind, bool hugetlb)
{
	u32 facts = PTWALK_FLAG_PAGE;
	struct folio *folio;

	if (pfn_to_online_page(pfn))
		facts |= PTWALK_FLAG_RAM;
	else if (kind != PTWALK_KIND_DEVICE_PRIVATE || !pfn_valid(pfn))
		return 0;
	if (hugetlb && kind == PTWALK_KIND_HWPOISON)
		return facts;

	folio = page_folio(pfn_to_page(pfn));
	if (folio_test_anon(folio))
		facts |= PTWALK_FLAG_ANON;
	if (folio_test_ksm(folio))
		facts |= PTWALK_FLAG_KSM;
	if (kind != PTWALK_KIND_DEVICE_PRIVATE && kind != PTWALK_KIND_DEVICE_EXCLUSIVE)
		return facts;

	/*
	 * Device entries count, or hold a reference (device-exclusive ones up
	 * to Linux 6.14), with which no folio is split.
	 */
	if (folio_test_large(folio))
		facts |= PTWALK_FLAG_LARGE;
	if (ptwalk_page_mapcount(folio, pfn_to_page(pfn)) == 1)
		facts |= PTWALK_FLAG_EXCLUSIVE;
	return facts;
}

/*
 * Whether pages behind one large leaf, of which the one at @pfn has these facts, may differ,
 * so that ptwalk_page_exclusive() must be called for each: other processes may map single
 * pages of a THP, so that some of its pages are mapped exactly once and some are not.
 */
bool ptwalk_page_facts_vary(u32 facts, unsigned long pfn)
{
	if (!PTWALK_PAGE_MAPCOUNT)
		return false;
	if (!(facts & PTWALK_FLAG_PAGE) || facts & (PTWALK_FLAG_HUGETLB | PTWALK_FLAG_ZERO))
		return false;
	if (!(facts & PTWALK_FLAG_LARGE))
		return true;
	return !ptwalk_folio_mapped_alike(page_folio(pfn_to_page(pfn)));
}

/* PTWALK_FLAG_EXCLUSIVE if the page is mapped exactly once, where ptwalk_page_facts_vary(). */
u32 ptwalk_page_exclusive(unsigned long pfn)
{
	struct page *page = pfn_to_page(pfn);

	return ptwalk_page_mapcount(page_folio(page), page) == 1 ?
	       PTWALK_FLAG_EXCLUSIVE : 0;
}
