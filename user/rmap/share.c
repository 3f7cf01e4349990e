// SPDX-License-Identifier: GPL-2.0
/* Which frames processes share, address by address and anywhere. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "rmap/share.h"

const char *const share_class_name[NR_SHARE_CLASSES] = {
	[SHARE_NOTHING] = "nothing",
	[SHARE_COW] = "cow",
	[SHARE_FILE] = "file",
	[SHARE_KSM] = "ksm",
	[SHARE_ZERO] = "zero",
	[SHARE_SPECIAL] = "special",
	[SHARE_PARTED] = "parted",
	[SHARE_SINGLE] = "single",
	[SHARE_SWAP] = "swap",
};

/**
 * struct place - where one process is in its truth
 * @truth: It.
 * @extent: Index of the first extent that ends behind the current address.
 * @vma: The same of the VMAs.
 * @bits: Of the entry at the current address; kind NO_VMA for none.
 * @value: Its value.
 */
struct place {
	const struct truth *truth;
	size_t extent, vma;
	uint64_t bits, value;
};

static bool has_frame(uint64_t bits)
{
	return kind_has_frame(ptwalk_bits_kind(bits));
}

static bool is_zero(uint64_t bits)
{
	return ptwalk_bits_flags(bits) & PTWALK_FLAG_ZERO;
}

static bool is_swap(uint64_t bits)
{
	return ptwalk_bits_kind(bits) == PTWALK_KIND_SWAP;
}

static uint64_t extent_last(const struct ptwalk_extent *e, unsigned int shift)
{
	return e->addr + (e->pages << shift) - 1;
}

/*
 * Reads the entry of @p at @addr, and lowers *@last to the last address for
 * which it goes on in the same way.
 */
static void read_place(struct place *p, uint64_t addr, unsigned int shift,
		       uint64_t *last)
{
	const struct truth *t = p->truth;
	const struct ptwalk_extent *e;
	uint64_t skip;

	while (p->extent < t->nr_extents &&
	       extent_last(&t->extents[p->extent], shift) < addr)
		p->extent++;
	while (p->vma < t->nr_vmas && t->vmas[p->vma].last < addr)
		p->vma++;
	p->bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0);
	p->value = 0;
	if (p->extent == t->nr_extents)
		return;
	e = &t->extents[p->extent];
	if (e->addr > addr) {
		if (e->addr - 1 < *last)
			*last = e->addr - 1;
		return;
	}
	skip = (addr - e->addr) >> shift;
	p->bits = e->bits;
	p->value = e->value;
	if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
		p->value += skip;
	if (extent_last(e, shift) < *last)
		*last = extent_last(e, shift);
}

static bool is_mapped(const struct place *p)
{
	return ptwalk_bits_kind(p->bits) != PTWALK_KIND_NO_VMA &&
	       p->vma < p->truth->nr_vmas;
}

static const struct ptwalk_vma *vma_of(const struct place *p)
{
	return &p->truth->vmas[p->vma];
}

static bool same_mapping(const struct ptwalk_vma *a, const struct ptwalk_vma *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor &&
	       !((a->flags ^ b->flags) & PTWALK_VMA_FLAG_MAYSHARE);
}

/* Mappings that have nothing to do with the first one count as none. */
static void drop_strangers(struct place *places, unsigned int nr,
			   const struct ptwalk_vma *vma)
{
	for (unsigned int i = 0; i < nr; i++)
		if (is_mapped(&places[i]) &&
		    !same_mapping(vma, vma_of(&places[i])))
			places[i].bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0,
						     0);
}

static enum share_class class_of(uint64_t bits)
{
	uint32_t flags = ptwalk_bits_flags(bits);

	if (flags & PTWALK_FLAG_KSM)
		return SHARE_KSM;
	if (flags & PTWALK_FLAG_ANON)
		return SHARE_COW;
	return flags & PTWALK_FLAG_PAGE ? SHARE_FILE : SHARE_SPECIAL;
}

static void classify(const struct place *places, unsigned int nr,
		     struct share_segment *s)
{
	unsigned int pages = 0, zeros = 0, swaps = 0, same;
	const struct place *most = NULL;

	s->holders = 0;
	for (unsigned int i = 0; i < nr; i++) {
		const struct place *p = &places[i];

		swaps += is_swap(p->bits);
		if (!has_frame(p->bits))
			continue;
		if (is_zero(p->bits)) {
			zeros++;
			continue;
		}
		pages++;
		same = 0;
		for (unsigned int j = 0; j < nr; j++)
			same += has_frame(places[j].bits) &&
				!is_zero(places[j].bits) &&
				places[j].value == p->value;
		if (same > s->holders) {
			s->holders = same;
			most = p;
		}
	}
	if (s->holders >= 2)
		s->class = class_of(most->bits);
	else if (swaps)
		s->class = SHARE_SWAP;
	else if (pages + zeros >= 2 && pages)
		s->class = SHARE_PARTED;
	else if (pages)
		s->class = SHARE_SINGLE;
	else
		s->class = zeros ? SHARE_ZERO : SHARE_NOTHING;
	if (s->class == SHARE_ZERO)
		s->holders = zeros;
}

