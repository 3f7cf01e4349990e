// SPDX-License-Identifier: GPL-2.0
/* Places, windows around them, and requests inside of these. */
#include <unistd.h>
#include "check/draw.h"
#include "check/process.h"

#define WINDOW_BITS	9	/* of pages at each side of a place */
#define LONG_BITS	15	/* the same in one window of LONG_IN */
#define LONG_IN		24
#define REQUESTS	16	/* in one window */
#define SMALL		100	/* of what may be asked, the part that one is of most of them */
#define LARGE_IN	32	/* and of one in so many, a third */
#define MOST_CHOICES	(CHECK_MAX_SOURCES * (SOURCE_ARGS + 1))
#define DIFFERING	4	/* requests of a source in which pages may differ */
#define FACTS		3	/* pages of a request whose facts are asked for */

/* What the walk of a window takes, and the second look at a page, in instructions. */
#define WALK_COST	15000
#define FACTS_COST	15000

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
	       struct source_pages *pages)
{
	const struct dimension *d = source->dimension;

	for (size_t i = 0; d && d[i].name; i++)
		pages->arg[i] = d[i].draw ? d[i].draw(env, random) : 0;
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

/*
 * Sources of which more requests may be drawn, @of, each as often as its requests have
 * dimensions; returns how many.
 */
static size_t choose(const struct process *p, uint8_t of[MOST_CHOICES])
{
	const struct check *c = p->check;
	const bool is_self = p->pid == getpid();
	const struct dimension *d;
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_sources; i++) {
		if (!c->source[i]->drawn || p->differing[i] >= DIFFERING ||
		    (c->source[i]->own && !is_self))
			continue;
		of[nr++] = i;
		for (d = c->source[i]->dimension; d && d->name; d++)
			if (d->draw)
				of[nr++] = i;
	}
	return nr;
}

/*
 * Pages of a request whose cost is bearable, of so many: a small share of what is left,
 * or now and then a large one, as some mistakes are far behind the first page.
 */
static uint64_t affordable(struct process *p, const struct source *s, uint64_t pages)
{
	const uint64_t share = p->budget / (random_one_in(&p->random, LARGE_IN) ? 3 : SMALL);
	const uint64_t most = share / (s->page_cost + 1) + 1;

	return pages < most ? pages : most;
}

void draw_in_batch(struct process *p)
{
	const uint64_t near = (p->near - p->batch[0].addr) >> p->page_shift;
	const struct check *c = p->check;
	struct source_pages pages = { 0 };
	uint8_t of[MOST_CHOICES];
	uint64_t from, nr_pages, cost;
	size_t nr, i;

	for (i = 0; i < REQUESTS && p->budget; i++) {
		nr = choose(p, of);
		if (!nr)
			break;
		p->source = of[random_below(&p->random, nr)];
		draw_span(&p->random, p->batch_pages, near < p->batch_pages ? near : 0,
			  &from, &nr_pages);
		pages.nr = affordable(p, c->source[p->source], nr_pages);
		draw_args(c->source[p->source], &c->env, &p->random, &pages);
		p->facts_left = FACTS;
		process_compare(p, from, pages.nr, pages.arg);
		cost = source_cost(c->source[p->source], pages.nr) +
		       (FACTS - p->facts_left) * FACTS_COST;
		p->budget -= cost < p->budget ? cost : p->budget;
		p->counts.requests++;
		p->counts.cost += cost;
	}
}

static bool has_gate(const struct process *p, uint64_t start, uint64_t last)
{
	for (size_t i = 0; i < p->maps.nr; i++)
		if (is_gate(&p->maps.map[i]) && p->maps.map[i].start <= last &&
		    p->maps.map[i].last >= start)
			return true;
	return false;
}

/* Pages around a place, inside of what is mapped. */
static bool draw_window(struct process *p, struct range *window)
{
	const unsigned int bits = random_one_in(&p->random, LONG_IN) ? LONG_BITS : WINDOW_BITS;
	const uint64_t before = (random_size(&p->random, WINDOW_BITS) - 1) << p->page_shift;
	const uint64_t behind = random_size(&p->random, bits) << p->page_shift;

	if (!draw_place(&p->places, &p->random, &p->near))
		return false;
	/* Of what is before all mappings, or behind them, windows have little. */
	if (p->near < p->walked.start)
		p->near = p->walked.start;
	if (p->near > p->walked.last)
		p->near = p->walked.last >> p->page_shift << p->page_shift;
	window->start = p->near - p->walked.start < before ? p->walked.start : p->near - before;
	window->last = p->walked.last - p->near < behind ? p->walked.last :
							   p->near + behind - 1;
	return true;
}

int draw_requests(struct process *p, uint64_t budget)
{
	struct range window;
	uint8_t of[MOST_CHOICES];
	int err = 0;

	p->budget = budget;
	p->drawing = true;
	while (!err && p->budget > WALK_COST && choose(p, of) && draw_window(p, &window)) {
		p->budget -= WALK_COST;
		p->counts.cost += WALK_COST;
		if (!has_gate(p, window.start, window.last))
			err = process_walk_window(p, &window);
	}
	for (size_t i = 0; !err && i < p->check->nr_sources; i++)
		err = process_recheck(p, i);
	p->drawing = false;
	return err;
}
