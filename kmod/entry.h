/* SPDX-License-Identifier: GPL-2.0 */
/* Decodes page-table entries into records. */
#ifndef PTWALK_ENTRY_H
#define PTWALK_ENTRY_H

#include "page.h"
#include "record.h"
#include "walk.h"

/* Frames that are looked for. */
struct ptwalk_search {
	u64 first, last;	/* PFNs; the last one is inclusive */
	u64 mask, key;		/* bits of a present PTE that all share, and what these are */
	unsigned long report;	/* when to report progress even if nothing was found, in jiffies */
};

/*
 * What is known of the PTEs of a VMA that are alike: XORed with @flip, all have 0 in the bits
 * of @mask, and in the others their value from bit @shift on, to which @base is added.
 */
struct ptwalk_known {
	u64 flip;
	u64 mask;
	u64 base;
	u64 step;		/* added to one of them, it makes that of the next page */
	/* How far a value is ahead of one that it follows from; U64_MAX: none does. */
	u64 ahead;
	u64 bits;		/* as in struct ptwalk_run */
	u64 number;		/* see ptwalk_sink_number() */
	u8 shift;
	bool has_page;		/* they map pages with @key, in online memory */
	struct ptwalk_key key;
};

#define PTWALK_KNOWN	4U

/* A walk that turns entries into runs. */
struct ptwalk_reader {
	struct ptwalk_walk walk;
	struct ptwalk_sink *sink;		/* receives the runs */
	struct ptwalk_online *online;		/* for one hold of the mmap lock */
	/*
	 * Receives what the page behind the last entry is charged to, see
	 * ptwalk_page_cgroup_ino(), or NULL. Only if the sink's runs carry pages.
	 */
	u64 *cgroup;
	bool facts;				/* of pages are reported, see ptwalk_page_facts() */
	/* The kernel counts no entry here as a mapping: none keeps its page from being freed. */
	bool uncounted;
	const struct ptwalk_search *search;	/* or NULL; only if the runs carry no pages */
	struct ptwalk_large large;		/* whose page was read last */
	unsigned int nr_known;			/* how many of @known there are */
	unsigned int decoded;			/* how many were decoded */
	const struct ptwalk_known *last_known;	/* that of the PTEs that were added last, or NULL */
	struct ptwalk_known known[PTWALK_KNOWN];	/* what was decoded of the VMA last */
};

static inline struct ptwalk_reader *to_ptwalk_reader(struct ptwalk_walk *walk)
{
	return container_of(walk, struct ptwalk_reader, walk);
}

void ptwalk_reader_init(struct ptwalk_reader *reader, struct mm_struct *mm,
			struct ptwalk_sink *sink, struct ptwalk_online *online,
			const struct ptwalk_search *search);
void ptwalk_reader_move(struct ptwalk_reader *reader, struct vm_area_struct *vma,
			unsigned long addr, unsigned long end);

void ptwalk_search_init(struct ptwalk_search *search, u64 first, u64 last);
bool ptwalk_search_add(struct ptwalk_reader *reader, u64 value, u64 pages, u64 bits);
bool ptwalk_search_add_other(struct ptwalk_reader *reader, u64 pages);
unsigned int ptwalk_search_skip(const struct ptwalk_search *search, pte_t *ptep,
				unsigned int nr);

u32 ptwalk_entry_flags_known(void);
u32 ptwalk_entry_kinds_known(void);
enum ptwalk_kind ptwalk_swap_type_kind(unsigned int type);

#endif /* PTWALK_ENTRY_H */
