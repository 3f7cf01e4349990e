/* SPDX-License-Identifier: GPL-2.0 */
/* Facts of the page behind an entry. */
#ifndef PTWALK_PAGE_H
#define PTWALK_PAGE_H

#include <linux/mm.h>
#include "compat/page.h"
#include "uapi/linux/ptwalk_record.h"

/**
 * struct ptwalk_frame - a page frame and the entry that maps it
 * @vma: The VMA of the entry.
 * @addr: The virtual address of the page.
 * @pfn: The PFN of the page.
 * @level: The level of the entry.
 * @special: Whether the entry is marked special or devmap.
 * @devmap: Whether the entry is marked devmap.
 * @entry: Pointer to a PMD or PUD entry; NULL for PTEs.
 */
struct ptwalk_frame {
	struct vm_area_struct *vma;
	unsigned long addr;
	unsigned long pfn;
	enum ptwalk_level level;
	bool special;
	bool devmap;
	void *entry;
};

/*
 * Memory goes online and offline in units of a subsection (2 MiB) or larger.
 * struct ptwalk_online caches rows of PTWALK_UNITS such units.
 */
#define PTWALK_UNIT_SHIFT	(21 - PAGE_SHIFT)
#define PTWALK_UNIT_PAGES	BIT(PTWALK_UNIT_SHIFT)
#define PTWALK_UNITS		BITS_PER_LONG
#define PTWALK_ROW_SHIFT	(PTWALK_UNIT_SHIFT + ilog2(PTWALK_UNITS))
#define PTWALK_ROWS		8

/**
 * struct ptwalk_ram - PFNs in a row that are all RAM, or all not
 * @start: First PFN.
 * @end: One past the last PFN; 0 if nothing is known.
 * @is_ram: Whether they are "System RAM" in /proc/iomem.
 */
struct ptwalk_ram {
	unsigned long start;
	unsigned long end;
	bool is_ram;
};

/* Memory sections, from the first one on, of which struct ptwalk_online has a bit. */
#define PTWALK_SECTIONS		1024UL

/**
 * struct ptwalk_online - cache of the memory that is known to be online
 * @whole: The memory sections that are known to be online as a whole.
 * @row: A direct-mapped cache: the number of the row plus one, or 0 if the slot
 *	is unused, and a mask of the units that are known to be online.
 * @ram: The PFNs around the one for which this was asked last.
 *
 * pfn_to_online_page() and page_is_ram() are too slow to be called for each
 * page. The cache lives for one hold of the mmap lock at most. Memory can't go
 * offline while an entry that the kernel counts as a mapping maps a page of it.
 */
struct ptwalk_online {
	DECLARE_BITMAP(whole, PTWALK_SECTIONS);
	struct {
		unsigned long nr;
		unsigned long units;
	} row[PTWALK_ROWS];
	struct ptwalk_ram ram;
};

/**
 * struct ptwalk_large - a large folio whose map counts were read
 * @folio: The folio, or NULL.
 * @counts: As @folio_counts of struct ptwalk_page.
 *
 * Valid for one hold of the page-table lock of the entry that maps a page of it.
 * Kernels before 6.10 add the map count of a folio up over all its pages, so it
 * isn't read again for each of them.
 */
struct ptwalk_large {
	struct folio *folio;
	u64 counts;
};

u32 ptwalk_page_facts(const struct ptwalk_frame *frame,
		      struct ptwalk_online *online);
u32 ptwalk_page_facts_absent(unsigned long pfn, enum ptwalk_kind kind, bool hugetlb);
bool ptwalk_page_facts_vary(u32 facts, unsigned long pfn);
u32 ptwalk_page_exclusive(unsigned long pfn);
void ptwalk_page_read(const struct ptwalk_frame *frame, u32 facts,
		      struct ptwalk_page *out, struct ptwalk_large *large);
bool ptwalk_page_is_free(struct page *page, unsigned int *links);
bool ptwalk_online_find(struct ptwalk_online *online, unsigned long pfn);

#ifdef CONFIG_SPARSEMEM_VMEMMAP
/* The bits of PFNs in these sections. */
#define PTWALK_SECTIONS_PFN_BITS	((u64)PTWALK_SECTIONS * PAGES_PER_SECTION - 1)

/*
 * Whether a PFN of one of these sections is known to be in one that is online as a
 * whole.
 */
static __always_inline bool ptwalk_online_whole(const struct ptwalk_online *online,
						unsigned long pfn)
{
	return test_bit(pfn_to_section_nr(pfn), online->whole);
}
#else
#define PTWALK_SECTIONS_PFN_BITS	0ULL

static __always_inline bool ptwalk_online_whole(const struct ptwalk_online *online,
						unsigned long pfn)
{
	return false;
}
#endif

/**
 * ptwalk_online() - whether a PFN is online memory with a struct page
 * @online: The cache; may be updated.
 * @pfn: The PFN.
 */
static __always_inline bool ptwalk_online(struct ptwalk_online *online,
					  unsigned long pfn)
{
	unsigned long nr = (pfn >> PTWALK_ROW_SHIFT) + 1;
	unsigned long unit = pfn >> PTWALK_UNIT_SHIFT & (PTWALK_UNITS - 1);
	unsigned int i = nr % PTWALK_ROWS;

	if (likely(!(pfn & ~PTWALK_SECTIONS_PFN_BITS) && ptwalk_online_whole(online, pfn)))
		return true;
	if (likely(online->row[i].nr == nr && online->row[i].units >> unit & 1))
		return true;
	return ptwalk_online_find(online, pfn);
}

