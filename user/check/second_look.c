// SPDX-License-Identifier: GPL-2.0
/*
 * The second look at pages that differed: the same request is made again, on
 * the same open file and on one opened anew by turns, with the truth read before
 * and after, until there is a verdict (judge.h). Pages that weren't compared yet are
 * looked at with those near them.
 */
#include <string.h>
#include "check/crash_risk.h"
#include "check/second_look.h"
#include "check/transient.h"
#include "module/client.h"
#include "proc/processes.h"
#include "proc/spaces.h"
#include "sources/source.h"

#define ATTEMPTS	64	/* to see what a request shows that is to be repeated */
#define NARROWED	64	/* findings of a process whose request is narrowed */
#define MOST_PAUSE	1000000	/* ns within a round: see pause_out_of_step() */

void judge_init(struct judge *judge)
{
	memset(judge, 0, sizeof(*judge));
	judge->verdict = VERDICT_UNSTABLE;
}

static void keep_truth(struct judge *judge, const struct page_truth *truth)
{
	judge->truth = *truth;
	if (truth->vma) {
		judge->vma = *truth->vma;
		judge->truth.vma = &judge->vma;
	}
	if (truth->facts) {
		judge->facts = *truth->facts;
		judge->truth.facts = &judge->facts;
	}
}

/* The source says nothing of what the page has become. */
static bool is_silent(const struct env *env, const struct source *source,
		      const struct page_truth *truth)
{
	return source_grain(source, env, truth) == SOURCE_SKIPS;
}

static bool is_migrating(const struct page_truth *truth)
{
	return page_kind(truth) == PTWALK_KIND_MIGRATION;
}

static bool is_on_its_way(const struct page_truth *truth)
{
	return is_migrating(truth) ||
	       (page_kind(truth) == PTWALK_KIND_NONE &&
		truth->vma && truth->vma->flags & PTWALK_VMA_FLAG_HUGETLB);
}

/* One and the same, in each bit that the module tells. */
static bool tells_the_same(const struct page_truth *a, const struct page_truth *b)
{
	return a->bits == b->bits && a->value == b->value &&
	       !a->vma == !b->vma &&
	       (!a->vma || (a->vma->flags == b->vma->flags &&
			 a->vma->raw_flags == b->vma->raw_flags)) &&
	       (!a->has_cgroup || !b->has_cgroup || a->cgroup == b->cgroup) &&
	       (!a->facts || !b->facts ||
		!memcmp(a->facts, b->facts, sizeof(*a->facts)));
}

bool judge_is_open(const struct judge *judge)
{
	return judge->differed_once && !judge->moved &&
	       !(judge->decided && judge->verdict == VERDICT_MISMATCH);
}

static void note_bad(struct judge *judge, uint64_t seen, bool has_data)
{
	judge->differed_once = true;
	judge->last_bad = seen;
	judge->last_bad_has_data = has_data;
}

/* The source showed the truth that is kept, as @outcome says. */
static void agree(struct judge *judge, const struct outcome *outcome)
{
	judge->streak.nr = 0;
	judge->agreed++;
	if (judge_is_open(judge))
		judge->decided = judge->agreed >= JUDGE_PAGE_ROUNDS;
	else
		judge->decided = !is_on_its_way(&judge->truth) ||
				 (judge->agreed >= JUDGE_PAGE_ROUNDS &&
				  !judge->contradicted);
	if (judge->decided || !judge->contradicted) {
		judge->verdict = outcome->verdict;
		judge->rules = outcome->rules;
	}
}

/*
 * The source didn't. @held: The truth stood still meanwhile. @same: And since the round
 * before, in which the source differed, too. @slept: The process has, all the time.
 */
static void differ(struct judge *judge, bool held, bool same, bool slept)
{
	judge->agreed = 0;
	judge->contradicted = true;
	judge->verdict = VERDICT_UNSTABLE;
	judge->rules = 0;
	judge->streak.nr = !held ? 0 : same ? judge->streak.nr + 1 : 1;
	judge->streak.slept = slept ? judge->streak.nr : 0;
}

/*
 * Whoever shows the truth from before or from after is right, as the page may change in
 * between. The truth that was right is kept for the next round.
 */
