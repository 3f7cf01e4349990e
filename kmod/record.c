// SPDX-License-Identifier: GPL-2.0
/* Collects records, and merges those that continue each other. */
#include <linux/mm.h>
#include "record.h"

/**
 * ptwalk_sink_add() - add pages that are mapped alike
 * @sink: Where they go.
 * @addr: Virtual address of the first page; not below what was added before.
 * @value: As in struct ptwalk_extent.
 * @pages: Number of base pages.
 * @bits: As in struct ptwalk_extent.
 *
 * Extents merge when the pages continue each other in the virtual address
 * space, in @value as the kind has it, and in all @bits.
 *
 * Return: false if there was no room; nothing was added then.
 */
bool ptwalk_sink_add(struct ptwalk_sink *sink, u64 addr, u64 value, u64 pages,
		     u64 bits)
{
	struct ptwalk_extent *last = sink->last;

	if (last && last->bits == bits &&
	    last->addr + (last->pages << PAGE_SHIFT) == addr) {
		u64 next = last->value;

		if (ptwalk_kind_ascends(ptwalk_bits_kind(bits)))
			next += last->pages;
		if (next == value) {
			last->pages += pages;
			return true;
		}
	}
	if (sink->next == sink->end)
		return false;

	last = sink->next++;
	last->addr = addr;
	last->value = value;
	last->pages = pages;
	last->bits = bits;
	sink->last = last;
	return true;
}
