// SPDX-License-Identifier: GPL-2.0
/* Finds out what memory the frames of a process are, and lays it out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/parse.h"
#include "map/memory.h"

#define LEAST		10	/* columns of an area */
#define GAP		2	/* columns between two that don't touch */

/* Frames of which nobody tells what they are belong together up to this gap. */
#define NEAR		(1ULL << 30)

/* Of what nobody tells anything, areas are made in blocks of this size first. */
#define BLOCK		(1ULL << 27)

static bool has_frames(const struct map_piece *piece)
{
	return piece->extent && piece->kind != MAP_UNREAD &&
	       piece->kind != MAP_ZERO &&
	       kind_has_frame(ptwalk_bits_kind(piece->extent->bits));
}

static struct map_area *add_area(struct map_memory *m, uint64_t start,
				 uint64_t last, bool ram)
{
	struct map_area *area;

	if (!array_room(&m->area, &m->max, m->nr + 1, sizeof(*m->area)))
		return NULL;
	area = &m->area[m->nr++];
	*area = (struct map_area){
		.start = start, .last = last, .ram = ram, .areas = 1,
	};
	return area;
}

static int add_zones(const struct map_input *in, struct map_memory *m)
{
	const struct zone *z;
	struct map_area *area;

	for (size_t i = 0; in->zones && i < in->zones->nr; i++) {
		z = &in->zones->zone[i];
		area = add_area(m, z->start, z->last, true);
		if (!area)
			return -ENOMEM;
		area->is_zone = true;
		snprintf(area->name, sizeof(area->name), "node %u %s", z->node,
			 z->name);
	}
	return 0;
}

/* Zones have holes, in which devices may be. */
static bool may_hold(const struct map_area *area, const struct map_piece *piece)
{
	return !area->is_zone || ptwalk_bits_flags(piece->extent->bits) &
				 (PTWALK_FLAG_RAM | PTWALK_FLAG_PAGE);
}

/* The area, of those there are so far, with @frame. */
static struct map_area *known_area(struct map_memory *m,
				   const struct map_piece *piece,
				   uint64_t frame)
{
	for (size_t i = m->nr; i; i--)
		if (m->area[i - 1].start <= frame &&
		    frame <= m->area[i - 1].last &&
		    may_hold(&m->area[i - 1], piece))
			return &m->area[i - 1];
	return NULL;
}

/* The resource at a frame; it has no size unless it is known. */
static struct range resource_at(const struct map_input *in, uint64_t frame,
				char *name, size_t size, bool *ram)
{
	const unsigned int shift = in->kernel->page_shift;
	const struct iomem_resource *chain[IOMEM_DEPTH];
	const struct pcibar *bar = pcibars_at(&in->places->bars, frame << shift);
	char text[PCIBAR_TEXT];
	size_t nr;

	if (bar) {
		snprintf(name, size, "%s %s", bar->device,
			 pcibar_text(bar, text));
		return (struct range){ bar->start >> shift, bar->last >> shift };
	}
	nr = iomem_in_use(chain, iomem_at(&in->places->iomem, frame << shift,
					  chain));
	if (!nr)
		return (struct range){ 1, 0 };
	*ram = !strcmp(chain[nr - 1]->name, "System RAM");
	snprintf(name, size, "%s", chain[nr - 1]->name);
	return (struct range){
		chain[nr - 1]->start >> shift, chain[nr - 1]->last >> shift
	};
}

/* Of what nothing else tells, by the entry and its page. */
static void name_by_entry(const struct map_input *in,
			  const struct map_piece *piece, struct map_area *area)
{
	const uint32_t flags = ptwalk_bits_flags(piece->extent->bits);
	const struct ptwalk_page *page = in->truth->pages;

	area->ram = flags & (PTWALK_FLAG_RAM | PTWALK_FLAG_PAGE);
	if (flags & PTWALK_FLAG_PAGE && page)
		snprintf(area->name, sizeof(area->name), "node %u",
			 (unsigned int)(page[piece->index].place >> 8 &
					0xffffff));
	else
		snprintf(area->name, sizeof(area->name), "%s", area->ram ?
			 "RAM" : "no RAM");
}

