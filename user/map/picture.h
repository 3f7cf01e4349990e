/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is drawn where: the address space above, physical memory below, and bands
 * between them. Pure.
 */
#ifndef PTWALK_MAP_PICTURE_H
#define PTWALK_MAP_PICTURE_H

#include "map/memory.h"
#include "map/strip.h"

/**
 * struct map_band - joins columns of the strip with columns of memory
 * @cell: Number of the cell.
 * @area: Number of the area.
 * @column: First column of the strip, @columns of them.
 * @memory: First column of memory, @memories of them.
 * @kind: What most of the pages are.
 * @pages: How many.
 */
struct map_band {
	size_t cell, area;
	unsigned int column, columns;
	unsigned int memory, memories;
	enum map_kind kind;
	uint64_t pages;
};

/**
 * struct map_picture - all of it
 * @strip: Of all mappings.
 * @memory: What they are mapped to.
 * @band: What joins them, with @nr_bands.
 * @count: All pages.
 */
struct map_picture {
	const struct map_input *input;
	struct map_strip strip;
	struct map_memory memory;
	struct map_band *band;
	size_t nr_bands, max_bands;
	struct map_count count;
};

/* Returns 0 or -ENOMEM; map_picture_free() frees it in either case. */
int map_picture_make(const struct map_input *input,
		     struct map_picture *picture);
void map_picture_free(struct map_picture *picture);

/* For picture.c: adds the bands of a picture. Returns 0 or -ENOMEM. */
int map_bands_make(struct map_picture *picture);

#endif /* PTWALK_MAP_PICTURE_H */
