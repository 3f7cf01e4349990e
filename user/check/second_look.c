// SPDX-License-Identifier: GPL-2.0
/*
 * The second look at pages that differed: the same request is made again, on
 * the same open file and on one opened anew by turns, with the truth read before
 * and after, until judge.c has a verdict. Pages that weren't compared yet are
 * looked at with those near them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/error.h"
#include "check/crash_risk.h"
#include "check/judge.h"
#include "check/process.h"
#include "check/rules.h"
#include "module/client.h"
#include "proc/processes.h"
#include "proc/spaces.h"
#include "sources/source.h"

#define FIRST_PAGES	1024	/* most pages of one that weren't compared yet */
#define WINDOW_GAP	64	/* pages that suspects may lie apart in a window */
#define ATTEMPTS	64	/* to see what a request shows that is to be repeated */
#define NARROWED	64	/* findings of a process whose request is narrowed */
#define REPEATED	16	/* windows for which a long request is made again */
#define BORDERS		64	/* of findings, where rules about tables are tried */

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
 * @request: What is read each time.
 * @last: The number of the request that was made again last, and how often it
 *	was made for one window after the other: @repeated.
 * @asleep: As procs_asleep() said at some time before the first round; 0 if it
 *	has been seen not to sleep since.
 * @suspect: The suspects, with @nr, and room for @max.
 * @judge: One for each page of each suspect, @nr_judges in all.
 * @outcome: What the latest round showed of the page of each, compared with the truth
 *	from before it; of sources without @grain.
 */
struct window {
	uint64_t first, pages;
	size_t last, repeated;
	struct source_pages request;
	uint64_t asleep;
	struct suspect *suspect;
	size_t nr, max;
	struct judge *judge;
	struct outcome *outcome;
	size_t nr_judges;
};

/**
 * struct look - one reading of the truth of a window
 * @page: The truth of each page that is judged, and its @value alone.
 * @truth: What they were made from, of sources that need no facts.
 * @vmas: The same of those that do, with @nr_vmas.
 * @facts: And the facts, and what their pages are charged to: @cgroups.
 * @around: The truth of all pages of a request, for their frames.
 */
struct look {
	struct page_truth *page;
	uint64_t *value;
	struct truth truth;
	struct ptwalk_vma *vmas;
	size_t nr_vmas;
	struct ptwalk_page *facts;
	uint64_t *cgroups;
	struct truth around;
};

static void look_init(struct look *look, size_t max)
{
	memset(look, 0, sizeof(*look));
	look->page = calloc(max, sizeof(*look->page));
	look->value = calloc(max, sizeof(*look->value));
	look->facts = calloc(max, sizeof(*look->facts));
	look->cgroups = calloc(max, sizeof(*look->cgroups));
	if (!look->page || !look->value || !look->facts || !look->cgroups)
		exit_no_memory();
}

static void look_free(struct look *look)
{
	free(look->page);
	free(look->value);
	free(look->facts);
	free(look->cgroups);
	free(look->vmas);
	truth_free(&look->truth);
	truth_free(&look->around);
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
	err = truth_translate_cgroups(p->check->client, p->pid, addrs, judge, t,
				      look->facts, look->cgroups, &look->vmas,
				      &look->nr_vmas, &levels);
	for (i = 0; !err && i < judge; i++) {
		look->page[i] = process_page(p, addrs[i], t[i].value, t[i].bits,
					     truth_vma_among(look->vmas,
							     look->nr_vmas,
							     addrs[i]));
		look->page[i].facts = &look->facts[i];
		look->page[i].cgroup = look->cgroups[i];
		look->page[i].has_cgroup = look->cgroups[i] != PTWALK_NO_CGROUP;
	}
	free(addrs);
	free(t);
	return err;
}

/*
 * Notes the truth of up to @pages pages from @addr on, as many as lie in one
 * extent, as that of the @judge-th and the following ones. Returns how many.
 */
