// SPDX-License-Identifier: GPL-2.0
/* Runs of pages that are contiguous in virtual and in physical memory. */
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

uint64_t contiguity_take(struct contiguity *c, const struct ptwalk_run *run,
			 uint64_t addr, uint64_t first, uint64_t pages)
{
	if (ptwalk_bits_kind(run->bits) != PTWALK_KIND_PRESENT || !pages)
		return 0;
	if (ptwalk_bits_list(run->bits))
		return take_list(c, run, addr, first, first + pages);
	add(c, addr, run->value[0] + first, pages);
	return 1;
}
