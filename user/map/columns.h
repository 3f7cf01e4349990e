/* SPDX-License-Identifier: GPL-2.0 */
/* The columns of a picture: what is too narrow for one shares it. Pure. */
#ifndef PTWALK_MAP_COLUMNS_H
#define PTWALK_MAP_COLUMNS_H

#include "map/input.h"

#define MAP_COLUMNS	800

/* A column has so many steps, in which positions are told. */
#define MAP_STEP_SHIFT	10
#define MAP_STEPS	(1U << MAP_STEP_SHIFT)

/**
 * struct map_column - what is in a column
 * @pages: By kind.
 * @room: Pages that the column stands for.
 * @shift: log2 of the largest leaf, by kind.
 * @what: Mask of 1 << enum change_kind: what changed here.
 */
struct map_column {
	uint64_t pages[NR_MAP_KINDS];
	uint64_t room;
	uint8_t shift[NR_MAP_KINDS];
	uint32_t what;
};

/**
 * struct map_place - steps from @from up to @to, for @pages pages
 */
struct map_place {
	uint32_t from, to;
	uint64_t pages;
};

/* The step in which page @page of @place begins; one that is in it. */
uint32_t map_step(const struct map_place *place, uint64_t page);

/* The step behind the @pages pages from number @page on: they have one at least. */
uint32_t map_step_end(const struct map_place *place, uint64_t page,
		      uint64_t pages);

/*
 * Adds @pages pages from number @first of @place on, of @kind, to their columns;
 * @room: they have room there, too.
 */
void map_columns_add(struct map_column *columns, const struct map_place *place,
		     uint64_t first, uint64_t pages, enum map_kind kind,
		     unsigned int shift, bool room);

/**
 * struct map_tile - columns in a row that look alike
 * @sparse: Less than half of what they stand for is mapped.
 */
struct map_tile {
	unsigned int column, columns;
	enum map_kind kind;
	unsigned int shift;
	bool sparse;
};

/*
 * The tile that begins at @tile's end, or at @column if @tile has no columns;
 * false behind @end.
 */
bool map_tile_next(const struct map_column *columns, unsigned int end,
		   struct map_tile *tile);

/* floor(log2(@n)), 0 for 0. */
unsigned int map_log2(uint64_t n);

/*
 * Gives each of @nr cells, of which number i has @weight[i], at least @least
 * columns of @columns, and shares the others out by weight. @skip[i] columns stay
 * free before each. @column[i] and @width[i] receive where it is.
 */
void map_share_out(size_t nr, const unsigned int *weight,
		   const unsigned int *skip, unsigned int least,
		   unsigned int columns, unsigned int *column,
		   unsigned int *width);

#endif /* PTWALK_MAP_COLUMNS_H */