void judge_round(struct judge *judge, const struct env *env,
		 const struct source *source, const struct page_truth *before,
		 uint64_t seen, bool has_data, const struct page_truth *after,
		 bool slept)
{
	const bool still = truth_is_same(before, after);
	const bool as_kept = judge->rounds && truth_is_same(&judge->truth, before);
	struct outcome first, second;
	bool held, same, comparable;

	if (judge->decided)
		return;
	judge->moved |= (!still && !tells_the_same(before, after)) ||
			(judge->rounds && !as_kept &&
			 !tells_the_same(&judge->truth, before));
	judge->rounds++;
	if (is_silent(env, source, before)) {
		keep_truth(judge, before);
		judge->decided = true;
		judge->verdict = VERDICT_MATCH;
		return;
	}
	/* What a framed source showed is about the frame from before. */
	comparable = !source->trait.framed || (before->value == after->value &&
				   !is_silent(env, source, after));
	held = comparable && (still || truth_held(env, source, before, after));
	same = held && judge->streak.nr &&
	       (as_kept || truth_held(env, source, &judge->truth, before));
	first = compare_page(env, source, before, seen, has_data);
	second = still ? first :
		 compare_page(env, source, after, seen, has_data);
	if (!still || !as_kept)
		keep_truth(judge, after);
	judge->seen = seen;
	judge->has_data = has_data;

	if (source->trait.at_rest && (is_migrating(before) || is_migrating(after))) {
		judge->streak.nr = 0;
	} else if (comparable && second.verdict != VERDICT_MISMATCH) {
		agree(judge, &second);
	} else if (first.verdict != VERDICT_MISMATCH) {
		keep_truth(judge, before);
		agree(judge, &first);
	} else {
		differ(judge, held, same, slept);
	}
	if (judge->streak.nr && !judge->moved) {
		note_bad(judge, seen, has_data);
		judge->bracketed = true;
	}
	if (streak_proves(&judge->streak)) {
		judge->decided = true;
		judge->verdict = VERDICT_MISMATCH;
		judge->rules = second.rules;
	}
}

void judge_sighting(struct judge *judge, const struct source *source,
		    const struct sighting *sighting,
		    const struct page_truth *now)
{
	const struct page_truth *then = &sighting->truth;

	if (tells_the_same(then, now) &&
	    !(source->trait.at_rest && is_migrating(then)))
		note_bad(judge, sighting->seen, sighting->has_data);
}

void judge_conclude(struct judge *judge, const struct env *env,
		    const struct source *source, bool slept,
		    bool slept_lately)
{
	bool proven = judge->bracketed ? slept_lately : slept;

	if (!judge_is_open(judge))
		return;
	proven = proven && !transient_shows(env, source, &judge->truth,
					    judge->last_bad, judge->last_bad_has_data);
	if (!proven && !judge->bracketed)
		return;
	judge->verdict = proven ? VERDICT_MISMATCH : VERDICT_UNSTABLE;
	judge->decided = proven;
	judge->seen = judge->last_bad;
	judge->has_data = judge->last_bad_has_data;
	judge->rules = compare_page(env, source, &judge->truth, judge->seen,
				    judge->has_data).rules;
}

unsigned int judge_same(unsigned int same, bool found, bool as_before)
{
	if (!found)
		return JUDGE_ROUNDS;
	return same && as_before ? same + 1 : 1;
}

/*
 * By turns on the same open file, where it has happened, and on one opened anew:
 * after an exec an open file is still about the memory that was.
 */
static int read_again(struct process *p, const struct window *w, ssize_t *got)
{
	const struct source *s = p->check->source[w->source];
	struct source_file *file = p->file[w->source];
	struct source_pages pages = w->request;
	int err;

	pages.frame = p->batch.frame;
	if (w->rounds.nr % 2 == 0) {
		err = s->open(s, p->pid, &file);
		if (err)
			return process_error(p, w->source, err);
	}
	*got = s->read(file, &pages, p->batch.values);
	if (file != p->file[w->source])
		s->close(file);
	return *got < 0 ? process_error(p, w->source, *got) : 0;
}

/* What the first look saw is older than the truth that is now known. */
static void judge_sightings(struct process *p, const struct window *w)
{
	const struct source *s = p->check->source[w->source];
	struct requests *requests = &p->again.requests[w->source];
	size_t judge = 0;

	for (size_t i = 0; i < w->nr; i++)
		for (uint64_t n = 0; n < w->suspect[i].pages; n++, judge++)
			if (w->suspect[i].sighting)
				judge_sighting(&w->judge[judge], s,
					       requests_sighting(requests,
								 w->suspect[i].sighting + n),
					       &w->before.page[judge]);
}

/* Asked once it matters: of what has differed in one round less than it takes. */
static bool has_slept(struct window *w)
{
	for (size_t i = 0; i < w->nr_judges; i++)
		if (!w->judge[i].decided && w->judge[i].streak.nr + 1 >= JUDGE_PAGE_ROUNDS)
			return rounds_slept(&w->rounds);
	return false;
}