static uint64_t note_truth(struct process *p, struct look *look, size_t judge,
			   uint64_t addr, uint64_t pages, size_t *hint)
{
	struct page_truth page = truth_at(p, &look->truth, addr, hint);
	const uint64_t ascends = ptwalk_kind_ascends(ptwalk_bits_kind(page.bits));
	const struct ptwalk_extent *e;
	uint64_t nr = 1, i;

	if (page.vma) {
		e = &look->truth.extents[*hint];
		nr = e->pages - ((addr - e->addr) >> p->page_shift);
	}
	if (nr > pages)
		nr = pages;
	for (i = 0; i < nr; i++) {
		look->page[judge + i] = page;
		look->value[judge + i] = page.value;
		page.addr += 1ULL << p->page_shift;
		page.value += ascends;
	}
	return nr;
}

static int look_at_tables(struct process *p, const struct window *w,
			  struct look *look)
{
	uint64_t last = w->first + (w->pages << p->page_shift) - 1;
	uint64_t addr, left, nr;
	size_t hint = 0, i, judge = 0;
	int err;

	err = truth_read(p->check->client, p->pid, w->first, last,
			 &look->truth);
	for (i = 0; !err && i < w->nr; i++) {
		addr = w->suspect[i].addr;
		left = w->suspect[i].pages;
		for (; left; left -= nr, judge += nr) {
			nr = note_truth(p, look, judge, addr, left, &hint);
			addr += nr << p->page_shift;
		}
	}
	return err;
}

static int look_at(struct process *p, const struct source *source,
		   const struct window *w, struct look *look)
{
	return source->grain ? look_at_facts(p, w, look) :
			       look_at_tables(p, w, look);
}

/* Where in the request the pages are that are judged. */
static uint64_t place_of(struct process *p, const struct window *w,
			 const struct look *look, size_t judge)
{
	return (look->page[judge].addr - w->request.addr) >> p->page_shift;
}

/* The frames of the pages of a request that aren't judged, as far as they may be read. */
static int frames_around(struct process *p, const struct source *s,
			 const struct source_pages *request, struct truth *truth)
{
	const uint64_t last = request->addr + ((uint64_t)request->nr << p->page_shift) - 1;
	const struct ptwalk_extent *e;
	struct page_truth page;
	uint64_t at;
	int err;

	err = truth_read(p->check->client, p->pid, request->addr, last, truth);
	for (e = truth->extents; !err && e < truth->extents + truth->nr_extents; e++) {
		page = process_page(p, e->addr, e->value, e->bits, truth_vma_at(truth, e->addr));
		at = (e->addr - request->addr) >> p->page_shift;
		if (source_grain(s, &p->check->env, &page) == SOURCE_SKIPS)
			continue;
		for (uint64_t i = 0; i < e->pages; i++)
			p->frame[at + i] = p->head[at + i] =
				page_at(&page, i, p->page_shift).value;
	}
	return err;
}

/*
 * The frames of a request as the tables have them now. What they had when it was made
 * first may be another's by now, whose kpageflags must not be read on all kernels.
 */
static int frames_of(struct process *p, const struct source *s,
		     const struct window *w, struct look *look)
{
	const struct page_truth *page;
	uint64_t i, at;
	int err = 0;

	for (i = 0; i < w->request.nr; i++)
		p->frame[i] = p->head[i] = SOURCE_NO_FRAME;
	if (w->nr_judges < w->request.nr)
		err = frames_around(p, s, &w->request, &look->around);
	for (i = 0; i < w->nr_judges; i++) {
		page = &look->page[i];
		at = place_of(p, w, look, i);
		p->frame[at] = p->head[at] = SOURCE_NO_FRAME;
		if (source_grain(s, &p->check->env, page) == SOURCE_SKIPS)
			continue;
		p->frame[at] = page->value;
		p->head[at] = folio_head(page->value, page->facts);
	}
	return err;
}

/*
 * By turns on the same open file, where it has happened, and on one opened anew:
 * after an exec an open file is still about the memory that was.
 */
