// SPDX-License-Identifier: GPL-2.0
/* Which columns have which pages, and how they look. */
#include "map/columns.h"

/* floor(@a * @b / @c) where @b <= @c, and @c or @a is below 2^32. */
static uint64_t scale_part(uint64_t a, uint64_t b, uint64_t c)
{
	return a / c * b + a % c * b / c;
}

static uint32_t column_step(const struct map_place *place, uint64_t page)
{
	uint64_t pages = place->pages;

	while (pages >> 32) {
		pages >>= 1;
		page >>= 1;
	}
	return place->from + scale_part(place->to - place->from, page, pages);
}

uint32_t map_step(const struct map_place *place, uint64_t page)
{
	const uint32_t step = column_step(place, page);

	return step < place->to ? step : place->to - 1;
}

uint32_t map_step_end(const struct map_place *place, uint64_t page,
		      uint64_t pages)
{
	const uint32_t from = map_step(place, page);
	const uint32_t to = column_step(place, page + pages);

	return to > from ? to : from + 1;
}

static void add_to_column(struct map_column *column, uint64_t pages, enum map_kind kind,
			  unsigned int shift, bool room)
{
	column->pages[kind] += pages;
	if (room)
		column->room += pages;
	if (column->shift[kind] < shift)
		column->shift[kind] = shift;
}

void map_columns_add(struct map_column *columns, const struct map_place *place,
		     uint64_t first, uint64_t pages, enum map_kind kind,
		     unsigned int shift, bool room)
{
	const uint32_t from = map_step(place, first);
	const uint32_t to = map_step_end(place, first, pages);
	uint32_t at, end;
	uint64_t told = 0, upto;

	for (at = from; at < to; at = end, told = upto) {
		end = (at | (MAP_STEPS - 1)) + 1;
		if (end > to)
			end = to;
		upto = scale_part(pages, end - from, to - from);
		add_to_column(&columns[at >> MAP_STEP_SHIFT], upto - told, kind, shift,
			      room);
	}
}

/* What is told of a column: that of which there is most, poison first. */
static struct map_tile tile_of(const struct map_column *c, unsigned int column)
{
	struct map_tile tile = { .column = column, .columns = 1 };
	uint64_t mapped = 0, most = 0;

	for (unsigned int i = 0; i < NR_MAP_KINDS; i++) {
		if (i == MAP_EMPTY || !c->shift[i])
			continue;
		mapped += c->pages[i];
		if (tile.kind == MAP_EMPTY || c->pages[i] > most) {
			tile.kind = i;
			most = c->pages[i];
		}
	}
	if (c->shift[MAP_POISON])
		tile.kind = MAP_POISON;
	tile.shift = c->shift[tile.kind];
	tile.sparse = tile.kind != MAP_EMPTY && mapped < c->room - c->room / 2;
	return tile;
}

bool map_tile_next(const struct map_column *columns, unsigned int end,
		   struct map_tile *tile)
{
	unsigned int at = tile->column + tile->columns;
	struct map_tile next;

	if (at >= end)
		return false;
	*tile = tile_of(&columns[at], at);
	while (++at < end) {
		next = tile_of(&columns[at], at);
		if (next.kind != tile->kind || next.shift != tile->shift ||
		    next.sparse != tile->sparse)
			break;
		tile->columns++;
	}
	return true;
}

unsigned int map_log2(uint64_t n)
{
	return n ? 63 - __builtin_clzll(n) : 0;
}

void map_share_out(size_t nr, const unsigned int *weight,
		   const unsigned int *skip, unsigned int least,
		   unsigned int columns, unsigned int *column,
		   unsigned int *width)
{
	uint64_t all = 0, before = 0;
	unsigned int spare = columns, given = 0, upto, at = 0;

	for (size_t i = 0; i < nr; i++) {
		all += weight[i];
		spare -= least + skip[i];
	}
	for (size_t i = 0; i < nr; i++) {
		before += weight[i];
		upto = all ? scale_part(spare, before, all) : 0;
		at += skip[i];
		column[i] = at;
		width[i] = least + upto - given;
		at += width[i];
		given = upto;
	}
}
