/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A strip of the address space: its mappings side by side, the gaps between
 * them cut short. Pure.
 */
#ifndef PTWALK_MAP_STRIP_H
#define PTWALK_MAP_STRIP_H

#include "map/columns.h"

#define MAP_CELLS	96	/* at most in a strip */
#define MAP_WIDE_GAP	(1ULL << 30)	/* bytes; has its size written to it */

/**
 * struct map_cell - a mapping, or several that share a place
 * @vma: Number of the first one in the input, @nr of them.
 * @column: Where it begins, @columns of them.
 * @gap: Bytes between it and the one before; 0 at the left.
 * @gap_column: Where the gap is drawn, with @gap_columns.
 * @count: The pages of all.
 * @findings: How many begin here, @finding is the first one.
 * @what: Mask of 1 << enum change_kind; @changed is how many pages changed.
 */
struct map_cell {
	size_t vma, nr;
	unsigned int column, columns;
	uint64_t gap;
	unsigned int gap_column, gap_columns;
	struct map_count count;
	size_t findings, finding;
	uint32_t what;
	uint64_t changed;
};

/* Whether all mappings of a cell have one name. */
bool map_cell_has_name(const struct map_input *input,
		       const struct map_cell *cell);

/**
 * struct map_strip - the strip of VMAs @vma to @vma + @nr - 1 of the input
 * @cell: Its cells, with @nr_cells.
 * @place: Where each VMA is.
 * @column: What is in each column.
 */
struct map_strip {
	size_t vma, nr;
	struct map_cell *cell;
	size_t nr_cells;
	struct map_place *place;
	struct map_column column[MAP_COLUMNS];
};

/* Lays out @nr mappings from number @vma on. Returns 0 or -ENOMEM. */
int map_strip_make(const struct map_input *input, size_t vma, size_t nr,
		   struct map_strip *strip);
void map_strip_free(struct map_strip *strip);

/* The column of an address in a VMA of the strip, by the VMA's number. */
unsigned int map_strip_column(const struct map_input *input,
			      const struct map_strip *strip, size_t vma,
			      uint64_t addr);

/* The number of the VMA that holds @addr, or @input->nr_vmas. */
size_t map_vma_at(const struct map_input *input, uint64_t addr);

#endif /* PTWALK_MAP_STRIP_H */
