// SPDX-License-Identifier: GPL-2.0
/* The bands between the address space and physical memory. */
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "map/picture.h"

#define MOST	6	/* bands of a cell, and one more for each area */

/**
 * struct joins - how many pages join two columns
 * @pages: By column of the strip, then of memory.
 * @joined: The same, whether pages of both go through these columns at all.
 * @piece: The place of the VMA that is looked at.
 */
struct joins {
	struct map_picture *p;
	uint64_t (*pages)[MAP_COLUMNS];
	bool (*joined)[MAP_COLUMNS];
	const struct map_place *place;
};

/* In as many steps as there are columns on the side that has more. */
static void join_frames(const struct map_frames *f, void *arg)
{
	const struct map_place place = map_area_place(f->area);
	const uint64_t in_area = f->frame - f->area->start;
	struct joins *j = arg;
	const uint32_t above = map_step(j->place, f->first);
	const uint32_t below = map_step(&place, in_area);
	const uint64_t high = map_step_end(j->place, f->first, f->pages) - above;
	const uint64_t wide = map_step_end(&place, in_area, f->pages) - below;
	const uint64_t steps = ((high > wide ? high : wide) >> MAP_STEP_SHIFT) + 1;
	uint64_t told = 0, upto;
	unsigned int column, memory;

	for (uint64_t i = 0; i < steps; i++, told = upto) {
		column = (above + high * i / steps) >> MAP_STEP_SHIFT;
		memory = (below + wide * i / steps) >> MAP_STEP_SHIFT;
		upto = f->pages / steps * (i + 1) +
		       f->pages % steps * (i + 1) / steps;
		j->pages[column][memory] += upto - told;
		j->joined[column][memory] = true;
	}
}

static void join_piece(const struct map_piece *piece, void *arg)
{
	struct joins *j = arg;

	map_frames(&j->p->memory, piece, join_frames, j);
}

/* The kind of most of the pages at @column of the strip. */
static enum map_kind kind_at(const struct map_picture *p, unsigned int column)
{
	struct map_tile tile = { .column = column };

	map_tile_next(p->strip.column, column + 1, &tile);
	return tile.kind;
}

/* What @cell has at column @memory of memory. */
static void add_to_band(const struct joins *j, const struct map_cell *cell,
			unsigned int memory, struct map_band *band,
			uint64_t kinds[NR_MAP_KINDS])
{
	const unsigned int end = cell->column + cell->columns;
	unsigned int last = band->column + band->columns;

	for (unsigned int c = cell->column; c < end; c++) {
		if (!j->joined[c][memory])
			continue;
		if (!last || c < band->column)
			band->column = c;
		if (c >= last)
			last = c + 1;
		band->pages += j->pages[c][memory];
		kinds[kind_at(j->p, c)] += j->pages[c][memory];
	}
	band->columns = last - band->column;
}

/* The band of columns of memory from @from up to @to. */
static struct map_band band_of(const struct joins *j,
			       const struct map_cell *cell, unsigned int from,
			       unsigned int to)
{
	struct map_band band = { .memory = from, .memories = to - from };
	uint64_t kinds[NR_MAP_KINDS] = { 0 };

	for (unsigned int m = from; m < to; m++)
		add_to_band(j, cell, m, &band, kinds);
	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		if (kinds[i] > kinds[band.kind])
			band.kind = i;
	return band;
}

static bool is_joined(const struct joins *j, const struct map_cell *cell,
		      unsigned int memory)
{
	for (unsigned int c = 0; c < cell->columns; c++)
		if (j->joined[cell->column + c][memory])
			return true;
	return false;
}

/* The column behind what is joined from @at on, over gaps of up to @gap columns. */
static unsigned int run_end(const bool *joined, unsigned int at,
			    unsigned int end, unsigned int gap)
{
	unsigned int last = at;

	for (at++; at < end && at <= last + gap; at++)
		if (joined[at])
			last = at;
	return last + 1;
}

/* The bands of a cell, from @first on; NULL only counts them. */
static size_t cell_bands(const struct joins *j, size_t cell, unsigned int gap,
			 const bool *joined, struct map_band *first)
{
	const struct map_memory *m = &j->p->memory;
	unsigned int at, end, to;
	size_t nr = 0;

	for (size_t a = 0; a < m->nr; a++) {
		end = m->area[a].column + m->area[a].columns;
		for (at = m->area[a].column; at < end; at = to) {
			to = at + 1;
			if (!joined[at])
				continue;
			to = run_end(joined, at, end, gap);
			if (first) {
				first[nr] = band_of(j, &j->p->strip.cell[cell],
						    at, to);
				first[nr].cell = cell;
				first[nr].area = a;
			}
			nr++;
		}
	}
	return nr;
}

static int add_bands(struct joins *j, size_t cell)
{
	struct map_picture *p = j->p;
	bool joined[MAP_COLUMNS];
	unsigned int gap = 1;
	size_t nr;

	for (unsigned int m = 0; m < MAP_COLUMNS; m++)
		joined[m] = is_joined(j, &p->strip.cell[cell], m);
	nr = cell_bands(j, cell, gap, joined, NULL);
	while (nr > MOST && gap < MAP_COLUMNS) {
		gap *= 2;
		nr = cell_bands(j, cell, gap, joined, NULL);
	}
	if (!nr)
		return 0;
	if (!array_room(&p->band, &p->max_bands, p->nr_bands + nr,
			sizeof(*p->band)))
		return -ENOMEM;
	cell_bands(j, cell, gap, joined, &p->band[p->nr_bands]);
	p->nr_bands += nr;
	return 0;
}

int map_bands_make(struct map_picture *p)
{
	struct joins j = { .p = p };
	int err = 0;

	j.pages = calloc(MAP_COLUMNS, sizeof(*j.pages));
	j.joined = calloc(MAP_COLUMNS, sizeof(*j.joined));
	if (!j.pages || !j.joined)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < p->input->nr_vmas; i++) {
		j.place = &p->strip.place[i];
		map_pieces(p->input, &p->input->vma[i], join_piece, &j);
	}
	for (size_t i = 0; !err && i < p->strip.nr_cells; i++)
		err = add_bands(&j, i);
	free(j.pages);
	free(j.joined);
	return err;
}
