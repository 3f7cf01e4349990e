// SPDX-License-Identifier: GPL-2.0
/*
 * The one pass over the stream of runs as the module sends it: what its messages have,
 * and the holes between, becomes batches of pages in a row, which first_look.c compares.
 */
#include <string.h>
#include "base/error.h"
#include "check/draw.h"
#include "check/process.h"
#include "check/rules.h"
#include "sources/source.h"

#define HOLE_WHOLE	64	/* pages of a hole that is read with what is around it */
#define HOLE_EDGE	8	/* of a larger one, at each side */
#define EMPTY_EDGE	32	/* of many empty pages, at each end */

/* What is expected of pages was kept by VMAs, whose places others have now. */
static void forget_known(struct process *p)
{
	for (size_t i = 0; i < p->check->nr_sources; i++)
		for (size_t k = 0; k < 1 << KNOWN_BITS; k++)
			p->batch.known[i][k].vma = NULL;
}

static void flush(struct process *p)
{
	const struct check *c = p->check;

	if (p->batch.nr)
		forget_known(p);
	if (p->batch.nr && p->draw.on)
		draw_in_batch(p);
	for (size_t i = 0; p->batch.nr && !p->draw.on && i < c->nr_sources; i++) {
		p->req.source = i;
		if (c->effort.whole || !c->source[i]->trait.drawn)
			process_compare_batch(p);
	}
	p->batch.nr = 0;
	p->batch.nr_vmas = 0;
	p->batch.told = NULL;
	p->batch.pages = 0;
}

/* A copy of @vma that stays for as long as the batch does. NULL: there is no room. */
static const struct ptwalk_vma *keep_vma(struct process *p, const struct ptwalk_vma *vma)
{
	struct ptwalk_vma *kept = &p->batch.vmas[p->batch.nr_vmas];

	if (vma == p->batch.told)
		return kept - 1;
	if (p->batch.nr_vmas && !memcmp(kept - 1, vma, sizeof(*vma))) {
		kept--;
	} else if (p->batch.nr_vmas == BATCH_VMAS) {
		return NULL;
	} else {
		*kept = *vma;
		p->batch.nr_vmas++;
	}
	p->batch.told = vma;
	return kept;
}

/*
 * Begins another batch if there is no room, or the pages aren't behind those of this one.
 * Returns the copy of @vma in it.
 */
static const struct ptwalk_vma *make_batch_room(struct process *p,
						const struct ptwalk_vma *vma, uint64_t addr)
{
	const struct ptwalk_vma *kept = vma ? keep_vma(p, vma) : NULL;
	const struct piece *e;

	if (!p->batch.nr)
		return kept;
	e = &p->batch.piece[p->batch.nr - 1];
	if (addr == e->addr + (e->pages << p->page_shift) && p->batch.pages < BATCH_PAGES &&
	    !kept == !vma)
		return kept;
	flush(p);
	return vma ? keep_vma(p, vma) : NULL;
}

/*
 * A copy of @nr words of a list, which have one number: the message that they came with
 * won't stay.
 */
static const uint64_t *keep_list(struct process *p, const uint64_t *word, uint64_t nr)
{
	uint64_t *list = p->batch.lists + p->batch.pages;

	if (!ptwalk_mixed_number(word[0]))
		return memcpy(list, word, nr * sizeof(*list));
	for (uint64_t i = 0; i < nr; i++)
		list[i] = ptwalk_mixed_value(word[i]);
	return list;
}

