// SPDX-License-Identifier: GPL-2.0
/*
 * The one pass over the stream of runs as the module sends it: each message is
 * compared with what the sources show for the same pages. What differs, or
 * can't be compared without more facts, is only suspected after it.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "check/draw.h"
#include "check/process.h"
#include "check/rules.h"
#include "sources/source.h"

#define READ_PAGES	24576	/* of one read of a large batch: more than 128 KiB of entries */
#define SHORT_PIECE	16	/* pages of one that may be passed over */
#define HOLE_WHOLE	64	/* pages of a hole that is read with what is around it */
#define HOLE_EDGE	8	/* of a larger one, at each side */

/* Empty pages of a process that are read, and of more those at each end. */
#define EMPTY_PAGES	65536
#define EMPTY_EDGE	32

/* The truth of the @nr-th page of a piece. */
static struct page_truth page_in(struct process *p, const struct piece *piece,
				 uint64_t nr)
{
	uint64_t value = piece->value;

	if (piece->list)
		value = piece->list[nr];
	else if (ptwalk_kind_ascends(ptwalk_bits_kind(piece->bits)))
		value += nr;
	return process_page(p, piece->addr + (nr << p->page_shift), value,
			    piece->bits, piece->vma);
}

/* The last page of a run, too, where mistakes are made. */
static void record_last(struct process *p, const struct outcome *outcome)
{
	uint64_t last = outcome->first + outcome->pages - 1;
	struct page_truth page = page_at(&p->base, last, p->page_shift);

	if (p->base_list)
		page.value = p->base_list[last];
	recording_page(p->check->recording, p->check->source[p->source]->name,
		       &page, p->base_seen[last], true, outcome->verdict);
}

/* Pages that differ, with what was seen and in which request. */
static void look_again_at(struct process *p, const struct outcome *outcome)
{
	struct requests *r = &p->requests[p->source];
	struct page_truth page;
	uint64_t i, seen;
	bool has_data;

	if (!p->request_nr)
		p->request_nr = requests_add(r, &p->asked);
	for (i = outcome->first; i < outcome->first + outcome->pages; i++) {
		page = page_at(&p->base, i, p->page_shift);
		if (p->base_list)
			page.value = p->base_list[i];
		has_data = i < p->base_nr;
		seen = requests_saw(r, &page, has_data ? p->base_seen[i] : 0,
				    has_data);
		process_look_again(p, p->source, page.addr, 1, p->request_nr, seen);
	}
}

static void take_outcome(const struct outcome *outcome, void *arg)
{
	struct process *p = arg;
	struct page_truth page;
	bool has_data;

	if (outcome->verdict == VERDICT_MATCH && !p->check->recording) {
		process_count(p, p->source, &p->base, outcome->pages, outcome->verdict);
		return;
	}
	page = page_at(&p->base, outcome->first, p->page_shift);
	if (p->base_list)
		page.value = p->base_list[outcome->first];
	if (outcome->verdict == VERDICT_MISMATCH) {
		look_again_at(p, outcome);
		return;
	}
	has_data = outcome->first < p->base_nr;
	if (p->check->recording && outcome->pages > 1 && has_data)
		record_last(p, outcome);
	process_note(p, p->source, &page, has_data ? p->base_seen[outcome->first] : 0,
		     has_data, outcome->pages, outcome->verdict, outcome->rules);
}

/**
 * struct part - what a span has of a piece
 * @piece: The piece.
 * @first: First page of it.
 * @nr: Number of pages.
 * @at: Where they are in the span.
 * @left: Pages behind them that the span has of the piece, too.
 * @grain: How the source wants them compared.
 */
struct part {
	const struct piece *piece;
	uint64_t first, nr, at, left;
	enum source_grain grain;
};

/* The piece with the page @at of the batch, whose pieces are in a row. */
static const struct piece *piece_at(const struct process *p, uint64_t at)
{
	const uint64_t behind = p->batch[0].addr + ((at + 1) << p->page_shift);

	return &p->batch[array_from(p->batch, p->nr_batch, addr, behind) - 1];
}

/*
 * The next part of the span [@from, @from + @nr), with p->base; @part is all zero
 * first. false: there is none.
 */
