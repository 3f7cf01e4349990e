/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a mapping is expected to be, piece by piece, and where the page tables
 * differ from it. Pure.
 */
#ifndef PTWALK_EXPECT_LAYOUT_H
#define PTWALK_EXPECT_LAYOUT_H

#include <stdbool.h>
#include "module/truth.h"
#include "proc/maps.h"

struct selfmap;

/**
 * struct layout_piece - physical memory in a row
 * @text: As it was typed.
 * @start: Physical address of the first page, unless @anywhere.
 * @pages: How many pages.
 * @anywhere: The first page may be anywhere; the others follow it.
 * @types: Allowed memory types, as a mask of 1 << enum ptwalk_memory_type; 0:
 *	any. Below, 0 means the same.
 * @levels: Allowed levels, as a mask of 1 << enum ptwalk_level.
 * @set: Flags of enum ptwalk_flag that must be set, and @clear must not.
 */
struct layout_piece {
	const char *text;
	uint64_t start, pages;
	bool anywhere;
	uint32_t types, levels;
	uint32_t set, clear;
};

/**
 * struct layout - all pieces; all zero is a valid empty one
 * @piece: Them, with @nr, and room for @max.
 * @map: The mapping of --map that is meant, or NULL; @touched: with --touch.
 */
struct layout {
	struct layout_piece *piece;
	size_t nr, max;
	const struct selfmap *map;
	bool touched;
};

/* Whether any piece asks for memory types. */
bool layout_typed(const struct layout *layout);

/* Whether any piece may be anywhere. */
bool layout_anywhere(const struct layout *layout);

/*
 * Appends what @text says, PHYS:LENGTH[,ATTRIBUTE...]; @text stays the
 * caller's and must last. Returns NULL or the reason why not.
 */
const char *layout_add(struct layout *layout, const char *text,
		       uint64_t page_size);
void layout_free(struct layout *layout);

/*
 * A piece that asks for memory types none of which this kernel has, or NULL.
 */
const struct layout_piece *layout_beyond(const struct layout *layout,
					 const struct ptwalk_kernel *kernel);

/**
 * enum departure_kind - in what a mapping can depart from a layout
 * @DEPARTS_ADDRESS: The whole piece is somewhere else.
 * @DEPARTS_SCATTERED: Pages of a piece don't follow those before them.
 * @DEPARTS_HOLE: Nothing is mapped, but behind it there is.
 * @DEPARTS_SHORT: Nothing is mapped from there to the end.
 * @DEPARTS_PAST: The mapping goes on behind the end.
 * @DEPARTS_TYPE: Another memory type.
 * @DEPARTS_FLAGS: Another access, or RAM for a device's memory.
 * @DEPARTS_LEVEL: Entries of another size.
 */
enum departure_kind {
	DEPARTS_ADDRESS,
	DEPARTS_SCATTERED,
	DEPARTS_HOLE,
	DEPARTS_SHORT,
	DEPARTS_PAST,
	DEPARTS_TYPE,
	DEPARTS_FLAGS,
	DEPARTS_LEVEL,
	NR_DEPARTURES
};

/* As in reports, and for "ptwalk explain". */
extern const char *const departure_name[NR_DEPARTURES];

/**
 * struct departure - pages in a row that depart in the same way
 * @kind: In what.
 * @piece: From which piece; NULL for DEPARTS_PAST.
 * @addr: Virtual address of the first page.
 * @pages: How many.
 * @index: Where in the layout the first page is, in pages.
 * @expected: Physical address that the first page should have, if there is
 *	one that it should have.
 * @value: As in struct ptwalk_extent, for the first page.
 * @bits: As in struct ptwalk_extent.
 * @pgoff: Offset in the file of the first page, in pages, if @has_vma.
 * @has_vma: A VMA is there.
 * @beyond: The ranges have ended; @addr is not one of theirs.
 */
struct departure {
	enum departure_kind kind;
	const struct layout_piece *piece;
	uint64_t addr, pages;
	uint64_t index;
	uint64_t expected;
	uint64_t value, bits;
	uint64_t pgoff;
	bool has_vma;
	bool beyond;
};

/**
 * struct layout_result - a comparison; all zero before the first
 * @departure: In ascending order of @index, with @nr.
 * @max: Room for those.
 * @pages: Pages of the layout and of the mapping behind it.
 */
struct layout_result {
	struct departure *departure;
	size_t nr, max;
	uint64_t pages;
};

/**
 * layout_compare() - compares a mapping with a layout
 * @layout: What is expected in the ranges, one piece behind the other.
 * @kernel: The kernel.
 * @ranges: Where; one range goes on where the one before it ends.
 * @truth: The page tables of each of the ranges.
 * @result: Overwritten.
 *
 * Return: 0 or -ENOMEM.
 */
int layout_compare(const struct layout *layout, const struct ptwalk_kernel *kernel,
		   const struct ranges *ranges, const struct truth *truth,
		   struct layout_result *result);
void layout_result_free(struct layout_result *result);

/* Whether two comparisons came to the same. */
bool layout_same(const struct layout_result *a, const struct layout_result *b);

/* What stands in the page tables, and what should. */
void departure_found(const struct departure *d, const struct ptwalk_kernel *kernel,
		     char *buf, size_t size);
void departure_expected(const struct departure *d,
			const struct ptwalk_kernel *kernel, char *buf,
			size_t size);

/* Whether a page is mapped there, and one should be: the addresses mean it. */
bool departure_has_found(const struct departure *d);
bool departure_has_expected(const struct departure *d);

#endif /* PTWALK_EXPECT_LAYOUT_H */
