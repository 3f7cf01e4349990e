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
 * struct ptwalk_online caches rows of PTWALK_UNITS such units, 128 MiB, and so many rows
 * that 4 GiB of a zone have places of their own. Pages further apart may take the places of
 * each other, and the kernel is asked again; nothing else is lost.
 */
#define PTWALK_UNIT_SHIFT	(21 - PAGE_SHIFT)
#define PTWALK_UNIT_PAGES	BIT(PTWALK_UNIT_SHIFT)
#define PTWALK_UNITS		BITS_PER_LONG
#define PTWALK_ROW_SHIFT	(PTWALK_UNIT_SHIFT + ilog2(PTWALK_UNITS))
#define PTWALK_ROWS		32

/* Whether the counts of a page are one word, and which half of it is the map count. */
#define PTWALK_COUNTS_ARE_WORD \
	(IS_ENABLED(CONFIG_64BIT) && \
	 IS_ALIGNED(offsetof(struct page, _mapcount), sizeof(u64)) && \
	 offsetof(struct page, _refcount) == offsetof(struct page, _mapcount) + sizeof(u32))
#define PTWALK_MAPCOUNT_MASK \
	(PTWALK_COUNTS_ARE_WORD && IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? \
	 ~(u64)U32_MAX : (u64)U32_MAX)

/**
 * struct ptwalk_ram - PFNs in a row that are all RAM, or all not
 * @pfn: The one for which this was asked.
 * @start: First PFN.
 * @end: One past the last PFN; 0 if nothing is known.
 * @is_ram: Whether they are "System RAM" in /proc/iomem.
 */
struct ptwalk_ram {
	unsigned long pfn;
	unsigned long start;
	unsigned long end;
	bool is_ram;
};

/**
 * struct ptwalk_online - cache of the memory that is known to be online
 * @row: A direct-mapped cache: the number of the row,
 * @units: and a mask of its units that are known to be online; 0 if the slot is unused.
 * @ram: The PFNs around the one for which this was asked last.
 * @changes: ptwalk_memory_changes when this was known.
 *
 * pfn_to_online_page() and page_is_ram() are too slow to be called for each
 * page. What is cached holds until memory goes online or offline: see
 * ptwalk_online_begin().
 */
struct ptwalk_online {
	u32 row[PTWALK_ROWS];
	unsigned long units[PTWALK_ROWS];
	struct ptwalk_ram ram;
	unsigned int changes;
};

/* How often memory has gone online or offline; counted by memory.h. */
extern unsigned int ptwalk_memory_changes;

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

/**
 * struct ptwalk_free - what is known of free memory while frames are looked at
 * @links: So many links of lists of the CPUs may still be followed.
 * @order: That of the free block of the buddy allocator which a page was in last: the
 *	pages behind it mostly are in the same one, or in one like it.
 */
struct ptwalk_free {
	unsigned int links;
	unsigned long order;
};

u32 ptwalk_page_facts(const struct ptwalk_frame *frame,
		      struct ptwalk_online *online);
u32 ptwalk_page_facts_absent(unsigned long pfn, enum ptwalk_kind kind, bool hugetlb);
bool ptwalk_page_facts_vary(u32 facts, unsigned long pfn);
u32 ptwalk_page_exclusive(unsigned long pfn);
void ptwalk_page_read(const struct ptwalk_frame *frame, u32 facts,
		      struct ptwalk_page *out, struct ptwalk_large *large);
bool ptwalk_page_is_free(struct page *page, struct ptwalk_free *known);
bool ptwalk_online_find(struct ptwalk_online *online, unsigned long pfn);

extern u8 ptwalk_memtypes[];
extern size_t ptwalk_nr_memtypes;
void ptwalk_memtypes_init(void);
bool ptwalk_memtype_differs(unsigned long pfn, u32 index);

/**
 * ptwalk_online_begin() - drop what may not hold any more
 * @online: The cache.
 *
 * Context: A page-table lock is held, and the cache used until it is released: memory
 * that goes offline meanwhile isn't removed before that.
 */