static bool next_part(struct process *p, uint64_t from, uint64_t nr, struct part *part)
{
	const struct source *s = p->check->source[p->source];
	const struct env *env = &p->check->env;
	uint64_t alike;

	part->first += part->nr;
	part->at += part->nr;
	if (part->at == nr)
		return false;
	if (!part->left) {
		part->piece = part->piece ? part->piece + 1 : piece_at(p, from);
		part->first = from + part->at -
			      ((part->piece->addr - p->batch[0].addr) >> p->page_shift);
		part->left = part->piece->pages - part->first;
		if (part->left > nr - part->at)
			part->left = nr - part->at;
	}
	p->base = page_in(p, part->piece, part->first);
	part->grain = source_grain(s, env, &p->base);
	alike = s->stretch ? s->stretch(env, &p->base) : UINT64_MAX;
	part->nr = alike < part->left ? alike : part->left;
	part->left -= part->nr;
	return true;
}

/*
 * Where it is kept what is expected of pages with these bits. Those of empty entries are
 * zero; what is most often beside them has another place.
 */
static struct expected_of *known_of(struct process *p, uint64_t bits)
{
	const uint64_t hash = (bits ^ bits >> 29) * 0x9e3779b97f4a7c15ULL;

	return &p->known[p->source][hash >> (64 - KNOWN_BITS)];
}

/*
 * Goes over short pieces behind @part that show what is documented of pages like them:
 * where every second page is swapped out, each page is a piece. Of the span, @nr_seen
 * are known, @seen.
 */
static void pass_over(struct process *p, struct part *part, uint64_t nr_seen,
		      const uint64_t *seen)
{
	const struct piece *e = part->piece, *end = p->batch + p->nr_batch;
	uint64_t at = part->at + part->nr, pages = 0;
	const struct expected_of *known;

	if (!e || part->left)
		return;
	while (++e < end && e->pages <= SHORT_PIECE && at + e->pages <= nr_seen) {
		known = known_of(p, e->bits);
		if (!e->vma || e->list || known->bits != e->bits || known->vma != e->vma ||
		    !known->plain ||
		    !(ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)) ||
		      e->value == known->value) ||
		    !expect_shown(known, e->value, e->pages, seen + at))
			break;
		at += e->pages;
		pages += e->pages;
	}
	if (!pages)
		return;
	process_count(p, p->source, &p->base, pages, VERDICT_MATCH);
	part->piece = e - 1;
	part->at = at;
	part->nr = 0;
}

/* Pages that are compared now, not when their facts are known; or most of them. */
static bool is_compared(const struct process *p, const struct source *s,
			const struct part *part)
{
	return part->grain == SOURCE_RUN ||
	       (part->grain == SOURCE_FACTS && p->drawing && s->factless);
}

/*
 * Keeps some pages of a part of a request, for their facts: those that show another
 * value than the page before that has the same bits, as pages in a row are mostly alike;
 * and one of all.
 */
static void pick(struct process *p, const struct part *part, const uint64_t *seen,
		 uint64_t nr_seen)
{
	struct picks *picks = &p->picks;
	const uint64_t nr = nr_seen < part->nr ? nr_seen : part->nr;
	uint64_t at;

	picks->pages += part->nr;
	if (random_below(&p->random, picks->pages) < part->nr)
		picks->any = part->at + random_below(&p->random, part->nr);
	for (uint64_t i = 0; i < nr; i++) {
		if (picks->value == seen[i] || picks->bits != p->base.bits) {
			picks->value = seen[i];
			picks->bits = p->base.bits;
			continue;
		}
		picks->value = seen[i];
		at = picks->nr++;
		if (at >= FACTS_MOST)
			at = random_below(&p->random, at + 1);
		if (at < FACTS_MOST)
			picks->odd[at] = part->at + i;
	}
}

