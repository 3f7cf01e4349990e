/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages of a stretch of memory are looked at by ways of reading of which
 * each page costs too much (source.sample). Pure.
 */
#ifndef PTWALK_CHECK_SAMPLE_H
#define PTWALK_CHECK_SAMPLE_H

#include "proc/zones.h"
#include "sources/source.h"

/* Of a process that has more pages, the share of this many is compared in bulk. */
#define SAMPLE_ALL	65536

#define SAMPLE_KINDS	64
#define SAMPLE_NEW	16

/**
 * struct span - pages in a row of a stretch
 * @first: The first one, from the beginning of the stretch.
 * @nr: How many.
 * @bulk: Those that need facts are not asked about one by one.
 */
struct span {
	uint64_t first, nr;
	bool bulk;
};

/**
 * struct kinds - what kinds of entries a VMA has had so far
 * @vma: Where it starts.
 * @kind: Each by the bits of its runs, and the zones in which its frames were.
 * @nr: How many.
 */
struct kinds {
	uint64_t vma;
	struct {
		uint64_t bits, zones;
	} kind[SAMPLE_KINDS];
	size_t nr;
};

/* Whether an entry is the first of its kind in the VMA, or its frame in its zone. */
bool kinds_add(struct kinds *kinds, uint64_t vma, uint64_t bits, unsigned int zone);

/* The zone of a frame: its index; @zones->nr of one that is in none. */
unsigned int zone_of(const struct zones *zones, uint64_t frame);

/**
 * struct stretch - pages in a row
 * @first: The number of the first one in the address space.
 * @pages: How many.
 * @all: Pages of all mappings of the process.
 * @chance: Decides where, in the middle.
 * @table: Pages of a table of the last level, 0 if that isn't known.
 * @new: Where in it is the first entry of a kind; @nr_new of them.
 */
struct stretch {
	uint64_t first, pages, all, chance, table;
	uint64_t new[SAMPLE_NEW];
	size_t nr_new;
};

/* The ends, a new entry and what it is around, the two sides of a table's end, the bulk. */
#define SAMPLE_SPANS	(2 * (SAMPLE_NEW + 4))

/*
 * Fills @span with those that @source looks at, in ascending order and none twice,
 * or with the new entries if @only_new; returns how many.
 */
size_t sample_spans(const struct source *source, const struct stretch *stretch,
		    bool only_new, struct span span[SAMPLE_SPANS]);

#endif /* PTWALK_CHECK_SAMPLE_H */
