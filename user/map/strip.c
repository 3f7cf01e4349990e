// SPDX-License-Identifier: GPL-2.0
/* Lays the mappings of a process out in a strip. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "map/strip.h"

#define LEAST		6	/* columns of a cell: a line of text is as high */
#define GAP		1	/* columns of a gap */
#define WIDE_GAP	6	/* of one with its size */

/**
 * struct rule - what may share a cell
 * @run: So many at most.
 * @alone: Those with much memory have cells of their own, and drivers'.
 * @same: Only those of one name, such as the parts of a library.
 * @across: They may lie on both sides of a wide gap.
 */
struct rule {
	size_t run;
	bool alone, same, across;
};

/* Bytes of nothing before VMA number @i, but before the first one. */
static uint64_t gap_before(const struct map_input *in, size_t i)
{
	return i ? in->vma[i].vma->start - in->vma[i - 1].vma->last - 1 : 0;
}

static bool is_large(const struct map_input *in, const struct map_strip *s,
		     size_t i, uint64_t all)
{
	const uint64_t special = PTWALK_VMA_FLAG_PFNMAP |
				 PTWALK_VMA_FLAG_MIXEDMAP | PTWALK_VMA_FLAG_IO;
	const uint64_t mapped = s->place[i - s->vma].pages;

	return in->vma[i].vma->flags & special ||
	       (mapped && mapped >= all / MAP_CELLS);
}

static bool may_join(const struct map_input *in, const struct map_strip *s,
		     const struct rule *rule, const struct map_cell *cell,
		     uint64_t all)
{
	const size_t i = cell->vma + cell->nr;

	if (cell->nr >= rule->run)
		return false;
	if (rule->same && strcmp(in->vma[i].name, in->vma[i - 1].name))
		return false;
	if (!rule->across && gap_before(in, i) >= MAP_WIDE_GAP)
		return false;
	return !rule->alone || !(is_large(in, s, i, all) ||
				 is_large(in, s, i - 1, all));
}

/* Fills s->cell by @rule; false: that are too many. */
static bool group(const struct map_input *in, struct map_strip *s,
		  const struct rule *rule, uint64_t all)
{
	const size_t end = s->vma + s->nr;
	unsigned int columns = 0;
	struct map_cell *cell;

	s->nr_cells = 0;
	for (size_t i = s->vma; i < end; i = cell->vma + cell->nr) {
		if (s->nr_cells == MAP_CELLS)
			return false;
		cell = &s->cell[s->nr_cells++];
		*cell = (struct map_cell){ .vma = i, .nr = 1 };
		if (i > s->vma)
			cell->gap = gap_before(in, i);
		cell->gap_columns = !cell->gap ? 0 :
				    cell->gap < MAP_WIDE_GAP ? GAP : WIDE_GAP;
		columns += LEAST + cell->gap_columns;
		while (cell->vma + cell->nr < end &&
		       may_join(in, s, rule, cell, all))
			cell->nr++;
	}
	return columns <= MAP_COLUMNS;
}

static void group_all(const struct map_input *in, struct map_strip *s,
		      uint64_t all)
{
	static const struct rule rules[] = {
		{ .alone = true }, { .alone = false }, { .across = true },
	};
	static const struct rule each = { .run = 1 };
	/* No more than a strip of their own has room for. */
	struct rule rule = { .run = MAP_CELLS, .alone = true, .same = true };

	if (group(in, s, &each, all) || group(in, s, &rule, all))
		return;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		rule = rules[i];
		for (rule.run = s->nr / MAP_CELLS + !!(s->nr % MAP_CELLS);
		     rule.run <= s->nr; rule.run += rule.run / 8 + 1)
			if (group(in, s, &rule, all))
				return;
	}
	/* All that is left fits: one cell. */
	rule.run = s->nr;
	group(in, s, &rule, all);
}

bool map_cell_has_name(const struct map_input *in, const struct map_cell *cell)
{
	for (size_t i = 1; i < cell->nr; i++)
		if (strcmp(in->vma[cell->vma + i].name,
			   in->vma[cell->vma].name))
			return false;
	return *in->vma[cell->vma].name;
}

static unsigned int vma_weight(uint64_t pages)
{
	return 4 + map_log2(pages);
}

/* Where the VMAs of a cell are, by the logarithm of their sizes. */
static void place_vmas(const struct map_input *in, struct map_strip *s,
		       const struct map_cell *cell)
{
	const uint32_t from = cell->column << MAP_STEP_SHIFT;
	const uint32_t steps = cell->columns << MAP_STEP_SHIFT;
	struct map_place *place = &s->place[cell->vma - s->vma];
	uint64_t all = 0, before = 0;

	for (size_t i = 0; i < cell->nr; i++) {
		place[i].pages = map_vma_pages(in, &in->vma[cell->vma + i]);
		all += vma_weight(place[i].pages);
	}
	for (size_t i = 0; i < cell->nr; i++) {
		place[i].from = from + steps * before / all;
		if (place[i].from == from + steps)
			place[i].from--;
		before += vma_weight(place[i].pages);
		place[i].to = from + steps * before / all;
		if (place[i].to == place[i].from)
			place[i].to++;
	}
}