static int compare_places(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/*
 * Has these pages looked at again, by the same request: the module can't be asked while
 * it answers.
 */
static void put_off_picks(struct process *p)
{
	struct picks *picks = &p->picks;

	if (!picks->nr && picks->pages && (!p->drawing || random_one_in(&p->random, FACTS_IN)))
		picks->odd[picks->nr++] = picks->any;
	if (picks->nr > FACTS_MOST)
		picks->nr = FACTS_MOST;
	if (!picks->nr)
		return;
	qsort(picks->odd, picks->nr, sizeof(*picks->odd), compare_places);
	if (!p->request_nr)
		p->request_nr = requests_add(&p->requests[p->source], &p->asked);
	for (uint64_t i = 0; i < picks->nr; i++)
		process_look_again(p, p->source, p->asked.addr + (picks->odd[i] << p->page_shift),
				   1, p->request_nr, 0);
}

static void put_frames(const struct process *p, const struct part *part, uint64_t *frame)
{
	if (part->piece->list) {
		memcpy(frame, part->piece->list + part->first, part->nr * sizeof(*frame));
		return;
	}
	for (uint64_t i = 0; i < part->nr; i++)
		frame[i] = p->base.value;
	if (ptwalk_kind_ascends(ptwalk_bits_kind(part->piece->bits)))
		for (uint64_t i = 0; i < part->nr; i++)
			frame[i] += i;
}

/* The frames of a span, for p->asked; of pages that are compared in bulk each is its head. */
static void find_frames(struct process *p, uint64_t from, uint64_t nr)
{
	const struct source *s = p->check->source[p->source];
	struct part part = { 0 };

	p->asked.frame = p->asked.head = p->frame;
	memset(p->frame, 0xff, nr * sizeof(*p->frame));
	while (next_part(p, from, nr, &part))
		if (part.grain != SOURCE_SKIPS && (p->drawing || is_compared(p, s, &part)))
			put_frames(p, &part, p->frame + part.at);
}

_Static_assert(SOURCE_NO_FRAME == UINT64_MAX, "all bits are set");

bool process_left_out(const struct process *p, uint64_t start, uint64_t last)
{
	for (size_t i = 0; i < p->left_out.nr; i++)
		if (p->left_out.range[i].start <= last &&
		    p->left_out.range[i].last >= start)
			return true;
	return false;
}

/* Compares a part of a span with what was shown of it, @seen, or has it put off. */
static void compare_part(struct process *p, const struct part *part, const uint64_t *seen,
			 uint64_t nr_seen)
{
	const struct env *env = &p->check->env;
	const struct source *s = p->check->source[p->source];
	uint64_t pages;

	if (s->grain && (p->drawing || part->grain == SOURCE_RUN))
		pick(p, part, seen, nr_seen);
	else if (part->grain == SOURCE_FACTS)
		process_look_again(p, p->source, page_in(p, part->piece, part->first).addr,
				   part->nr, 0, 0);
	if (!is_compared(p, s, part))
		return;
	p->base_list = part->piece->list ? part->piece->list + part->first : NULL;
	p->base_seen = seen;
	p->base_nr = nr_seen < part->nr ? nr_seen : part->nr;
	/* Where the interface ends and nothing is mapped. */
	pages = p->base.vma || p->base.gate ? part->nr : p->base_nr;
	if (!pages)
		return;
	compare_expected(env, s, expect_like(env, s, &p->base, known_of(p, p->base.bits)),
			 &p->base, pages, p->base_list, p->base_seen, p->base_nr, take_outcome, p);
}

void process_compare(struct process *p, uint64_t from, uint64_t nr, const uint64_t *arg)
{
	struct check *c = p->check;
	const struct source *s = c->source[p->source];
	struct part part = { 0 };
	uint64_t seen;
	ssize_t got;

	if (s->own && p->pid != getpid()) {
		if (c->nr_sources == 1)
			p->none = "nothing to compare: it tells a process of its own memory only";
		return;
	}
	p->asked = (struct source_pages){
		.addr = p->batch[0].addr + (from << p->page_shift),
		.nr = nr,
	};
	memcpy(p->asked.arg, arg, sizeof(p->asked.arg));
	if (s->framed)
		find_frames(p, from, nr);
	p->request_nr = 0;
	p->picks = (struct picks){ 0 };
	got = s->read(p->file[p->source], &p->asked, p->values);
	if (got < 0) {
		process_unreadable(p, p->source, got);
		return;
	}
	seen = got;
	while (next_part(p, from, nr, &part)) {
		if (part.grain == SOURCE_SKIPS)
			continue;
		compare_part(p, &part, p->values + part.at, seen > part.at ? seen - part.at : 0);
		if (!s->grain && !s->stretch && !c->recording)
			pass_over(p, &part, seen < nr ? seen : nr, p->values);
	}
	if (p->request_nr)
		p->differing[p->source]++;
	put_off_picks(p);
}

/*
 * All of the batch, in several requests; of ways to read that have arguments, these are
 * drawn.
 */
static void compare_batch(struct process *p)
{
	const struct source *s = p->check->source[p->source];
	uint64_t most = s->framed ? BATCH_PAGES : READ_PAGES, from, left;
	struct source_pages pages = { 0 };

	for (from = 0; from < p->batch_pages; from += most) {
		left = p->batch_pages - from;
		draw_args(s, &p->check->env, &p->random, READ_PAGES, &pages);
		pages.nr = left < most ? left : most;
		/* What is compared whole, too, needs no more requests the more pages there are. */
		if (!s->drawn)
			p->plain += draw_cost(p, s, from, &pages);
		process_compare(p, from, pages.nr, pages.arg);
	}
}

/* What is expected of pages was kept by VMAs, whose places others have now. */
static void forget_known(struct process *p)
{
	for (size_t i = 0; i < p->check->nr_sources; i++)
		for (size_t k = 0; k < 1 << KNOWN_BITS; k++)
			p->known[i][k].vma = NULL;
}

static void flush(struct process *p)
{
	const struct check *c = p->check;

	if (p->nr_batch)
		forget_known(p);
	if (p->nr_batch && p->drawing)
		draw_in_batch(p);
	for (p->source = 0; p->nr_batch && !p->drawing && p->source < c->nr_sources; p->source++)
		if (c->whole || !c->source[p->source]->drawn)
			compare_batch(p);
	p->nr_batch = 0;
	p->nr_vmas = 0;
	p->batch_pages = 0;
}

/* A copy of @vma that stays for as long as the batch does. NULL: there is no room. */
static const struct ptwalk_vma *keep_vma(struct process *p, const struct ptwalk_vma *vma)
{
	if (p->nr_vmas && !memcmp(&p->vmas[p->nr_vmas - 1], vma, sizeof(*vma)))
		return &p->vmas[p->nr_vmas - 1];
	if (p->nr_vmas == BATCH_VMAS)
		return NULL;
	p->vmas[p->nr_vmas] = *vma;
	return &p->vmas[p->nr_vmas++];
}

/* Begins another batch if there is no room, or the pages aren't behind those of this one. */
static void make_room(struct process *p, const struct ptwalk_vma *vma, uint64_t addr)
{
	const struct piece *e;

	if (!p->nr_batch)
		return;
	e = &p->batch[p->nr_batch - 1];
	if (addr != e->addr + (e->pages << p->page_shift) || p->batch_pages == BATCH_PAGES ||
	    (vma && !keep_vma(p, vma)))
		flush(p);
}

/* Queues @pages pages of @piece, in @vma or in none, from the @from-th on. */
static void queue(struct process *p, const struct ptwalk_vma *vma,
		  const struct piece *piece, uint64_t from, uint64_t pages)
{
	bool ascends = ptwalk_kind_ascends(ptwalk_bits_kind(piece->bits));
	struct piece *e;
	uint64_t n, addr;

	for (; pages; from += n, pages -= n) {
		addr = piece->addr + (from << p->page_shift);
		make_room(p, vma, addr);
		n = BATCH_PAGES - p->batch_pages;
		if (n > pages)
			n = pages;
		if (p->nr_batch == p->max_batch)
			p->batch = process_grow(p->batch, &p->max_batch,
						p->nr_batch, sizeof(*p->batch));
		e = &p->batch[p->nr_batch++];
		*e = *piece;
		e->addr = addr;
		e->pages = n;
		e->vma = vma ? keep_vma(p, vma) : NULL;
		if (piece->list) {
			/* The message that it came with won't stay. */
			e->list = memcpy(p->lists + p->batch_pages, piece->list + from,
					 n * sizeof(*e->list));
			e->value = e->list[0];
		} else if (ascends) {
			e->value += from;
		}
		p->batch_pages += n;
		if (!p->drawing)
			draw_note(&p->places, &p->random, p->check->env.kernel, e);
	}
}

/* Reads all of it, or both ends once the process has had enough. */
static void queue_empty(struct process *p, const struct ptwalk_vma *vma,
			const struct piece *piece)
{
	const uint64_t edge = EMPTY_EDGE, pages = piece->pages;

	if (p->drawing || pages <= 2 * edge || pages <= p->empty) {
		queue(p, vma, piece, 0, pages);
		p->empty -= pages < p->empty ? pages : p->empty;
		return;
	}
	queue(p, vma, piece, 0, edge);
	queue(p, vma, piece, pages - edge, edge);
	p->counts.sampled += pages - 2 * edge;
	draw_note_at(&p->places, &p->random, PLACE_ANYWHERE,
		     piece->addr + (random_below(&p->random, pages) << p->page_shift));
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
		request_nr = requests_add(&p->requests[i], &pages);
		process_look_again(p, i, pages.addr, 1, request_nr,
				   requests_saw(&p->requests[i], &page, seen, true));
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
	draw_note_at(&p->places, &p->random, PLACE_HOLE,
		     start + ((last - start) / 2 >> p->page_shift << p->page_shift));
	if (table > 1 && behind > start && behind <= last)
		draw_note_at(&p->places, &p->random, PLACE_HOLE, behind);
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

	if (map && is_gate(map)) {
		flush(p);
		return;		/* check_gates() has been there */
	}
	if (!p->drawing)
		ask_hole(p, start, last);
	if (p->drawing || hole.pages <= HOLE_WHOLE) {
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
	p->no_sums |= rule->sums;
	p->counts.left_out += pages;
	if (ranges_add(&p->left_out, addr, addr + (pages << p->page_shift) - 1))
		exit_no_memory();
}

/* Queues a run, or what the range has of it. Lists only of kinds that ascend. */
static void take_piece(struct process *p, const struct ptwalk_vma *vma,
		       const struct piece *piece)
{
	uint64_t from = 0, pages = piece->pages, last;
	const struct rule *rule;

	last = piece->addr + (pages << p->page_shift) - 1;
	if (last < p->next || piece->addr > p->range.last)
		return;
	if (piece->addr < p->next)
		from = (p->next - piece->addr) >> p->page_shift;
	if (last > p->range.last)
		pages -= (last - p->range.last) >> p->page_shift;
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

/* Of kinds whose value doesn't ascend, pages of one value are a piece. */
static void take_list(struct process *p, const struct ptwalk_vma *vma,
		      const struct ptwalk_run *run, struct piece *piece)
{
	const uint64_t addr = piece->addr;
	uint64_t i, n;

	piece->list = NULL;
	for (i = 0; i < run->pages; i += n) {
		for (n = 1; i + n < run->pages; n++)
			if (run->value[i + n] != run->value[i])
				break;
		piece->addr = addr + (i << p->page_shift);
		piece->pages = n;
		piece->value = run->value[i];
		take_piece(p, vma, piece);
	}
}

/* Of a mixed list, pages that go on with each other are a piece. */
static void take_mixed(struct process *p, const struct ptwalk_runs *runs,
		       const struct ptwalk_run *run, struct piece *piece)
{
	const uint64_t addr = piece->addr;
	uint64_t i, next;

	piece->list = NULL;
	for (i = 0; i < run->pages; i = next) {
		next = ptwalk_mixed_break(runs, run, i, run->pages);
		piece->addr = addr + (i << p->page_shift);
		piece->pages = next - i;
		piece->value = ptwalk_mixed_value(run->value[i]);
		piece->bits = runs->mixed[ptwalk_mixed_number(run->value[i])];
		take_piece(p, &runs->vma, piece);
	}
}

/* Compares what a message has. Returns 0 or a negative errno. */
static int compare_runs(const struct ptwalk_runs *runs, void *arg)
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
		if (ptwalk_bits_kind(run->bits) == PTWALK_KIND_MIXED)
			take_mixed(p, runs, run, &piece);
		else if (piece.list && !ptwalk_kind_ascends(ptwalk_bits_kind(piece.bits)))
			take_list(p, &runs->vma, run, &piece);
		else
			take_piece(p, &runs->vma, &piece);
		addr += run->pages << p->page_shift;
	}
	/* Of the VMA the next message may have more. */
	p->next = addr;
	return p->unreadable;
}

/* What windows may be around: all from the first VMA to the last, and a little before. */
static void note_vma(struct process *p, const struct ptwalk_vma *vma)
{
	const uint64_t before = (uint64_t)HOLE_WHOLE << p->page_shift;
	const uint64_t start = vma->start > before ? vma->start - before : 0;

	if (!p->walked.last)
		p->walked.start = start > p->range.start ? start : p->range.start;
	if (vma->last > p->walked.last) {
		p->walked.last = vma->last < p->range.last ? vma->last : p->range.last;
		draw_note_at(&p->places, &p->random, PLACE_VMA, vma->start < p->range.start ?
			     p->range.start : vma->start);
		draw_note_at(&p->places, &p->random, PLACE_VMA,
			     p->walked.last >> p->page_shift << p->page_shift);
	}
}

static int take_runs(const struct ptwalk_runs *runs, void *arg)
{
	const uint64_t start = runs->vma.start;
	struct process *p = arg;
	uint64_t last;
	int err;

	if (!p->drawing)
		note_vma(p, &runs->vma);

	if (start > p->next && runs->start > p->next) {
		take_hole(p, p->next, start - 1);
		p->next = start;
	}
	err = compare_runs(runs, p);
	last = p->next - 1 < p->range.last ? p->next - 1 : p->range.last;
	p->covered = last == p->range.last;
	p->next = last + 1;
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

		if (!is_gate(map) || map->start > p->range.last ||
		    map->last < p->range.start || p->next > map->start)
			continue;
		start = map->start > p->range.start ? map->start :
						      p->range.start;
		last = map->last < p->range.last ? map->last : p->range.last;
		gate.addr = start;
		gate.pages = ((last - start) >> p->page_shift) + 1;
		queue(p, NULL, &gate, 0, gate.pages);
		flush(p);
	}
}