int window_look_again(struct process *p, struct window *w)
{
	const struct source *s = p->check->source[w->source];
	ssize_t got = 0;
	bool slept;
	uint64_t at;
	int err;

	err = look_at(p, s, w, &w->before);
	if (err)
		return err;
	if (w->rounds.nr <= 1)
		judge_sightings(p, w);
	else
		pause_out_of_step(MOST_PAUSE);
	if (s->trait.framed)
		err = look_at_frames(p, s, w);
	if (!err)
		err = read_again(p, w, &got);
	if (!err)
		err = look_at(p, s, w, &w->after);
	if (err)
		return err;
	slept = has_slept(w);
	for (size_t i = 0; i < w->nr_judges; i++) {
		at = window_place(p, w, i);
		judge_round(&w->judge[i], &p->check->env, s, &w->before.page[i],
			    at < (uint64_t)got ? p->batch.values[at] : 0,
			    at < (uint64_t)got, &w->after.page[i], slept);
	}
	return 0;
}

static enum rounds_state window_state(const struct window *w)
{
	enum rounds_state state = ROUNDS_DECIDED;

	for (size_t i = 0; i < w->nr_judges; i++) {
		if (w->judge[i].decided)
			continue;
		if (streak_insists(&w->judge[i].streak))
			return ROUNDS_INSIST;
		state = ROUNDS_OPEN;
	}
	return state;
}

/* The verdicts that no round has brought. */
static void conclude_window(struct process *p, struct window *w)
{
	const struct check *c = p->check;
	bool lately = false, asked = false;

	for (size_t i = 0; i < w->nr_judges; i++) {
		if (!judge_is_open(&w->judge[i]))
			continue;
		if (!asked)
			lately = rounds_slept(&w->rounds);
		asked = true;
		judge_conclude(&w->judge[i], &c->env, c->source[w->source],
			       lately && p->asleep == w->rounds.asleep, lately);
	}
}

/* Notes what was found of each page; what joins a finding needs no request. */
static void note_all(struct process *p, const struct window *w)
{
	const struct judge *judge = w->judge;
	struct report_finding *added;

	for (size_t i = 0; i < w->nr_judges; i++, judge++) {
		added = process_note(p, w->source, &judge->truth, judge->seen, judge->has_data,
				     1, judge->verdict, judge->rules);
		if (added && judge->verdict >= VERDICT_UNSTABLE)
			added->request = p->again.narrowed++ < NARROWED ?
				window_narrowest(p, w, judge) :
				process_request(p, w->source, &w->request);
	}
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

/* The first round. What is to be repeated has several, until it shows again. */
static int first_round(struct process *p, struct window *w)
{
	unsigned int attempts = p->check->request ? ATTEMPTS : 1;
	int err;

	do {
		for (size_t i = 0; i < w->nr_judges; i++)
			judge_init(&w->judge[i]);
		err = window_look_again(p, w);
	} while (!err && --attempts && window_state(w) == ROUNDS_DECIDED);
	return err;
}

/* Looks until each page has a verdict. */
static int judge_window(struct process *p, struct window *w)
{
	int err;

	w->rounds.nr = w->rounds.paused = 0;
	rounds_next(&w->rounds, ROUNDS_OPEN);
	err = first_round(p, w);
	while (!err && rounds_next(&w->rounds, window_state(w)))
		err = window_look_again(p, w);
	if (err)
		return err;
	/*
	 * After an exec, the open file is about the memory that was. If all pages match,
	 * process_finish() notices it.
	 */
	if (!all_match(w) && procs_space(p->pid) != p->space)
		return client_gone(p->pid);
	conclude_window(p, w);
	note_all(p, w);
	if (w->rounds.nr > 1)
		w->rounds.asleep = procs_asleep(p->pid);
	return 0;
}

int process_recheck(struct process *p, size_t source)
{
	struct suspects *s = &p->again.suspects[source];
	struct window w;
	size_t next = 0;
	int err = 0;

	if (!s->nr)
		return 0;
	window_init(&w, source, window_most_judges(s));
	w.rounds = (struct rounds){ .pid = p->pid, .retries = p->check->effort.retries,
				    .asleep = procs_asleep(p->pid) };
	while (!err && next < s->nr) {
		window_gather(p, s, &next, &w);
		err = check_stopped(p->check);
		if (!err)
			err = judge_window(p, &w);
	}
	s->nr = 0;
	window_free(&w);
	requests_free(&p->again.requests[source]);
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
	p->walk.range = (struct range){ request->start, request->last };
	err = crash_risk_refuse(p->check->client, p->pid, request->start,
				request->last, false);
	if (err)
		return err;
	process_suspect(p, 0, pages.addr, pages.nr,
			   requests_add(&p->again.requests[0], &pages), 0);
	return process_recheck(p, 0);
}
