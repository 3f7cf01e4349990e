// SPDX-License-Identifier: GPL-2.0
/* The pages of a VMA, piece by piece, and counted. */
#include "base/array.h"
#include "huge/count.h"
#include "map/input.h"

void map_pieces(const struct map_input *in, const struct map_vma *v,
		void (*each)(const struct map_piece *piece, void *arg),
		void *arg)
{
	const struct truth *t = in->truth;
	const unsigned int shift = in->kernel->page_shift;
	const uint64_t pages = map_vma_pages(in, v);
	const uint64_t start = v->vma->start;
	struct map_piece piece = { 0 };
	uint64_t next = 0;
	size_t i = v->gone ? t->nr_extents :
		   array_from(t->extents, t->nr_extents, addr, start);

	for (; i < t->nr_extents && t->extents[i].addr <= v->vma->last; i++) {
		piece.first = (t->extents[i].addr - start) >> shift;
		if (piece.first > next)
			each(&(struct map_piece){
				.first = next, .pages = piece.first - next,
				.kind = MAP_UNREAD, .shift = shift }, arg);
		piece.pages = t->extents[i].pages;
		piece.kind = map_kind_of(v->vma, t->extents[i].bits);
		piece.shift = huge_leaf_shift(in->kernel, v->vma,
					      t->extents[i].bits);
		piece.extent = &t->extents[i];
		piece.index = i;
		each(&piece, arg);
		next = piece.first + piece.pages;
	}
	if (next < pages)
		each(&(struct map_piece){
			.first = next, .pages = pages - next,
			.kind = v->gone ? MAP_EMPTY : MAP_UNREAD,
			.shift = shift }, arg);
}

void map_count_piece(struct map_count *count, const struct map_piece *piece)
{
	count->pages[piece->kind] += piece->pages;
	if (map_is_mapped(piece->kind))
		count->leaf[piece->shift % 64] += piece->pages;
}

void map_count_add(struct map_count *to, const struct map_count *from)
{
	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		to->pages[i] += from->pages[i];
	for (unsigned int i = 0; i < 64; i++)
		to->leaf[i] += from->leaf[i];
}

uint64_t map_count_there(const struct map_count *count)
{
	uint64_t pages = 0;

	for (unsigned int i = 0; i < NR_MAP_KINDS; i++)
		pages += map_is_mapped(i) ? count->pages[i] : 0;
	return pages;
}

uint64_t map_count_mapped(const struct map_count *count)
{
	return map_count_there(count) - count->pages[MAP_SWAP];
}

static void count_piece(const struct map_piece *piece, void *arg)
{
	map_count_piece(arg, piece);
}

void map_count_vma(const struct map_input *in, const struct map_vma *vma,
		   struct map_count *count)
{
	map_pieces(in, vma, count_piece, count);
}
