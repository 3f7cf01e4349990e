// SPDX-License-Identifier: GPL-2.0
/*
 * The one pass over the stream of runs as the module sends it: each message is
 * compared with what the sources show for the same pages. What differs, or
 * can't be compared without more facts, is only suspected after it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "check/empty.h"
#include "check/process.h"
#include "check/rules.h"
#include "check/sample.h"
#include "sources/source.h"

#define READ_PAGES	24576	/* of one read of a large batch: more than 128 KiB of entries */
#define SHORT_PIECE	16	/* pages of one that may be passed over */
#define GAP_PAGES	8	/* read of a hole at each VMA's side, and elsewhere */
#define HOLE_SPOTS	64	/* in holes, away from VMAs */

/* Requests that begin somewhere before a VMA: how many, and their lengths. */
#define ACROSS		8
#define ACROSS_PAGES	32	/* that are compared, at their ends */
#define ACROSS_STEP	37
#define ACROSS_LONG	16500	/* more than 128 KiB of entries */

/* In bulk, one page of so many of those that need facts is asked about. */
#define FACTS_SHARE	128

/* Of pages that are alike, so many at each end are looked at if not all are. */
#define ALIKE_ENDS	4

/*
 * Of empty memory: this much of a VMA is read, of the rest there are samples. Of a VMA
 * that is larger than EMPTY_LARGE an eighth of that.
 */
#define EMPTY_BYTES	(1ULL << 30)
#define EMPTY_LARGE	(1ULL << 34)

/*
 * Of so many pieces of that rest the tables at both ends are read to where they end, and
 * from there on those of one of so many.
 */
#define EMPTY_PIECES	64
#define EMPTY_SHARE	8

/*
 * Stretches of a VMA that the ways with a sample look at: large ones, so many
 * others, and from there on one of so many.
 */
#define LARGE_STRETCH	(BATCH_PAGES / 4)
#define STRETCHES	32

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
			    piece->bits, p->vma);
}

/* The last page of a run, too, where mistakes are made. */
static void record_last(struct process *p, const struct run *run)
{
	uint64_t last = run->first + run->pages - 1;
	struct page_truth page = page_at(&p->base, last, p->page_shift);

	if (p->base_list)
		page.value = p->base_list[last];
	recording_page(p->check->recording, p->check->source[p->source]->name,
		       &page, p->base_seen[last], true, run->verdict);
}

/* Pages that differ, with what was seen and in which request. */
static void suspect_run(struct process *p, const struct run *run)
{
	const struct source *s = p->check->source[p->source];
	struct requests *r = &p->requests[p->source];
	struct page_truth page;
	uint64_t i, seen;
	bool has_data;

	if (!p->request)
		p->request = requests_add(r, &p->asked, s->framed);
	for (i = run->first; i < run->first + run->pages; i++) {
		page = page_at(&p->base, i, p->page_shift);
		if (p->base_list)
			page.value = p->base_list[i];
		has_data = i < p->base_nr;
		seen = requests_saw(r, &page, has_data ? p->base_seen[i] : 0,
				    has_data);
		process_suspect(p, p->source, page.addr, 1, p->request, seen);
	}
}

