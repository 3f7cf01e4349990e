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

void contiguity_take(struct contiguity *c, const struct ptwalk_run *run, uint64_t addr,
		     uint64_t first, uint64_t pages)
{
	const unsigned int shift = c->page_shift;
	const uint64_t end = first + pages;
	uint64_t from, next;

	if (ptwalk_bits_kind(run->bits) != PTWALK_KIND_PRESENT || !pages)
		return;
	if (!ptwalk_bits_list(run->bits)) {
		add(c, addr, run->value[0] + first, pages);
		return;
	}
	for (from = first; from < end; from = next) {
		next = contiguity_break(run, from, end, 1);
		add(c, addr + ((from - first) << shift), run->value[from], next - from);
	}
}
