// SPDX-License-Identifier: GPL-2.0
/* Runs of pages that are contiguous in virtual and in physical memory. */
#include <stdbool.h>
#include "module/contiguity.h"

void contiguity_end(struct contiguity *c)
{
	unsigned int i;

	if (!c->open.pages)
		return;
	i = 63 - __builtin_clzll(c->open.pages);
	c->runs[i]++;
	c->pages[i] += c->open.pages;
	if (c->open.pages > c->longest.pages)
		c->longest = c->open;
	c->open.pages = 0;
}

void contiguity_add(struct contiguity *c, uint64_t addr, uint64_t pfn, uint64_t pages)
{
	if (c->open.addr + (c->open.pages << c->page_shift) == addr &&
	    c->open.pfn + c->open.pages == pfn && c->open.pages) {
		c->open.pages += pages;
		return;
	}
	contiguity_end(c);
	c->open = (struct contiguous){ addr, pfn, pages };
}

void contiguity_lists_begin(struct contiguity_lists *l, const uint64_t *bits, size_t nr)
{
	*l = (struct contiguity_lists){ 0 };
	for (size_t n = 0; n < PTWALK_MIXED_MAX; n++) {
		l->bits[n] = n < nr ? bits[n] : ptwalk_bits(PTWALK_KIND_UNKNOWN, 0, 0, 0);
		l->step[n] = ptwalk_kind_ascends(ptwalk_bits_kind(l->bits[n]));
	}
}

/* The shift takes the numbers off. */
#define VALUES_APART(value, before)	(((value) - (before)) << (64 - PTWALK_MIXED_SHIFT))
#define ONE_APART	(1ULL << (64 - PTWALK_MIXED_SHIFT))

/*
 * The number of the first page from @i on, which doesn't go on from the one before it,
 * that the next one goes on from, at least by its frame; at most the last one. Nearly
 * every page of memory that is scattered stands alone, so this is the loop that counts.
 */
static uint64_t skip_alone(struct contiguity_lists *l, const struct ptwalk_run *run,
			   uint64_t i, uint64_t end)
{
	const __u64 *page = run->value + i, *last = run->value + end - 1;
	uint64_t value = *page, before, apart;

	for (; page < last; page++) {
		before = value;
		value = page[1];
		apart = VALUES_APART(value, before);
		if (apart <= ONE_APART &&
		    (apart || value - before == l->step[ptwalk_mixed_number(before)]))
			break;
		l->alone[ptwalk_mixed_number(before)]++;
	}
	return page - run->value;
}

void contiguity_lists_take(struct contiguity *c, struct contiguity_lists *l,
			   const struct ptwalk_run *run, uint64_t addr, uint64_t first,
			   uint64_t pages)
{
	const uint64_t end = first + pages;
	uint64_t i = first, from, n;

	while (i < end) {
		from = i;
		n = ptwalk_mixed_number(run->value[from]);
		do
			i++;
		while (i < end && run->value[i] == run->value[i - 1] + l->step[n]);
		l->pages[n] += i - from;
		l->extents[n]++;
		if (ptwalk_bits_present(l->bits[n]))
			contiguity_add(c, addr + ((from - first) << c->page_shift),
				       ptwalk_mixed_value(run->value[from]), i - from);
		/* The first page of all isn't skipped: it may be the longest run. */
		if (i < end && c->open.pages &&
		    VALUES_APART(run->value[i], run->value[i - 1]) != ONE_APART)
			i = skip_alone(l, run, i, end);
	}
}

void contiguity_lists_end(struct contiguity *c, struct contiguity_lists *l)
{
	for (size_t n = 0; n < PTWALK_MIXED_MAX; n++) {
		l->pages[n] += l->alone[n];
		l->extents[n] += l->alone[n];
		if (ptwalk_bits_present(l->bits[n])) {
			c->runs[0] += l->alone[n];
			c->pages[0] += l->alone[n];
		}
	}
}