/* Queues @pages pages of @piece, in @vma or in none, from the @from-th on. */
static void queue(struct process *p, const struct ptwalk_vma *vma,
		  const struct piece *piece, uint64_t from, uint64_t pages)
{
	bool ascends = ptwalk_kind_ascends(ptwalk_bits_kind(piece->bits));
	const struct ptwalk_vma *kept;
	struct piece *e;
	uint64_t n, addr;

	for (; pages; from += n, pages -= n) {
		addr = piece->addr + (from << p->page_shift);
		kept = make_batch_room(p, vma, addr);
		n = BATCH_PAGES - p->batch.pages;
		if (n > pages)
			n = pages;
		if (p->batch.nr == p->batch.max)
			p->batch.piece = process_grow(p->batch.piece, &p->batch.max,
						      p->batch.nr, sizeof(*p->batch.piece));
		e = &p->batch.piece[p->batch.nr++];
		*e = *piece;
		e->addr = addr;
		e->pages = n;
		e->vma = kept;
		if (piece->list) {
			e->list = keep_list(p, piece->list + from, n);
			e->value = e->list[0];
		} else if (ascends) {
			e->value += from;
		}
		p->batch.pages += n;
		if (!p->draw.on && ptwalk_bits_present(piece->bits))
			p->walk.present += n;
		if (!p->draw.on)
			draw_note(&p->draw.places, &p->draw.random, p->check->env.kernel, e);
	}
}

/* Reads all of it, or both ends once the process has had enough. */
static void queue_empty(struct process *p, const struct ptwalk_vma *vma,
			const struct piece *piece)
{
	const uint64_t edge = EMPTY_EDGE, pages = piece->pages;

	if (p->draw.on || pages <= 2 * edge || pages <= p->walk.empty) {
		queue(p, vma, piece, 0, pages);
		p->walk.empty -= pages < p->walk.empty ? pages : p->walk.empty;
		return;
	}
	queue(p, vma, piece, 0, edge);
	queue(p, vma, piece, pages - edge, edge);
	p->counts.sampled += pages - 2 * edge;
	draw_note_at(&p->draw.places, &p->draw.random, PLACE_ANYWHERE,
		     piece->addr + (random_below(&p->draw.random, pages) << p->page_shift));
}

/* All of a hole, of the sources that can be asked for that. */
static void ask_hole(struct process *p, uint64_t start, uint64_t last)
{
	const uint64_t none = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0);
	const struct check *c = p->check;
	struct source_pages pages = { .nr = 1 };
	struct page_truth page;
	uint64_t seen;
	size_t i, request_nr;

	for (i = 0; i < c->nr_sources; i++) {
		if (!c->source[i]->hole ||
		    !c->source[i]->hole(p->file[i], start, last, &pages.addr,
					&seen))
			continue;
		page = process_page(p, pages.addr, 0, none, NULL);
		request_nr = requests_add(&p->again.requests[i], &pages);
		process_suspect(p, i, pages.addr, 1, request_nr,
				   requests_saw(&p->again.requests[i], &page, seen, true));
	}
}

/*
 * Places in a large hole: its middle, and the first table that nobody has. Not beyond
 * what tables span: there arm64 takes the upper byte of an address for a tag, and
 * answers about another one (untagged_addr()).
 */
static void note_hole(struct process *p, uint64_t start, uint64_t last)
{
	const struct ptwalk_kernel *kernel = p->check->env.kernel;
	const uint64_t span = (uint64_t)kernel->level_entries[PTWALK_LEVEL_PGD] <<
			      kernel->level_shift[PTWALK_LEVEL_PGD];
	const uint64_t table = 1ULL << kernel->level_shift[PTWALK_LEVEL_PMD];
	const uint64_t behind = (start | (table - 1)) + 1;

	if (span && start >= span)
		return;
	if (span && last >= span)
		last = span - 1;
	draw_note_at(&p->draw.places, &p->draw.random, PLACE_HOLE,
		     start + ((last - start) / 2 >> p->page_shift << p->page_shift));
	if (table > 1 && behind > start && behind <= last)
		draw_note_at(&p->draw.places, &p->draw.random, PLACE_HOLE, behind);
}

/* A hole from @start to @last: its pages must show nothing. */
static void take_hole(struct process *p, uint64_t start, uint64_t last)
{
	struct piece hole = {
		.addr = start,
		.pages = ((last - start) >> p->page_shift) + 1,
		.bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0),
	};
	const struct map *map = maps_at(&p->maps, start);

	if (map && maps_is_gate(map->name)) {
		flush(p);
		return;		/* check_gates() has been there */
	}
	if (!p->draw.on)
		ask_hole(p, start, last);
	if (p->draw.on || hole.pages <= HOLE_WHOLE) {
		queue(p, NULL, &hole, 0, hole.pages);
		return;
	}
	queue(p, NULL, &hole, 0, HOLE_EDGE);
	queue(p, NULL, &hole, hole.pages - HOLE_EDGE, HOLE_EDGE);
	note_hole(p, start, last);
}

