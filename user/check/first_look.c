// SPDX-License-Identifier: GPL-2.0
/*
 * What the sources show for the pages of a batch, compared with its truth. What
 * differs, or can't be compared without more facts, is only suspected after it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "check/draw.h"
#include "check/process.h"
#include "check/rules.h"
#include "sources/source.h"

#define READ_PAGES	24576	/* of one read of a large batch: more than 128 KiB of entries */
#define SHORT_PIECE	16	/* pages of one that may be passed over */

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

/**
 * struct part - what a span has of a piece
 * @process: The process.
 * @piece: The piece.
 * @first: First page of it.
 * @nr: Number of pages.
 * @at: Where they are in the span.
 * @left: Pages behind them that the span has of the piece, too.
 * @grain: How the source wants them compared.
 * @base: Truth of the first page.
 * @seen: What was shown of them, with @nr_seen values.
 */
struct part {
	struct process *process;
	const struct piece *piece;
	uint64_t first, nr, at, left;
	enum source_grain grain;
	struct page_truth base;
	const uint64_t *seen;
	uint64_t nr_seen;
};

/* Pages that differ are looked at again: keeps what was seen, and in which request. */
static void suspect_pages(const struct part *part, const struct outcome *outcome)
{
	struct process *p = part->process;
	struct requests *r = &p->again.requests[p->req.source];
	struct page_truth page;
	bool has_data;
	size_t sighting;

	if (!p->req.number)
		p->req.number = requests_add(r, &p->req.pages);
	for (uint64_t i = outcome->first; i < outcome->first + outcome->pages; i++) {
		page = page_in(p, part->piece, part->first + i);
		has_data = i < part->nr_seen;
		sighting = requests_saw(r, &page, has_data ? part->seen[i] : 0, has_data);
		process_suspect(p, p->req.source, page.addr, 1, p->req.number, sighting);
	}
}

/* The last page of a part that is alike, too, where mistakes are made. */
static void record_last(const struct part *part, const struct outcome *outcome)
{
	const uint64_t last = outcome->first + outcome->pages - 1;
	struct process *p = part->process;
	const struct page_truth page = page_in(p, part->piece, part->first + last);

	p->check->record(p->check->recording, p->check->source[p->req.source], &page,
			 part->seen[last], true, outcome->verdict);
}

/* Pages of a part, in a row, of which compare_expected() says the same. */
static void take_outcome(const struct outcome *outcome, void *arg)
{
	const struct part *part = arg;
	const bool has_data = outcome->first < part->nr_seen;
	struct process *p = part->process;
	struct page_truth page;

	if (outcome->verdict == VERDICT_MATCH && !p->check->record) {
		process_count(p, p->req.source, &part->base, outcome->pages);
		return;
	}
	if (outcome->verdict == VERDICT_MISMATCH) {
		suspect_pages(part, outcome);
		return;
	}
	if (p->check->record && outcome->pages > 1 && has_data)
		record_last(part, outcome);
	page = page_in(p, part->piece, part->first + outcome->first);
	process_note(p, p->req.source, &page, has_data ? part->seen[outcome->first] : 0,
		     has_data, outcome->pages, outcome->verdict, outcome->rules);
}

const struct piece *process_piece_at(const struct process *p, uint64_t at)
{
	const uint64_t behind = p->batch.piece[0].addr + ((at + 1) << p->page_shift);

	return &p->batch.piece[array_from(p->batch.piece, p->batch.nr, addr, behind) - 1];
}

/*
 * The next part of the span [@from, @from + @nr); @part is all zero first. false:
 * there is none.
 */
static bool next_part(struct process *p, uint64_t from, uint64_t nr, struct part *part)
{
	const struct source *s = p->check->source[p->req.source];
	const struct env *env = &p->check->env;
	uint64_t alike;

	part->process = p;
	part->first += part->nr;
	part->at += part->nr;
	if (part->at == nr)
		return false;
	if (!part->left) {
		part->piece = part->piece ? part->piece + 1 : process_piece_at(p, from);
		part->first = from + part->at -
			      ((part->piece->addr - p->batch.piece[0].addr) >> p->page_shift);
		part->left = part->piece->pages - part->first;
		if (part->left > nr - part->at)
			part->left = nr - part->at;
	}
	part->base = page_in(p, part->piece, part->first);
	part->grain = source_grain(s, env, &part->base);
	alike = s->stretch ? s->stretch(env, &part->base) : UINT64_MAX;
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

	return &p->batch.known[p->req.source][hash >> (64 - KNOWN_BITS)];
}