static inline void ptwalk_online_begin(struct ptwalk_online *online)
{
	const unsigned int changes = READ_ONCE(ptwalk_memory_changes);

	if (online->changes != changes)
		*online = (struct ptwalk_online) { .changes = changes };
}

/**
 * ptwalk_online() - whether a PFN is online memory with a struct page
 * @online: The cache; may be updated.
 * @pfn: The PFN.
 */
static __always_inline bool ptwalk_online(struct ptwalk_online *online,
					  unsigned long pfn)
{
	u32 nr = pfn >> PTWALK_ROW_SHIFT;
	unsigned int i = nr % PTWALK_ROWS;

	if (likely(online->row[i] == nr &&
		   online->units[i] >> (pfn >> PTWALK_UNIT_SHIFT) % PTWALK_UNITS & 1))
		return true;
	return ptwalk_online_find(online, pfn);
}

/**
 * ptwalk_page_counts() - the map count and the reference count of a page
 * @page: The page.
 *
 * Return: A word with both, at once where they stand side by side; see
 * PTWALK_MAPCOUNT_MASK.
 */
static __always_inline u64 ptwalk_page_counts(struct page *page)
{
	const size_t at = offsetof(struct page, _mapcount);

	if (PTWALK_COUNTS_ARE_WORD)
		return ptwalk_peek(((const u64 *)page)[at / sizeof(u64)]);
	return (u32)atomic_read(&page->_mapcount) | (u64)page_ref_count(page) << 32;
}

/**
 * struct ptwalk_key - what decides the facts of a page that an entry maps
 * @flags: The word that has its flags.
 * @mapping: Its ->mapping, of which PTWALK_MAPPING_BITS matter.
 * @counts: Its map count and its reference count.
 * @folio: The large folio that the page is in; NULL for a page of order 0.
 *
 * If two pages have the same key, and one is in a large folio the same one, the same
 * is reported of both, as long as the page-table lock is held.
 */
struct ptwalk_key {
	unsigned long flags;
	unsigned long mapping;
	u64 counts;
	struct folio *folio;
};

/* The flags of a page and its node: what a struct ptwalk_page has of the word with these. */
#define PTWALK_FLAGS_BITS	((BIT(NR_PAGEFLAGS) - 1) | NODES_MASK << NODES_PGSHIFT)

/* The bits of ->mapping that anonymous and KSM pages have. */
#define PTWALK_MAPPING_BITS	3UL

static __always_inline unsigned long ptwalk_page_mapping(const struct page *page)
{
	return (unsigned long)ptwalk_peek(((const struct folio *)page)->mapping);
}

/**
 * ptwalk_page_has_key() - whether the facts of a page are known
 * @page: A page that an entry maps which the kernel counts.
 * @key: That of another one.
 * @whole: All that a struct ptwalk_page has is to be the same, which is never known of
 *	pages of a large folio.
 * @folio: That one is in a large folio.
 *
 * A page that is neither head nor tail of a large folio has PG_head clear and bit 0 of
 * ptwalk_tail_word(), and bit 1 of that mostly.
 *
 * Context: The page-table lock of the entry is held.
 */
static __always_inline bool ptwalk_page_has_key(struct page *page,
						const struct ptwalk_key *key,
						const bool whole, const bool folio)
{
	const u64 counts = whole ? U64_MAX : PTWALK_MAPCOUNT_MASK;
	unsigned long flags;

	if ((ptwalk_page_counts(page) & counts) != (key->counts & counts))
		return false;
	if (folio)
		return page_folio(page) == key->folio;
	flags = ptwalk_flags_word(page);
	flags = whole ? (flags ^ key->flags) & PTWALK_FLAGS_BITS : flags & BIT(PG_head);
	return !(flags | (((ptwalk_page_mapping(page) ^ key->mapping) | ptwalk_tail_word(page)) &
			  PTWALK_MAPPING_BITS));
}

u32 ptwalk_small_page_read(struct page *page, struct ptwalk_page *out,
			   struct ptwalk_key *key);

#endif /* PTWALK_PAGE_H */