/* Frames from @frame to @last at most, all in one block, by the entry alone. */
static struct map_area *area_by_entry(const struct map_input *in,
				      struct map_memory *m,
				      const struct map_piece *piece,
				      uint64_t frame, uint64_t last)
{
	const uint64_t mask = (BLOCK >> in->kernel->page_shift) - 1;
	struct map_area area, *known;

	name_by_entry(in, piece, &area);
	if (last > (frame | mask))
		last = frame | mask;
	for (size_t i = m->nr; i; i--) {
		known = &m->area[i - 1];
		if (!known->by_entry || (known->start | mask) != (frame | mask) ||
		    strcmp(known->name, area.name))
			continue;
		if (known->start > frame)
			known->start = frame;
		if (known->last < last)
			known->last = last;
		return known;
	}
	known = add_area(m, frame, last, area.ram);
	if (known) {
		known->by_entry = true;
		memcpy(known->name, area.name, sizeof(area.name));
	}
	return known;
}

/**
 * struct search - areas being looked for
 */
struct search {
	const struct map_input *in;
	struct map_memory *m;
	bool failed;
};

/* Sees to it that the first frame is in an area; returns the last one there. */
static uint64_t meet(struct search *s, const struct map_piece *piece,
		     uint64_t frame, uint64_t last)
{
	struct map_area *area = known_area(s->m, piece, frame);
	struct range found = { 1, 0 };
	char name[sizeof(area->name)];
	bool ram = false;

	if (area)
		return area->last < last ? area->last : last;
	if (s->in->places)
		found = resource_at(s->in, frame, name, sizeof(name), &ram);
	if (found.start > frame || found.last < frame) {
		area = area_by_entry(s->in, s->m, piece, frame, last);
	} else {
		area = add_area(s->m, found.start, found.last, ram);
		if (area)
			memcpy(area->name, name, sizeof(name));
	}
	s->failed = !area;
	return area && area->last < last ? area->last : last;
}

static void search_piece(const struct map_piece *piece, void *arg)
{
	struct search *s = arg;
	uint64_t frame, last;

	if (!has_frames(piece) || s->failed)
		return;
	frame = piece->extent->value;
	last = frame + piece->pages - 1;
	while (!s->failed) {
		frame = meet(s, piece, frame, last);
		if (frame++ == last)
			break;
	}
}

static int by_area_start(const void *a, const void *b)
{
	const struct map_area *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->last != y->last)
		return x->last < y->last ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Whether @next goes on where @last ends, or nearly so. */
static bool area_goes_on(const struct map_input *in, const struct map_area *last,
			 const struct map_area *next)
{
	return last->by_entry && next->by_entry &&
	       next->start - last->last <= NEAR >> in->kernel->page_shift &&
	       !strcmp(last->name, next->name);
}

/*
 * Adds @next behind those in @to, which don't overlap, as it may: what lies in
 * another area splits that.
 */
static size_t append_area(const struct map_input *in, struct map_area *to, size_t nr,
			  struct map_area next)
{
	struct map_area *last = nr ? &to[nr - 1] : NULL, rest;

	if (!last || next.start > last->last) {
		if (last && area_goes_on(in, last, &next))
			last->last = next.last;
		else
			to[nr++] = next;
		return nr;
	}
	if (next.start <= last->start || next.last >= last->last) {
		/* No more than what is left of it behind the last one. */
		if (next.last <= last->last)
			return nr;
		next.start = last->last + 1;
		to[nr++] = next;
		return nr;
	}
	rest = *last;
	rest.start = next.last + 1;
	last->last = next.start - 1;
	to[nr++] = next;
	to[nr++] = rest;
	return nr;
}

/* Puts the areas in order. */
static int order_areas(const struct map_input *in, struct map_memory *m)
{
	struct map_area *to = calloc(2 * m->nr + 1, sizeof(*to));
	size_t nr = 0;

	if (!to)
		return -ENOMEM;
	if (m->nr)
		qsort(m->area, m->nr, sizeof(*m->area), by_area_start);
	for (size_t i = 0; i < m->nr; i++)
		nr = append_area(in, to, nr, m->area[i]);
	free(m->area);
	m->area = to;
	m->max = 2 * m->nr + 1;
	m->nr = nr;
	return 0;
}

