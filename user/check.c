// SPDX-License-Identifier: GPL-2.0
/*
 * One pass goes over the stream of runs as the module sends it: each message
 * is compared with what the sources show for the same pages. Pages that
 * differ are only suspects after it, as are those that can't be compared without
 * more facts; each is then looked at again, truth before and after the source,
 * until judge.c has a verdict.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check.h"
#include "cmd.h"
#include "freeze.h"
#include "judge.h"
#include "maps.h"
#include "out.h"
#include "rules.h"
#include "source.h"

#define BATCH_PAGES	65536	/* most pages of one read of a source */
#define WINDOW_PAGES	16384	/* most pages of one second look */
#define WINDOW_GAP	64	/* pages that suspects may lie apart in it */
#define GAP_PAGES	8	/* read of a hole at each VMA's side */

/* Of empty memory: this much of a VMA is read, of the rest there are samples. */
#define EMPTY_BYTES	(1ULL << 30)
#define SAMPLE_EDGE	4096
#define SAMPLE_PIECES	64
#define SAMPLE_PAGES	512

struct suspect {
	uint64_t addr, pages;
};

struct suspects {
	struct suspect *suspect;
	size_t nr, max;
};

/**
 * struct piece - a run of the module, or a part of one
 * @addr: Of its first page.
 * @pages: How many there are.
 * @bits: As in struct ptwalk_run.
 * @value: Of the first page.
 * @list: Those of all pages, or NULL: they ascend if the kind does.
 */
struct piece {
	uint64_t addr, pages;
	uint64_t bits, value;
	const uint64_t *list;
};

struct found {
	struct report_finding finding;
	struct truth_vma vma;
	struct remark *remark;
};

/**
 * struct process - the process that is being checked
 * @check: The run.
 * @pid: It.
 * @comm: Its name.
 * @maps: Its /proc/PID/maps, for names and for the gate area.
 * @file: It, as each source has it open.
 * @suspects: Pages that differed, by source.
 * @found: Findings.
 * @latest: The finding that was added last, by source, as index + 1.
 * @counts: Pages by verdict, of each source; in the end, see one_verdict().
 * @compared: Pages that were compared, by source.
 * @examined: Pages that the present examination looked at, and @most of all.
 * @examination: Its name.
 * @page_shift: Of the base page.
 * @values: What a source shows, for BATCH_PAGES.
 * @frame: Frames of the pages of one read, and @head the first ones of their
 *	folios, as in struct source_pages.
 * @batch: Pieces in a row, clipped, that are read at once.
 * @batch_pages: Pages of it.
 * @vma: That they lie in.
 * @source: The index of the source being compared.
 * @base: Truth of the first page of the piece being compared.
 * @base_list: The values of its pages, or NULL: they ascend.
 * @base_seen: What was shown for it, with @base_nr values.
 * @range: The range that is being walked.
 * @next: First address of it that no VMA has covered yet.
 * @covered: All of it is covered.
 * @empty: Empty pages of the VMA at @empty_of that may still be read whole.
 * @unreadable: A line was printed.
 */
struct process {
	struct check *check;
	pid_t pid;
	char comm[32];
	struct maps maps;
	struct source_file *file[CHECK_MAX_SOURCES];
	struct suspects suspects[CHECK_MAX_SOURCES];
	struct found *found;
	size_t nr_found, max_found;
	size_t latest[CHECK_MAX_SOURCES];
	struct report_counts counts;
	uint64_t compared[CHECK_MAX_SOURCES];
	uint64_t examined, most;
	const char *examination;
	unsigned int page_shift;
	uint64_t *values;
	uint64_t *frame, *head;
	struct piece *batch;
	size_t nr_batch, max_batch;
	uint64_t batch_pages;
	const struct truth_vma *vma;
	size_t source;
	struct page_truth base;
	const uint64_t *base_list, *base_seen;
	uint64_t base_nr;
	struct range range;
	uint64_t next;
	bool covered;
	uint64_t empty, empty_of;
	bool unreadable;
};

static void *grow(void *array, size_t *max, size_t nr, size_t size)
{
	if (nr < *max)
		return array;
	*max = *max ? *max * 2 : 64;
	array = reallocarray(array, *max, size);
	if (!array)
		exit(fail(EXIT_UNCHECKED, "out of memory"));
	return array;
}

static bool is_gate(const struct map *map)
{
	return !strcmp(map->name, "[vsyscall]") ||
	       !strcmp(map->name, "[vectors]");
}

static struct page_truth page_of(struct process *p, uint64_t addr,
				 uint64_t value, uint64_t bits,
				 const struct truth_vma *vma)
{
	struct page_truth page = {
		.addr = addr,
		.value = value,
		.bits = bits,
		.vma = vma,
	};
	const struct map *map;

	if (!vma) {
		map = maps_at(&p->maps, addr);
		page.gate = map && is_gate(map);
	}
	return page;
}

/* The truth of the @nr-th page of a piece. */
static struct page_truth page_in(struct process *p, const struct piece *piece,
				 uint64_t nr)
{
	uint64_t value = piece->value;

	if (piece->list)
		value = piece->list[nr];
	else if (kind_ascends(ptwalk_bits_kind(piece->bits)))
		value += nr;
	return page_of(p, piece->addr + (nr << p->page_shift), value,
		       piece->bits, p->vma);
}

