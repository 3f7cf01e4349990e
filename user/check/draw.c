// SPDX-License-Identifier: GPL-2.0
/* Places, windows around them, and requests inside of these. */
#include <string.h>
#include <unistd.h>
#include "check/draw.h"
#include "check/process.h"

/*
 * How far things are drawn, which the curve (`make -C user curve`) decides: most of what
 * is wrong is near a place, some behind many pages. With shares of any size by one draw,
 * 44 % of its bugs are found in a small process instead of 50 %.
 */
#define WINDOW_BITS	9	/* of pages at each side of a place */
#define LONG_BITS	15	/* the same in one window of LONG_IN */
#define LONG_IN		24
#define SMALL		100	/* of what may be asked, the part that one is of most of them */
#define LARGE		3	/* and that of few of them: */
#define LARGE_IN	32	/* one in so many, */
#define LONG_LARGE_IN	4	/* or in windows of more pages than 1 << LARGE_BITS */
#define LARGE_BITS	12

/* What ends it: there are other windows, and enough has been seen to differ. */
#define REQUESTS	12	/* in one window */
#define DIFFERING	4	/* requests of a source in which pages may differ */

/*
 * What it costs, which bench measures, in instructions: the walk of a window, and facts of
 * pages with their reading. Frames so near each other are read at once: see struct kpage.
 */
#define WALK_COST	80000
#define FACTS_COST	60000
#define NEAR_FRAMES	8

void draw_note_at(struct places *places, struct random *random, enum place place,
		  uint64_t addr)
{
	uint64_t at = places->of[place].seen++;

	if (at >= PLACES_KEPT)
		at = random_below(random, at + 1);
	if (at < PLACES_KEPT)
		places->of[place].addr[at] = addr;
}

/* Each kind has one place, however often others come. */
static void note_kind(struct places *places, struct random *random,
		      const struct piece *piece, uint64_t addr)
{
	/* Which the kernel and the processor set as they like, and no interface shows. */
	const uint64_t any = ptwalk_bits(0, 0, 0, PTWALK_FLAG_YOUNG | PTWALK_FLAG_DIRTY);
	const uint64_t bits = (piece->bits & ~any) ^ (piece->vma ? piece->vma->flags << 1 | 1 : 0);
	const size_t at = bits * 0x9e3779b97f4a7c15ULL >> 32 & (KINDS_KEPT - 1);

	if (places->kind[at].bits != bits) {
		if (places->kind[at].seen && random_one_in(random, 2))
			return;
		places->kind[at].seen = 0;
	}
	places->kind[at].bits = bits;
	if (random_one_in(random, ++places->kind[at].seen))
		places->kind[at].addr = addr;
}

/* The last border of a table of that level in a piece, or where the piece begins. */
static void note_border(struct places *places, struct random *random, enum place place,
			unsigned int shift, const struct piece *piece, uint64_t last)
{
	const uint64_t border = last >> shift << shift;

	if (shift && border >= piece->addr)
		draw_note_at(places, random, place, border);
}

void draw_note(struct places *places, struct random *random,
	       const struct ptwalk_kernel *kernel, const struct piece *piece)
{
	const unsigned int shift = kernel->page_shift;
	const uint64_t last = piece->addr + ((piece->pages - 1) << shift);
	const uint64_t inside = piece->addr + (random_below(random, piece->pages) << shift);

	note_border(places, random, PLACE_TABLE, kernel->level_shift[PTWALK_LEVEL_PMD],
		    piece, last);
	note_border(places, random, PLACE_UPPER, kernel->level_shift[PTWALK_LEVEL_PUD],
		    piece, last);
	draw_note_at(places, random, PLACE_ANYWHERE, inside);
	if (!piece->vma) {
		draw_note_at(places, random, PLACE_HOLE, inside);
		return;
	}
	draw_note_at(places, random, PLACE_PIECE, piece->addr);
	if (ptwalk_bits_level(piece->bits) > PTWALK_LEVEL_PTE)
		draw_note_at(places, random, PLACE_LEAF, inside);
	note_kind(places, random, piece, inside);
}

bool draw_place(const struct places *places, struct random *random, uint64_t *addr)
{
	const unsigned int first = random_below(random, NR_PLACES + 2);
	uint64_t seen;

	/* As many of kinds as of two others. */
	for (size_t i = 0, at; first >= NR_PLACES && i < KINDS_KEPT; i++) {
		at = random_below(random, KINDS_KEPT);
		*addr = places->kind[at].addr;
		if (places->kind[at].seen)
			return true;
	}
	for (unsigned int i = 0; i < NR_PLACES; i++) {
		seen = places->of[(first + i) % NR_PLACES].seen;
		if (!seen)
			continue;
		*addr = places->of[(first + i) % NR_PLACES].addr[
			random_below(random, seen < PLACES_KEPT ? seen : PLACES_KEPT)];
		return true;
	}
	return false;
}