static void take_run(const struct run *run, void *arg)
{
	struct process *p = arg;
	struct page_truth page;
	bool has_data;

	if (run->verdict == VERDICT_MATCH && !p->check->recording) {
		process_count(p, p->source, &p->base, run->pages, run->verdict);
		return;
	}
	page = page_at(&p->base, run->first, p->page_shift);
	if (p->base_list)
		page.value = p->base_list[run->first];
	if (run->verdict == VERDICT_MISMATCH) {
		suspect_run(p, run);
		return;
	}
	has_data = run->first < p->base_nr;
	if (p->check->recording && run->pages > 1 && has_data)
		record_last(p, run);
	process_note(p, p->source, &page, has_data ? p->base_seen[run->first] : 0,
		     has_data, run->pages, run->verdict, run->rules);
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
		if (e->list || known->bits != e->bits || known->vma != p->vma ||
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

/* Whether all pages of it follow from one entry, or there is nothing. */
static bool is_alike(const struct piece *piece)
{
	return ptwalk_bits_kind(piece->bits) == PTWALK_KIND_NONE ||
	       ptwalk_bits_level(piece->bits) > PTWALK_LEVEL_PTE;
}

/* Pages of which at each end some are compared when their facts are known, the others now. */
static uint64_t ends_of(const struct process *p, const struct source *s,
			const struct part *part)
{
	return part->grain == SOURCE_FACTS && s->factless && !p->in_bulk &&
	       !p->check->whole && is_alike(part->piece) &&
	       part->nr > 2 * ALIKE_ENDS ? ALIKE_ENDS : 0;
}

/* Pages that are compared now, not when their facts are known; or most of them. */
static bool is_compared(const struct process *p, const struct source *s,
			const struct part *part)
{
	return part->grain == SOURCE_RUN ||
	       (part->grain == SOURCE_FACTS && p->in_bulk && s->factless) ||
	       ends_of(p, s, part);
}

/*
 * Has pages of a part looked at again that need facts: the module can't be asked while
 * it answers.
 */
static void put_off(struct process *p, const struct part *part, uint64_t from,
		    uint64_t pages)
{
	if (p->in_bulk && pages > p->facts_left)
		pages = p->facts_left;
	if (p->in_bulk)
		p->facts_left -= pages;
	if (pages)
		process_suspect(p, p->source,
				page_in(p, part->piece, part->first + from).addr,
				pages, 0, 0);
}

/*
 * Whether lists that were kept have the frames of a span in a row, and all may be read;
 * also those of pages that aren't compared before their facts are known.
 */
static bool has_frames(struct process *p, uint64_t from, uint64_t nr)
{
	struct part part = { 0 };

	while (next_part(p, from, nr, &part))
		if (part.grain == SOURCE_SKIPS || !part.piece->list ||
		    part.piece->list + part.first != p->lists + from + part.at)
			return false;
	return true;
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

/*
 * The frames of a span, for p->asked; of pages that are compared in bulk each is its
 * own head. Not all are asked whether something is expected of them.
 */
static void find_frames(struct process *p, uint64_t from, uint64_t nr)
{
	const struct source *s = p->check->source[p->source];
	const bool kept = has_frames(p, from, nr);
	const uint64_t *frame = kept ? p->lists + from : p->frame;
	struct expectation expected;
	unsigned int asked = 0;
	struct part part = { 0 };

	p->asked.frame = p->asked.head = frame;
	if (!kept)
		memset(p->frame, 0xff, nr * sizeof(*p->frame));
	while (next_part(p, from, nr, &part)) {
		if (!is_compared(p, s, &part))
			continue;
		if (!p->asked.telling && asked++ < 16) {
			s->expect(&p->check->env, &p->base, &expected);
			if (expected.value & expected.mask)
				p->asked.telling = frame + part.at + part.nr - 1;
		}
		if (!kept)
			put_frames(p, &part, p->frame + part.at);
	}
}

_Static_assert(SOURCE_NO_FRAME == UINT64_MAX, "all bits are set");

/* Whether the kernel may crash when it is asked about some of the pages. */
static bool crosses_left_out(const struct process *p, uint64_t start, uint64_t last)
{
	for (size_t i = 0; i < p->left_out.nr; i++)
		if (p->left_out.range[i].start <= last &&
		    p->left_out.range[i].last >= start)
			return true;
	return false;
}

/*
 * Where a read begins, of a source with @borders, that comes across the border of the
 * table of the page at @addr; @addr if there is nothing before it that may be read.
 */
static uint64_t before_border(const struct process *p, uint64_t addr)
{
	const struct ptwalk_kernel *kernel = p->check->env.kernel;
	const uint64_t table = kernel->level_entries[PTWALK_LEVEL_PTE];
	const uint64_t page = addr >> p->page_shift;
	uint64_t from;

	if (!table || page < table)
		return addr;
	from = (page - page % table - 1) << p->page_shift;
	return from < p->range.start || crosses_left_out(p, from, addr) ? addr : from;
}

/* Compares a part of a span with what was shown of it, @seen, or has it put off. */
static void compare_part(struct process *p, const struct part *part, const uint64_t *seen,
			 uint64_t nr_seen)
{
	const struct env *env = &p->check->env;
	const struct source *s = p->check->source[p->source];
	const uint64_t ends = ends_of(p, s, part);
	uint64_t nr = part->nr, pages;
	struct expected_of *known;

	if (!is_compared(p, s, part)) {
		put_off(p, part, 0, nr);
		return;
	}
	if (ends) {
		put_off(p, part, 0, ends);
		put_off(p, part, nr - ends, ends);
		p->base = page_in(p, part->piece, part->first + ends);
		nr -= 2 * ends;
	}
	p->base_list = part->piece->list ? part->piece->list + part->first + ends : NULL;
	p->base_seen = seen + ends;
	p->base_nr = nr_seen < ends ? 0 : nr_seen - ends < nr ? nr_seen - ends : nr;
	/* Where the interface ends and nothing is mapped. */
	pages = p->vma || p->base.gate ? nr : p->base_nr;
	if (!pages)
		return;
	known = known_of(p, p->base.bits);
	compare_expected(env, s, expect_like(env, s, &p->base, known), &p->base, pages,
			 p->base_list, p->base_seen, p->base_nr, take_run, p);
}

/* Compares @nr pages of the batch from the @from-th on. */
static void compare_span(struct process *p, uint64_t from, uint64_t nr)
{
	struct check *c = p->check;
	const struct source *s = c->source[p->source];
	uint64_t before = 0, at;
	struct part part = { 0 };
	bool plain;
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
	if (s->framed)
		find_frames(p, from, nr);
	if (p->ask_from) {
		before = p->asked.addr - (s->sample ? before_border(p, p->asked.addr) :
						      *p->ask_from);
		before >>= p->page_shift;
		if (s->at_once)
			before %= s->at_once;
		p->asked.addr -= before << p->page_shift;
		p->asked.nr += before;
	}
	process_limits(p, p->asked.addr + (p->asked.nr << p->page_shift) - 1,
		       &p->asked);
	p->request = 0;
	got = s->read(p->file[p->source], &p->asked, p->values);
	if (got < 0) {
		process_unreadable(p, p->source, got);
		return;
	}
	plain = p->vma && !s->grain && !s->stretch && !c->recording &&
		(uint64_t)got > before;
	while (next_part(p, from, nr, &part)) {
		if (part.grain == SOURCE_SKIPS)
			continue;
		at = before + part.at;
		compare_part(p, &part, p->values + at,
			     (uint64_t)got > at ? got - at : 0);
		if (plain)
			pass_over(p, &part, (uint64_t)got - before < nr ? got - before : nr,
				  p->values + before);
	}
}

/* Decides where, in another way in each process, part of it, and round. */
static uint64_t chance_of(const struct process *p, uint64_t addr)
{
	uint64_t hash = addr >> p->page_shift;

	hash += (uint64_t)p->pid << 40;
	hash += p->check->summary.processes;
	return hash * 0x9e3779b97f4a7c15ULL >> 20;
}

static void add_new(struct process *p, const struct piece *piece, unsigned int zone,
		    uint64_t at)
{
	struct stretch *s = &p->stretch;

	if (s->nr_new < SAMPLE_NEW &&
	    kinds_add(&p->kinds, p->vma->start, piece->bits, zone))
		s->new[s->nr_new++] = at;
}

/* The first of its pages from @from on that isn't in that zone. */
static uint64_t leaves_zone(const struct piece *piece, uint64_t from,
			    const struct zones *zones, unsigned int zone)
{
	uint64_t start, pages, i = from;

	if (!piece->list)
		return piece->pages;
	if (zone == zones->nr)
		return from;
	start = zones->zone[zone].start;
	pages = zones->zone[zone].last - start;
	while (i < piece->pages && piece->list[i] - start <= pages)
		i++;
	return i;
}

/* Where the piece that begins with page @at of the batch has what its VMA hasn't had. */
static void find_new(struct process *p, const struct piece *piece, uint64_t at)
{
	const struct zones *zones = &p->check->zones;
	unsigned int zone = zones->nr;
	uint64_t i = 0, value;

	if (ptwalk_bits_kind(piece->bits) != PTWALK_KIND_PRESENT) {
		add_new(p, piece, zone, at);
		return;
	}
	do {
		value = piece->list ? piece->list[i] : piece->value;
		zone = zone_of(zones, value);
		add_new(p, piece, zone, at + i);
		i = leaves_zone(piece, i + 1, zones, zone);
	} while (i < piece->pages);
}

/* The batch, as those see it that look at a sample. */
static void make_stretch(struct process *p)
{
	uint64_t at = 0;

	p->stretch = (struct stretch){
		.first = p->batch[0].addr >> p->page_shift,
		.pages = p->batch_pages,
		.all = p->mapped,
		.chance = chance_of(p, p->batch[0].addr),
		.table = p->check->env.kernel->level_entries[PTWALK_LEVEL_PTE],
	};
	for (size_t i = 0; p->vma && i < p->nr_batch; at += p->batch[i++].pages)
		find_new(p, &p->batch[i], at);
}

/*
 * Of pieces whose pages are alike no more of the span than the source wants to see,
 * and their ends.
 */
static void compare_some(struct process *p, const struct span *span)
{
	const struct piece *piece = piece_at(p, span->first);
	uint64_t left = p->check->source[p->source]->alike, from = span->first;
	const uint64_t behind = from + span->nr;
	uint64_t at, end, wanted;

	for (at = from; at < behind; at = end, piece++) {
		end = (piece->addr - p->batch[0].addr) >> p->page_shift;
		end += piece->pages;
		if (!is_alike(piece))
			continue;
		/* Those at the end of a piece that the span has no more of aren't its. */
		wanted = left + (end > behind ? 1 : 2) * ALIKE_ENDS;
		if (end > behind)
			end = behind;
		if (end - at <= wanted) {
			left -= left < end - at ? left : end - at;
			continue;
		}
		compare_span(p, from, at + left + ALIKE_ENDS - from);
		from = wanted > left + ALIKE_ENDS ? end - ALIKE_ENDS : end;
		left = 0;
	}
	if (from < behind)
		compare_span(p, from, behind - from);
}

/* Part of the batch, or of that only where entries are that its VMA hasn't had. */
static void compare_sample(struct process *p, bool only_new)
{
	const struct source *s = p->check->source[p->source];
	struct span span[SAMPLE_SPANS];
	size_t nr = sample_spans(s, &p->stretch, only_new, span);

	p->facts_left = p->batch_pages / FACTS_SHARE;
	for (size_t i = 0; i < nr; i++) {
		p->in_bulk = span[i].bulk;
		if (s->alike && p->in_bulk == !!s->bulk)
			compare_some(p, &span[i]);
		else
			compare_span(p, span[i].first, span[i].nr);
	}
	p->in_bulk = false;
}

/* Whether the ways with a sample look at the batch. */
static bool is_sampled(struct process *p)
{
	if (!p->vma)
		return true;
	if (p->stretches_of != p->vma->start)
		p->stretches = 0;
	p->stretches_of = p->vma->start;
	p->stretches++;
	return p->check->whole || p->batch_pages >= LARGE_STRETCH ||
	       p->stretches <= STRETCHES || !(p->stretches % STRETCHES);
}

/* Whether a source sees all of the batch. */
static bool is_whole(const struct process *p, const struct source *s, bool sampling)
{
	if (!s->sample)
		return true;
	if (sampling)
		return p->check->whole || (p->vma && p->vma->flags & s->whole_vmas);
	return s->borders && p->ask_from && p->vma;
}

/* All of the batch; of interfaces that are indexed by address in several reads. */
static void compare_batch(struct process *p)
{
	const struct source *s = p->check->source[p->source];
	uint64_t most = s->framed ? BATCH_PAGES : READ_PAGES, from, left;

	for (from = 0; from < p->batch_pages; from += most) {
		left = p->batch_pages - from;
		compare_span(p, from, left < most ? left : most);
	}
}

/* Of the pages of a VMA it is kept what is expected, as long as that is the same. */
static void begin_batch(struct process *p)
{
	if (!p->vma)
		return;
	if (memcmp(&p->known_vma, p->vma, sizeof(*p->vma))) {
		for (size_t i = 0; i < p->check->nr_sources; i++)
			for (size_t k = 0; k < 1 << KNOWN_BITS; k++)
				p->known[i][k].vma = NULL;
		p->known_vma = *p->vma;
	}
	p->vma = &p->known_vma;
}

static void flush_to(struct process *p, bool sampling)
{
	struct check *c = p->check;
	const struct source *s;
	bool sampled, some;

	if (p->nr_batch)
		begin_batch(p);
	sampling = sampling && p->nr_batch;
	sampled = sampling && is_sampled(p);
	if (sampling && !c->whole)
		make_stretch(p);
	some = sampled || p->stretch.nr_new;
	for (p->source = 0; p->nr_batch && p->source < c->nr_sources;
	     p->source++) {
		s = c->source[p->source];
		if (is_whole(p, s, sampling))
			compare_batch(p);
		else if (sampling && some)
			compare_sample(p, !sampled);
	}
	p->nr_batch = 0;
	p->batch_pages = 0;
	p->nr_kept = 0;
	p->kept_pages = 0;
}

static void flush(struct process *p)
{
	flush_to(p, !p->ask_from);
}

/* What the batch has of a message, before that is gone. */
static void keep(struct process *p, const struct ptwalk_vma *vma)
{
	struct piece *e;

	for (; p->nr_kept < p->nr_batch; p->nr_kept++) {
		e = &p->batch[p->nr_kept];
		if (e->list)
			e->list = memcpy(p->lists + p->kept_pages, e->list,
					 e->pages * sizeof(*e->list));
		p->kept_pages += e->pages;
	}
	if (p->nr_batch && p->vma == vma) {
		p->kept_vma = *vma;
		p->vma = &p->kept_vma;
	}
}

/* Queues @pages pages of @piece from the @from-th on. */
static void queue(struct process *p, const struct ptwalk_vma *vma,
		  const struct piece *piece, uint64_t from, uint64_t pages)
{
	bool ascends = ptwalk_kind_ascends(ptwalk_bits_kind(piece->bits));
	struct piece *e;
	uint64_t n, addr, end;

	for (; pages; from += n, pages -= n) {
		addr = piece->addr + (from << p->page_shift);
		if (p->nr_batch) {
			e = &p->batch[p->nr_batch - 1];
			end = e->addr + (e->pages << p->page_shift);
			if (addr != end || p->batch_pages == BATCH_PAGES)
				flush(p);
		}
		p->vma = vma;
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
		if (piece->list) {
			e->list += from;
			e->value = e->list[0];
		} else if (ascends) {
			e->value += from;
		}
		p->batch_pages += n;
	}
}

/* Reads all of it, or samples once the VMA has had enough. */
static void queue_empty(struct process *p, const struct ptwalk_vma *vma,
			const struct piece *piece)
{
	struct empty empty = {
		.first = (piece->addr - vma->start) >> p->page_shift,
		.end = ((piece->addr - vma->start) >> p->page_shift) + piece->pages,
		.vma_pages = ((vma->last - vma->start) >> p->page_shift) + 1,
		.vma_first = vma->start >> p->page_shift,
	};
	uint64_t at, end = empty.first;

	if (p->empty_of != vma->start) {
		p->empty = (vma->last - vma->start < EMPTY_LARGE ? EMPTY_BYTES :
			    EMPTY_BYTES / 8) >> p->page_shift;
		p->empty_pieces = 0;
	}
	p->empty_of = vma->start;
	if (p->ask_from || piece->pages <= p->empty) {
		queue(p, vma, piece, 0, piece->pages);
		p->empty -= piece->pages < p->empty ? piece->pages : p->empty;
		return;
	}
	p->counts.sampled += piece->pages;
	empty.brief = p->empty_pieces++ >= EMPTY_PIECES &&
		      chance_of(p, piece->addr) % EMPTY_SHARE;
	while ((at = empty_next(&empty, p->check->env.kernel, end, &end)) < empty.end) {
		queue(p, vma, piece, at - empty.first, end - at);
		p->counts.sampled -= end - at;
	}
}

/* Some pages of a hole, through the sources that are quick. */
static void look_into(struct process *p, const struct piece *hole, uint64_t at)
{
	if (at < GAP_PAGES || at + GAP_PAGES > hole->pages ||
	    p->spots == HOLE_SPOTS)
		return;
	p->spots++;
	queue(p, NULL, hole, at - GAP_PAGES, 2 * GAP_PAGES);
	flush_to(p, false);
}

/*
 * A request that begins with the pages before the hole, and of which the first
 * table that nobody has is looked at: these entries are none of it.
 */
static void look_behind(struct process *p, const struct piece *hole)
{
	const struct ptwalk_kernel *kernel = p->check->env.kernel;
	const uint64_t table = kernel->level_entries[PTWALK_LEVEL_PTE];
	const uint64_t before = (uint64_t)GAP_PAGES << p->page_shift;
	uint64_t from = hole->addr - before, first, nr;

	if (!table || hole->addr < before || from < p->range.start)
		return;
	first = -(hole->addr >> p->page_shift) & (table - 1);
	if (first >= hole->pages || p->behind == HOLE_SPOTS ||
	    crosses_left_out(p, from, hole->addr - 1))
		return;
	nr = hole->pages - first < table ? hole->pages - first : table;
	p->behind++;
	p->ask_from = &from;
	queue(p, NULL, hole, first, nr);
	flush_to(p, false);
	p->ask_from = NULL;
}

/*
 * Inside, a hole is looked into where tables begin, and in its middle. Not
 * beyond what tables span: there arm64 takes the upper byte of an address for a
 * tag, and answers about another one (untagged_addr()).
 */
static void look_inside(struct process *p, struct piece *hole)
{
	const struct ptwalk_kernel *kernel = p->check->env.kernel;
	uint64_t size, border, span;

	span = (uint64_t)kernel->level_entries[PTWALK_LEVEL_PGD] <<
	       kernel->level_shift[PTWALK_LEVEL_PGD];
	if (span && hole->addr >= span)
		return;
	if (span && hole->pages > (span - hole->addr) >> p->page_shift)
		hole->pages = (span - hole->addr) >> p->page_shift;
	look_behind(p, hole);
	for (int level = PTWALK_LEVEL_PMD; level <= PTWALK_LEVEL_PUD; level++) {
		if (!kernel->level_shift[level])
			continue;
		size = 1ULL << kernel->level_shift[level];
		border = (hole->addr | (size - 1)) + 1;
		look_into(p, hole, (border - hole->addr) >> p->page_shift);
	}
	look_into(p, hole, hole->pages / 2);
}

/* All of a hole, of the sources that can be asked for that. */
static void ask_hole(struct process *p, uint64_t start, uint64_t last)
{
	const uint64_t none = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0);
	const struct check *c = p->check;
	struct source_pages pages = { .nr = 1 };
	struct page_truth page;
	uint64_t seen;
	size_t i, request;

	for (i = 0; i < c->nr_sources; i++) {
		if (!c->source[i]->hole ||
		    !c->source[i]->hole(p->file[i], start, last, &pages.addr,
					&seen))
			continue;
		process_limits(p, pages.addr, &pages);
		page = process_page(p, pages.addr, 0, none, NULL);
		request = requests_add(&p->requests[i], &pages, false);
		process_suspect(p, i, pages.addr, 1, request,
				requests_saw(&p->requests[i], &page, seen, true));
	}
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

	flush(p);
	if (map && is_gate(map))
		return;		/* check_gates() has been there */
	ask_hole(p, start, last);
	if (hole.pages <= 2 * GAP_PAGES) {
		queue(p, NULL, &hole, 0, hole.pages);
	} else {
		queue(p, NULL, &hole, 0, GAP_PAGES);
		queue(p, NULL, &hole, hole.pages - GAP_PAGES, GAP_PAGES);
	}
	flush(p);
	if (hole.pages > 2 * GAP_PAGES)
		look_inside(p, &hole);
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
	if (p->nr_batch && memcmp(&p->kept_vma, &runs->vma, sizeof(runs->vma)))
		flush(p);
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
	keep(p, &runs->vma);
	/* Of the VMA the next message may have more. */
	p->next = addr;
	return p->unreadable;
}

static int take_runs(const struct ptwalk_runs *runs, void *arg)
{
	const uint64_t start = runs->vma.start;
	struct process *p = arg;
	uint64_t last;
	int err;

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

/*
 * One of whose pages the first @before are not compared, and @n are. Returns 0
 * or a negative errno.
 */
static int ask_beyond(struct process *p, uint64_t addr, uint64_t before,
		      uint64_t n)
{
	const uint64_t last = addr + ((before + n) << p->page_shift) - 1;
	const uint64_t end = p->range.last;
	int err;

	if (addr < p->range.start || crosses_left_out(p, addr, last))
		return 0;
	p->ask_from = &addr;
	p->next = addr + (before << p->page_shift);
	p->range.last = last;
	err = truth_runs(p->check->client, p->pid, p->next, last, compare_runs, p);
	flush(p);
	p->range.last = end;
	p->ask_from = NULL;
	return err;
}

/* Whether a mapping is one that may be asked about. */
static bool in_range(const struct process *p, const struct map *map)
{
	return !is_gate(map) && map->start >= p->range.start &&
	       map->last <= p->range.last;
}

/* One that begins @before pages before a VMA. */
static int ask_across(struct process *p, const struct map *map, uint64_t before)
{
	uint64_t n = ((map->last - map->start) >> p->page_shift) + 1;

	if (n > ACROSS_PAGES)
		n = ACROSS_PAGES;
	if (map->start >> p->page_shift < before)
		before = map->start >> p->page_shift;
	return ask_beyond(p, map->start - (before << p->page_shift), before, n);
}

/* Across VMAs and holes, at odd starts, and one that is long. */
static int check_across(struct process *p)
{
	uint64_t compared[CHECK_MAX_SOURCES];
	const struct map *map, *above = NULL;
	size_t i, source;
	int err = 0;

	memcpy(compared, p->compared, sizeof(compared));
	for (i = p->maps.nr ? ACROSS : 0; !err && i > 0; i--) {
		map = &p->maps.map[(2 * i - 1) * p->maps.nr / (2 * ACROSS)];
		if (map == above || !in_range(p, map))
			continue;
		err = ask_across(p, map, above ? i * ACROSS_STEP : ACROSS_LONG);
		above = map;
	}
	for (source = 0; !err && source < p->check->nr_sources; source++)
		err = process_recheck(p, source);
	/* They have been counted. */
	memcpy(p->compared, compared, sizeof(compared));
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
	p->empty_of = UINT64_MAX;
	p->mapped = maps_bytes(&p->maps) >> p->page_shift;
	err = truth_runs(p->check->client, p->pid, p->range.start,
			   p->range.last, take_runs, p);
	if (err)
		return err;
	flush(p);
	if (!p->covered) {
		check_gates(p);
		take_hole(p, p->next, p->range.last);
	}
	for (source = 0; !err && source < p->check->nr_sources; source++)
		err = process_recheck(p, source);
	if (!err)
		err = check_across(p);
	if (!err)
		err = process_recheck_tables(p);
	return err ? err : p->unreadable;
}