static bool joins(struct process *p, const struct found *prev,
		  const struct report_finding *new)
{
	const struct report_finding *f = &prev->finding;

	return f->verdict == new->verdict && f->rules == new->rules &&
	       f->has_data == new->has_data && f->map == new->map &&
	       f->truth.addr + (f->pages << p->page_shift) ==
		       new->truth.addr &&
	       ptwalk_bits_kind(f->truth.bits) ==
		       ptwalk_bits_kind(new->truth.bits) &&
	       (!f->truth.vma) == (!new->truth.vma) &&
	       (!new->truth.vma ||
		prev->vma.flags == new->truth.vma->flags);
}

/* Counts pages with a verdict and, unless they match, notes the finding. */
static void note(struct process *p, size_t source,
		 const struct page_truth *truth, uint64_t seen, bool has_data,
		 uint64_t pages, enum verdict verdict, uint64_t rules)
{
	struct report_finding finding = {
		.pid = p->pid,
		.comm = p->comm,
		.truth = *truth,
		.seen = seen,
		.has_data = has_data,
		.pages = pages,
		.verdict = verdict,
		.rules = rules,
		.source = p->check->source[source],
		.env = &p->check->env,
	};
	struct found *found;
	uint64_t set;

	p->counts.verdict[verdict] += pages;
	p->counts.comparisons += pages;
	p->compared[source] += pages;
	if (p->check->recording)
		recording_page(p->check->recording,
			       p->check->source[source]->name, truth, seen,
			       has_data, verdict);
	if (truth->vma || truth->gate)
		p->counts.in_vmas += pages;
	if (verdict == VERDICT_MATCH)
		return;
	for (set = rules; set; set &= set - 1)
		p->check->rules[__builtin_ctzll(set)] += pages;
	finding.map = maps_at(&p->maps, truth->addr);

	found = p->latest[source] ? &p->found[p->latest[source] - 1] : NULL;
	if (found && joins(p, found, &finding)) {
		found->finding.pages += pages;
		return;
	}
	p->found = grow(p->found, &p->max_found, p->nr_found,
			sizeof(*p->found));
	found = &p->found[p->nr_found++];
	found->finding = finding;
	found->remark = NULL;
	if (truth->vma)
		found->vma = *truth->vma;
	p->latest[source] = p->nr_found;
}

void examine_compared(const struct examinee *x, uint64_t pages)
{
	struct process *p = x->process;

	p->examined += pages;
	p->counts.comparisons += pages;
	p->counts.in_vmas += pages;
	if (p->examined > p->most)
		p->most = p->examined;
}

void examine_remark(const struct examinee *x, const struct remark *remark)
{
	struct process *p = x->process;
	struct found *found;

	p->found = grow(p->found, &p->max_found, p->nr_found,
			sizeof(*p->found));
	found = &p->found[p->nr_found++];
	memset(found, 0, sizeof(*found));
	found->remark = malloc(sizeof(*remark));
	if (!found->remark)
		exit(fail(EXIT_UNCHECKED, "out of memory"));
	*found->remark = *remark;
	found->finding = (struct report_finding) {
		.pid = p->pid,
		.comm = p->comm,
		.map = remark->pages ? maps_at(&p->maps, remark->start) : NULL,
		.truth.addr = remark->start,
		.pages = remark->pages,
		.verdict = remark->verdict,
		.examination = p->examination,
		.remark = found->remark,
		.env = &p->check->env,
	};
}

