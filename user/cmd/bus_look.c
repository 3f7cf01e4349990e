// SPDX-License-Identifier: GPL-2.0
/* Bus addresses of a device that lead somewhere, searched for where they usually are. */
#include <stdio.h>
#include <stdlib.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "cmd/bus_look.h"
#include "cmd/interrupt.h"

#define FOUR_GIB	(UINT64_C(1) << 32)

/*
 * What is looked for beyond the first 4 GiB, if no range is given: until so much
 * in a row is empty, or all in all.
 */
#define CHUNK		(UINT64_C(1) << 30)
#define MAX_EMPTY	16
#define MAX_CHUNKS	256

/* So much that nobody asked for is looked up beside the rest: it takes seconds. */
#define MAX_SAME	(UINT64_C(64) << 30)

static int take_bus_stretches(const struct ptwalk_stretches *s, void *arg)
{
	struct bus_look *l = arg;

	for (size_t i = 0; i < s->nr; i++)
		if (busmap_add(&l->map, &s->stretch[i]))
			return error_no_memory();
	l->found += s->nr;
	if (ranges_add(&l->scanned, s->start, s->last))
		return error_no_memory();
	return interrupted ? INTERRUPT_STOP : 0;
}

int bus_look(struct bus_look *l, uint64_t start, uint64_t last)
{
	struct range range = { start, last };

	return device_stream(l->client, l->facts.name, &range, take_bus_stretches, l);
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The DMA API takes bus addresses from the top of what the device reaches
 * downwards, of PCI devices from 4 GiB; VFIO's users often begin at 0.
 */
int bus_look_everywhere(struct bus_look *l)
{
	const struct ptwalk_device *f = &l->facts;
	uint64_t first = f->aperture_start, top = f->aperture_last, at;
	bool managed = f->domain != PTWALK_DOMAIN_UNMANAGED;
	int status = 0, empty = 0;

	if (managed && f->flags & PTWALK_DEVICE_FLAG_DMA)
		top = at_most(top, device_reach(f));
	l->wanted = (struct range){ first, top };
	if (first < FOUR_GIB)
		status = bus_look(l, first, at_most(top, FOUR_GIB - 1));
	if (first < FOUR_GIB)
		first = FOUR_GIB;
	if (top < first)
		return status;
	at = managed ? top & ~(CHUNK - 1) : first & ~(CHUNK - 1);
	for (int i = 0; !status && empty < MAX_EMPTY && i < MAX_CHUNKS; i++) {
		l->found = 0;
		status = bus_look(l, at < first ? first : at, at_most(top, at + CHUNK - 1));
		empty = l->found ? 0 : empty + 1;
		if (managed ? at <= first : top - at < CHUNK)
			break;
		at = managed ? at - CHUNK : at + CHUNK;
	}
	return status;
}

void bus_look_tidy(struct bus_look *l)
{
	struct ranges *r = &l->scanned;
	size_t nr = 0;

	/* Pieces of a message each; and those of a look downwards come in disorder. */
	if (r->nr)
		qsort(r->range, r->nr, sizeof(*r->range), array_order);
	for (size_t i = 0; i < r->nr; i++) {
		if (nr && r->range[i].start <= r->range[nr - 1].last + 1) {
			if (r->range[i].last > r->range[nr - 1].last)
				r->range[nr - 1].last = r->range[i].last;
		} else {
			r->range[nr++] = r->range[i];
		}
	}
	r->nr = nr;
}

/* Adds what of @range isn't in @scanned, which is in order. */
static int add_gaps(const struct ranges *scanned, struct range range, struct ranges *gaps)
{
	for (size_t i = 0; i < scanned->nr; i++) {
		const struct range *r = &scanned->range[i];

		if (r->last < range.start)
			continue;
		if (r->start > range.last)
			break;
		if (r->start > range.start && ranges_add(gaps, range.start, r->start - 1))
			return error_no_memory();
		if (r->last >= range.last)
			return 0;
		range.start = r->last + 1;
	}
	return ranges_add(gaps, range.start, range.last) ? error_no_memory() : 0;
}

int bus_look_unscanned(const struct bus_look *l, struct ranges *unscanned)
{
	return l->wanted.last ? add_gaps(&l->scanned, l->wanted, unscanned) : 0;
}

int bus_look_same(struct bus_look *l, const struct ranges *own)
{
	const uint64_t page = device_page(&l->facts);
	struct ranges gaps = { 0 };
	uint64_t left = MAX_SAME;
	int status = 0;

	for (size_t i = 0; !status && i < own->nr; i++) {
		struct range r = own->range[i];

		r.start &= ~(page - 1);
		r.last |= page - 1;
		if (bus_look_cut(&l->facts, &r))
			status = add_gaps(&l->scanned, r, &gaps);
	}
	for (size_t i = 0; !status && i < gaps.nr; i++) {
		const struct range *r = &gaps.range[i];

		/* A smaller one may still do. */
		if (r->last - r->start >= left)
			continue;
		left -= r->last - r->start + 1;
		status = bus_look(l, r->start, r->last);
	}
	ranges_free(&gaps);
	return status;
}

void bus_ranges_print(const struct ranges *ranges)
{
	char range[FORMAT_RANGE];

	for (size_t i = 0; i < ranges->nr; i++)
		printf("%s %s", i ? "," : "",
		       format_range(ranges->range[i].start,
				    ranges->range[i].last, range));
}

void bus_ranges_json(const char *name, const struct ranges *ranges)
{
	jsonw_array(name);
	for (size_t i = 0; i < ranges->nr; i++) {
		jsonw_object(NULL);
		jsonw_hex("start", ranges->range[i].start);
		jsonw_hex("last", ranges->range[i].last);
		jsonw_close();
	}
	jsonw_close();
}

bool bus_look_cut(const struct ptwalk_device *facts, struct range *range)
{
	if (range->start < facts->aperture_start)
		range->start = facts->aperture_start;
	range->last = at_most(range->last, facts->aperture_last);
	return range->start <= range->last;
}
