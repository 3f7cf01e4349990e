// SPDX-License-Identifier: GPL-2.0
/* Which pages ways of reading with a sample look at. */
#include <string.h>
#include "check/sample.h"

#define NEW_PAGES	8

bool kinds_add(struct kinds *kinds, uint64_t vma, uint64_t bits, unsigned int zone)
{
	/* Which the kernel and the processor set as they like, and no interface shows. */
	const uint64_t any = ptwalk_bits(0, 0, 0, PTWALK_FLAG_YOUNG | PTWALK_FLAG_DIRTY);
	const uint64_t in = 1ULL << (zone < 63 ? zone : 63);
	size_t i;

	if (kinds->vma != vma)
		kinds->nr = 0;
	kinds->vma = vma;
	for (i = 0; i < kinds->nr; i++)
		if (kinds->kind[i].bits == (bits & ~any))
			break;
	if (i == SAMPLE_KINDS)
		return false;
	if (i == kinds->nr) {
		kinds->nr++;
		kinds->kind[i].bits = bits & ~any;
		kinds->kind[i].zones = 0;
	}
	if (kinds->kind[i].zones & in)
		return false;
	kinds->kind[i].zones |= in;
	return true;
}

unsigned int zone_of(const struct zones *zones, uint64_t frame)
{
	size_t i;

	for (i = 0; i < zones->nr; i++)
		if (frame >= zones->zone[i].start && frame <= zones->zone[i].last)
			break;
	return i;
}

static void insert(struct span *span, size_t *nr, size_t at, uint64_t first,
		   uint64_t end, bool bulk)
{
	memmove(span + at + 1, span + at, (*nr - at) * sizeof(*span));
	span[at] = (struct span){ first, end - first, bulk };
	++*nr;
}

/* Adds pages, but for those that others have. */
static void add(struct span *span, size_t *nr, uint64_t first, uint64_t end, bool bulk)
{
	uint64_t gap;

	for (size_t i = 0; first < end && *nr < SAMPLE_SPANS; i++) {
		gap = i < *nr && span[i].first < end ? span[i].first : end;
		if (first < gap)
			insert(span, nr, i++, first, gap, bulk);
		if (i == *nr || gap == end)
			break;
		if (span[i].first + span[i].nr > first)
			first = span[i].first + span[i].nr;
	}
}

/* How many pages of the stretch are compared in bulk. */
static uint64_t bulk_pages(const struct source *source, const struct stretch *s)
{
	const uint64_t all = s->all < SAMPLE_ALL ? s->all : SAMPLE_ALL;
	uint64_t nr = source->bulk;

	if (nr)
		nr = all > nr ? nr * s->pages / all : s->pages;
	return nr < s->table && source->framed ? s->table : nr;
}

/* Both sides of where some table ends, in one: added first, so that none divides it. */
static void add_border(const struct stretch *s, uint64_t edge, struct span *span, size_t *nr)
{
	uint64_t at, end;

	if (!s->table)
		return;
	at = s->table - s->first % s->table;
	if (at >= s->pages)
		return;
	at += s->chance % ((s->pages - 1 - at) / s->table + 1) * s->table;
	end = at + edge < s->pages ? at + edge : s->pages;
	add(span, nr, at > edge ? at - edge : 0, end, false);
}

size_t sample_spans(const struct source *source, const struct stretch *s,
		    bool only_new, struct span span[SAMPLE_SPANS])
{
	const uint64_t edge = source->sample / 2;
	uint64_t inner, at, bulk;
	size_t nr = 0, i;

	if (!only_new && s->pages <= 2 * edge) {
		add(span, &nr, 0, s->pages, false);
		return nr;
	}
	if (!only_new && source->borders)
		add_border(s, edge, span, &nr);
	if (!only_new) {
		add(span, &nr, 0, edge, false);
		add(span, &nr, s->pages - edge, s->pages, false);
	}
	for (i = 0; i < s->nr_new; i++) {
		at = s->new[i] + NEW_PAGES;
		add(span, &nr, s->new[i], at < s->pages ? at : s->pages, false);
	}
	if (only_new)
		return nr;
	inner = s->pages - 2 * edge;
	if (s->table > edge && inner >= 3 * s->table) {
		at = 2 * edge + s->chance % (inner - 2 * s->table - edge);
		at += -(s->first + at) % s->table;
		if (source->around)
			add(span, &nr, at, at + s->table, false);
		else if (source->bulk)
			add(span, &nr, at - edge, at + edge, false);
	}
	bulk = bulk_pages(source, s);
	if (bulk > inner)
		bulk = inner;
	at = edge + s->chance % (inner - bulk + 1);
	add(span, &nr, at, at + bulk, true);
	return nr;
}
