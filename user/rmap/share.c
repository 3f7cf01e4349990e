// SPDX-License-Identifier: GPL-2.0
/* Which frames processes share, address by address and anywhere. */
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
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
 * struct place - where one process is
 * @process: It.
 * @extent: The first extent that ends behind the current address; @left with
 *	those behind it in the message.
 * @ended: There are no more.
 * @bits: Of the entry at the current address; kind NO_VMA for none.
 * @value: Its value.
 */
struct place {
	struct share_process *process;
	const struct ptwalk_extent *extent;
	size_t left;
	bool ended;
	uint64_t bits, value;
};

static bool bits_have_frame(uint64_t bits)
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

static uint64_t last_of_extent(const struct ptwalk_extent *e, unsigned int shift)
{
	return e->addr + (e->pages << shift) - 1;
}

/* Passes extents that end before @addr. Returns 0 or a negative errno. */
static int pass_extents(struct place *p, uint64_t addr, unsigned int shift)
{
	int ret;

	while (!p->ended) {
		for (; p->left; p->left--, p->extent++)
			if (last_of_extent(p->extent, shift) >= addr)
				return 0;
		ret = p->process->next(p->process);
		if (ret < 0)
			return ret;
		p->ended = !ret;
		p->extent = p->process->extents;
		p->left = p->process->nr;
	}
	return 0;
}

/*
 * Reads the entry of @p at @addr, and lowers *@last to the last address for
 * which it goes on in the same way. Returns 0 or a negative errno.
 */
static int read_place(struct place *p, uint64_t addr, unsigned int shift,
		      uint64_t *last)
{
	const struct ptwalk_extent *e;
	int err = pass_extents(p, addr, shift);
	uint64_t skip;

	p->bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0);
	p->value = 0;
	if (err || p->ended)
		return err;
	e = p->extent;
	if (e->addr > addr) {
		if (e->addr - 1 < *last)
			*last = e->addr - 1;
		return 0;
	}
	skip = (addr - e->addr) >> shift;
	p->bits = e->bits;
	p->value = e->value;
	if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
		p->value += skip;
	if (last_of_extent(e, shift) < *last)
		*last = last_of_extent(e, shift);
	return 0;
}

static bool is_mapped(const struct place *p)
{
	return ptwalk_bits_kind(p->bits) != PTWALK_KIND_NO_VMA;
}

static const struct ptwalk_vma *vma_of(const struct place *p)
{
	return p->process->vma;
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
		if (!bits_have_frame(p->bits))
			continue;
		if (is_zero(p->bits)) {
			zeros++;
			continue;
		}
		pages++;
		same = 0;
		for (unsigned int j = 0; j < nr; j++)
			same += bits_have_frame(places[j].bits) &&
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
	s.mapping = places[s.first].process->mapping;
	drop_strangers(places, nr, s.vma);
	for (unsigned int i = 0; i < nr; i++)
		frames[i] = bits_have_frame(places[i].bits) ? places[i].value :
							SHARE_NO_FRAME;
	classify(places, nr, &s);
	return each(&s, arg);
}

int share_walk(struct share_process *processes, unsigned int nr,
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
		places[i].process = &processes[i];
	while (!err) {
		last = UINT64_MAX;
		for (unsigned int i = 0; !err && i < nr; i++)
			err = read_place(&places[i], addr, page_shift, &last);
		if (!err)
			err = segment_at(places, nr, addr, last, page_shift,
					 frames, each, arg);
		if (last == UINT64_MAX)
			break;
		addr = last + 1;
	}
	free(places);
	free(frames);
	return err;
}

/*
 * A piece is packed: the first frame, and above it how many more follow. Base
 * pages have 12 bits or more, so that no frame has more than 52.
 */
#define FRAME_BITS	52
#define FRAME_MASK	((1ULL << FRAME_BITS) - 1)
#define MOST_PAGES	(1ULL << (64 - FRAME_BITS))

static uint64_t piece_first(uint64_t piece)
{
	return piece & FRAME_MASK;
}

static uint64_t piece_end(uint64_t piece)
{
	return piece_first(piece) + (piece >> FRAME_BITS) + 1;
}

static int by_process_and_name(const void *a, const void *b)
{
	const struct share_group *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return strcmp(x->name, y->name);
}

struct share_group *share_group(struct share_groups *groups,
				unsigned int process, const char *name)
{
	struct share_group *new = calloc(1, sizeof(*new)), **found;

	if (!new || !array_room(&groups->group, &groups->max, groups->nr + 1,
				sizeof(*groups->group)))
		goto no_memory;
	new->process = process;
	new->name = name;
	found = tsearch(new, &groups->tree, by_process_and_name);
	if (!found)
		goto no_memory;
	if (*found == new)
		groups->group[groups->nr++] = new;
	else
		free(new);
	return *found;

no_memory:
	free(new);
	return NULL;
}

int share_note(struct share_group *group, const struct ptwalk_extent *extent)
{
	uint64_t frame = extent->value, left = extent->pages, pages;

	if (!bits_have_frame(extent->bits) || is_zero(extent->bits))
		return 0;
	for (; left && frame <= FRAME_MASK; left -= pages, frame += pages) {
		pages = left < MOST_PAGES ? left : MOST_PAGES;
		if (!array_add(group->pieces, group->nr, group->max,
			       (pages - 1) << FRAME_BITS | frame))
			return -ENOMEM;
	}
	return 0;
}

/*
 * Sorts by the bits of the first frame from @bit down, in place: qsort() would
 * take as much memory again.
 */
