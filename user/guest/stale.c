// SPDX-License-Identifier: GPL-2.0
/* Which entries of a second stage aren't what the process has at that address. */
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "guest/stale.h"

/* The extent at @addr, or NULL: it is in no VMA. */
static const struct ptwalk_extent *extent_at(const struct truth *truth, uint64_t addr,
					     unsigned int page_shift)
{
	size_t i = array_from(truth->extents, truth->nr_extents, addr, addr);
	const struct ptwalk_extent *e = truth->extents + i;

	if (i < truth->nr_extents && e->addr == addr)
		return e;
	return i && addr - e[-1].addr < e[-1].pages << page_shift ? e - 1 : NULL;
}

/*
 * Whoever takes a frame from the process, or a right to it, tells MMU notifiers
 * first, and KVM takes its own entry away: that one has no more at any time.
 */
static bool is_right(const struct stage_extent *stage, uint64_t frame, uint64_t value,
		     uint64_t bits)
{
	return ptwalk_bits_present(bits) && kind_has_frame(ptwalk_bits_kind(bits)) &&
	       value == frame && !(ptwalk_bits_flags(bits) & PTWALK_FLAG_PROT_NONE) &&
	       (!stage->write ||
		(!stage->read_only && ptwalk_bits_flags(bits) & PTWALK_FLAG_WRITE));
}

/* What is in no VMA has nothing, nor has what is in no slot: KVM zaps a slot that goes. */
static int compare_stage_extent(struct stale *out, const struct stage_extent *stage,
				const struct truth *truth, unsigned int shift)
{
	const uint64_t pages = stage->bytes >> shift;
	const struct ptwalk_extent *e = NULL;
	int err = 0;

	for (uint64_t i = 0; !err && i < pages; i++) {
		struct stale_page p = {
			.gpa = stage->gpa + (i << shift),
			.hva = stage->hva + (i << shift),
			.frame = (stage->hpa >> shift) + i,
			.write = stage->write, .read_only = stage->read_only,
			.slotless = stage->slotless,
		};

		if (!stage->slotless && (!e || p.hva - e->addr >= e->pages << shift))
			e = extent_at(truth, p.hva, shift);
		if (e) {
			p.bits = e->bits;
			p.value = e->value;
			if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
				p.value += (p.hva - e->addr) >> shift;
		}
		if (!e || !is_right(stage, p.frame, p.value, p.bits))
			err = array_add(out->page, out->nr, out->max, p) ? 0 : -ENOMEM;
	}
	out->pages += pages;
	return err;
}

static int by_guest_address(const void *x, const void *y)
{
	const struct stale_page *a = x, *b = y;

	if (a->gpa != b->gpa)
		return a->gpa < b->gpa ? -1 : 1;
	if (a->hva != b->hva)
		return a->hva < b->hva ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

int stale_find(struct stale *out, const struct second_stage *stage,
	       const struct truth *truth)
{
	int err = 0;

	for (size_t i = 0; !err && i < stage->nr; i++)
		err = compare_stage_extent(out, &stage->extent[i], truth, stage->page_shift);
	if (out->nr)
		qsort(out->page, out->nr, sizeof(*out->page), by_guest_address);
	return err;
}

/* Whoever only reads and writes the page changes no more than these. */
static uint64_t but_access(uint64_t bits)
{
	return bits & ~((uint64_t)(PTWALK_FLAG_YOUNG | PTWALK_FLAG_DIRTY) <<
			PTWALK_BITS_FLAGS_SHIFT);
}

static bool is_alike(const struct stale_page *a, const struct stale_page *b)
{
	return a->frame == b->frame && a->value == b->value && a->write == b->write &&
	       a->read_only == b->read_only && a->slotless == b->slotless &&
	       but_access(a->bits) == but_access(b->bits);
}

void stale_both(struct stale *now, const struct stale *before)
{
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < now->nr; i++) {
		struct stale_page page = now->page[i];

		while (at < before->nr && by_guest_address(&before->page[at], &page) < 0)
			at++;
		if (at == before->nr)
			break;
		if (by_guest_address(&before->page[at], &page))
			continue;
		page.moved |= before->page[at].moved || !is_alike(&page, &before->page[at]);
		now->page[nr++] = page;
		at++;
	}
	now->nr = nr;
}

/* What is alike in all pages of a row that is_alike() from look to look. */
static void stale_key(const struct stale_page *p, unsigned int page_shift,
		      uint64_t key[DOUBT_KEYS])
{
	const uint64_t nr = p->gpa >> page_shift;

	key[0] = (p->hva - p->gpa) | p->write | p->read_only << 1 | p->slotless << 2;
	key[1] = p->frame - nr;
	key[2] = p->value - (ptwalk_kind_ascends(ptwalk_bits_kind(p->bits)) ? nr : 0);
	key[3] = but_access(p->bits);
}

int stale_doubt(const struct stale *stale, struct doubts *wrong, unsigned int page_shift)
{
	uint64_t key[DOUBT_KEYS];
	int err = 0;

	for (size_t i = 0; !err && i < stale->nr; i++) {
		const struct stale_page *p = &stale->page[i];

		stale_key(p, page_shift, key);
		if (!p->moved)
			err = doubts_add(wrong, key, p->gpa >> page_shift, p->gpa >> page_shift);
	}
	return err;
}

void stale_settle(struct stale *stale, const struct doubts *doubts, unsigned int page_shift)
{
	uint64_t key[DOUBT_KEYS];

	for (size_t i = 0; i < stale->nr; i++) {
		struct stale_page *p = &stale->page[i];
		uint64_t last = p->gpa >> page_shift;

		stale_key(p, page_shift, key);
		p->moved = !doubts_prove(doubts, key, last, &last);
	}
}

size_t stale_stretch(const struct stale *stale, size_t at, unsigned int page_shift)
{
	const struct stale_page *first = &stale->page[at];
	size_t nr = 1;

	for (; at + nr < stale->nr; nr++) {
		const struct stale_page *p = &first[nr];
		const uint64_t step = ptwalk_kind_ascends(ptwalk_bits_kind(p->bits)) ? nr : 0;

		if (p->gpa != first->gpa + ((uint64_t)nr << page_shift) ||
		    p->hva != first->hva + ((uint64_t)nr << page_shift) ||
		    p->frame != first->frame + nr || p->value != first->value + step ||
		    p->bits != first->bits || p->write != first->write ||
		    p->read_only != first->read_only ||
		    p->slotless != first->slotless || p->moved != first->moved)
			break;
	}
	return nr;
}