void draw_args(const struct source *source, const struct env *env, struct random *random,
	       uint64_t most, struct source_pages *pages)
{
	const struct dimension *d = source->dimension;

	for (size_t i = 0; d && d[i].name; i++)
		pages->arg[i] = d[i].draw ? d[i].draw(env, random, most) : 0;
}

void draw_span(struct random *random, uint64_t all, uint64_t near, uint64_t *from,
	       uint64_t *nr)
{
	unsigned int bits = 64 - __builtin_clzll(all);
	uint64_t back;

	*nr = random_size(random, bits);
	if (*nr > all)
		*nr = all;
	*from = random_below(random, all - *nr + 1);
	switch (random_below(random, 4)) {
	case 0:		/* begins, or ends, a few pages from there */
		back = random_below(random, 5) + (random_one_in(random, 2) ? *nr - 1 : 0);
		*from = near + 2 > back ? near + 2 - back : 0;
		break;
	case 1:		/* all of it, or all from there on */
		*from = random_one_in(random, 2) ? 0 : near;
		*nr = all;
		break;
	default:
		break;
	}
	if (*from >= all)
		*from = all - 1;
	if (*nr > all - *from)
		*nr = all - *from;
}

/* Whether more requests of a source may be drawn. */
static bool may_draw(const struct process *p, size_t source)
{
	const struct source *s = p->check->source[source];

	return s->trait.drawn && p->draw.differing[source] < DIFFERING &&
	       (!s->trait.own || p->pid == getpid());
}

/* What a source's requests are worth: more dimensions take more of them. */
static uint64_t source_weight(const struct source *s)
{
	uint64_t weight = 2;	/* place and length */

	for (const struct dimension *d = s->dimension; d && d->name; d++)
		weight += d->draw != NULL;
	return weight;
}

/* The source whose requests have cost the least for what they are worth; false: none. */
static bool choose_source(struct process *p)
{
	uint64_t least = UINT64_MAX, cost;

	for (size_t i = 0; i < p->check->nr_sources; i++) {
		if (!may_draw(p, i))
			continue;
		cost = p->draw.spent[i] / source_weight(p->check->source[i]);
		if (cost >= least)
			continue;
		least = cost;
		p->req.source = i;
	}
	return least < UINT64_MAX;
}

/*
 * What one request may cost: a small share of what is left, or now and then a large one,
 * as some mistakes are far behind the first page. Long windows are drawn for these.
 */
static uint64_t draw_share(struct process *p)
{
	const unsigned int in = p->batch.pages > 1 << LARGE_BITS ? LONG_LARGE_IN : LARGE_IN;

	return p->draw.budget / (random_one_in(&p->draw.random, in) ? LARGE : SMALL);
}

/* More calls, and more entries, of @full pages in so many runs. */
static uint64_t cost_of_args(const struct source *s, const struct source_pages *pages,
			     uint64_t full, uint64_t runs)
{
	const struct dimension *d = s->dimension;
	uint64_t cost = 0;

	for (size_t i = 0; d && d[i].name; i++) {
		if (!pages->arg[i])
			continue;
		if (d[i].of == DIMENSION_ENTRIES && full)
			cost += pages->arg[i] * s->cost.page;
		else if (d[i].of == DIMENSION_PAGES)
			cost += pages->nr / pages->arg[i] * s->cost.call;
		else if (d[i].of == DIMENSION_RUNS)
			cost += runs / pages->arg[i] * s->cost.call;
	}
	return cost;
}

uint64_t draw_cost(const struct process *p, const struct source *s, uint64_t from,
		   const struct source_pages *pages)
{
	/* Inside of a leaf above the last level, a page takes some more than where none is. */
	const uint64_t leaf = 3 * s->cost.empty;
	const struct piece *piece = process_piece_at(p, from);
	uint64_t at = from - ((piece->addr - p->batch.piece->addr) >> p->page_shift);
	uint64_t full = 0, cheap = 0, empty = 0, runs = 0, nr;

	for (uint64_t left = pages->nr; left; left -= nr, piece++, at = 0) {
		nr = piece->pages - at < left ? piece->pages - at : left;
		if (!piece->vma || ptwalk_bits_kind(piece->bits) == PTWALK_KIND_NONE) {
			empty += nr;
			continue;
		}
		runs++;
		if (s->trait.framed || ptwalk_bits_level(piece->bits) == PTWALK_LEVEL_PTE)
			full += nr;
		else
			cheap += nr;
	}
	return s->cost.call + full * s->cost.page + empty * s->cost.empty +
	       cheap * (leaf < s->cost.page ? leaf : s->cost.page) +
	       cost_of_args(s, pages, full, runs);
}

