// SPDX-License-Identifier: GPL-2.0
/* Collects pages into runs. */
#include <linux/kernel.h>
#include "record.h"

static bool ptwalk_sink_has_room(const struct ptwalk_sink *sink, u64 words)
{
	return sink->end - sink->next >= words;
}

static void ptwalk_sink_list(struct ptwalk_sink *sink, u64 value, u64 pages)
{
	while (pages--)
		*sink->next++ = value++;
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
 * is a list or short enough to be turned into one. Others begin a new run.
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
			ptwalk_sink_list(sink, last->value[0] + 1, last->pages - 1);
		}
		if (last->bits == (bits | PTWALK_BITS_LIST)) {
			ptwalk_sink_list(sink, value, pages);
			last->pages += pages;
			return true;
		}
	}

	if (!ptwalk_sink_has_room(sink, 3))
		return false;
	last = (struct ptwalk_run *)sink->next;
	last->bits = bits;
	last->pages = pages;
	last->value[0] = value;
	sink->last = last;
	sink->next += 3;
	return true;
}