/**
 * ptwalk_small_page_facts() - facts of a page that is not part of a large folio
 * @page: The page; an entry maps it that the kernel counts as a mapping.
 *
 * Most pages are like this, so it is kept cheap.
 *
 * Context: The page-table lock of the entry is held.
 * Return: As ptwalk_page_facts(), without PTWALK_FLAG_RAM.
 */
static __always_inline u32 ptwalk_small_page_facts(struct page *page)
{
	struct folio *folio = (struct folio *)page;
	u32 facts = PTWALK_FLAG_PAGE;
	int others = atomic_read(&page->_mapcount);

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

/**
 * struct ptwalk_alike - what pages with the same facts have in common
 * @kind: The low bits of ->mapping, which are set for anonymous and KSM pages.
 * @mapcount: _mapcount.
 */
struct ptwalk_alike {
	unsigned long kind;
	int mapcount;
};

#define PTWALK_ALIKE_KIND	3UL

/* What @page has, as in ptwalk_small_page_facts(). */
static __always_inline struct ptwalk_alike ptwalk_alike(struct page *page)
{
	struct folio *folio = (struct folio *)page;

	return (struct ptwalk_alike) {
		.kind = (unsigned long)READ_ONCE(folio->mapping) & PTWALK_ALIKE_KIND,
		.mapcount = atomic_read(&page->_mapcount),
	};
}

/* What ptwalk_small_page_facts() returns for such pages. */
static __always_inline u32 ptwalk_alike_facts(struct ptwalk_alike alike)
{
	struct folio folio;

	/* It reads nothing else. */
	folio.mapping = (struct address_space *)alike.kind;
	atomic_set(&folio.page._mapcount, alike.mapcount);
	return ptwalk_small_page_facts(&folio.page);
}

/**
 * ptwalk_is_alike() - whether a page has the same facts as another one
 * @page: A page that an entry maps which the kernel counts.
 * @alike: What the other page has; it is not part of a large folio.
 *
 * This is asked for nearly every page. What a page that isn't a tail has in the word
 * of ptwalk_tail_word() has the low bits mostly clear.
 *
 * Context: The page-table lock of both entries is held.
 * Return: true only if ptwalk_small_page_facts() is the same for both.
 */
static __always_inline bool ptwalk_is_alike(struct page *page,
					    struct ptwalk_alike alike)
{
	unsigned long mapping = (unsigned long)ptwalk_peek(((struct folio *)page)->mapping);
	unsigned long differs = (mapping ^ alike.kind) | ptwalk_tail_word(page);

	return !(ptwalk_peek(*(unsigned long *)&page->flags) & BIT(PG_head)) &&
	       !(differs & PTWALK_ALIKE_KIND) &&
	       ptwalk_peek(page->_mapcount.counter) == alike.mapcount;
}

/**
 * ptwalk_page_counts() - the map count and the reference count of a page
 * @page: The page.
 *
 * Return: A word that is the same for another page if both of its counts are; read
 * at once where they stand side by side.
 */
static __always_inline u64 ptwalk_page_counts(struct page *page)
{
	const size_t at = offsetof(struct page, _mapcount);

	if (IS_ENABLED(CONFIG_64BIT) && IS_ALIGNED(at, sizeof(u64)) &&
	    offsetof(struct page, _refcount) == at + sizeof(atomic_t))
		return READ_ONCE(((const u64 *)page)[at / sizeof(u64)]);
	return (u32)page_ref_count(page) | (u64)atomic_read(&page->_mapcount) << 32;
}

/**
 * struct ptwalk_same - what small pages have in common whose struct ptwalk_page and
 *	facts are the same
 * @flags: Of the page, those in PTWALK_SAME_FLAGS.
 * @kind: See struct ptwalk_alike.
 * @counts: See ptwalk_page_counts().
 */
struct ptwalk_same {
	unsigned long flags;
	unsigned long kind;
	u64 counts;
};

/* All flags of its own, and the node. */
#define PTWALK_SAME_FLAGS	((BIT(NR_PAGEFLAGS) - 1) | NODES_MASK << NODES_PGSHIFT)

u32 ptwalk_small_page_read(struct page *page, struct ptwalk_page *out,
			   struct ptwalk_same *same);

/**
 * ptwalk_is_same() - whether another page has the same struct ptwalk_page
 * @page: A page that an entry maps which the kernel counts.
 * @same: What the other page had when it was read, with references.
 *
 * Context: The page-table lock of the entry is held.
 * Return: true only if ptwalk_small_page_read() would tell the same of @page.
 */
static __always_inline bool ptwalk_is_same(struct page *page,
					   const struct ptwalk_same same)
{
	unsigned long mapping = (unsigned long)ptwalk_peek(((struct folio *)page)->mapping);

	/*
	 * The head of a large folio has a flag that @same hasn't, and its other
	 * pages have no references.
	 */
	return !((ptwalk_flags_word(page) ^ same.flags) & PTWALK_SAME_FLAGS) &&
	       !((mapping ^ same.kind) & PTWALK_ALIKE_KIND) &&
	       ptwalk_page_counts(page) == same.counts;
}

#endif /* PTWALK_PAGE_H */
