// SPDX-License-Identifier: GPL-2.0
/*
 * The second look at pages that differed: those near each other are looked at
 * together, truth before and after the source, until judge.c has a verdict.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "check/judge.h"
#include "check/process.h"
#include "module/client.h"
#include "sources/source.h"

#define WINDOW_GAP	64	/* pages that suspects may lie apart in a window */

void pause_before_round(unsigned int round)
{
	unsigned int ms = round > 6 ? 50 : 1U << round >> 1;
	struct timespec time = { .tv_nsec = ms * 1000000L };

	if (round)
		nanosleep(&time, NULL);
}

/* Keeps us out of step with a process that does the same again and again. */
static void pause_a_little(void)
{
	struct timespec time = { .tv_nsec = random() % 1000000 };

	nanosleep(&time, NULL);
}

/* The truth of the page at @addr; *@hint makes ascending look-ups cheap. */
static struct page_truth truth_at(struct process *p, const struct truth *truth,
				  uint64_t addr, size_t *hint)
{
	const uint64_t none = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0);
	const struct ptwalk_extent *e;
	struct page_truth page;

	for (; *hint < truth->nr_extents; ++*hint) {
		e = &truth->extents[*hint];
		if (addr < e->addr)
			break;
		if (addr - e->addr >= e->pages << p->page_shift)
			continue;
		page = process_page(p, e->addr, e->value, e->bits,
				    truth_vma_at(truth, addr));
		return page_at(&page, (addr - e->addr) >> p->page_shift,
			       p->page_shift);
	}
	return process_page(p, addr, 0, none, NULL);
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
	struct ptwalk_vma *vmas;
	size_t nr_vmas;
	struct ptwalk_page *facts;
};

static void look_init(struct look *look, size_t max)
{
	memset(look, 0, sizeof(*look));
	look->page = calloc(max, sizeof(*look->page));
	look->facts = calloc(max, sizeof(*look->facts));
	if (!look->page || !look->facts)
		exit_no_memory();
}

static void look_free(struct look *look)
{
	free(look->page);
	free(look->facts);
	free(look->vmas);
	truth_free(&look->truth);
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
		exit_no_memory();
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
		look->page[i] = process_page(p, addrs[i], t[i].value, t[i].bits,
					     truth_vma_among(look->vmas,
							     look->nr_vmas,
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
			folio_head(page->value, page->facts);
	}
}

/* One look at all pages of a window. Returns 0, a status or a negative errno. */
static int look_again(struct process *p, size_t source, struct window *w,
		      unsigned int round, struct look *before,
		      struct look *after)
{
	struct check *c = p->check;
	const struct source *s = c->source[source];
	struct source_pages pages = {
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
	if (round)
		pause_a_little();
	/*
	 * Opened anew each time: after an exec an open file is still about
	 * the memory that was.
	 */
	err = s->open(p->pid, &file);
	if (err)
		return process_error(p, source, err);
	if (s->framed)
		frames_of(p, s, w, before);
	process_limits(p, p->range.last, &pages);
	got = s->read(file, &pages, p->values);
	s->close(file);
	if (got < 0)
		return process_error(p, source, got);
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
		pause_before_round(round);
		err = look_again(p, source, w, round, before, after);
		if (err)
			return err;
	}
	for (i = 0; i < w->nr; i++) {
		for (n = 0; n < w->suspect[i].pages; n++, j++) {
			const struct judge *judge = &w->judge[j];

			process_note(p, source, &judge->truth, judge->seen,
				     judge->has_data, 1, judge->verdict,
				     judge->rules);
		}
	}
	return 0;
}

/* Splits what is left of the suspects into windows, and rechecks each. */
int process_recheck(struct process *p, size_t source)
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
			pieces = process_grow(pieces, &max, nr, sizeof(*pieces));
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
		err = error_no_memory();
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
