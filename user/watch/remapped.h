/* SPDX-License-Identifier: GPL-2.0 */
/* Pages that are at another address, as mremap() leaves them. Pure. */
#ifndef PTWALK_WATCH_REMAPPED_H
#define PTWALK_WATCH_REMAPPED_H

#include "watch/changes.h"

/**
 * struct remapped_piece - consecutive pages that only one of two readings has
 * @key: The number of each page in its file, or in the memory that was mapped
 *	first, which moves along with it, without the value of its entry.
 * @side: The first page.
 */
struct remapped_piece {
	uint64_t key, addr, pages;
	struct change_side side;
};

/* All zero is a valid empty one. */
struct remapped {
	struct remapped_piece *piece;
	size_t nr, max;
};

/* Adds pages from @addr on. Returns 0 or -ENOMEM. */
int remapped_add(struct remapped *r, unsigned int page_shift, uint64_t addr,
		 uint64_t pages, const struct change_side *side);

/* There are no more. */
void remapped_sort(struct remapped *r);

/*
 * The pages among which is that of @side, which the other reading has at @addr, and
 * in *@other its address; NULL: it isn't here. *@pages is lowered to those of which
 * the same can be said.
 */
const struct remapped_piece *
remapped_find(const struct remapped *r, unsigned int page_shift, uint64_t addr,
	      const struct change_side *side, uint64_t *other, uint64_t *pages);

void remapped_free(struct remapped *r);

#endif /* PTWALK_WATCH_REMAPPED_H */
