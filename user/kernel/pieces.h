/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's extents in pieces that each belong to one area. Pure. */
#ifndef PTWALK_KERNEL_PIECES_H
#define PTWALK_KERNEL_PIECES_H

#include "base/parse.h"
#include "kernel/compare.h"
#include "module/truth.h"

/**
 * struct kernel_piece - a part of an extent that belongs to one area and region
 * @extent: All of it is mapped alike.
 * @region: What its addresses are for, or NULL.
 * @area: Whose it is, or NULL.
 * @in_row: Its physical addresses are consecutive.
 */
struct kernel_piece {
	struct kernel_extent extent;
	const struct kernel_region *region;
	const struct vmalloc_area *area;
	bool in_row;
};

/* Cuts the next piece off @e: up to where its area or region ends, or another begins. */
struct kernel_piece kernel_piece_cut(const struct kernel_facts *facts,
				     struct kernel_extent *e);

/* What @info must say of a kernel, so that entries of its own tables mean something. */
void kernel_pieces_describe(const struct kernel_facts *facts, struct ptwalk_kernel *info);

/**
 * struct kernel_wanted - which mappings are meant; all zero: all of them
 * @range: Addresses of whole pages, in any order, with @nr_ranges; none: all.
 * @frames: Physical addresses of whole pages, or NULL: all. Nothing but what is mapped
 *	has some.
 */
struct kernel_wanted {
	const struct range *range;
	size_t nr_ranges;
	const struct range *frames;
};

/* Leaves of @e what has these physical addresses, or NULL: all. False: nothing has. */
bool kernel_clip_frames(const struct range *frames, struct kernel_extent *e);

/*
 * Cuts off @e the next *@part that is wanted, and what is in front of it. False: there
 * is none. No address is in two parts, whichever ranges overlap.
 */
bool kernel_wanted_cut(const struct kernel_wanted *wanted, struct kernel_extent *e,
		       struct kernel_extent *part);

/*
 * Makes @truth of what is @wanted of @facts, as if each area were a VMA of a process.
 * What can't be read now, or couldn't in @other, is left out. Returns 0 or -ENOMEM.
 */
int kernel_pieces_truth(const struct kernel_facts *facts, const struct kernel_facts *other,
			const struct kernel_wanted *wanted, struct truth *truth);

/*
 * How many bytes of the addresses that are @wanted couldn't be read in @a, in @b or in
 * both, each counted once: of all frames, for nobody knows what these tables map.
 */
uint64_t kernel_pieces_unread(const struct kernel_facts *a, const struct kernel_facts *b,
			      const struct kernel_wanted *wanted);

#endif /* PTWALK_KERNEL_PIECES_H */