static int read_again(struct process *p, size_t source, const struct window *w,
		      unsigned int round, ssize_t *got)
{
	const struct source *s = p->check->source[source];
	struct source_file *file = p->file[source];
	struct source_pages pages = w->request;
	int err;

	*got = 0;
	pages.frame = p->frame;
	pages.head = p->head;
	if (round % 2) {
		err = s->open(p->pid, &file);
		if (err)
			return process_error(p, source, err);
	}
	*got = s->read(file, &pages, p->values);
	if (file != p->file[source])
		s->close(file);
	return *got < 0 ? process_error(p, source, *got) : 0;
}

/* What the first look saw is older than the truth that is now known. */
static void judge_sightings(struct process *p, size_t source,
			    const struct window *w, const struct look *now)
{
	const struct check *c = p->check;
	struct sighting sighting;
	size_t i, judge = 0;
	uint64_t n;

	for (i = 0; i < w->nr; i++)
		for (n = 0; n < w->suspect[i].pages; n++, judge++) {
			if (!w->suspect[i].seen)
				continue;
			sighting = requests_sighting(&p->requests[source],
						     w->suspect[i].seen + n);
			judge_sighting(&w->judge[judge], c->source[source],
				       &sighting, &now->page[judge]);
		}
}

/* Rules about page tables that hold for a page before and after the reading. */
static uint64_t table_rules(const struct env *env, const struct source *s,
			    const struct look *before, const struct look *after,
			    size_t judge)
{
	return rules_of_tables(rules_for(env, s, &before->page[judge]) &
			       rules_for(env, s, &after->page[judge]));
}

/* Whether a page has the bits and the VMA of the one before. */
static bool same_entry(const struct look *look, size_t judge)
{
	const struct page_truth *page = &look->page[judge];

	return page->bits == page[-1].bits && page->vma == page[-1].vma;
}

/* Whether a page is beside the one before, and all but its value follows from that. */
static bool goes_on(const struct process *p, const struct look *look, size_t judge)
{
	const struct page_truth *page = &look->page[judge];

	return same_entry(look, judge) && page->gate == page[-1].gate &&
	       page->addr - page[-1].addr == 1ULL << p->page_shift &&
	       (page->value == page[-1].value ||
		ptwalk_kind_ascends(ptwalk_bits_kind(page->bits)));
}

static void take_outcome(const struct outcome *outcome, void *arg)
{
	struct outcome *of = arg;

	for (uint64_t i = outcome->first; i < outcome->first + outcome->pages; i++)
		of[i] = *outcome;
}

/* Compares what was shown with the truth from before it: like pages at once. */
static void compare_all(struct process *p, const struct source *s,
			struct window *w, const struct look *look, size_t got)
{
	size_t i, end;
	uint64_t at;
	bool ascends;

	for (i = 0; !s->grain && i < w->nr_judges; i = end) {
		end = i + 1;
		while (end < w->nr_judges && goes_on(p, look, end))
			end++;
		at = place_of(p, w, look, i);
		ascends = ptwalk_kind_ascends(ptwalk_bits_kind(look->page[i].bits));
		compare_pages(&p->check->env, s, &look->page[i], end - i,
			      ascends ? look->value + i : NULL, p->values + at,
			      got > at ? got - at : 0, take_outcome, w->outcome + i);
	}
}

/* Whether that page was shown right without any rule. */
static bool is_right(struct process *p, const struct source *s,
		     const struct window *w, const struct look *look,
		     size_t judge, size_t got)
{
	const uint64_t at = place_of(p, w, look, judge);
	struct outcome outcome;

	if (at >= got)
		return false;
	outcome = s->grain ? compare_page(&p->check->env, s, &look->page[judge],
					  p->values[at], true) : w->outcome[judge];
	return outcome.verdict == VERDICT_MATCH && !outcome.rules;
}

/*
 * What a rule says of a page table holds for none of its pages if one of them
 * is right without it in the same answer. The pages of a table are in a row.
 */