/*
 * Goes over short pieces behind @part that show what is documented of pages like them:
 * where every second page is swapped out, each page is a piece. Of the span, @nr_seen
 * are known, @seen.
 */
static void pass_over(struct process *p, struct part *part, uint64_t nr_seen,
		      const uint64_t *seen)
{
	const struct piece *e = part->piece, *end = p->batch.piece + p->batch.nr;
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
	process_count(p, p->req.source, &part->base, pages);
	part->piece = e - 1;
	part->at = at;
	part->nr = 0;
}

/* Pages that are compared now, not when their facts are known; or most of them. */
static bool is_compared(const struct process *p, const struct source *s,
			const struct part *part)
{
	return part->grain == SOURCE_RUN ||
	       (part->grain == SOURCE_FACTS && p->draw.on && s->trait.factless);
}

/*
 * Keeps some pages of a part of a request, for their facts: those that show another
 * value than the page before that has the same bits, as pages in a row are mostly alike;
 * and one of all.
 */
static void pick(struct process *p, const struct part *part)
{
	struct picks *picks = &p->draw.picks;
	const uint64_t *seen = part->seen;
	uint64_t at;

	picks->pages += part->nr;
	if (random_below(&p->draw.random, picks->pages) < part->nr)
		picks->any = part->at + random_below(&p->draw.random, part->nr);
	for (uint64_t i = 0; i < part->nr_seen; i++) {
		if (picks->value == seen[i] || picks->bits != part->base.bits) {
			picks->value = seen[i];
			picks->bits = part->base.bits;
			continue;
		}
		picks->value = seen[i];
		at = picks->nr++;
		if (at >= FACTS_MOST)
			at = random_below(&p->draw.random, at + 1);
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
 * Has these pages looked at again, as the module can't be asked while it answers: by the
 * same request if it is drawn or something differs in it. That of a batch has too many
 * others, which would be read twice.
 */
static void put_off_picks(struct process *p)
{
	struct picks *picks = &p->draw.picks;

	if (!picks->nr && picks->pages && (!p->draw.on || random_one_in(&p->draw.random, FACTS_IN)))
		picks->odd[picks->nr++] = picks->any;
	if (picks->nr > FACTS_MOST)
		picks->nr = FACTS_MOST;
	if (!picks->nr)
		return;
	qsort(picks->odd, picks->nr, sizeof(*picks->odd), compare_places);
	if (!p->req.number && p->draw.on)
		p->req.number = requests_add(&p->again.requests[p->req.source], &p->req.pages);
	for (uint64_t i = 0; i < picks->nr; i++)
		process_suspect(p, p->req.source,
				p->req.pages.addr + (picks->odd[i] << p->page_shift),
				1, p->req.number, 0);
}

static void put_frames(const struct process *p, const struct part *part, uint64_t *frame)
{
	if (part->piece->list) {
		memcpy(frame, part->piece->list + part->first, part->nr * sizeof(*frame));
		return;
	}
	for (uint64_t i = 0; i < part->nr; i++)
		frame[i] = part->base.value;
	if (ptwalk_kind_ascends(ptwalk_bits_kind(part->piece->bits)))
		for (uint64_t i = 0; i < part->nr; i++)
			frame[i] += i;
}

/*
 * The frames of a span, for p->req.pages. Of what is drawn, the span becomes the pages
 * from the first to the last that have one. Returns whether there are any.
 */
static bool find_frames(struct process *p, uint64_t *from, uint64_t *nr)
{
	const struct source *s = p->check->source[p->req.source];
	uint64_t first = *nr, end = 0;
	struct part part = { 0 };

	memset(p->batch.frame, 0xff, *nr * sizeof(*p->batch.frame));
	while (next_part(p, *from, *nr, &part)) {
		if (part.grain == SOURCE_SKIPS || !(p->draw.on || is_compared(p, s, &part)))
			continue;
		put_frames(p, &part, p->batch.frame + part.at);
		first = first < part.at ? first : part.at;
		end = part.at + part.nr;
	}
	if (p->draw.on) {
		*nr = first < end ? end - first : 0;
		*from += first;
		p->req.pages.addr += first << p->page_shift;
	} else {
		first = 0;
	}
	p->req.pages.nr = *nr;
	p->req.pages.frame = p->batch.frame + first;
	return *nr;
}

/*
 * Compares a part of a span with what was shown of it. Pages that are compared one by one,
 * with facts of each, are put off. Those of pagemap never are: it has no grain.
 */
static void compare_part(struct process *p, struct part *part)
{
	const struct env *env = &p->check->env;
	const struct source *s = p->check->source[p->req.source];
	uint64_t pages;

	if (s->grain && (p->draw.on || part->grain == SOURCE_RUN))
		pick(p, part);
	else if (part->grain == SOURCE_FACTS)
		process_suspect(p, p->req.source, part->base.addr, part->nr, 0, 0);
	if (!is_compared(p, s, part))
		return;
	/* Where nothing is mapped, the interface may end early. */
	pages = part->base.vma || part->base.gate ? part->nr : part->nr_seen;
	if (pages)
		compare_expected(env, s, expect_like(env, s, &part->base,
						     known_of(p, part->base.bits)),
				 &part->base, pages,
				 part->piece->list ? part->piece->list + part->first : NULL,
				 part->seen, part->nr_seen, take_outcome, part);
}

void process_compare(struct process *p, uint64_t from, uint64_t nr, const uint64_t *arg)
{
	struct check *c = p->check;
	const struct source *s = c->source[p->req.source];
	struct part part = { 0 };
	ssize_t got;

	p->req.pages = (struct source_pages){
		.addr = p->batch.piece[0].addr + (from << p->page_shift),
		.nr = nr,
	};
	memcpy(p->req.pages.arg, arg, sizeof(p->req.pages.arg));
	p->req.number = 0;
	p->draw.picks = (struct picks){ 0 };
	if (s->trait.framed && !find_frames(p, &from, &nr))
		return;
	got = s->read(p->file[p->req.source], &p->req.pages, p->batch.values);
	if (got < 0) {
		process_unreadable(p, p->req.source, got);
		return;
	}
	while (next_part(p, from, nr, &part)) {
		if (part.grain == SOURCE_SKIPS)
			continue;
		part.seen = p->batch.values + part.at;
		part.nr_seen = (uint64_t)got > part.at ? got - part.at : 0;
		if (part.nr_seen > part.nr)
			part.nr_seen = part.nr;
		compare_part(p, &part);
		if (!s->grain && !s->stretch && !c->record)
			pass_over(p, &part, (uint64_t)got < nr ? (uint64_t)got : nr, p->batch.values);
	}
	if (p->req.number)
		p->draw.differing[p->req.source]++;
	put_off_picks(p);
}

void process_compare_batch(struct process *p)
{
	const struct source *s = p->check->source[p->req.source];
	uint64_t most = s->trait.framed ? BATCH_PAGES : READ_PAGES, from, left;
	struct source_pages pages = { 0 };

	if (s->trait.own && p->pid != getpid()) {
		if (p->check->nr_sources == 1)
			p->none = "nothing to compare: it tells a process of its own memory only";
		return;
	}
	for (from = 0; from < p->batch.pages; from += most) {
		left = p->batch.pages - from;
		draw_args(s, &p->check->env, &p->draw.random, READ_PAGES, &pages);
		pages.nr = left < most ? left : most;
		/* What is compared whole, too, needs no more requests the more pages there are. */
		if (!s->trait.drawn)
			p->draw.plain += draw_cost(p, s, from, &pages);
		process_compare(p, from, pages.nr, pages.arg);
	}
}
