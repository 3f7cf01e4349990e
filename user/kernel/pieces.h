/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's extents in pieces that each belong to one area. Pure. */
#ifndef PTWALK_KERNEL_PIECES_H
#define PTWALK_KERNEL_PIECES_H

#include "kernel/compare.h"
#include "module/truth.h"

/**
 * struct kernel_piece - a part of an extent that belongs to one area
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

/* Cuts the next piece off @e: up to the end of its area, or the start of another. */
struct kernel_piece kernel_piece_cut(const struct kernel_facts *facts,
				     struct kernel_extent *e);

/* What @info must say of a kernel, so that entries of its own tables mean something. */
void kernel_pieces_describe(const struct kernel_facts *facts, struct ptwalk_kernel *info);

/*
 * Makes @truth of the pieces of @facts that @wanted takes, as if each area were a VMA
 * of a process. What can't be read now, or couldn't in @other, is left out; *@unread
 * grows by its bytes. Returns 0 or -ENOMEM.
 */
int kernel_pieces_truth(const struct kernel_facts *facts, const struct kernel_facts *other,
			bool (*wanted)(const struct kernel_extent *e, const void *arg),
			const void *arg, struct truth *truth, uint64_t *unread);

#endif /* PTWALK_KERNEL_PIECES_H */