static void contradict(struct process *p, const struct source *s,
		       struct window *w, const struct look *before,
		       const struct look *after, size_t got)
{
	const struct env *env = &p->check->env;
	uint64_t set = 0, wrong = 0, table, latest = UINT64_MAX;
	size_t i, first = 0;

	for (i = 0; i < w->nr_judges; i++) {
		if (!i || !same_entry(before, i) || !same_entry(after, i))
			set = table_rules(env, s, before, after, i);
		w->judge[i].without = 0;
		if (!set)
			continue;
		table = rules_table_of(env, &before->page[i]);
		if (table != latest) {
			latest = table;
			first = i;
			wrong = 0;
		}
		if (!(set & ~wrong) || !is_right(p, s, w, before, i, got)) {
			w->judge[i].without = set & wrong;
			continue;
		}
		wrong |= set;
		for (size_t k = first; k <= i; k++)
			w->judge[k].without =
				wrong & table_rules(env, s, before, after, k);
	}
}

/* One look at all pages of a window. Returns 0, a status or a negative errno. */
static int look_again(struct process *p, size_t source, struct window *w,
		      unsigned int round, struct look *before,
		      struct look *after)
{
	struct check *c = p->check;
	const struct source *s = c->source[source];
	uint64_t at;
	ssize_t got;
	size_t i;
	int err;

	err = look_at(p, s, w, before);
	if (err)
		return err;
	if (!round)
		judge_sightings(p, source, w, before);
	else
		pause_a_little();
	if (s->framed)
		err = frames_of(p, s, w, before);
	if (!err)
		err = read_again(p, source, w, round, &got);
	if (!err)
		err = look_at(p, s, w, after);
	if (err)
		return err;

