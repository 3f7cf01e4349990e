/* SPDX-License-Identifier: GPL-2.0 */
/* Facts of the page behind an entry. */
#ifndef PTWALK_PAGE_H
#define PTWALK_PAGE_H

#include <linux/mm.h>
#include "compat/page.h"
#include "uapi/linux/ptwalk_record.h"

/* A page frame and the entry that maps it. */
struct ptwalk_frame {
	struct vm_area_struct *vma;
	unsigned long addr;		/* of the page */
	unsigned long pfn;
	enum ptwalk_level level;	/* of the entry */
	bool special;			/* the entry is marked special or devmap */
	bool devmap;			/* the entry is marked devmap */
	void *entry;			/* pointer to a PMD or PUD entry */
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

/*
 * A direct-mapped cache: pfn_to_online_page() is too slow to be called for each page. It
 * holds until memory goes online or offline, see ptwalk_online_begin().
 */
struct ptwalk_online {
	u32 row[PTWALK_ROWS];			/* its number */
	unsigned long units[PTWALK_ROWS];	/* mask of those known to be online; 0: unused */
	unsigned int changes;			/* ptwalk_memory_changes when this was known */
};

/* How often memory has gone online or offline; counted by memory.h. */
extern unsigned int ptwalk_memory_changes;

/*
 * A large folio whose map counts were read, or NULL. Valid for one hold of the page-table
 * lock of the entry that maps a page of it. Kernels before 6.10 add the map count of a folio
 * up over all its pages, so it isn't read again for each of them.
 */
struct ptwalk_large {
	struct folio *folio;
	u64 counts;		/* as @folio_counts of struct ptwalk_page */
};

/*
 * What decides the facts of a page that an entry maps. Of two pages with the same key, in a
 * large folio of the same one, the same is reported as long as the page-table lock is held.
 */
struct ptwalk_key {
	unsigned long flags;	/* the word that has its flags */
	unsigned long mapping;	/* of which PTWALK_MAPPING_BITS matter */
	struct folio *folio;	/* NULL for a page of order 0 */
	int mapcount;		/* ->_mapcount */
	int references;
};

u32 ptwalk_page_facts(const struct ptwalk_frame *frame, struct ptwalk_online *online,
		      struct ptwalk_key *key, struct ptwalk_page *out, struct ptwalk_large *large);
u32 ptwalk_page_facts_absent(unsigned long pfn, enum ptwalk_kind kind, bool hugetlb);
bool ptwalk_page_facts_vary(u32 facts, unsigned long pfn);
u32 ptwalk_page_exclusive(unsigned long pfn);
void ptwalk_page_read(struct page *page, u32 facts, struct ptwalk_page *out,
		      struct ptwalk_large *large);
bool ptwalk_online_find(struct ptwalk_online *online, unsigned long pfn);

extern u8 ptwalk_memtypes[];
extern size_t ptwalk_nr_memtypes;
void ptwalk_memtypes_init(void);
bool ptwalk_memtype_differs(unsigned long pfn, u32 index);

/*
 * Drops what may not hold any more. A page-table lock is held, and the cache used until it
 * is released: memory that goes offline meanwhile isn't removed before that.
 */
static inline void ptwalk_online_begin(struct ptwalk_online *online)
{
	const unsigned int changes = READ_ONCE(ptwalk_memory_changes);

	if (online->changes != changes)
		*online = (struct ptwalk_online) { .changes = changes };
}

/* Whether @pfn is online memory with a struct page. */
static __always_inline bool ptwalk_online(struct ptwalk_online *online, unsigned long pfn)
{
	u32 nr = pfn >> PTWALK_ROW_SHIFT;
	unsigned int i = nr % PTWALK_ROWS;

	if (likely(online->row[i] == nr &&
		   online->units[i] >> (pfn >> PTWALK_UNIT_SHIFT) % PTWALK_UNITS & 1))
		return true;
	return ptwalk_online_find(online, pfn);
}

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
 *
 * A page that is neither head nor tail of a large folio has PG_head clear and bit 0 of
 * ptwalk_tail_word(), and bit 1 of that mostly.
 *
 * The counts are read one by one, and may be of two moments where both are compared: others
 * take and drop references meanwhile.
 *
 * Context: The page-table lock of the entry is held.
 */
static __always_inline bool ptwalk_page_has_key(struct page *page,
						const struct ptwalk_key *key, const bool whole)
{
	unsigned long flags;

	if (atomic_read(&page->_mapcount) != key->mapcount ||
	    (whole && page_ref_count(page) != key->references))
		return false;
	if (unlikely(key->folio))
		return page_folio(page) == key->folio;
	flags = ptwalk_flags_word(page);
	flags = whole ? (flags ^ key->flags) & PTWALK_FLAGS_BITS : flags & BIT(PG_head);
	return !(flags | (((ptwalk_page_mapping(page) ^ key->mapping) | ptwalk_tail_word(page)) &
			  PTWALK_MAPPING_BITS));
}

#endif /* PTWALK_PAGE_H */