/* What the reads of frames take that aren't in a row; the first one is known. */
static uint64_t cost_of_frames(const struct source *s, const struct source_pages *asked)
{
	uint64_t last = 0, calls = 0;

	for (size_t i = 0; s->trait.framed && i < asked->nr; i++) {
		if (asked->frame[i] == SOURCE_NO_FRAME)
			continue;
		calls += asked->frame[i] - last > NEAR_FRAMES;
		last = asked->frame[i];
	}
	return calls > 1 ? (calls - 1) * s->cost.call : 0;
}

void draw_in_batch(struct process *p)
{
	const uint64_t near = (p->draw.near - p->batch.piece[0].addr) >> p->page_shift;
	const struct check *c = p->check;
	struct source_pages pages = { 0 };
	uint64_t from, nr_pages, cost, share;
	const struct source *s;

	for (size_t i = 0; i < REQUESTS && p->draw.budget && choose_source(p); i++) {
		s = c->source[p->req.source];
		draw_span(&p->draw.random, p->batch.pages, near < p->batch.pages ? near : 0,
			  &from, &nr_pages);
		pages.nr = nr_pages;
		share = draw_share(p);
		memset(pages.arg, 0, sizeof(pages.arg));
		draw_args(s, &c->env, &p->draw.random, share / (s->cost.page + 1), &pages);
		while (pages.nr > 1 && draw_cost(p, s, from, &pages) > share + s->cost.call)
			pages.nr = (pages.nr + 1) / 2;
		process_compare(p, from, pages.nr, pages.arg);
		if (!p->req.pages.nr) {
			p->draw.spent[p->req.source] += s->cost.call;
			continue;
		}
		cost = draw_cost(p, s, from, &pages) + cost_of_frames(s, &p->req.pages);
		if (p->draw.picks.nr)
			cost += cost + FACTS_COST;
		p->draw.spent[p->req.source] += cost;
		p->draw.budget -= cost < p->draw.budget ? cost : p->draw.budget;
		p->counts.requests++;
		p->counts.cost += cost;
	}
}

/* Pages around a place, inside of what is mapped. */
static bool draw_window(struct process *p, struct range *window)
{
	const bool is_long = random_one_in(&p->draw.random, LONG_IN);
	const unsigned int bits = is_long ? LONG_BITS - random_below(&p->draw.random, 3) :
					    WINDOW_BITS;
	const uint64_t before = (random_size(&p->draw.random, WINDOW_BITS) - 1) << p->page_shift;
	const uint64_t behind = (is_long ? 1ULL << bits : random_size(&p->draw.random, bits))
				<< p->page_shift;

	if (!draw_place(&p->draw.places, &p->draw.random, &p->draw.near))
		return false;
	/* Of what is before all mappings, or behind them, windows have little. */
	if (p->draw.near < p->walk.span.start)
		p->draw.near = p->walk.span.start;
	if (p->draw.near > p->walk.span.last)
		p->draw.near = p->walk.span.last >> p->page_shift << p->page_shift;
	window->start = p->draw.near - p->walk.span.start < before ? p->walk.span.start :
			p->draw.near - before;
	window->last = p->walk.span.last - p->draw.near < behind ? p->walk.span.last :
							   p->draw.near + behind - 1;
	return true;
}

int draw_requests(struct process *p, uint64_t budget)
{
	struct range window;
	int err = 0;

	/* A window at least, however many processes share it. */
	p->draw.budget = budget && budget < 2 * WALK_COST ? 2 * WALK_COST : budget;
	memset(p->draw.spent, 0, sizeof(p->draw.spent));
	p->draw.on = true;
	err = facts_look(p, &p->draw.budget);
	while (!err && p->draw.budget > WALK_COST && choose_source(p) && draw_window(p, &window)) {
		p->draw.budget -= WALK_COST;
		p->counts.cost += WALK_COST;
		/* What is behind all VMAs, as the gate area is, isn't in any. */
		err = process_walk_window(p, &window);
	}
	for (size_t i = 0; !err && i < p->check->nr_sources; i++)
		err = process_recheck(p, i);
	p->draw.on = false;
	return err;
}