	compare_all(p, s, w, before, got);
	contradict(p, s, w, before, after, got);
	for (i = 0; i < w->nr_judges; i++) {
		at = place_of(p, w, before, i);
		judge_round(&w->judge[i], &c->env, s, &before->page[i],
			    at < (uint64_t)got ? p->values[at] : 0,
			    at < (uint64_t)got, &after->page[i],
			    s->grain ? NULL : &w->outcome[i]);
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

/* The verdicts that no round has brought. */
static void conclude(struct process *p, size_t source, struct window *w)
{
	const struct check *c = p->check;
	bool slept = false, lately = false, asked = false;
	size_t i;

	for (i = 0; i < w->nr_judges; i++) {
		if (!judge_is_open(&w->judge[i]))
			continue;
		if (!asked) {
			lately = space_has_slept(p->pid, w->asleep);
			slept = lately && p->asleep == w->asleep;
			asked = true;
		}
		judge_conclude(&w->judge[i], &c->env, c->source[source],
			       slept, lately);
	}
}

/* Whether a part of the window's request shows the same of its only suspect. */
static bool still_shows(struct process *p, size_t source, struct window *w,
			struct look *before, struct look *after)
{
	judge_init(w->judge, false);
	return !look_again(p, source, w, 0, before, after) &&
	       w->judge->differed;
}

/* Leaves arguments out that aren't needed to show it. */
static void drop_args(struct process *p, size_t source, struct window *part,
		      struct look *before, struct look *after)
{
	uint64_t arg;

	for (size_t i = 0; i < SOURCE_ARGS; i++) {
		arg = part->request.arg[i];
		part->request.arg[i] = 0;
		if (arg && !still_shows(p, source, part, before, after))
			part->request.arg[i] = arg;
	}
}

/*
 * The smallest request that shows a difference again: the page alone, or else
 * what is left when one end and then the other is brought nearer to it; with no more
 * arguments than that takes.
 */
static struct read_request narrowest(struct process *p, size_t source,
				const struct window *w,
				const struct judge *judge,
				struct look *before, struct look *after)
{
	const uint64_t page = judge->truth.addr;
	struct suspect suspect = { .addr = page, .pages = 1 };
	struct source_pages shown = w->request;
	struct judge again;
	struct outcome outcome;
	struct window part = {
		.first = page,
		.pages = 1,
		.suspect = &suspect,
		.nr = 1,
		.judge = &again,
		.outcome = &outcome,
		.nr_judges = 1,
	};
	uint64_t at = (page - shown.addr) >> p->page_shift, cut;

	for (cut = at; cut; cut /= 2) {
		part.request = shown;
		part.request.addr += cut << p->page_shift;
		part.request.nr -= cut;
		if (!still_shows(p, source, &part, before, after))
			continue;
		shown = part.request;
		at -= cut;
		if (cut > at)
			cut = 2 * at;
	}
	for (cut = shown.nr - 1 - at; cut; cut /= 2) {
		part.request = shown;
		part.request.nr -= cut;
		if (!still_shows(p, source, &part, before, after))
			continue;
		shown = part.request;
		if (cut > shown.nr - 1 - at)
			cut = 2 * (shown.nr - 1 - at);
	}
	part.request = shown;
	drop_args(p, source, &part, before, after);
	return process_request(p, source, &part.request);
}

/*
 * Notes what was found of each page; what joins a finding needs no request. What
 * pages of a table show together is seen of all of the request alone.
 */
static void note_all(struct process *p, size_t source, struct window *w,
		     struct look *before, struct look *after)
{
	const struct judge *judge = w->judge;
	struct report_finding *added;
	size_t i;

	for (i = 0; i < w->nr_judges; i++, judge++) {
		added = process_note(p, source, &judge->truth, judge->seen,
				     judge->has_data, 1, judge->verdict,
				     judge->rules);
		if (added && judge->verdict >= VERDICT_UNSTABLE)
			added->request = !judge->without &&
					 p->narrowed++ < NARROWED ?
				narrowest(p, source, w, judge, before, after) :
				process_request(p, source, &w->request);
	}
}

/* Nothing is said of any page yet. */
static void judge_all(struct window *w)
{
	for (size_t i = 0; i < w->nr_judges; i++)
		judge_init(&w->judge[i], true);
}

static bool insists(const struct window *w)
{
	size_t i;

	for (i = 0; i < w->nr_judges; i++)
		if (judge_insists(&w->judge[i]))
			return true;
	return false;
}

/*
 * Whether there are pages that differ and must go on to, since the process may
 * have run. If it has slept, they have differed often enough.
 */
static bool must_go_on(struct process *p, size_t source, struct window *w)
{
	const struct check *c = p->check;
	size_t i;

	if (!insists(w))
		return false;
	if (!space_has_slept(p->pid, w->asleep)) {
		w->asleep = 0;
		return true;
	}
	for (i = 0; i < w->nr_judges; i++)
		judge_slept(&w->judge[i], &c->env, c->source[source]);
	return false;
}

/* No page has differed, or is about to be said to. */
static bool all_match(const struct window *w)
{
	for (size_t i = 0; i < w->nr_judges; i++)
		if (!w->judge[i].decided || judge_is_open(&w->judge[i]) ||
		    w->judge[i].verdict != VERDICT_MATCH)
			return false;
	return true;
}

/* Looks until each page has a verdict. */
static int judge_window(struct process *p, size_t source, struct window *w,
			struct look *before, struct look *after,
			unsigned int *rounds)
{
	unsigned int attempts = p->check->request ? ATTEMPTS : 1;
	unsigned int round, most, paused = 1;
	bool go_on;
	int err;

	do {
		judge_all(w);
		err = look_again(p, source, w, 0, before, after);
		if (err)
			return err;
	} while (--attempts && decided(w));
	most = p->check->retries + JUDGE_RUNNING_ROUNDS;
	for (round = 1; round < most; round++) {
		go_on = must_go_on(p, source, w);
		if (decided(w) || (!go_on && paused >= p->check->retries))
			break;
		if (!go_on)
			pause_before_round(paused++);
		err = look_again(p, source, w, round, before, after);
		if (err)
			return err;
	}
	/*
	 * After an exec, the open file is about the memory that was. Where nothing is
	 * to be said of it, it is enough that process_finish() asks.
	 */
	if (!all_match(w) && procs_space(p->pid) != p->space)
		return client_gone(p->pid);
	conclude(p, source, w);
	*rounds = round;
	return 0;
}

static int recheck_window(struct process *p, size_t source, struct window *w,
			  struct look *before, struct look *after)
{
	unsigned int rounds;
	int err;

	err = judge_window(p, source, w, before, after, &rounds);
	if (err)
		return err;
	note_all(p, source, w, before, after);
	if (rounds > 1)
		w->asleep = procs_asleep(p->pid);
	return 0;
}

/*
 * How many pages a window with @suspect may have. What a request has shown is
 * looked at in few of them, see REPEATED.
 */
static uint64_t window_most(const struct suspect *suspect)
{
	return suspect->request_nr ? WINDOW_PAGES : FIRST_PAGES;
}

/* Moves what a window has room for, up to @most pages, from @from to @piece. */
static void take(struct process *p, struct suspect *from, uint64_t most,
		 struct suspect *piece)
{
	*piece = *from;
	if (piece->pages > most)
		piece->pages = most;
	from->addr += piece->pages << p->page_shift;
	from->pages -= piece->pages;
	if (from->seen)
		from->seen += piece->pages;
}

/* A window of the suspects from the *@next-th on; that is behind them then. */
static void gather(struct process *p, size_t source, struct suspects *s,
		   size_t *next, struct window *w)
{
	const struct requests *r = &p->requests[source];
	struct suspect *first = &s->suspect[*next], *from;
	const uint64_t most = window_most(first);
	const size_t request_nr = first->request_nr;
	/* Of a request that is made again, facts are asked for page by page. */
	const bool by_page = request_nr && p->check->source[source]->grain;
	uint64_t at, end;

	w->first = first->addr;
	w->pages = w->nr_judges = w->nr = 0;
	for (; *next < s->nr; ++*next) {
		from = &s->suspect[*next];
		at = (from->addr - w->first) >> p->page_shift;
		end = at + (from->pages < most ? from->pages : most);
		if (w->nr && (from->addr < w->first || at < w->pages || end > most ||
			      from->request_nr != request_nr ||
			      (at > w->pages + WINDOW_GAP && !by_page)))
			break;
		w->suspect = process_grow(w->suspect, &w->max, w->nr,
					  sizeof(*w->suspect));
		take(p, from, most, &w->suspect[w->nr]);
		w->nr_judges += w->suspect[w->nr++].pages;
		w->pages = end;
		if (from->pages)
			break;
	}
	w->repeated = request_nr == w->last ? w->repeated + 1 : 0;
	w->last = request_nr;
	if (request_nr && w->repeated < REPEATED) {
		w->request = r->request[request_nr - 1];
		return;
	}
	w->request = (struct source_pages){
		.addr = w->first,
		.nr = w->pages,
	};
}

/* How many pages any window of the suspects has to judge at the most. */
static size_t most_judges(const struct suspects *s)
{
	uint64_t most = 0, sum = 0, limit;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		limit = window_most(&s->suspect[i]);
		sum += s->suspect[i].pages;
		if (limit > most)
			most = limit;
	}
	return most < sum ? most : sum;
}

int process_recheck(struct process *p, size_t source)
{
	struct suspects *s = &p->suspects[source];
	struct look before, after;
	struct window w = { 0 };
	size_t most, next = 0;
	int err = 0;

	if (!s->nr)
		return 0;
	most = most_judges(s);
	look_init(&before, most);
	look_init(&after, most);
	w.judge = calloc(most, sizeof(*w.judge));
	w.outcome = calloc(most, sizeof(*w.outcome));
	if (!w.judge || !w.outcome)
		err = error_no_memory();
	w.asleep = procs_asleep(p->pid);
	while (!err && next < s->nr) {
		gather(p, source, s, &next, &w);
		err = check_stopped(p->check);
		if (!err)
			err = recheck_window(p, source, &w, &before, &after);
	}
	s->nr = 0;
	free(w.judge);
	free(w.outcome);
	free(w.suspect);
	requests_free(&p->requests[source]);
	look_free(&before);
	look_free(&after);
	return err;
}

/**
 * struct refuted - what two pages in a row have refuted
 * @request: Shows both.
 * @rules: Rules about their page table that one of them is right without.
 */
struct refuted {
	struct read_request request;
	uint64_t rules;
};

/* Looks at two pages in a row. Returns 0 or a negative errno. */
static int refute(struct process *p, size_t source,
		  const struct source_pages *pages, struct refuted *refuted)
{
	struct suspect suspect = { .addr = pages->addr, .pages = 2 };
	struct judge judge[2] = { 0 };
	struct outcome outcome[2];
	struct window w = {
		.first = pages->addr,
		.pages = 2,
		.request = *pages,
		.asleep = procs_asleep(p->pid),
		.suspect = &suspect,
		.nr = 1,
		.judge = judge,
		.outcome = outcome,
		.nr_judges = 2,
	};
	struct look before, after;
	unsigned int rounds;
	int err;

	look_init(&before, 2);
	look_init(&after, 2);
	err = judge_window(p, source, &w, &before, &after, &rounds);
	refuted->rules = 0;
	for (int i = 0; !err && i < 2; i++)
		if (judge[i].verdict == VERDICT_MISMATCH)
			refuted->rules |= judge[i].without;
	refuted->request = process_request(p, source, pages);
	look_free(&before);
	look_free(&after);
	return err;
}

/* What was found in a page table without the rules that don't hold for it. */
static void withdraw(struct process *p, uint64_t table,
		     const struct refuted *refuted)
{
	const struct env *env = &p->check->env;
	struct report_finding *f;
	uint64_t set;

	for (size_t i = 0; i < p->nr_found; i++) {
		f = &p->found[i].finding;
		if (!f->source || !(f->rules & refuted->rules) ||
		    rules_table_of(env, &f->truth) != table)
			continue;
		for (set = f->rules & refuted->rules; set; set &= set - 1)
			p->check->rules[__builtin_ctzll(set)] -= f->pages;
		f->rules &= ~refuted->rules;
		f->verdict = VERDICT_MISMATCH;
		if (f->source == refuted->request.source)
			f->request = refuted->request;
	}
}

/* The two pages where a finding begins or ends, if that is inside of its table. */
static bool border(struct process *p, const struct report_finding *f, bool end,
		   struct source_pages *pages)
{
	const uint64_t size = 1ULL << p->page_shift;
	const struct page_truth last = page_at(&f->truth, f->pages - 1,
					       p->page_shift);
	const uint64_t table = rules_table_of(&p->check->env, &f->truth);
	struct page_truth other = end ? last : f->truth;

