/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs of pages, the interface between the walk and the protocol: the walk and
 * the decoder know nothing of netlink attributes, and the netlink code knows
 * nothing of page-table entries.
 */
#ifndef PTWALK_RECORD_H
#define PTWALK_RECORD_H

#include <linux/bits.h>
#include <linux/types.h>
#include "uapi/linux/ptwalk_record.h"

#define PTWALK_BITS_LIST	BIT_ULL(PTWALK_BITS_LIST_SHIFT)
#define PTWALK_BITS_MIXED	((u64)PTWALK_KIND_MIXED << PTWALK_BITS_KIND_SHIFT | \
				 PTWALK_BITS_LIST)

/* So many pages that follow from each other take no more words on a list than a run. */
#define PTWALK_LIST_MAX		3

/* So many words in a row on a list that follow from each other are better a run. */
#define PTWALK_LIST_ROW		16

/* Words of a run with one value, at most. */
#define PTWALK_PAGE_RUN_WORDS	(sizeof(struct ptwalk_page_run) / sizeof(u64) + 1)

/*
 * A buffer for runs. The caller provides the memory, aligned for u64. It is filled under
 * page-table locks, so nothing is allocated here. Pages are added in the order of their
 * virtual addresses and without gaps.
 */
struct ptwalk_sink {
	u64 *next, *end;		/* the next free word, and one past the last */
	struct ptwalk_run *last;	/* that pages may be added to, or NULL */
	/* Behind the first of the pages that are added next, or NULL if the runs carry none. */
	struct ptwalk_page *page;
	/*
	 * What the pages of mixed lists are, by their numbers; room for PTWALK_MIXED_MAX.
	 * NULL if there may be none, and if the runs carry pages.
	 */
	u64 *mixed;
	unsigned int nr_mixed;		/* how many numbers are taken */
	unsigned int lists;		/* how many mixed lists there are */
};

bool ptwalk_sink_number(struct ptwalk_sink *sink, u64 bits, u64 *number);
bool ptwalk_sink_add(struct ptwalk_sink *sink, u64 value, u64 pages, u64 bits);

/* Whether each of the PTWALK_LIST_ROW words before @end is @step ahead of the one before. */
static __always_inline bool ptwalk_words_are_row(const u64 *end, u64 step)
{
	const u64 *first = end - PTWALK_LIST_ROW;

	do
		end--;
	while (end > first && end[0] - end[-1] == step);
	return end == first;
}

/* The value of a page behind @pages others of the same kind. */
static __always_inline u64 ptwalk_sink_behind(u64 value, u64 pages, u64 bits)
{
	return ptwalk_kind_ascends(ptwalk_bits_kind(bits)) ? value + pages : value;
}

#endif /* PTWALK_RECORD_H */
