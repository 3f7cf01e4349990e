/* SPDX-License-Identifier: GPL-2.0 */
/* Looks for the entries that hold some frames. */
#ifndef PTWALK_SEARCH_H
#define PTWALK_SEARCH_H

#include "entry.h"

/* Of pages that are added at a time, what is looked for may be in the middle. */
#define PTWALK_SEARCH_WORDS	(3 * (int)(sizeof(struct ptwalk_run) / sizeof(u64) + 1))

/* Frames that are looked for. */
struct ptwalk_search {
	u64 first, last;	/* PFNs; the last one is inclusive */
	u64 mask, key;		/* bits of a present PTE that all share, and what these are */
	unsigned long report;	/* when to report progress even if nothing was found, in jiffies */
};

/* Whether one of the frames from @pfn on is looked for. */
static inline bool ptwalk_search_meets(const struct ptwalk_search *search, u64 pfn, u64 pages)
{
	return pfn <= search->last && pfn + pages > search->first;
}

void ptwalk_search_init(struct ptwalk_search *search, u64 first, u64 last);
bool ptwalk_search_add(struct ptwalk_reader *reader, u64 value, u64 pages, u64 bits);
bool ptwalk_search_add_other(struct ptwalk_reader *reader, u64 pages);
unsigned int ptwalk_search_skip(const struct ptwalk_search *search, pte_t *ptep,
				unsigned int nr);

#endif /* PTWALK_SEARCH_H */
