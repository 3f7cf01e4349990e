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

/*
 * Up to this many consecutive pages are added to a list one by one: that takes
 * no more words than a run of their own.
 */
#define PTWALK_LIST_MAX		3

/**
 * struct ptwalk_sink - a buffer for runs
 * @next: The next free word.
 * @end: One past the last word.
 * @last: The run that pages may be added to, or NULL.
 * @page: The page behind the first of the pages that are added next, or NULL if
 *	the runs don't carry pages.
 * @mixed: What the pages of mixed lists are, by their numbers; room for
 *	PTWALK_MIXED_MAX. NULL if there may be none, and if the runs carry pages.
 * @nr_mixed: How many numbers are taken.
 * @has_mixed: There is a mixed list.
 *
 * The caller provides the memory, aligned for u64. It is filled under
 * page-table locks, so nothing is allocated here. Pages are added in the order
 * of their virtual addresses and without gaps.
 */
struct ptwalk_sink {
	u64 *next;
	u64 *end;
	struct ptwalk_run *last;
	struct ptwalk_page *page;
	u64 *mixed;
	unsigned int nr_mixed;
	bool has_mixed;
};

/* Whether the last run is a mixed list. */
static __always_inline bool ptwalk_sink_is_mixed(const struct ptwalk_sink *sink)
{
	return sink->last && sink->last->bits == PTWALK_BITS_MIXED;
}

/* The value of the first page of @run. */
static __always_inline u64 *ptwalk_sink_value(const struct ptwalk_sink *sink,
					      struct ptwalk_run *run)
{
	return sink->page ? ((struct ptwalk_page_run *)run)->value : run->value;
}

/**
 * ptwalk_sink_begin() - begin a run
 * @sink: The buffer.
 * @value: As in struct ptwalk_run, for the first page.
 * @pages: As in struct ptwalk_run.
 * @bits: As in struct ptwalk_run, without the list bit.
 *
 * Return: false if there is no room; nothing was added then.
 */
static __always_inline bool ptwalk_sink_begin(struct ptwalk_sink *sink, u64 value,
					      u64 pages, u64 bits)
{
	struct ptwalk_run *run = (struct ptwalk_run *)sink->next;
	u64 *place = ptwalk_sink_value(sink, run);

	if (place >= sink->end)
		return false;
	run->bits = bits;
	run->pages = pages;
	if (sink->page)
		((struct ptwalk_page_run *)run)->page = *sink->page;
	*place = value;
	sink->last = run;
	sink->next = place + 1;
	return true;
}

bool ptwalk_sink_number(struct ptwalk_sink *sink, u64 bits, u64 *number);
bool ptwalk_sink_append(struct ptwalk_sink *sink, u64 value, u64 pages,
			u64 bits);
bool ptwalk_sink_add_paged(struct ptwalk_sink *sink, u64 value, u64 pages,
			   u64 bits);

/**
 * ptwalk_sink_add() - add pages whose entries are alike
 * @sink: The buffer.
 * @value: As in struct ptwalk_run, for the first page.
 * @pages: Number of base pages.
 * @bits: As in struct ptwalk_run, without the list bit.
 *
 * For runs that carry no pages.
 *
 * Return: false if there is no room; nothing was added then.
 */
static __always_inline bool ptwalk_sink_add(struct ptwalk_sink *sink, u64 value,
					    u64 pages, u64 bits)
{
	struct ptwalk_run *last = sink->last;

	if (!last || (last->bits & ~PTWALK_BITS_LIST) != bits)
		return sink->mixed ? ptwalk_sink_append(sink, value, pages, bits) :
				     ptwalk_sink_begin(sink, value, pages, bits);
	if (last->bits & PTWALK_BITS_LIST) {
		if (pages == 1 && sink->next < sink->end) {
			*sink->next++ = value;
			last->pages++;
			return true;
		}
	} else {
		u64 next = last->value[0];

		if (ptwalk_kind_ascends(ptwalk_bits_kind(bits)))
			next += last->pages;
		if (next == value) {
			last->pages += pages;
			return true;
		}
	}
	return ptwalk_sink_append(sink, value, pages, bits);
}

#endif /* PTWALK_RECORD_H */