	*pages = (struct source_pages){ .addr = other.addr, .nr = 1 };
	pages->addr = end ? last.addr : f->truth.addr - size;
	pages->nr = 2;
	other.addr = end ? last.addr + size : f->truth.addr - size;
	return rules_table_of(&p->check->env, &last) == table &&
	       rules_table_of(&p->check->env, &other) == table &&
	       pages->addr >= p->range.start &&
	       pages->addr + 2 * size - 1 <= p->range.last &&
	       !process_left_out(p, pages->addr, pages->addr + 2 * size - 1);
}

int process_recheck_tables(struct process *p)
{
	const struct env *env = &p->check->env;
	struct report_finding *f;
	struct source_pages pages;
	struct refuted refuted;
	unsigned int borders = 0;
	size_t source;
	int err = 0;

	for (size_t i = 0; !err && i < p->nr_found; i++)
		for (int end = 0; !err && end < 2; end++) {
			f = &p->found[i].finding;
			if (!f->source || !rules_of_tables(f->rules) ||
			    f->truth.addr < p->range.start ||
			    f->truth.addr > p->range.last ||
			    !border(p, f, end, &pages) || borders++ >= BORDERS)
				continue;
			for (source = 0; p->check->source[source] != f->source;)
				source++;
			err = refute(p, source, &pages, &refuted);
			if (!err && refuted.rules)
				withdraw(p, rules_table_of(env, &f->truth),
					 &refuted);
		}
	return err;
}

int process_repeat(struct process *p, const struct read_request *request)
{
	struct source_pages pages = {
		.addr = request->start,
		.nr = ((request->last - request->start) >> p->page_shift) + 1,
	};
	int err;

	memcpy(pages.arg, request->arg, sizeof(pages.arg));
	p->range = (struct range){ request->start, request->last };
	err = crash_risk_refuse(p->check->client, p->pid, request->start,
				request->last, false);
	if (err)
		return err;
	process_look_again(p, 0, pages.addr, pages.nr,
			   requests_add(&p->requests[0], &pages), 0);
	return process_recheck(p, 0);
}
