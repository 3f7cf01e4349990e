// SPDX-License-Identifier: GPL-2.0
/* Pages that are at another address. */
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "watch/remapped.h"

/* A frame alone is no proof: one that was freed is often the next to be taken. */
static uint64_t remapped_key(unsigned int page_shift, uint64_t addr,
			     const struct change_side *side)
{
	return side->vma->pgoff + ((addr - side->vma->start) >> page_shift) -
	       side->value;
}

int remapped_add(struct remapped *r, unsigned int page_shift, uint64_t addr,
		 uint64_t pages, const struct change_side *side)
{
	/* All stacks have the same numbers, also that of another program. */
	if (!ptwalk_kind_ascends(ptwalk_bits_kind(side->bits)) ||
	    side->vma->flags & PTWALK_VMA_FLAG_GROWSDOWN)
		return 0;
	return array_add(r->piece, r->nr, r->max, (struct remapped_piece){
		remapped_key(page_shift, addr, side), addr, pages, *side
	}) ? 0 : -ENOMEM;
}

static int by_remapped_key(const void *a, const void *b)
{
	const struct remapped_piece *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->side.value < y->side.value ? -1 : x->side.value > y->side.value;
}

void remapped_sort(struct remapped *r)
{
	if (r->nr)
		qsort(r->piece, r->nr, sizeof(*r->piece), by_remapped_key);
}

/* How many pieces aren't behind that which begins with this page. */
static size_t up_to(const struct remapped *r, const struct remapped_piece *wanted)
{
	size_t low = 0, high = r->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (by_remapped_key(&r->piece[mid], wanted) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool same_object(const struct change_side *a, const struct change_side *b)
{
	return ptwalk_bits_kind(a->bits) == ptwalk_bits_kind(b->bits) &&
	       a->vma->inode == b->vma->inode &&
	       a->vma->dev_major == b->vma->dev_major &&
	       a->vma->dev_minor == b->vma->dev_minor;
}

const struct remapped_piece *
remapped_find(const struct remapped *r, unsigned int page_shift, uint64_t addr,
	      const struct change_side *side, uint64_t *other, uint64_t *pages)
{
	const struct remapped_piece wanted = {
		.key = remapped_key(page_shift, addr, side), .side = *side,
	};
	const size_t next = up_to(r, &wanted);
	const struct remapped_piece *p = r->piece + next;
	uint64_t rest;

	if (next < r->nr && p->key == wanted.key && p->side.value - side->value < *pages)
		*pages = p->side.value - side->value;
	if (!next || (--p)->key != wanted.key ||
	    side->value - p->side.value >= p->pages || !same_object(side, &p->side))
		return NULL;
	rest = p->pages - (side->value - p->side.value);
	*pages = rest < *pages ? rest : *pages;
	*other = p->addr + ((side->value - p->side.value) << page_shift);
	return p;
}

void remapped_free(struct remapped *r)
{
	free(r->piece);
	*r = (struct remapped){ 0 };
}
