/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions in the flags and map counts of pages. */
#ifndef PTWALK_COMPAT_PAGE_H
#define PTWALK_COMPAT_PAGE_H

#include <linux/mm.h>
#include <linux/page-flags.h>

/*
 * Linux 6.15, e63ee43e3eda: with CONFIG_NO_PAGE_MAPCOUNT there are no map
 * counts of the single pages of large folios.
 */
#ifdef CONFIG_NO_PAGE_MAPCOUNT
#define PTWALK_PAGE_MAPCOUNT	0
#else
#define PTWALK_PAGE_MAPCOUNT	1
#endif

/*
 * Linux 6.12, 188cac58a8bc: CONFIG_HUGETLB_PMD_PAGE_TABLE_SHARING says whether
 * processes can share PMD tables of hugetlb; before, the option of the
 * architecture does. USE_SPLIT_PMD_PTLOCKS is a macro of those kernels.
 */
#ifdef USE_SPLIT_PMD_PTLOCKS
#define PTWALK_HUGETLB_PMD_SHARING	\
	(IS_ENABLED(CONFIG_HUGETLB_PAGE) && \
	 IS_ENABLED(CONFIG_ARCH_WANT_HUGE_PMD_SHARE))
#else
#define PTWALK_HUGETLB_PMD_SHARING	\
	IS_ENABLED(CONFIG_HUGETLB_PMD_PAGE_TABLE_SHARING)
#endif

/**
 * ptwalk_flags_word() - the flags of a page, and what shares their word
 * @page: The page.
 *
 * Since Linux 6.18 the word is the only member of a structure, memdesc_flags_t.
 */
static inline unsigned long ptwalk_flags_word(const struct page *page)
{
	return READ_ONCE(*(const unsigned long *)&page->flags);
}

/* Of what is only compared: it may change meanwhile, and be read in any way. */
#define ptwalk_peek(what)	data_race(what)

/**
 * ptwalk_tail_word() - the word of which a tail has bit 0
 * @page: The page.
 *
 * Linux 7.2 has ->compound_info for ->compound_head of 6.12.
 */
static __always_inline unsigned long ptwalk_tail_word(const struct page *page)
{
#ifdef PTWALK_HAS_compound_info
	return ptwalk_peek(page->compound_info);
#else
	return ptwalk_peek(page->compound_head);
#endif
}

/**
 * ptwalk_page_mapcount() - how many page-table entries map a page
 * @folio: The folio.
 * @page: The page of @folio.
 *
 * Counts like page_mapcount() of linux/mm.h, which Linux 6.11 replaced by
 * folio_precise_page_mapcount() of fs/proc/internal.h. Without map counts of
 * single pages, that of the folio is returned.
 */
static inline int ptwalk_page_mapcount(struct folio *folio, struct page *page)
{
#ifdef PTWALK_HAS_page_mapcount
	return page_mapcount(page);
#elif PTWALK_PAGE_MAPCOUNT
	int mapcount = atomic_read(&page->_mapcount) + 1;

	/* _mapcount may hold a page type instead, which is negative. */
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
 * Linux 6.10, 05c5323b2a34: folio_mapcount() is inline; before, modules can't
 * call it.
 */
static inline int ptwalk_folio_mapcount(struct folio *folio)
{
#ifdef PTWALK_HAS_inline_folio_mapcount
	return folio_mapcount(folio);
#else
	int i, entire, mapcount;

	if (!folio_test_large(folio))
		return page_mapcount(&folio->page);
	entire = folio_entire_mapcount(folio);
	mapcount = entire;
	if (folio_test_hugetlb(folio))
		return mapcount;
	for (i = 0; i < folio_nr_pages(folio); i++)
		mapcount += page_mapcount(folio_page(folio, i)) - entire;
	return mapcount;
#endif
}

/**
 * ptwalk_folio_mapcount_reads() - how many pages ptwalk_folio_mapcount() reads
 * @folio: The folio, or NULL.
 *
 * Return: The number; 0 where the folio has a count of its own.
 */
static inline unsigned int ptwalk_folio_mapcount_reads(struct folio *folio)
{
#ifdef PTWALK_HAS_inline_folio_mapcount
	return 0;
#else
	return folio && !folio_test_hugetlb(folio) ? folio_nr_pages(folio) : 0;
#endif
}

/**
 * ptwalk_folio_mapped_alike() - whether all pages of a folio are mapped alike
 * @folio: A large folio.
 *
 * Return: true if no page of @folio is mapped by an entry of its own, so that
 * all its pages have the same map count. May be false where finding out would
 * mean looking at each page.
 */
static inline bool ptwalk_folio_mapped_alike(struct folio *folio)
{
#if defined(PTWALK_HAS_inline_folio_mapcount)
	return folio_mapcount(folio) == folio_entire_mapcount(folio);
#elif defined(PTWALK_HAS_PageDoubleMap)
	/* Until Linux 6.2, cb67f4282bf9: set if single pages are mapped. */
	return folio_test_anon(folio) && !PageDoubleMap(&folio->page);
#else
	/* Only mm/internal.h has the count that would tell. */
	return false;
#endif
}

/**
 * ptwalk_folio_maybe_shared() - the kernel's estimate for a folio
 * @folio: The folio.
 * @page: The page of it that is mapped.
 *
 * Linux 6.15, 003fde4492c8: folio_likely_mapped_shared() became
 * folio_maybe_mapped_shared(). Modules can call the former (6.9, ebb34f78d72c)
 * if folio_mapcount() is inline. Older kernels have no estimate.
 *
 * Return: true if several processes may map @folio, or without an estimate if
 * @page is mapped more than once.
 */
static inline bool ptwalk_folio_maybe_shared(struct folio *folio,
					     struct page *page)
{
#if defined(PTWALK_HAS_folio_maybe_mapped_shared)
	return folio_maybe_mapped_shared(folio);
#elif defined(PTWALK_HAS_folio_likely_mapped_shared) && \
	defined(PTWALK_HAS_inline_folio_mapcount)
	return folio_likely_mapped_shared(folio);
#else
	return page_mapcount(page) > 1;
#endif
}

#endif /* PTWALK_COMPAT_PAGE_H */