static void place_cells(const struct map_input *in, struct map_strip *s)
{
	unsigned int weight[MAP_CELLS], skip[MAP_CELLS];
	unsigned int column[MAP_CELLS], width[MAP_CELLS];
	uint64_t pages;

	for (size_t i = 0; i < s->nr_cells; i++) {
		pages = 0;
		for (size_t j = 0; j < s->cell[i].nr; j++)
			pages += map_vma_pages(in,
					       &in->vma[s->cell[i].vma + j]);
		weight[i] = vma_weight(pages);
		skip[i] = s->cell[i].gap_columns;
	}
	map_share_out(s->nr_cells, weight, skip, LEAST, MAP_COLUMNS, column,
		      width);
	for (size_t i = 0; i < s->nr_cells; i++) {
		s->cell[i].column = column[i];
		s->cell[i].columns = width[i];
		s->cell[i].gap_column = column[i] - skip[i];
		place_vmas(in, s, &s->cell[i]);
	}
}

/**
 * struct filling - a VMA of a strip, and its cell
 */
struct filling {
	struct map_strip *strip;
	struct map_cell *cell;
	const struct map_place *place;
};

static void fill_cell(const struct map_piece *piece, void *arg)
{
	struct filling *f = arg;

	map_count_piece(&f->cell->count, piece);
	map_columns_add(f->strip->column, f->place, piece->first, piece->pages,
			piece->kind, piece->shift, true);
}

static struct map_cell *cell_of(struct map_strip *s, size_t vma)
{
	size_t low = 0, high = s->nr_cells, mid;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (s->cell[mid].vma <= vma)
			low = mid;
		else
			high = mid;
	}
	return &s->cell[low];
}

/* The number of the first VMA that ends at @addr or behind it. */
static size_t first_vma_from(const struct map_input *in, uint64_t addr)
{
	size_t low = 0, high = in->nr_vmas, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (in->vma[mid].vma->last < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void add_findings(const struct map_input *in, struct map_strip *s)
{
	struct map_cell *cell;
	size_t vma;

	for (size_t i = 0; i < in->nr_findings; i++) {
		vma = map_vma_at(in, in->finding[i].addr);
		if (vma < s->vma || vma >= s->vma + s->nr)
			continue;
		cell = cell_of(s, vma);
		if (!cell->findings++)
			cell->finding = i;
	}
}

/* A change lies in one VMA, or, where that has changed, in one of either time. */
static void mark_change(const struct map_input *in, struct map_strip *s,
			const struct change *change, size_t vma)
{
	const uint64_t start = in->vma[vma].vma->start;
	const uint64_t last = in->vma[vma].vma->last;
	const unsigned int shift = in->kernel->page_shift;
	const struct map_place *place = &s->place[vma - s->vma];
	uint64_t end = change->addr + ((change->pages - 1) << shift);
	uint64_t from = change->addr < start ? start : change->addr;
	struct map_cell *cell = cell_of(s, vma);
	uint32_t at, to;

	if (end > last)
		end = last - ((1ULL << shift) - 1);
	cell->what |= change->what;
	cell->changed += ((end - from) >> shift) + 1;
	at = map_step(place, (from - start) >> shift) >> MAP_STEP_SHIFT;
	to = map_step_end(place, (from - start) >> shift,
			  ((end - from) >> shift) + 1);
	for (; at << MAP_STEP_SHIFT < to; at++)
		s->column[at].what |= change->what;
}

static void add_changes(const struct map_input *in, struct map_strip *s)
{
	const unsigned int shift = in->kernel->page_shift;

	for (size_t i = 0; i < in->nr_changes; i++) {
		const struct change *c = &in->change[i];
		const uint64_t end = c->addr + ((c->pages - 1) << shift);

		size_t vma = first_vma_from(in, c->addr);

		if (vma < s->vma)
			vma = s->vma;
		for (; vma < s->vma + s->nr; vma++) {
			if (in->vma[vma].vma->start > end)
				break;
			mark_change(in, s, c, vma);
		}
	}
}

static void count_mapped(const struct map_input *in, struct map_strip *s,
			 uint64_t *all)
{
	struct map_count count;

	*all = 0;
	for (size_t i = 0; i < s->nr; i++) {
		count = (struct map_count){ 0 };
		map_count_vma(in, &in->vma[s->vma + i], &count);
		s->place[i].pages = map_count_there(&count);
		*all += s->place[i].pages;
	}
}

int map_strip_make(const struct map_input *in, size_t vma, size_t nr,
		   struct map_strip *s)
{
	struct filling f = { .strip = s };
	uint64_t all;

	memset(s, 0, sizeof(*s));
	s->vma = vma;
	s->nr = nr;
	s->cell = calloc(MAP_CELLS, sizeof(*s->cell));
	s->place = calloc(nr + 1, sizeof(*s->place));
	if (!s->cell || !s->place)
		return -ENOMEM;
	count_mapped(in, s, &all);
	group_all(in, s, all);
	place_cells(in, s);
	for (size_t i = 0; i < nr; i++) {
		f.cell = cell_of(s, vma + i);
		f.place = &s->place[i];
		map_pieces(in, &in->vma[vma + i], fill_cell, &f);
	}
	add_findings(in, s);
	add_changes(in, s);
	return 0;
}

void map_strip_free(struct map_strip *s)
{
	free(s->cell);
	free(s->place);
	s->cell = NULL;
	s->place = NULL;
	s->nr_cells = 0;
}

unsigned int map_strip_column(const struct map_input *in,
			      const struct map_strip *s, size_t vma,
			      uint64_t addr)
{
	const uint64_t page = (addr - in->vma[vma].vma->start) >>
			      in->kernel->page_shift;

	return map_step(&s->place[vma - s->vma], page) >> MAP_STEP_SHIFT;
}

size_t map_vma_at(const struct map_input *in, uint64_t addr)
{
	const size_t i = first_vma_from(in, addr);

	return i < in->nr_vmas && in->vma[i].vma->start <= addr ?
	       i : in->nr_vmas;
}
