/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Physical memory, as far as it is mapped: the zones of the nodes and the memory
 * of devices side by side. Pure.
 */
#ifndef PTWALK_MAP_MEMORY_H
#define PTWALK_MAP_MEMORY_H

#include "map/columns.h"

#define MAP_AREAS	48	/* at most; others share a place */

/**
 * struct map_area - a zone, a device's resource, or another piece of memory
 * @start: First frame.
 * @last: Last one, inclusive.
 * @name: Such as "node 0 Normal", or "0000:00:02.0 BAR 2".
 * @ram: Ordinary memory.
 * @is_zone: Of the kernel's list of zones.
 * @by_entry: All that is known of it is what the entries say.
 * @areas: How many this is, if several share the place.
 * @pages: Pages that are mapped to it.
 * @column: Where it is, @columns of them.
 */
struct map_area {
	uint64_t start, last;
	char name[96];
	bool ram, is_zone, by_entry;
	size_t areas;
	uint64_t pages;
	unsigned int column, columns;
};

/**
 * struct map_memory - all areas, in ascending order
 */
struct map_memory {
	struct map_area *area;
	size_t nr, max;
	struct map_column column[MAP_COLUMNS];
};

/* Finds and lays out all areas. Returns 0 or -ENOMEM. */
int map_memory_make(const struct map_input *input, struct map_memory *memory);
void map_memory_free(struct map_memory *memory);

/* Where it is. */
struct map_place map_area_place(const struct map_area *area);

/**
 * struct map_frames - frames of a piece that lie in one area
 * @piece: The piece.
 * @area: The area, number @index.
 * @first: The first page of them, counted from the start of the VMA.
 * @frame: Its frame.
 * @pages: How many.
 */
struct map_frames {
	const struct map_piece *piece;
	const struct map_area *area;
	size_t index;
	uint64_t first, frame, pages;
};

/* Calls @each with the frames of @piece, if it has any. */
void map_frames(const struct map_memory *memory, const struct map_piece *piece,
		void (*each)(const struct map_frames *frames, void *arg),
		void *arg);

#endif /* PTWALK_MAP_MEMORY_H */
