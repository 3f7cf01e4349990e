/* SPDX-License-Identifier: GPL-2.0 */
/* Frames, each counted once, however often it is mapped. Pure. */
#ifndef PTWALK_RMAP_DISTINCT_H
#define PTWALK_RMAP_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

/* Frames from @pfn on in a row. */
struct distinct_piece {
	uint64_t pfn, pages;
};

/**
 * struct distinct - a set of frames; all zero is a valid empty one
 * @piece: Its pieces, @nr of them, in any order and overlapping.
 * @put_in_order: How many there were when they were put in order last.
 */
struct distinct {
	struct distinct_piece *piece;
	size_t nr, max, put_in_order;
};

/* Adds @pages frames from @pfn on. Returns 0 or -ENOMEM. */
int distinct_add(struct distinct *set, uint64_t pfn, uint64_t pages);

/* Adds all of @other. Returns 0 or -ENOMEM. */
int distinct_add_all(struct distinct *set, const struct distinct *other);

/*
 * Puts the pieces in ascending order, without overlap and as long as they can be.
 * Returns how many frames they have.
 */
uint64_t distinct_count(struct distinct *set);
void distinct_free(struct distinct *set);

#endif /* PTWALK_RMAP_DISTINCT_H */
