// SPDX-License-Identifier: GPL-2.0
/*
 * Collects pages into runs: those that follow from each other are a run, and a few that
 * don't are on a list, with a word for each: a mixed list if the reader takes these.
 */
#include <linux/kernel.h>
#include "record.h"

/* The value of the first page of @run. */
static u64 *ptwalk_sink_value(const struct ptwalk_sink *sink, struct ptwalk_run *run)
{
	return sink->page ? ((struct ptwalk_page_run *)run)->value : run->value;
}

/* Whether there is room for a run with one value. */
static bool ptwalk_sink_has_room(const struct ptwalk_sink *sink)
{
	return ptwalk_sink_value(sink, (struct ptwalk_run *)sink->next) < sink->end;
}

/* Begins a run. Returns false if there is no room; nothing was added then. */
static bool ptwalk_sink_begin(struct ptwalk_sink *sink, u64 value, u64 pages, u64 bits)
{
	struct ptwalk_run *run = (struct ptwalk_run *)sink->next;
	u64 *place = ptwalk_sink_value(sink, run);

	if (!ptwalk_sink_has_room(sink))
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

/*
 * Finds the number of @bits in mixed lists, or gives them one; @number receives it as it is
 * in words there, or 0 if the buffer has no such lists. Returns false if all are taken.
 */
bool ptwalk_sink_number(struct ptwalk_sink *sink, u64 bits, u64 *number)
{
	unsigned int i = 0;

	*number = 0;
	if (!sink->mixed)
		return true;
	while (i < sink->nr_mixed && sink->mixed[i] != bits)
		i++;
	if (i == PTWALK_MIXED_MAX)
		return false;
	if (i == sink->nr_mixed)
		sink->mixed[sink->nr_mixed++] = bits;
	*number = (u64)i << PTWALK_MIXED_SHIFT;
	return true;
}

/* Whether the page at @sink->page continues those of the last run. */
static bool ptwalk_sink_page_continues(const struct ptwalk_sink *sink)
{
	const struct ptwalk_page_run *last = (void *)sink->last;
	u64 place = last->page.place;

	if (ptwalk_page_order(&last->page))
		place += last->pages << 32;
	return sink->page->place == place &&
	       sink->page->flags == last->page.flags &&
	       sink->page->counts == last->page.counts &&
	       sink->page->folio_counts == last->page.folio_counts;
}

/* The bits of a list that pages with @bits can be on, and the @number of their words there. */
static u64 ptwalk_sink_list(struct ptwalk_sink *sink, u64 bits, u64 *number)
{
	return ptwalk_sink_number(sink, bits, number) && sink->mixed ?
		       PTWALK_BITS_MIXED : bits | PTWALK_BITS_LIST;
}

/* Whether the last run is a @list to which the page at @sink->page can be added. */
static bool ptwalk_sink_ends_in_list(const struct ptwalk_sink *sink, u64 list)
{
	return sink->last && sink->last->bits == list &&
	       (!sink->page || ptwalk_sink_page_continues(sink));
}

/*
 * Adds a few pages to a list. Returns false if there can't be one, if they continue a row
 * on it, which is better a run, or if there is no room.
 */
static bool ptwalk_sink_add_few(struct ptwalk_sink *sink, u64 value, u64 pages, u64 bits)
{
	const u64 step = ptwalk_kind_ascends(ptwalk_bits_kind(bits));
	u64 number, i = 0, list = ptwalk_sink_list(sink, bits, &number);

	if (sink->end - sink->next < PTWALK_PAGE_RUN_WORDS + PTWALK_LIST_MAX)
		return false;
	if (!ptwalk_sink_ends_in_list(sink, list)) {
		/* What is empty stays a run of its own until a list has begun. */
		if (!step || !ptwalk_sink_begin(sink, value | number, 1, list))
			return false;
		sink->lists += list == PTWALK_BITS_MIXED;
		i++;
	} else if (sink->last->pages >= PTWALK_LIST_ROW &&
		   sink->next[-1] + step == (value | number) &&
		   ptwalk_words_are_row(sink->next, step)) {
		return false;
	}
	sink->last->pages += pages - i;
	for (; i < pages; i++)
		*sink->next++ = (value + i * step) | number;
	return true;
}

/*
 * Takes the pages off the end of a list that a run from @value on continues. Returns how
 * many were taken.
 */
static u64 ptwalk_sink_take_back(struct ptwalk_sink *sink, u64 value, u64 bits)
{
	const u64 step = ptwalk_kind_ascends(ptwalk_bits_kind(bits));
	struct ptwalk_run *last = sink->last;
	u64 number, pages = 0, list;

	if (!last || !(last->bits & PTWALK_BITS_LIST) ||
	    (sink->page && ptwalk_page_order(sink->page)))
		return 0;
	list = ptwalk_sink_list(sink, bits, &number);
	if (!ptwalk_sink_ends_in_list(sink, list))
		return 0;
	while (last->pages && sink->next[-1] == ((value - (pages + 1) * step) | number)) {
		sink->next--;
		last->pages--;
		pages++;
	}
	if (!last->pages) {
		sink->next = (u64 *)last;
		sink->lists -= list == PTWALK_BITS_MIXED;
	}
	return pages;
}

/*
 * Adds pages whose entries are alike; @value is that of the first one, and @bits has no list
 * bit, as in struct ptwalk_run. Returns false if there is no room; nothing was added then.
 */
bool ptwalk_sink_add(struct ptwalk_sink *sink, u64 value, u64 pages, u64 bits)
{
	struct ptwalk_run *last = sink->last;
	u64 back;

	if (last && last->bits == bits &&
	    ptwalk_sink_behind(*ptwalk_sink_value(sink, last), last->pages, bits) == value &&
	    (!sink->page || ptwalk_sink_page_continues(sink))) {
		last->pages += pages;
		return true;
	}
	if (pages <= PTWALK_LIST_MAX && ptwalk_sink_add_few(sink, value, pages, bits))
		return true;
	/* Before words are taken back: they can't be put there again. */
	if (!ptwalk_sink_has_room(sink))
		return false;
	back = ptwalk_sink_take_back(sink, value, bits);
	value -= ptwalk_sink_behind(0, back, bits);
	return ptwalk_sink_begin(sink, value, pages + back, bits);
}