static void suspect(struct process *p, size_t source, uint64_t addr,
		    uint64_t pages)
{
	struct suspects *s = &p->suspects[source];
	struct suspect *last = s->nr ? &s->suspect[s->nr - 1] : NULL;

	if (last && last->addr + (last->pages << p->page_shift) == addr) {
		last->pages += pages;
		return;
	}
	s->suspect = grow(s->suspect, &s->max, s->nr, sizeof(*s->suspect));
	s->suspect[s->nr].addr = addr;
	s->suspect[s->nr++].pages = pages;
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

static void take_run(const struct run *run, void *arg)
{
	struct process *p = arg;
	struct page_truth page;
	bool has_data;

	page = page_at(&p->base, run->first, p->page_shift);
	if (p->base_list)
		page.value = p->base_list[run->first];
	if (run->verdict == VERDICT_MISMATCH) {
		suspect(p, p->source, page.addr, run->pages);
		return;
	}
	has_data = run->first < p->base_nr;
	if (p->check->recording && run->pages > 1 && has_data)
		record_last(p, run);
	note(p, p->source, &page, has_data ? p->base_seen[run->first] : 0,
	     has_data, run->pages, run->verdict, run->rules);
}

/* A read of a source that failed: once a line, and nothing more of it. */
static void unreadable(struct process *p, size_t source, int err)
{
	if (!p->unreadable && err != -ESRCH && err != -ENOENT)
		fail(0, "%s of process %d: %s",
		     p->check->source[source]->name, (int)p->pid,
		     strerror(-err));
	p->unreadable = true;
}

/* The frame of the first page of a folio, from the facts of any page of it. */
static uint64_t head_of(uint64_t frame, const struct ptwalk_page *facts)
{
	return facts ? frame - (facts->place >> 32) : frame;
}

/**
 * struct part - what a span has of a piece
 * @piece: The piece.
 * @first: First page of it.
 * @nr: Number of pages.
 * @at: Where they are in the span.
 * @grain: How the source wants them compared.
 */
struct part {
	const struct piece *piece;
	uint64_t first, nr, at;
	enum source_grain grain;
};

/* The next part of the span [@from, @from + @nr) of the batch; false: none. */
static bool next_part(struct process *p, uint64_t from, uint64_t nr,
		      size_t *index, uint64_t *offset, struct part *part)
{
	const struct source *s = p->check->source[p->source];
	struct page_truth page;
	uint64_t end;

	for (; *index < p->nr_batch; *offset += part->piece->pages) {
		part->piece = &p->batch[(*index)++];
		if (*offset >= from + nr)
			return false;
		end = *offset + part->piece->pages;
		if (end <= from)
			continue;
		part->first = from > *offset ? from - *offset : 0;
		if (end > from + nr)
			end = from + nr;
		part->nr = end - *offset - part->first;
		part->at = *offset + part->first - from;
		page = page_in(p, part->piece, part->first);
		part->grain = source_grain(s, &p->check->env, &page);
		*offset += part->piece->pages;
		return true;
	}
	return false;
}

/* The frames of a span; of pages that are compared in bulk each is its own head. */
static void find_frames(struct process *p, uint64_t from, uint64_t nr)
{
	uint64_t offset = 0, i;
	struct part part;
	size_t index = 0;

	for (i = 0; i < nr; i++)
		p->frame[i] = p->head[i] = SOURCE_NO_FRAME;
	while (next_part(p, from, nr, &index, &offset, &part))
		for (i = 0; part.grain == SOURCE_RUN && i < part.nr; i++)
			p->frame[part.at + i] = p->head[part.at + i] =
				page_in(p, part.piece, part.first + i).value;
}

/* Compares @nr pages of the batch from the @from-th on. */
static void compare_span(struct process *p, uint64_t from, uint64_t nr)
{
	struct check *c = p->check;
	const struct source *s = c->source[p->source];
	struct source_pages pages = {
		.addr = p->batch[0].addr + (from << p->page_shift),
		.nr = nr,
		.frame = p->frame,
		.head = p->head,
	};
	uint64_t offset = 0, left;
	struct part part;
	size_t index = 0;
	ssize_t got;

	if (s->framed)
		find_frames(p, from, nr);
	got = s->read(p->file[p->source], &pages, p->values);
	if (got < 0) {
		unreadable(p, p->source, got);
		return;
	}
	while (next_part(p, from, nr, &index, &offset, &part)) {
		if (part.grain == SOURCE_SKIPS)
			continue;
		p->base = page_in(p, part.piece, part.first);
		/* The module can't be asked while it answers. */
		if (part.grain == SOURCE_FACTS) {
			suspect(p, p->source, p->base.addr, part.nr);
			continue;
		}
		p->base_list = part.piece->list ?
			       part.piece->list + part.first : NULL;
		p->base_seen = p->values + part.at;
		left = (uint64_t)got > part.at ? got - part.at : 0;
		p->base_nr = left < part.nr ? left : part.nr;
		/* Where the interface ends and nothing is mapped. */
		if (!p->vma && !p->base.gate)
			part.nr = p->base_nr;
		if (part.nr)
			compare_pages(&c->env, s, &p->base, part.nr,
				      p->base_list, p->base_seen, p->base_nr,
				      take_run, p);
	}
}

static void flush(struct process *p)
{
	struct check *c = p->check;
	uint64_t edge;

	for (p->source = 0; p->nr_batch && p->source < c->nr_sources;
	     p->source++) {
		edge = c->whole ? 0 : c->source[p->source]->sample / 2;
		if (!edge || p->batch_pages <= 2 * edge) {
			compare_span(p, 0, p->batch_pages);
		} else {
			compare_span(p, 0, edge);
			compare_span(p, p->batch_pages - edge, edge);
		}
	}
	p->nr_batch = 0;
	p->batch_pages = 0;
}

/* Queues @pages pages of @piece from the @from-th on. */
static void queue(struct process *p, const struct truth_vma *vma,
		  const struct piece *piece, uint64_t from, uint64_t pages)
{
	bool ascends = kind_ascends(ptwalk_bits_kind(piece->bits));
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
		p->batch = grow(p->batch, &p->max_batch, p->nr_batch,
				sizeof(*p->batch));
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

/*
 * Reads terabytes of nothing only here and there: at both ends, where mistakes
 * are made, and at places in between.
 */
static void queue_empty(struct process *p, const struct truth_vma *vma,
			const struct piece *piece)
{
	const uint64_t sampled = 2 * SAMPLE_EDGE + SAMPLE_PIECES * SAMPLE_PAGES;
	uint64_t step, at;
	int i;

	if (p->empty_of != vma->start || !p->empty) {
		if (p->empty_of != vma->start)
			p->empty = EMPTY_BYTES >> p->page_shift;
		p->empty_of = vma->start;
	}
	if (piece->pages <= p->empty || piece->pages <= sampled) {
		queue(p, vma, piece, 0, piece->pages);
		p->empty -= piece->pages < p->empty ? piece->pages : p->empty;
		return;
	}
	queue(p, vma, piece, 0, SAMPLE_EDGE);
	step = (piece->pages - 2 * SAMPLE_EDGE) / SAMPLE_PIECES;
	for (i = 0; i < SAMPLE_PIECES; i++) {
		at = SAMPLE_EDGE + i * step + (step - SAMPLE_PAGES) / 2;
		queue(p, vma, piece, at, SAMPLE_PAGES);
	}
	queue(p, vma, piece, piece->pages - SAMPLE_EDGE, SAMPLE_EDGE);
	p->counts.sampled += piece->pages - sampled;
}

/* A hole from @start to @last: some pages at either end must show nothing. */
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
	if (hole.pages <= 2 * GAP_PAGES) {
		queue(p, NULL, &hole, 0, hole.pages);
	} else {
		queue(p, NULL, &hole, 0, GAP_PAGES);
		queue(p, NULL, &hole, hole.pages - GAP_PAGES, GAP_PAGES);
	}
	flush(p);
}

/* Queues a run, or what the range has of it. Lists only of kinds that ascend. */
static void take_piece(struct process *p, const struct truth_vma *vma,
		       const struct piece *piece)
{
	uint64_t from = 0, pages = piece->pages, last;

	last = piece->addr + ((pages - 1) << p->page_shift);
	if (last < p->next || piece->addr > p->range.last)
		return;
	if (piece->addr < p->next)
		from = (p->next - piece->addr) >> p->page_shift;
	if (last > p->range.last)
		pages -= (last - p->range.last) >> p->page_shift;
	pages -= from;
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
static void take_list(struct process *p, const struct truth_vma *vma,
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

static int take_runs(const struct truth_runs *runs, void *arg)
{
	const struct truth_vma *vma = &runs->vma;
	uint64_t addr = runs->start, last;
	const struct ptwalk_run *run;
	struct process *p = arg;
	struct piece piece;

	if (vma->start > p->next && runs->start > p->next) {
		take_hole(p, p->next, vma->start - 1);
		p->next = vma->start;
	}
	truth_for_each_run(run, runs) {
		piece.addr = addr;
		piece.pages = run->pages;
		piece.bits = run->bits & ~(1ULL << PTWALK_BITS_LIST_SHIFT);
		piece.value = run->value[0];
		piece.list = ptwalk_bits_list(run->bits) ?
			     (const void *)run->value : NULL;
		if (piece.list && !kind_ascends(ptwalk_bits_kind(piece.bits)))
			take_list(p, vma, run, &piece);
		else
			take_piece(p, vma, &piece);
		addr += run->pages << p->page_shift;
	}
	flush(p);
	/* Of the VMA the next message may have more. */
	last = addr - 1 < p->range.last ? addr - 1 : p->range.last;
	p->covered = last == p->range.last;
	p->next = last + 1;
	return p->unreadable ? EXIT_UNCHECKED : 0;
}

static void pause_before(unsigned int round)
{
	unsigned int ms = round > 6 ? 50 : 1U << round >> 1;
	struct timespec time = { .tv_nsec = ms * 1000000L };

	if (round)
		nanosleep(&time, NULL);
}

/* The truth of the page at @addr; *@hint makes ascending look-ups cheap. */
static struct page_truth truth_at(struct process *p, const struct truth *truth,
				  uint64_t addr, size_t *hint)
{
	const uint64_t none = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0);
	const struct extent *e;
	struct page_truth page;

	for (; *hint < truth->nr_extents; ++*hint) {
		e = &truth->extents[*hint];
		if (addr < e->addr)
			break;
		if (addr - e->addr >= e->pages << p->page_shift)
			continue;
		page = page_of(p, e->addr, e->value, e->bits,
			       truth_vma_at(truth, addr));
		return page_at(&page, (addr - e->addr) >> p->page_shift,
			       p->page_shift);
	}
	return page_of(p, addr, 0, none, NULL);
}

/**
 * struct window - suspects near each other that are looked at together
 * @first: First page.
 * @pages: Pages from there to the last suspect.
 * @suspect: The suspects, with @nr.
 * @judge: One for each page of each suspect, @nr_judges in all.
 */
struct window {
	uint64_t first, pages;
	const struct suspect *suspect;
	size_t nr;
	struct judge *judge;
	size_t nr_judges;
};

/**
 * struct look - one reading of the truth of a window
 * @page: The truth of each page that is judged.
 * @truth: What they were made from, of sources that need no facts.
 * @vmas: The same of those that do, with @nr_vmas.
 * @facts: And the facts.
 */
struct look {
	struct page_truth *page;
	struct truth truth;
	struct truth_vma *vmas;
	size_t nr_vmas;
	struct ptwalk_page *facts;
};

static void look_init(struct look *look, size_t max)
{
	memset(look, 0, sizeof(*look));
	look->page = calloc(max, sizeof(*look->page));
	look->facts = calloc(max, sizeof(*look->facts));
	if (!look->page || !look->facts)
		exit(fail(EXIT_UNCHECKED, "out of memory"));
}

static void look_free(struct look *look)
{
	free(look->page);
	free(look->facts);
	free(look->vmas);
	truth_free(&look->truth);
}

static const struct truth_vma *vma_in(const struct truth_vma *vmas, size_t nr,
				      uint64_t addr)
{
	size_t i, low = 0, high = nr;

	while (low < high) {
		i = low + (high - low) / 2;
		if (vmas[i].last < addr)
			low = i + 1;
		else
			high = i;
	}
	return low < nr && vmas[low].start <= addr ? &vmas[low] : NULL;
}

/* The truth of the pages of a window, with the facts of those that have any. */
static int look_at_facts(struct process *p, const struct window *w,
			 struct look *look)
{
	struct ptwalk_translation *t = calloc(w->nr_judges, sizeof(*t));
	uint64_t *addrs = calloc(w->nr_judges, sizeof(*addrs)), n;
	size_t i, judge = 0;
	uint32_t levels;
	int err;

	if (!t || !addrs)
		exit(fail(EXIT_UNCHECKED, "out of memory"));
	for (i = 0; i < w->nr; i++)
		for (n = 0; n < w->suspect[i].pages; n++)
			addrs[judge++] = w->suspect[i].addr +
					 (n << p->page_shift);
	free(look->vmas);
	look->vmas = NULL;
	look->nr_vmas = 0;
	err = truth_translate_pages(p->check->client, p->pid, addrs, judge, t,
				    look->facts, &look->vmas, &look->nr_vmas,
				    &levels);
	for (i = 0; !err && i < judge; i++) {
		look->page[i] = page_of(p, addrs[i], t[i].value, t[i].bits,
					vma_in(look->vmas, look->nr_vmas,
					       addrs[i]));
		look->page[i].facts = &look->facts[i];
	}
	free(addrs);
	free(t);
	return err;
}

static int look_at_tables(struct process *p, const struct window *w,
			  struct look *look)
{
	uint64_t last = w->first + (w->pages << p->page_shift) - 1, n;
	size_t hint = 0, i, judge = 0;
	int err;

	err = truth_read(p->check->client, p->pid, w->first, last,
			 &look->truth);
	for (i = 0; !err && i < w->nr; i++)
		for (n = 0; n < w->suspect[i].pages; n++)
			look->page[judge++] =
				truth_at(p, &look->truth, w->suspect[i].addr +
					 (n << p->page_shift), &hint);
	return err;
}

static int look_at(struct process *p, const struct source *source,
		   const struct window *w, struct look *look)
{
	return source->framed ? look_at_facts(p, w, look) :
				look_at_tables(p, w, look);
}

/* Where in the window the pages are that are judged. */
static uint64_t place_of(struct process *p, const struct window *w,
			 const struct look *look, size_t judge)
{
	return (look->page[judge].addr - w->first) >> p->page_shift;
}

static void frames_of(struct process *p, const struct source *s,
		      const struct window *w, const struct look *look)
{
	const struct page_truth *page;
	uint64_t i;

	for (i = 0; i < w->pages; i++)
		p->frame[i] = p->head[i] = SOURCE_NO_FRAME;
	for (i = 0; i < w->nr_judges; i++) {
		page = &look->page[i];
		if (source_grain(s, &p->check->env, page) == SOURCE_SKIPS)
			continue;
		p->frame[place_of(p, w, look, i)] = page->value;
		p->head[place_of(p, w, look, i)] =
			head_of(page->value, page->facts);
	}
}

/* One look at all pages of a window. Returns 0, a status or CLIENT_GONE. */
static int look_again(struct process *p, size_t source, struct window *w,
		      struct look *before, struct look *after)
{
	struct check *c = p->check;
	const struct source *s = c->source[source];
	const struct source_pages pages = {
		.addr = w->first,
		.nr = w->pages,
		.frame = p->frame,
		.head = p->head,
	};
	struct source_file *file;
	uint64_t at;
	ssize_t got;
	size_t i;
	int err;

	err = look_at(p, s, w, before);
	if (err)
		return err;
	/*
	 * Opened anew each time: after an exec an open file is still about
	 * the memory that was.
	 */
	err = s->open(p->pid, &file);
	if (err)
		return err == -ENOENT || err == -ESRCH ? CLIENT_GONE :
		       fail(EXIT_UNCHECKED, "%s of process %d: %s", s->name,
			    (int)p->pid, strerror(-err));
	if (s->framed)
		frames_of(p, s, w, before);
	got = s->read(file, &pages, p->values);
	s->close(file);
	if (got == -ESRCH)
		return CLIENT_GONE;
	if (got < 0)
		return fail(EXIT_UNCHECKED, "%s of process %d: %s", s->name,
			    (int)p->pid, strerror(-got));
	err = look_at(p, s, w, after);
	if (err)
		return err;

	for (i = 0; i < w->nr_judges; i++) {
		at = place_of(p, w, before, i);
		judge_round(&w->judge[i], &c->env, s, &before->page[i],
			    at < (uint64_t)got ? p->values[at] : 0,
			    at < (uint64_t)got, &after->page[i]);
	}
	return 0;
}

static bool decided(const struct window *w)
{
	size_t i;

	for (i = 0; i < w->nr_judges; i++)
		if (!w->judge[i].decided)
			return false;
	return true;
}

static int recheck_window(struct process *p, size_t source, struct window *w,
			  struct look *before, struct look *after)
{
	unsigned int round;
	size_t i, j = 0;
	uint64_t n;
	int err;

	for (i = 0; i < w->nr_judges; i++)
		judge_init(&w->judge[i]);
	for (round = 0; round < p->check->retries && !decided(w); round++) {
		pause_before(round);
		err = look_again(p, source, w, before, after);
		if (err)
			return err;
	}
	for (i = 0; i < w->nr; i++) {
		for (n = 0; n < w->suspect[i].pages; n++, j++) {
			const struct judge *judge = &w->judge[j];

			note(p, source, &judge->truth, judge->seen,
			     judge->has_data, 1, judge->verdict,
			     judge->rules);
		}
	}
	return 0;
}

/* Splits what is left of the suspects into windows, and rechecks each. */
static int recheck(struct process *p, size_t source)
{
	struct suspects *s = &p->suspects[source];
	struct look before, after;
	struct suspect *pieces = NULL;
	size_t nr = 0, max = 0, i, j;
	struct window w = { 0 };
	uint64_t n, end;
	int err = 0;

	for (i = 0; i < s->nr; i++) {
		for (; s->suspect[i].pages; s->suspect[i].pages -= n) {
			n = s->suspect[i].pages < WINDOW_PAGES ?
			    s->suspect[i].pages : WINDOW_PAGES;
			pieces = grow(pieces, &max, nr, sizeof(*pieces));
			pieces[nr].addr = s->suspect[i].addr;
			pieces[nr++].pages = n;
			s->suspect[i].addr += n << p->page_shift;
		}
	}
	if (!s->nr)
		return 0;
	s->nr = 0;

	look_init(&before, WINDOW_PAGES);
	look_init(&after, WINDOW_PAGES);
	w.judge = calloc(WINDOW_PAGES, sizeof(*w.judge));
	if (!w.judge)
		err = fail(EXIT_UNCHECKED, "out of memory");
	for (i = 0; !err && i < nr; i = j) {
		w.first = pieces[i].addr;
		w.pages = pieces[i].pages;
		w.nr_judges = pieces[i].pages;
		w.suspect = &pieces[i];
		for (j = i + 1; j < nr; j++) {
			end = ((pieces[j].addr - w.first) >> p->page_shift) +
			      pieces[j].pages;
			if (pieces[j].addr < w.first || end > WINDOW_PAGES ||
			    end - pieces[j].pages > w.pages + WINDOW_GAP)
				break;
			w.pages = end;
			w.nr_judges += pieces[j].pages;
		}
		w.nr = j - i;
		err = recheck_window(p, source, &w, &before, &after);
	}
	free(w.judge);
	free(pieces);
	look_free(&before);
	look_free(&after);
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

static int check_range(struct process *p, const struct range *range)
{
	uint64_t mask = (1ULL << p->page_shift) - 1;
	size_t source;
	int err;

	p->range.start = range->start & ~mask;
	p->range.last = range->last | mask;
	p->next = p->range.start;
	p->covered = false;
	p->empty_of = UINT64_MAX;
	err = truth_runs(p->check->client, p->pid, p->range.start,
			   p->range.last, take_runs, p);
	if (err)
		return err;
	if (!p->covered) {
		check_gates(p);
		take_hole(p, p->next, p->range.last);
	}
	for (source = 0; !err && source < p->check->nr_sources; source++)
		err = recheck(p, source);
	return err ? err : p->unreadable ? EXIT_UNCHECKED : 0;
}

static void read_line(pid_t pid, const char *file, char *buf, size_t size)
{
	char path[32];
	FILE *stream;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	stream = fopen(path, "re");
	if (!stream)
		return;
	if (fgets(buf, size, stream))
		buf[strcspn(buf, "\n")] = '\0';
	fclose(stream);
}

/* Why a process without mappings has none. */
static const char *no_memory(pid_t pid)
{
	char line[512], *p;
	unsigned int flags;
	char state;

	read_line(pid, "stat", line, sizeof(line));
	p = strrchr(line, ')');
	if (!p || sscanf(p + 1, " %c %*d %*d %*d %*d %*d %u", &state,
			 &flags) != 2)
		return NULL;
	if (state == 'Z' || state == 'X')
		return "has exited: no address space";
	if (flags & 0x00200000)	/* PF_KTHREAD */
		return "is a kernel thread: no address space";
	return "has no mappings";
}

static int by_start(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->finding.truth.addr != y->finding.truth.addr)
		return x->finding.truth.addr < y->finding.truth.addr ? -1 : 1;
	return 0;
}

static void close_process(struct process *p)
{
	size_t i;

	for (i = 0; i < p->check->nr_sources; i++) {
		if (p->file[i])
			p->check->source[i]->close(p->file[i]);
		free(p->suspects[i].suspect);
	}
	for (i = 0; i < p->nr_found; i++)
		free(p->found[i].remark);
	maps_free(&p->maps);
	free(p->found);
	free(p->batch);
	free(p->values);
	free(p->frame);
	free(p->head);
}

/* Pages of which at least one source has @verdict or a worse one. */
static uint64_t pages_from(const struct process *p, enum verdict verdict)
{
	uint64_t pages = 0, done = 0;
	size_t i;

	for (i = 0; i < p->nr_found; i++) {
		const struct report_finding *f = &p->found[i].finding;
		uint64_t first = f->truth.addr >> p->page_shift;
		uint64_t end = first + f->pages;

		if (f->verdict < verdict)
			continue;
		if (!f->pages)
			pages++;
		if (!f->pages || end <= done)
			continue;
		pages += end - (first < done ? done : first);
		done = end;
	}
	return pages;
}

/*
 * Makes of the verdicts of all sources and examinations one for each page: the
 * worst. The findings are in ascending order. A figure of the whole process
 * counts as a page.
 */
static void one_verdict(struct process *p)
{
	uint64_t pages = p->most, worse = 0, from;
	size_t i;

	for (i = 0; i < p->check->nr_sources; i++)
		if (p->compared[i] > pages)
			pages = p->compared[i];
	for (i = VERDICT_MISMATCH; i > VERDICT_MATCH; i--) {
		from = pages_from(p, i);
		p->counts.verdict[i] = from - worse;
		worse = from;
	}
	p->counts.verdict[VERDICT_MATCH] = pages > worse ? pages - worse : 0;
}

/* Prints what was found, and adds it up. */
static void report(struct process *p, const char *why)
{
	struct check *c = p->check;
	struct report_counts *sum = &c->summary.counts;
	size_t i;

	qsort(p->found, p->nr_found, sizeof(*p->found), by_start);
	one_verdict(p);
	for (i = 0; i < p->nr_found; i++) {
		if (p->found[i].finding.truth.vma)
			p->found[i].finding.truth.vma = &p->found[i].vma;
		c->renderer->finding(&p->found[i].finding);
	}
	c->renderer->process(p->pid, p->comm, &p->counts, why);
	for (i = 0; i < NR_VERDICTS; i++)
		sum->verdict[i] += p->counts.verdict[i];
	sum->sampled += p->counts.sampled;
	sum->comparisons += p->counts.comparisons;
	sum->in_vmas += p->counts.in_vmas;
}

/* A process that is not there, or no longer. */
static void gone(struct process *p, bool partly)
{
	if (p->check->all) {
		p->check->summary.gone++;
		if (partly)
			report(p, NULL);
	} else {
		fail(0, partly ? "process %d went away" : "no process %d",
		     (int)p->pid);
		p->check->summary.unchecked++;
		report(p, partly ? "went away" : "no such process");
	}
}

static int open_process(struct process *p)
{
	struct check *c = p->check;
	const char *why;
	size_t i;
	int err;

	read_line(p->pid, "comm", p->comm, sizeof(p->comm));
	err = maps_read(p->pid, &p->maps);
	if (err == CLIENT_GONE) {
		gone(p, false);
		return err;
	}
	if (err) {
		c->summary.unchecked++;
		report(p, "maps can't be read");
		return err;
	}
	if (!p->maps.nr) {
		why = no_memory(p->pid);
		if (!why) {
			gone(p, false);
		} else if (c->all) {
			c->summary.no_memory++;
		} else {
			fail(0, "process %d %s", (int)p->pid, why);
			c->summary.unchecked++;
			report(p, why);
		}
		return CLIENT_GONE;
	}
	for (i = 0; i < c->nr_sources; i++) {
		if (!c->source[i]->open)
			continue;
		err = c->source[i]->open(p->pid, &p->file[i]);
		if (err == -ENOENT || err == -ESRCH) {
			gone(p, false);
			return CLIENT_GONE;
		}
		if (err) {
			c->summary.unchecked++;
			fail(0, "%s of process %d: %s", c->source[i]->name,
			     (int)p->pid, strerror(-err));
			report(p, "can't be opened");
			return EXIT_UNCHECKED;
		}
	}
	p->values = calloc(BATCH_PAGES, sizeof(*p->values));
	p->frame = calloc(BATCH_PAGES, sizeof(*p->frame));
	p->head = calloc(BATCH_PAGES, sizeof(*p->head));
	if (!p->values || !p->frame || !p->head)
		exit(fail(EXIT_UNCHECKED, "out of memory"));
	return 0;
}

/* The ranges of the command line, or everything. */
static int take_ranges(struct process *p, char **args, int nr_args,
		       struct ranges *ranges)
{
	const char *reason;
	int i;

	if (!nr_args)
		return ranges_add(ranges, 0, UINT64_MAX) ?
		       fail(EXIT_UNCHECKED, "out of memory") : 0;
	for (i = 0; i < nr_args; i++) {
		reason = maps_ranges(&p->maps, args[i], ranges);
		if (!reason || (p->check->all && parse_is_name(args[i])))
			continue;
		return fail(parse_is_name(args[i]) ? EXIT_UNCHECKED : EXIT_USAGE,
			    "range '%s': %s", args[i], reason);
	}
	return 0;
}

void check_ask(struct check *check, const struct examination *examination,
	       const void *arg)
{
	size_t i;

	for (i = 0; i < check->nr_asked; i++)
		if (check->asked[i].examination == examination)
			return;
	if (i == CHECK_MAX_SOURCES)
		return;
	check->asked[i].examination = examination;
	check->asked[i].arg = arg;
	check->nr_asked++;
}

/* Asks what there is to ask beside the sources. */
static int examine(struct process *p, const struct ranges *ranges, bool whole)
{
	struct check *c = p->check;
	struct examinee x = {
		.client = c->client,
		.env = &c->env,
		.pid = p->pid,
		.maps = &p->maps,
		.ranges = ranges,
		.whole = whole,
		.retries = c->retries,
		.process = p,
	};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < c->nr_asked; i++) {
		x.arg = c->asked[i].arg;
		p->examination = c->asked[i].examination->name;
		p->examined = 0;
		err = c->asked[i].examination->examine(&x);
	}
	return err;
}

static void finish(struct process *p, int err)
{
	struct check *c = p->check;

	thaw();
	if (err == CLIENT_GONE) {
		gone(p, true);
		return;
	}
	if (err) {
		c->summary.unchecked++;
		report(p, "an error on the way");
		return;
	}
	if (!p->counts.in_vmas && !p->counts.verdict[VERDICT_MISMATCH] &&
	    !c->all) {
		fail(0, "process %d: nothing to compare: no mapping there",
		     (int)p->pid);
		c->summary.unchecked++;
		report(p, "nothing to compare: no mapping there");
		return;
	}
	c->summary.processes++;
	report(p, NULL);
}

int check_process(struct check *check, pid_t pid, char **args, int nr_args)
{
	struct process p = {
		.check = check,
		.pid = pid,
		.page_shift = check->env.kernel->page_shift,
	};
	struct ranges ranges = { 0 };
	int err, usage = 0;
	size_t i;

	if (open_process(&p)) {
		close_process(&p);
		return 0;
	}
	err = take_ranges(&p, args, nr_args, &ranges);
	if (err == EXIT_USAGE)
		usage = err;
	if (!err && check->freeze)
		freeze(pid);
	for (i = 0; !err && check->nr_sources && i < ranges.nr; i++)
		err = check_range(&p, &ranges.range[i]);
	if (!err)
		err = examine(&p, &ranges, !nr_args);
	if (!usage)
		finish(&p, err);
	ranges_free(&ranges);
	close_process(&p);
	return usage;
}

/* The claims that lie in the ranges, translated once. */
static int claims_round(struct process *p, const uint64_t *addrs, size_t nr,
			struct ptwalk_translation *out,
			struct truth_vma **vmas, size_t *nr_vmas)
{
	uint32_t levels;

	free(*vmas);
	*vmas = NULL;
	return truth_translate(p->check->client, p->pid, addrs, nr, out, vmas,
			       nr_vmas, &levels);
}

static struct page_truth translated(const struct ptwalk_translation *t,
				    uint64_t addr,
				    const struct truth_vma *vmas, size_t nr)
{
	struct page_truth page = {
		.addr = addr,
		.value = t->value,
		.bits = t->bits,
	};

	page.vma = vma_in(vmas, nr, addr);
	return page;
}

static uint64_t claimed(const struct process *p, const struct claim *claim)
{
	uint64_t mask = (1ULL << p->page_shift) - 1;

	return claim->mapped ? claim->paddr - (claim->vaddr & mask) :
			       CLAIM_UNMAPPED;
}

static int judge_claims(struct process *p, const struct claim *const *claim,
			size_t nr)
{
	struct check *c = p->check;
	struct ptwalk_translation *before, *after;
	struct truth_vma *vmas = NULL, *late = NULL;
	size_t nr_vmas = 0, nr_late = 0, i;
	struct judge *judge;
	struct page_truth a, b;
	uint64_t *addrs;
	unsigned int round;
	bool open = true;
	int err = 0;

	before = calloc(nr, sizeof(*before));
	after = calloc(nr, sizeof(*after));
	addrs = calloc(nr, sizeof(*addrs));
	judge = calloc(nr, sizeof(*judge));
	if (!before || !after || !addrs || !judge)
		exit(fail(EXIT_UNCHECKED, "out of memory"));
	for (i = 0; i < nr; i++) {
		addrs[i] = claim[i]->vaddr;
		judge_init(&judge[i]);
	}
	for (round = 0; !err && open && round < c->retries; round++) {
		pause_before(round);
		err = claims_round(p, addrs, nr, before, &vmas, &nr_vmas);
		if (!err)
			err = claims_round(p, addrs, nr, after, &late,
					   &nr_late);
		open = false;
		for (i = 0; !err && i < nr; i++) {
			a = translated(&before[i], addrs[i], vmas, nr_vmas);
			b = translated(&after[i], addrs[i], late, nr_late);
			judge_round(&judge[i], &c->env, c->source[0], &a,
				    claimed(p, claim[i]), true, &b);
			open |= !judge[i].decided;
		}
	}
	for (i = 0; !err && i < nr; i++) {
		note(p, 0, &judge[i].truth, judge[i].seen, true, 1,
		     judge[i].verdict, judge[i].rules);
		p->counts.in_vmas += !judge[i].truth.vma;
	}
	free(before);
	free(after);
	free(addrs);
	free(judge);
	free(vmas);
	free(late);
	return err;
}

int check_claims(struct check *check, pid_t pid, const struct claims *claims,
		 char **args, int nr_args)
{
	struct process p = {
		.check = check,
		.pid = pid,
		.page_shift = check->env.kernel->page_shift,
	};
	const struct claim **wanted;
	struct ranges ranges = { 0 };
	size_t i, j, nr = 0, n;
	int err, usage = 0;

	if (open_process(&p)) {
		close_process(&p);
		return 0;
	}
	wanted = calloc(claims->nr, sizeof(*wanted));
	if (!wanted)
		exit(fail(EXIT_UNCHECKED, "out of memory"));
	err = take_ranges(&p, args, nr_args, &ranges);
	if (err == EXIT_USAGE)
		usage = err;
	for (i = 0; !err && i < claims->nr; i++)
		for (j = 0; j < ranges.nr; j++)
			if (claims->claim[i].vaddr >= ranges.range[j].start &&
			    claims->claim[i].vaddr <= ranges.range[j].last) {
				wanted[nr++] = &claims->claim[i];
				break;
			}
	if (!err && check->freeze)
		freeze(pid);
	for (i = 0; !err && i < nr; i += n) {
		n = nr - i < WINDOW_PAGES ? nr - i : WINDOW_PAGES;
		err = judge_claims(&p, wanted + i, n);
	}
	if (!usage)
		finish(&p, err);
	free(wanted);
	ranges_free(&ranges);
	close_process(&p);
	return usage;
}
