/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernel versions in counting the mappings of a page. */
#ifndef PTWALK_COMPAT_PAGE_H
#define PTWALK_COMPAT_PAGE_H

#include <linux/mm.h>
#include <linux/page-flags.h>
#include <linux/version.h>

/*
 * Linux 6.15, e63ee43e3eda: CONFIG_NO_PAGE_MAPCOUNT can do away with the map
 * counts of single pages; before, they are always there.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0) || defined(CONFIG_PAGE_MAPCOUNT)
#define PTWALK_PAGE_MAPCOUNT	1
#else
#define PTWALK_PAGE_MAPCOUNT	0
#endif

/*
 * Linux 6.12, 188cac58a8bc: CONFIG_HUGETLB_PMD_PAGE_TABLE_SHARING says whether
 * processes can share PMD tables of hugetlb; before, the architecture did.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define PTWALK_HUGETLB_PMD_SHARING	\
	(IS_ENABLED(CONFIG_HUGETLB_PAGE) && \
	 IS_ENABLED(CONFIG_ARCH_WANT_HUGE_PMD_SHARE))
#else
#define PTWALK_HUGETLB_PMD_SHARING	\
	IS_ENABLED(CONFIG_HUGETLB_PMD_PAGE_TABLE_SHARING)
#endif

/**
 * ptwalk_page_mapcount() - how many page-table entries map a page
 * @folio: The folio.
 * @page: The page of @folio.
 *
 * As folio_precise_page_mapcount() of fs/proc/internal.h counts from Linux
 * 6.11 on and page_mapcount() of linux/mm.h did before; without map counts of
 * single pages, the folio's.
 */
static inline int ptwalk_page_mapcount(struct folio *folio, struct page *page)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	return page_mapcount(page);
#elif PTWALK_PAGE_MAPCOUNT
	int mapcount = atomic_read(&page->_mapcount) + 1;

	/* A page type stands in the same place, and is negative. */
	if (mapcount < 0)
		mapcount = 0;
	if (folio_test_large(folio))
		mapcount += folio_entire_mapcount(folio);
	return mapcount;
#else
	return folio_mapcount(folio);
#endif
}

/**
 * ptwalk_folio_mapcount() - how many page-table entries map a folio
 * @folio: The folio.
 *
 * Linux 6.11: folio_mapcount() came inline; before, modules can't call it.
 */
static inline int ptwalk_folio_mapcount(struct folio *folio)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	int i, mapcount;

	if (!folio_test_large(folio))
		return page_mapcount(&folio->page);
	mapcount = folio_entire_mapcount(folio);
	if (folio_test_hugetlb(folio))
		return mapcount;
	for (i = 0; i < folio_nr_pages(folio); i++)
		mapcount += page_mapcount(folio_page(folio, i)) -
			    folio_entire_mapcount(folio);
	return mapcount;
#else
	return folio_mapcount(folio);
#endif
}

/**
 * ptwalk_folio_mapped_alike() - whether all pages of a folio are mapped alike
 * @folio: A large folio.
 *
 * Return: true if it is known at once that no page of @folio is mapped by an
 * entry of its own, so that the map counts of all its pages are the same.
 */
static inline bool ptwalk_folio_mapped_alike(struct folio *folio)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	/* Linux 6.2, cb67f4282bf9 counted such mappings; this flag told. */
	return folio_test_anon(folio) && !PageDoubleMap(&folio->page);
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
	/* Known in mm/internal.h only; count page by page. */
	return false;
#else
	return folio_mapcount(folio) == folio_entire_mapcount(folio);
#endif
}

/**
 * ptwalk_folio_maybe_shared() - the kernel's estimate for a folio
 * @folio: The folio.
 * @page: The page of it that is mapped.
 *
 * Linux 6.15, 003fde4492c8: folio_likely_mapped_shared() became
 * folio_maybe_mapped_shared(). The former (6.9, ebb34f78d72c) can be called by
 * a module from 6.11 on, when folio_mapcount() came inline.
 *
 * Return: true if several processes may map @folio.
 */
static inline bool ptwalk_folio_maybe_shared(struct folio *folio,
					     struct page *page)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	return folio_maybe_mapped_shared(folio);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
	return folio_likely_mapped_shared(folio);
#else
	return page_mapcount(page) > 1;
#endif
}

#endif /* PTWALK_COMPAT_PAGE_H */
