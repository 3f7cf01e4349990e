// SPDX-License-Identifier: GPL-2.0
/* Collects pages into runs. */
#include <linux/kernel.h>
#include "record.h"

static bool ptwalk_sink_has_room(const struct ptwalk_sink *sink, u64 words)
{
	return sink->end - sink->next >= words;
}

static void ptwalk_sink_list(struct ptwalk_sink *sink, u64 value, u64 pages, u64 step)
{
	for (; pages; pages--, value += step)
		*sink->next++ = value;
}

/**
 * ptwalk_sink_number() - what the pages of a mixed list have in their values
 * @sink: The buffer, with @sink->mixed.
 * @bits: As in struct ptwalk_run, without the list bit.
 * @number: Where it is in the value; filled.
 *
 * Return: false if @bits has no number, and there is none left.
 */
bool ptwalk_sink_number(struct ptwalk_sink *sink, u64 bits, u64 *number)
{
	unsigned int i = 0;

	while (i < sink->nr_mixed && sink->mixed[i] != bits)
		i++;
	if (i == PTWALK_MIXED_MAX)
		return false;
	if (i == sink->nr_mixed)
		sink->mixed[sink->nr_mixed++] = bits;
	*number = (u64)i << PTWALK_MIXED_SHIFT;
	return true;
}

/* Turns the last run, which is short, into a mixed list. */
static bool ptwalk_sink_turn_mixed(struct ptwalk_sink *sink)
{
	struct ptwalk_run *last = sink->last;
	u64 bits = last->bits & ~PTWALK_BITS_LIST, number, i;

	if (last->pages > PTWALK_LIST_MAX || !ptwalk_sink_number(sink, bits, &number))
		return false;
	if (!(last->bits & PTWALK_BITS_LIST)) {
		u64 step = ptwalk_kind_ascends(ptwalk_bits_kind(bits));

		ptwalk_sink_list(sink, last->value[0] + step, last->pages - 1, step);
	}
	for (i = 0; i < last->pages; i++)
		last->value[i] |= number;
	last->bits = PTWALK_BITS_MIXED;
	sink->has_mixed = true;
	return true;
}

/* Adds pages to the last run if that is a mixed list, or can be turned into one. */
static bool ptwalk_sink_mix(struct ptwalk_sink *sink, u64 value, u64 pages, u64 bits)
{
	u64 number;

	if (!ptwalk_sink_number(sink, bits, &number))
		return false;
	if (sink->last->bits != PTWALK_BITS_MIXED && !ptwalk_sink_turn_mixed(sink))
		return false;
	ptwalk_sink_list(sink, value | number, pages,
			 ptwalk_kind_ascends(ptwalk_bits_kind(bits)));
	sink->last->pages += pages;
	return true;
}

/**
 * ptwalk_sink_append() - add pages that don't continue the last run
 * @sink: The buffer.
 * @value: As in struct ptwalk_run, for the first page.
 * @pages: As in struct ptwalk_run.
 * @bits: As in struct ptwalk_run, without the list bit.
 *
 * The slow path of ptwalk_sink_add(). Up to PTWALK_LIST_MAX pages that differ
 * from those of the last run in their value only are added to that run, if it
 * is a list or short enough to be turned into one, and those that differ in more,
 * too, if there may be mixed lists. Others begin a new run.
 *
 * Return: false if there is no room; nothing was added then.
 */
bool ptwalk_sink_append(struct ptwalk_sink *sink, u64 value, u64 pages,
			u64 bits)
{
	struct ptwalk_run *last = sink->last;

	if (last && pages <= PTWALK_LIST_MAX &&
	    ptwalk_sink_has_room(sink, pages + PTWALK_LIST_MAX)) {
		if (last->bits == bits && last->pages <= PTWALK_LIST_MAX &&
		    ptwalk_kind_ascends(ptwalk_bits_kind(bits))) {
			last->bits |= PTWALK_BITS_LIST;
			ptwalk_sink_list(sink, *ptwalk_sink_value(sink, last) + 1,
					 last->pages - 1, 1);
		}
		if (last->bits == (bits | PTWALK_BITS_LIST)) {
			ptwalk_sink_list(sink, value, pages, 1);
			last->pages += pages;
			return true;
		}
		if (sink->mixed && ptwalk_sink_mix(sink, value, pages, bits))
			return true;
	}

	return ptwalk_sink_begin(sink, value, pages, bits);
}

/* Whether the page at @sink->page is what the last run's page goes on with. */
static bool ptwalk_sink_page_goes_on(const struct ptwalk_sink *sink)
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

/**
 * ptwalk_sink_add_paged() - add pages whose entries are alike
 * @sink: The buffer, whose runs carry the pages behind the entries if @sink->page
 *	is set.
 * @value: As in struct ptwalk_run, for the first page.
 * @pages: Number of base pages.
 * @bits: As in struct ptwalk_run, without the list bit.
 *
 * Return: false if there is no room; nothing was added then.
 */
bool ptwalk_sink_add_paged(struct ptwalk_sink *sink, u64 value, u64 pages,
			   u64 bits)
{
	struct ptwalk_run *last = sink->last;
	u64 next;

	if (!sink->page)
		return ptwalk_sink_add(sink, value, pages, bits);
	if (last && !ptwalk_sink_page_goes_on(sink)) {
		sink->last = NULL;
	} else if (last && last->bits == bits) {
		next = *ptwalk_sink_value(sink, last);
		if (ptwalk_kind_ascends(ptwalk_bits_kind(bits)))
			next += last->pages;
		if (next == value) {
			last->pages += pages;
			return true;
		}
	}
	return ptwalk_sink_append(sink, value, pages, bits);
}