static void sort(uint64_t *pieces, size_t nr, uint64_t bit)
{
	size_t low, high;
	uint64_t piece;

	for (; nr > 1 && bit; bit >>= 1) {
		for (low = 0, high = nr; low < high;) {
			piece = pieces[low];
			if (!(piece & bit)) {
				low++;
				continue;
			}
			pieces[low] = pieces[--high];
			pieces[high] = piece;
		}
		sort(pieces, low, bit >> 1);
		pieces += low;
		nr -= low;
	}
}

static void sort_group(struct share_group *group)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < group->nr; i++)
		bits |= piece_first(group->pieces[i]);
	if (bits)
		sort(group->pieces, group->nr, 1ULL << (63 - __builtin_clzll(bits)));
}

/**
 * struct sweep - over the frames, with the pieces that hold the current one
 * @groups: With their pieces in order; those from @next on, by group, are to come.
 * @heap: The groups of which some are, that with the lowest piece first.
 * @open: The pieces that hold the frame, with the groups that they are of.
 * @seen: By process, the number of the last step that counted it.
 */
struct sweep {
	struct share_group **groups;
	size_t *next;
	size_t *heap, nr_heap;
	struct open {
		uint64_t end;
		size_t group;
	} *open;
	size_t nr_open, max_open;
	size_t *seen, step;
};

static uint64_t coming(const struct sweep *s, size_t group)
{
	return piece_first(s->groups[group]->pieces[s->next[group]]);
}

static bool comes_before(const struct sweep *s, size_t a, size_t b)
{
	const uint64_t x = coming(s, a), y = coming(s, b);

	return x != y ? x < y : a < b;
}

/* Puts the group at @at of the heap to its place below. */
static void sink(struct sweep *s, size_t at)
{
	size_t group = s->heap[at], child;

	for (; (child = 2 * at + 1) < s->nr_heap; at = child) {
		if (child + 1 < s->nr_heap &&
		    comes_before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!comes_before(s, s->heap[child], group))
			break;
		s->heap[at] = s->heap[child];
	}
	s->heap[at] = group;
}

/* Opens the pieces that begin at @frame. Returns 0 or -ENOMEM. */
static int open_pieces(struct sweep *s, uint64_t frame)
{
	const struct share_group *g;
	size_t group;

	while (s->nr_heap && coming(s, s->heap[0]) == frame) {
		group = s->heap[0];
		g = s->groups[group];
		if (!array_add(s->open, s->nr_open, s->max_open, (struct open){
			piece_end(g->pieces[s->next[group]]), group
		}))
			return -ENOMEM;
		if (++s->next[group] == g->nr)
			s->heap[0] = s->heap[--s->nr_heap];
		if (s->nr_heap)
			sink(s, 0);
	}
	return 0;
}

static void close_until(struct sweep *s, uint64_t frame)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->nr_open; i++)
		if (s->open[i].end > frame)
			s->open[kept++] = s->open[i];
	s->nr_open = kept;
}

static uint64_t next_end(const struct sweep *s)
{
	uint64_t end = s->nr_heap ? coming(s, s->heap[0]) : UINT64_MAX;

	for (size_t i = 0; i < s->nr_open; i++)
		if (s->open[i].end < end)
			end = s->open[i].end;
	return end;
}

/* @pages that the open pieces hold, of @nr processes. */
static void count_shared(struct sweep *s, uint64_t pages, unsigned int nr)
{
	struct share_group *first = NULL, *g;
	unsigned int holders = 0;

	s->step++;
	for (size_t i = 0; i < s->nr_open; i++) {
		g = s->groups[s->open[i].group];
		holders += s->seen[g->process] != s->step;
		s->seen[g->process] = s->step;
		if (!first || g->process < first->process)
			first = g;
	}
	if (holders >= 2)
		first->frames += pages;
	if (holders >= 2 && holders == nr)
		first->all += pages;
}

static int sweep(struct sweep *s, unsigned int nr)
{
	uint64_t frame = 0, end;
	int err = 0;

	while (!err && (s->nr_open || s->nr_heap)) {
		if (!s->nr_open)
			frame = coming(s, s->heap[0]);
		err = open_pieces(s, frame);
		end = next_end(s);
		count_shared(s, end - frame, nr);
		frame = end;
		close_until(s, frame);
	}
	return err;
}

int share_count(struct share_groups *groups, unsigned int nr)
{
	struct sweep s = {
		.groups = groups->group,
		.next = calloc(groups->nr + 1, sizeof(*s.next)),
		.heap = calloc(groups->nr + 1, sizeof(*s.heap)),
		.seen = calloc(nr, sizeof(*s.seen)),
	};
	int err = -ENOMEM;

	if (s.next && s.heap && s.seen) {
		for (size_t i = 0; i < groups->nr; i++) {
			sort_group(groups->group[i]);
			if (groups->group[i]->nr)
				s.heap[s.nr_heap++] = i;
		}
		for (size_t i = s.nr_heap; i--;)
			sink(&s, i);
		err = sweep(&s, nr);
	}
	free(s.next);
	free(s.heap);
	free(s.open);
	free(s.seen);
	return err;
}

static void leave_tree(void *group)
{
}

void share_groups_free(struct share_groups *groups)
{
	tdestroy(groups->tree, leave_tree);
	for (size_t i = 0; i < groups->nr; i++) {
		free(groups->group[i]->pieces);
		free(groups->group[i]);
	}
	free(groups->group);
	*groups = (struct share_groups){ 0 };
}