static int segment_at(struct place *places, unsigned int nr, uint64_t start,
		      uint64_t last, unsigned int shift, uint64_t *frames,
		      int (*each)(const struct share_segment *, void *),
		      void *arg)
{
	struct share_segment s = {
		.start = start,
		.pages = ((last - start) >> shift) + 1,
		.frames = frames,
	};

	for (s.first = 0; s.first < nr; s.first++)
		if (is_mapped(&places[s.first]))
			break;
	if (s.first == nr)
		return 0;
	s.vma = vma_of(&places[s.first]);
	drop_strangers(places, nr, s.vma);
	for (unsigned int i = 0; i < nr; i++)
		frames[i] = has_frame(places[i].bits) ? places[i].value :
							SHARE_NO_FRAME;
	classify(places, nr, &s);
	return each(&s, arg);
}

int share_walk(const struct truth *truths, unsigned int nr,
	       unsigned int page_shift,
	       int (*each)(const struct share_segment *segment, void *arg),
	       void *arg)
{
	struct place *places = calloc(nr, sizeof(*places));
	uint64_t *frames = calloc(nr, sizeof(*frames));
	uint64_t addr = 0, last;
	int err = 0;

	if (!places || !frames)
		err = -ENOMEM;
	for (unsigned int i = 0; !err && i < nr; i++)
		places[i].truth = &truths[i];
	while (!err) {
		last = UINT64_MAX;
		for (unsigned int i = 0; i < nr; i++)
			read_place(&places[i], addr, page_shift, &last);
		err = segment_at(places, nr, addr, last, page_shift, frames,
				 each, arg);
		if (last == UINT64_MAX)
			break;
		addr = last + 1;
	}
	free(places);
	free(frames);
	return err;
}

/**
 * struct piece - frames in a row that a process maps in a row
 */
struct piece {
	uint64_t frame, pages, addr;
	unsigned int process;
};

static int by_frame(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->process < y->process ? -1 : x->process > y->process;
}

static struct piece *collect(const struct truth *truths, unsigned int nr,
			     size_t *nr_pieces)
{
	struct piece *pieces;
	size_t max = 1;

	*nr_pieces = 0;
	for (unsigned int i = 0; i < nr; i++)
		max += truths[i].nr_extents;
	pieces = calloc(max, sizeof(*pieces));
	for (unsigned int i = 0; pieces && i < nr; i++)
		for (size_t j = 0; j < truths[i].nr_extents; j++) {
			const struct ptwalk_extent *e = &truths[i].extents[j];

			if (has_frame(e->bits) && !is_zero(e->bits))
				pieces[(*nr_pieces)++] = (struct piece){
					e->value, e->pages, e->addr, i };
		}
	if (pieces)
		qsort(pieces, *nr_pieces, sizeof(*pieces), by_frame);
	return pieces;
}

/**
 * struct sweep - over the frames, with the pieces that hold the current one
 * @open: Indices of those.
 * @seen: By process, the number of the last step that counted it.
 */
struct sweep {
	const struct truth *truths;
	const struct piece *pieces;
	size_t *open;
	size_t nr_open;
	size_t *seen;
	size_t step;
	unsigned int shift;
};

static int tell(struct sweep *s, uint64_t frame, uint64_t pages,
		int (*each)(const struct share_frames *frames, void *arg),
		void *arg)
{
	struct share_frames f = { .first = UINT32_MAX, .pages = pages };

	s->step++;
	for (size_t i = 0; i < s->nr_open; i++) {
		const struct piece *p = &s->pieces[s->open[i]];

		if (s->seen[p->process] != s->step)
			f.holders++;
		s->seen[p->process] = s->step;
		if (p->process < f.first) {
			f.first = p->process;
			f.addr = p->addr + ((frame - p->frame) << s->shift);
		}
	}
	if (f.holders < 2)
		return 0;
	f.vma = truth_vma_at(&s->truths[f.first], f.addr);
	return each(&f, arg);
}

static void close_until(struct sweep *s, uint64_t frame)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nr_open; i++) {
		const struct piece *p = &s->pieces[s->open[i]];

		if (p->frame + p->pages > frame)
			s->open[kept++] = s->open[i];
	}
	s->nr_open = kept;
}

static uint64_t next_end(const struct sweep *s, uint64_t end)
{
	for (size_t i = 0; i < s->nr_open; i++) {
		const struct piece *p = &s->pieces[s->open[i]];

		if (p->frame + p->pages < end)
			end = p->frame + p->pages;
	}
	return end;
}

int share_by_frame(const struct truth *truths, unsigned int nr,
		   unsigned int page_shift,
		   int (*each)(const struct share_frames *frames, void *arg),
		   void *arg)
{
	size_t nr_pieces, next = 0;
	struct piece *pieces = collect(truths, nr, &nr_pieces);
	struct sweep s = {
		.truths = truths,
		.pieces = pieces,
		.open = calloc(nr_pieces + 1, sizeof(*s.open)),
		.seen = calloc(nr, sizeof(*s.seen)),
		.shift = page_shift,
	};
	uint64_t frame = 0, end;
	int err = 0;

	if (!pieces || !s.open || !s.seen)
		err = -ENOMEM;
	while (!err && (s.nr_open || next < nr_pieces)) {
		if (!s.nr_open)
			frame = pieces[next].frame;
		while (next < nr_pieces && pieces[next].frame == frame)
			s.open[s.nr_open++] = next++;
		end = next_end(&s, next < nr_pieces ? pieces[next].frame :
						      UINT64_MAX);
		err = tell(&s, frame, end - frame, each, arg);
		frame = end;
		close_until(&s, frame);
	}
	free(pieces);
	free(s.open);
	free(s.seen);
	return err;
}