/* Has all of it queued: a window is no larger than the batch. */
int process_walk_window(struct process *p, const struct range *window)
{
	const struct range all = p->range;
	int err = 0;

	if (process_left_out(p, window->start, window->last))
		return 0;
	p->range = *window;
	p->next = window->start;
	p->covered = false;
	err = truth_runs(p->check->client, p->pid, window->start, window->last, take_runs, p);
	if (!err && !p->covered)
		take_hole(p, p->next, window->last);
	if (!err)
		flush(p);
	p->nr_batch = p->nr_vmas = p->batch_pages = 0;
	p->range = all;
	return err ? err : p->unreadable;
}

/* Of sources that are drawn alone, no more pages count than all that there are. */
static void count_once(struct process *p, const uint64_t *compared)
{
	uint64_t most = 0;

	for (size_t i = 0; i < p->check->nr_sources; i++)
		if (!process_only_draws(p, i) && compared[i] > most)
			most = compared[i];
	for (size_t i = 0; i < p->check->nr_sources; i++)
		if (!process_only_draws(p, i))
			p->compared[i] = compared[i];
		else if (p->compared[i] > (most ? most : p->mapped))
			p->compared[i] = most ? most : p->mapped;
}

/* Nothing more is drawn where the plain read has found something. */
static void pass_over_found(struct process *p)
{
	memset(p->differing, 0, sizeof(p->differing));
	for (size_t i = 0; i < p->nr_found; i++)
		for (size_t k = 0; k < p->check->nr_sources; k++)
			if (p->found[i].finding.source == p->check->source[k] &&
			    p->found[i].finding.verdict > VERDICT_EXPLAINED)
				p->differing[k] = UINT_MAX;
}