/* The rule by which the kernel may crash when it is asked about these pages. */
static const struct rule *crash_rule(struct process *p,
				     const struct ptwalk_vma *vma,
				     const struct piece *piece)
{
	struct page_truth page;

	if (!rules_may_crash(piece->bits))
		return NULL;
	page = process_page(p, piece->addr, piece->value, piece->bits, vma);
	return rules_crash(&p->check->env, &page);
}

static void leave_out(struct process *p, const struct rule *rule, uint64_t addr,
		      uint64_t pages)
{
	flush(p);
	p->check->summary.crash_rule = rule;
	p->walk.no_sums |= rule->sums;
	p->counts.left_out += pages;
	if (ranges_add(&p->walk.left_out, addr, addr + (pages << p->page_shift) - 1))
		exit_no_memory();
}

/* Queues a run, or what the range has of it. Lists only of kinds that ascend. */
static void queue_piece(struct process *p, const struct ptwalk_vma *vma,
			const struct piece *piece)
{
	uint64_t from = 0, pages = piece->pages, last;
	const struct rule *rule;

	last = piece->addr + (pages << p->page_shift) - 1;
	if (last < p->walk.next || piece->addr > p->walk.range.last)
		return;
	if (piece->addr < p->walk.next)
		from = (p->walk.next - piece->addr) >> p->page_shift;
	if (last > p->walk.range.last)
		pages -= (last - p->walk.range.last) >> p->page_shift;
	pages -= from;
	rule = crash_rule(p, vma, piece);
	if (rule) {
		leave_out(p, rule, piece->addr + (from << p->page_shift), pages);
		return;
	}
	if (ptwalk_bits_kind(piece->bits) == PTWALK_KIND_NONE) {
		struct piece empty = *piece;

		empty.addr += from << p->page_shift;
		empty.pages = pages;
		queue_empty(p, vma, &empty);
	} else {
		queue(p, vma, piece, from, pages);
	}
}

/* As ptwalk_mixed_break(): the number of the page behind those whose bits are the same. */
static uint64_t bits_break(const struct ptwalk_run *run, uint64_t i)
{
	const uint64_t first = run->value[i];

	do
		i++;
	while (i < run->pages && !ptwalk_mixed_number(run->value[i] ^ first));
	return i;
}

/*
 * Of a mixed list, pages in a row with the same bits are a piece, with a list unless they
 * go on with each other; of kinds whose value doesn't ascend, pages of one value.
 */
static void queue_list(struct process *p, const struct ptwalk_runs *runs,
		       const struct ptwalk_run *run, struct piece *piece)
{
	const bool mixed = ptwalk_bits_kind(run->bits) == PTWALK_KIND_MIXED;
	const uint64_t addr = piece->addr;
	uint64_t i, next, row;

	for (i = 0; i < run->pages; i = next) {
		piece->list = NULL;
		piece->value = run->value[i];
		if (mixed) {
			next = ptwalk_mixed_break(runs, run, i, run->pages);
			piece->value = ptwalk_mixed_value(run->value[i]);
			piece->bits = runs->mixed[ptwalk_mixed_number(run->value[i])];
			row = next;
			if (ptwalk_kind_ascends(ptwalk_bits_kind(piece->bits)))
				next = bits_break(run, i);
			piece->list = next > row ? (const void *)&run->value[i] : NULL;
		} else {
			for (next = i + 1; next < run->pages; next++)
				if (run->value[next] != run->value[i])
					break;
		}
		piece->addr = addr + (i << p->page_shift);
		piece->pages = next - i;
		queue_piece(p, &runs->vma, piece);
	}
}

