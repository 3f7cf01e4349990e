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

static void add(struct contiguity *c, uint64_t addr, uint64_t pfn, uint64_t pages)
{
	if (c->open.addr + (c->open.pages << c->page_shift) == addr &&
	    c->open.pfn + c->open.pages == pfn && c->open.pages) {
		c->open.pages += pages;
		return;
	}
	contiguity_end(c);
	c->open = (struct contiguous){ addr, pfn, pages };
}

/* Pages of which none goes on with the one before, nor the next one with it. */
static void add_alone(struct contiguity *c, uint64_t addr, uint64_t pfn, uint64_t pages)
{
	contiguity_end(c);
	c->runs[0] += pages;
	c->pages[0] += pages;
	if (!c->longest.pages)
		c->longest = (struct contiguous){ addr, pfn, 1 };
}

/*
 * The number of the first page from @i on, whose value isn't that of the page before
 * it and 1, that the next one goes on with; at most the last one. Nearly every page
 * of memory that is scattered stands alone, so this is the loop that counts.
 */
static uint64_t skip_alone(const struct ptwalk_run *run, uint64_t i, uint64_t end)
{
	while (i + 1 < end && run->value[i + 1] != run->value[i] + 1)
		i++;
	return i;
}

static uint64_t take_list(struct contiguity *c, const struct ptwalk_run *run,
			  uint64_t addr, uint64_t first, uint64_t end)
{
	const unsigned int shift = c->page_shift;
	uint64_t extents = 0, i = first, from, alone;

	while (i < end) {
		from = i;
		alone = contiguity_break(run, from, end, 1);
		add(c, addr + ((from - first) << shift), run->value[from], alone - from);
		i = skip_alone(run, alone, end);
		if (i > alone)
			add_alone(c, addr + ((alone - first) << shift),
				  run->value[alone], i - alone);
		extents += 1 + i - alone;
	}
	return extents;
}

/* Whether a page may go on with the one before it, whose value is @before. */
static bool may_go_on(uint64_t before, uint64_t value)
{
	/* The shift takes the numbers off. */
	return (value - before) << (64 - PTWALK_MIXED_SHIFT) <= 1U << (64 - PTWALK_MIXED_SHIFT);
}

/* As skip_alone(), of a mixed list; counts the pages that are skipped. */
static uint64_t skip_alone_mixed(const struct ptwalk_run *run, uint64_t i, uint64_t end,
				 uint64_t alone[PTWALK_MIXED_MAX])
{
	const __u64 *value = run->value;
	uint64_t a = value[i], b, c, d, e;

	for (; i + 4 < end; i += 4, a = e) {
		b = value[i + 1];
		c = value[i + 2];
		d = value[i + 3];
		e = value[i + 4];
		if (may_go_on(a, b) || may_go_on(b, c) || may_go_on(c, d) ||
		    may_go_on(d, e))
			break;
		alone[ptwalk_mixed_number(a)]++;
		alone[ptwalk_mixed_number(b)]++;
		alone[ptwalk_mixed_number(c)]++;
		alone[ptwalk_mixed_number(d)]++;
	}
	for (; i + 1 < end && !may_go_on(value[i], value[i + 1]); i++)
		alone[ptwalk_mixed_number(value[i])]++;
	return i;
}

static bool is_present(uint64_t bits)
{
	return ptwalk_bits_kind(bits) == PTWALK_KIND_PRESENT;
}

static void count_alone(struct contiguity *c, const struct ptwalk_runs *runs,
			const uint64_t alone[PTWALK_MIXED_MAX],
			struct contiguity_mixed *mixed)
{
	for (size_t n = 0; n < PTWALK_MIXED_MAX; n++) {
		mixed->pages[n] += alone[n];
		mixed->extents[n] += alone[n];
		if (is_present(runs->mixed[n])) {
			c->runs[0] += alone[n];
			c->pages[0] += alone[n];
		}
	}
}

void contiguity_take_mixed(struct contiguity *c, const struct ptwalk_runs *runs,
			   const struct ptwalk_run *run, uint64_t addr, uint64_t first,
			   uint64_t pages, struct contiguity_mixed *mixed)
{
	const uint64_t end = first + pages;
	uint64_t alone[PTWALK_MIXED_MAX] = { 0 }, i = first, from, number;

	*mixed = (struct contiguity_mixed){ 0 };
	while (i < end) {
		from = i;
		i = ptwalk_mixed_break(runs, run, from, end);
		number = ptwalk_mixed_number(run->value[from]);
		mixed->pages[number] += i - from;
		mixed->extents[number]++;
		if (is_present(runs->mixed[number]))
			add(c, addr + ((from - first) << c->page_shift),
			    ptwalk_mixed_value(run->value[from]), i - from);
		/* The first page of all isn't skipped: it may be the longest run. */
		if (i < end && c->open.pages &&
		    !may_go_on(run->value[i - 1], run->value[i]))
			i = skip_alone_mixed(run, i, end, alone);
	}
	count_alone(c, runs, alone, mixed);
}

uint64_t contiguity_take(struct contiguity *c, const struct ptwalk_run *run,
			 uint64_t addr, uint64_t first, uint64_t pages)
{
	if (!is_present(run->bits) || !pages)
		return 0;
	if (ptwalk_bits_list(run->bits))
		return take_list(c, run, addr, first, first + pages);
	add(c, addr, run->value[0] + first, pages);
	return 1;
}
