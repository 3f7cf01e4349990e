/* SPDX-License-Identifier: GPL-2.0 */
/* What a picture is drawn from. Pure. */
#ifndef PTWALK_MAP_INPUT_H
#define PTWALK_MAP_INPUT_H

#include "map/kind.h"
#include "module/truth.h"
#include "proc/maps.h"
#include "proc/places.h"
#include "proc/zones.h"
#include "watch/changes.h"

/**
 * struct map_vma - a mapping
 * @vma: As it was read.
 * @name: As in maps; "" for none.
 * @gone: It is in the recording before only: no extent is of it.
 */
struct map_vma {
	const struct ptwalk_vma *vma;
	const char *name;
	bool gone;
};

/**
 * struct map_finding - something that is wrong
 * @addr: Where it begins; @last is the last address.
 * @name: As in reports.
 * @text: What was found.
 * @why: What that means, or "".
 */
struct map_finding {
	uint64_t addr, last;
	const char *name;
	char *text;
	const char *why;
};

/**
 * struct map_input - all of it
 * @truth: The extents. If it has pages, what is in no zone has its node by them.
 * @vma: In ascending order, with @nr_vmas, without overlaps.
 * @finding: In the order of addresses, with @nr_findings.
 * @compared: There is a recording before.
 * @change: What changed since, with @nr_changes.
 * @zones: May have none, and @places nothing.
 * @of: Of which process, as a heading.
 */
struct map_input {
	const struct ptwalk_kernel *kernel;
	const struct truth *truth;
	const struct map_vma *vma;
	size_t nr_vmas;
	const struct map_finding *finding;
	size_t nr_findings;
	bool compared;
	const struct change *change;
	size_t nr_changes;
	const struct zones *zones;
	const struct places *places;
	const char *of;
};

/**
 * struct map_piece - pages of a VMA that are alike
 * @first: The first one of them, counted from the start of the VMA.
 * @pages: How many.
 * @kind: Their kind.
 * @shift: log2 of the bytes of the leaf that maps them.
 * @extent: That which has them, NULL where there is none; number @index.
 */
struct map_piece {
	uint64_t first, pages;
	enum map_kind kind;
	unsigned int shift;
	const struct ptwalk_extent *extent;
	size_t index;
};

/* Calls @each with the pieces of @vma in order; they fill it. */
void map_pieces(const struct map_input *input, const struct map_vma *vma,
		void (*each)(const struct map_piece *piece, void *arg),
		void *arg);

/* Pages of a VMA. */
static inline uint64_t map_vma_pages(const struct map_input *input,
				     const struct map_vma *vma)
{
	return ((vma->vma->last - vma->vma->start) >>
		input->kernel->page_shift) + 1;
}

/* Its name, or a word where it has none. */
static inline const char *map_vma_name(const struct map_vma *v)
{
	return maps_title(v->name);
}

/* Whether a page of this kind is somewhere in memory, or in swap. */
static inline bool map_is_mapped(enum map_kind kind)
{
	return kind != MAP_EMPTY && kind != MAP_UNREAD && kind != MAP_MARKER;
}

/**
 * struct map_count - pages counted
 * @pages: By kind.
 * @leaf: Those of entries that map something, by log2 of the bytes of the leaf.
 */
struct map_count {
	uint64_t pages[NR_MAP_KINDS];
	uint64_t leaf[64];
};

void map_count_piece(struct map_count *count, const struct map_piece *piece);
void map_count_add(struct map_count *to, const struct map_count *from);

/* Pages that are somewhere, in swap, too, and those that are mapped. */
uint64_t map_count_there(const struct map_count *count);
uint64_t map_count_mapped(const struct map_count *count);

/* Counts all of @vma. */
void map_count_vma(const struct map_input *input, const struct map_vma *vma,
		   struct map_count *count);

#endif /* PTWALK_MAP_INPUT_H */