static int draw(struct process *p)
{
	const uint64_t plain = p->plain > PLAIN_LEAST ? p->plain : PLAIN_LEAST;
	uint64_t compared[CHECK_MAX_SOURCES];
	int err;

	memcpy(compared, p->compared, sizeof(compared));
	pass_over_found(p);
	err = p->walked.last ? draw_requests(p, p->check->effort * plain) : 0;
	count_once(p, compared);
	return err;
}

int process_check_range(struct process *p, const struct range *range)
{
	uint64_t mask = (1ULL << p->page_shift) - 1;
	size_t source;
	int err;

	p->range.start = range->start & ~mask;
	p->range.last = range->last | mask;
	p->next = p->range.start;
	p->covered = false;
	p->left_out.nr = 0;
	p->walked = (struct range){ 0 };
	p->empty = EMPTY_PAGES;
	p->plain = 0;
	p->mapped = maps_bytes(&p->maps) >> p->page_shift;
	p->random.state = p->check->seed + p->check->draws++ * 0x100000001ULL;
	memset(&p->places, 0, sizeof(p->places));
	err = truth_runs(p->check->client, p->pid, p->range.start,
			   p->range.last, take_runs, p);
	if (err)
		return err;
	if (!p->covered) {
		check_gates(p);
		take_hole(p, p->next, p->range.last);
	}
	flush(p);
	for (source = 0; !err && source < p->check->nr_sources; source++)
		err = process_recheck(p, source);
	if (!err)
		err = draw(p);
	if (!err)
		err = process_recheck_tables(p);
	return err ? err : p->unreadable;
}