/* Neighbours share a place if there are too many. */
static void limit(struct map_memory *m)
{
	const size_t run = (m->nr + MAP_AREAS - 1) / MAP_AREAS;
	struct map_area *to;
	size_t nr = 0;

	if (run < 2)
		return;
	for (size_t i = 0; i < m->nr; i++) {
		if (i % run == 0) {
			m->area[nr++] = m->area[i];
			continue;
		}
		to = &m->area[nr - 1];
		to->last = m->area[i].last;
		to->ram &= m->area[i].ram;
		snprintf(to->name, sizeof(to->name), "%zu places",
			 ++to->areas);
	}
	m->nr = nr;
}

static void place_areas(struct map_memory *m)
{
	unsigned int weight[MAP_AREAS], skip[MAP_AREAS];
	unsigned int column[MAP_AREAS], width[MAP_AREAS];
	const struct map_area *a;

	for (size_t i = 0; i < m->nr; i++) {
		a = &m->area[i];
		weight[i] = 4 + map_log2(a->last - a->start + 1);
		/* What isn't used needs little room. */
		if (!a->pages)
			weight[i] = 1;
		skip[i] = i ? GAP : 0;
	}
	map_share_out(m->nr, weight, skip, LEAST, MAP_COLUMNS, column, width);
	for (size_t i = 0; i < m->nr; i++) {
		m->area[i].column = column[i];
		m->area[i].columns = width[i];
	}
}

struct map_place map_area_place(const struct map_area *a)
{
	return (struct map_place){
		.from = a->column << MAP_STEP_SHIFT,
		.to = (a->column + a->columns) << MAP_STEP_SHIFT,
		.pages = a->last - a->start + 1,
	};
}

void map_frames(const struct map_memory *m, const struct map_piece *piece,
		void (*each)(const struct map_frames *frames, void *arg),
		void *arg)
{
	struct map_frames f = { .piece = piece, .first = piece->first };
	uint64_t left = piece->pages;

	if (!has_frames(piece))
		return;
	f.frame = piece->extent->value;
	for (; left; f.frame += f.pages, f.first += f.pages, left -= f.pages) {
		f.index = array_from(m->area, m->nr, last, f.frame);
		if (f.index == m->nr || m->area[f.index].start > f.frame)
			return;
		f.area = &m->area[f.index];
		f.pages = f.area->last - f.frame + 1;
		if (f.pages > left)
			f.pages = left;
		each(&f, arg);
	}
}

/**
 * struct filling - all areas, being filled
 */
struct filling {
	struct map_memory *m;
	void (*each)(const struct map_frames *frames, void *arg);
};

static void count_frames(const struct map_frames *f, void *arg)
{
	struct map_memory *m = arg;

	m->area[f->index].pages += f->pages;
}

static void fill_area(const struct map_frames *f, void *arg)
{
	struct map_place place = map_area_place(f->area);
	struct map_memory *m = arg;

	map_columns_add(m->column, &place, f->frame - f->area->start, f->pages,
			f->piece->kind, f->piece->shift, false);
}

static void frames_of(const struct map_piece *piece, void *arg)
{
	const struct filling *f = arg;

	map_frames(f->m, piece, f->each, f->m);
}

static void each_piece(const struct map_input *in,
		       void (*each)(const struct map_piece *piece, void *arg),
		       void *arg)
{
	for (size_t i = 0; i < in->nr_vmas; i++)
		map_pieces(in, &in->vma[i], each, arg);
}

/* How many frames each column stands for. */
static void set_column_room(struct map_memory *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		const struct map_area *a = &m->area[i];
		const uint64_t frames = a->last - a->start + 1;

		for (unsigned int j = 0; j < a->columns; j++)
			m->column[a->column + j].room = frames / a->columns;
	}
}

int map_memory_make(const struct map_input *in, struct map_memory *m)
{
	struct search s = { .in = in, .m = m };
	struct filling filling = { .m = m };

	memset(m, 0, sizeof(*m));
	if (add_zones(in, m))
		return -ENOMEM;
	each_piece(in, search_piece, &s);
	if (s.failed)
		return -ENOMEM;
	if (order_areas(in, m))
		return -ENOMEM;
	limit(m);
	filling.each = count_frames;
	each_piece(in, frames_of, &filling);
	place_areas(m);
	set_column_room(m);
	filling.each = fill_area;
	each_piece(in, frames_of, &filling);
	return 0;
}

void map_memory_free(struct map_memory *m)
{
	free(m->area);
	m->area = NULL;
	m->nr = 0;
	m->max = 0;
}