/* Puts the pages of a message into the batch. Returns 0 or a negative errno. */
static int queue_runs(const struct ptwalk_runs *runs, void *arg)
{
	uint64_t addr = runs->start;
	const struct ptwalk_run *run;
	struct process *p = arg;
	struct piece piece;
	int err;

	err = check_stopped(p->check);
	if (err)
		return err;
	ptwalk_for_each_run(run, runs) {
		piece.addr = addr;
		piece.pages = run->pages;
		piece.bits = run->bits & ~(1ULL << PTWALK_BITS_LIST_SHIFT);
		piece.value = run->value[0];
		piece.list = ptwalk_bits_list(run->bits) ?
			     (const void *)run->value : NULL;
		if (piece.list && !ptwalk_kind_ascends(ptwalk_bits_kind(piece.bits)))
			queue_list(p, runs, run, &piece);
		else
			queue_piece(p, &runs->vma, &piece);
		addr += run->pages << p->page_shift;
	}
	/* Of the VMA the next message may have more. */
	p->walk.next = addr;
	return p->walk.unreadable;
}

/* What windows may be around: all from the first VMA to the last, and a little before. */
static void note_span(struct process *p, const struct ptwalk_vma *vma)
{
	const uint64_t before = (uint64_t)HOLE_WHOLE << p->page_shift;
	const uint64_t start = vma->start > before ? vma->start - before : 0;
	const struct range *range = &p->walk.range;
	struct range *span = &p->walk.span;

	if (!span->last)
		span->start = start > range->start ? start : range->start;
	if (vma->last <= span->last)
		return;
	span->last = vma->last < range->last ? vma->last : range->last;
	draw_note_at(&p->draw.places, &p->draw.random, PLACE_VMA,
		     vma->start < range->start ? range->start : vma->start);
	draw_note_at(&p->draw.places, &p->draw.random, PLACE_VMA,
		     span->last >> p->page_shift << p->page_shift);
}

static int batch_runs(const struct ptwalk_runs *runs, void *arg)
{
	const uint64_t start = runs->vma.start;
	struct process *p = arg;
	uint64_t last;
	int err;

	p->batch.told = NULL;
	if (!p->draw.on)
		note_span(p, &runs->vma);

	if (start > p->walk.next && runs->start > p->walk.next) {
		take_hole(p, p->walk.next, start - 1);
		p->walk.next = start;
	}
	err = queue_runs(runs, p);
	last = p->walk.next - 1 < p->walk.range.last ? p->walk.next - 1 : p->walk.range.last;
	p->walk.covered = last == p->walk.range.last;
	p->walk.next = last + 1;
	return err;
}

/* Pages that maps lists, but that the process itself doesn't have. */
static void check_gates(struct process *p)
{
	struct piece gate = {
		.bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0),
	};
	uint64_t start, last;
	size_t i;

	for (i = 0; i < p->maps.nr; i++) {
		const struct map *map = &p->maps.map[i];

		if (!maps_is_gate(map->name) || map->start > p->walk.range.last ||
		    map->last < p->walk.range.start || p->walk.next > map->start)
			continue;
		start = map->start > p->walk.range.start ? map->start :
						      p->walk.range.start;
		last = map->last < p->walk.range.last ? map->last : p->walk.range.last;
		gate.addr = start;
		gate.pages = ((last - start) >> p->page_shift) + 1;
		queue(p, NULL, &gate, 0, gate.pages);
		flush(p);
	}
}

int process_walk(struct process *p)
{
	int err;

	p->walk.next = p->walk.range.start;
	p->walk.covered = false;
	err = truth_runs(p->check->client, p->pid, p->walk.range.start, p->walk.range.last,
			 batch_runs, p);
	if (err)
		return err;
	if (!p->walk.covered && !p->draw.on)
		check_gates(p);
	if (!p->walk.covered)
		take_hole(p, p->walk.next, p->walk.range.last);
	flush(p);
	return 0;
}

int process_walk_window(struct process *p, const struct range *window)
{
	const struct range all = p->walk.range;
	int err;

	/* The kernel may crash when it is asked about some of it. */
	if (ranges_touch(&p->walk.left_out, window->start, window->last))
		return 0;
	p->walk.range = *window;
	err = process_walk(p);
	p->batch.nr = p->batch.nr_vmas = p->batch.pages = 0;
	p->batch.told = NULL;
	p->walk.range = all;
	return err ? err : p->walk.unreadable;
}
