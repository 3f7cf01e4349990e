// SPDX-License-Identifier: GPL-2.0
/* The check of translations that somebody claims. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "check/second_look.h"
#include "claims/claims.h"
#include "claims/hint.h"
#include "claims/missing.h"

void examine_claim(const struct examinee *x, size_t index, enum verdict verdict)
{
	struct claim *claim = &x->process->check->claims.list->claim[index];

	if ((int)verdict > claim->verdict)
		claim->verdict = verdict;
}

/* Each line counts: several may be about one page. */
static void count_claims(struct process *p)
{
	struct claim *claim = p->check->claims.list->claim;

	for (size_t i = 0; i < p->check->claims.list->nr; i++, claim++) {
		if (claim->verdict >= 0)
			p->counts.verdict[claim->verdict]++;
		claim->verdict = -1;
	}
}

static uint64_t claimed(const struct process *p, const struct claim *claim)
{
	return claim->mapped ? claim_value(claim->vaddr, claim->paddr,
					   p->page_shift) : CLAIM_UNMAPPED;
}

/* Who decodes pagemap can't see more than pagemap shows. */
static void explain_hidden(const struct process *p, const struct claim *claim,
			   struct judge *judge)
{
	uint64_t hidden;

	if (judge->verdict != VERDICT_MISMATCH || claim->mapped ||
	    p->check->claims.partial != CLAIMS_AS_PAGEMAP)
		return;
	hidden = missing_hidden(&p->check->env, &judge->truth);
	if (!hidden)
		return;
	judge->verdict = VERDICT_EXPLAINED;
	judge->rules = hidden;
}

static uint64_t translated_frame(const struct ptwalk_translation *t)
{
	return ptwalk_bits_present(t->bits) ? t->value : SOURCE_NO_FRAME;
}

/*
 * What claims that are wrong are told with; see struct page_beside. If the module doesn't say
 * it any more, they are as wrong as they were. Returns whether it did.
 */
static bool look_beside(struct process *p, const struct window *w,
			struct page_beside *beside)
{
	const uint64_t page = 1ULL << p->page_shift;
	struct ptwalk_translation *t = calloc(2 * w->nr_judges, sizeof(*t));
	uint64_t *addrs = calloc(2 * w->nr_judges, sizeof(*addrs));
	struct ptwalk_vma *vmas = NULL;
	size_t nr_vmas, nr = 0, at = 0;
	uint32_t levels;
	int err = 0;

	if (!t || !addrs)
		exit_no_memory();
	for (size_t i = 0; i < w->nr_judges; i++) {
		beside[i] = (struct page_beside){ SOURCE_NO_FRAME, SOURCE_NO_FRAME };
		if (w->judge[i].verdict != VERDICT_MISMATCH)
			continue;
		addrs[nr++] = w->judge[i].truth.addr - page;
		addrs[nr++] = w->judge[i].truth.addr + page;
	}
	if (nr)
		err = truth_translate(p->check->client, p->pid, addrs, nr, t, &vmas,
				      &nr_vmas, &levels);
	for (size_t i = 0; !err && i < w->nr_judges; i++) {
		if (w->judge[i].verdict != VERDICT_MISMATCH)
			continue;
		beside[i].before = translated_frame(&t[at++]);
		beside[i].behind = translated_frame(&t[at++]);
	}
	free(vmas);
	free(addrs);
	free(t);
	return !err;
}

/* Whether @next was made by going on from @claim, and so has its mistake, if any. */
static bool claim_goes_on(const struct claim *claim, const struct claim *next)
{
	return next->vaddr - claim->vaddr == next->paddr - claim->paddr;
}

/*
 * Whether a claim that is wrong isn't so by a known mistake is counted, too. Of one without
 * @beside, nobody knows.
 */
static void count_unlike(struct process *p, const struct claim *claim,
			 const struct judge *judge, const struct page_beside *beside)
{
	const bool wrong = judge->verdict == VERDICT_MISMATCH;
	struct claims *claims = p->check->claims.list;
	char buf[CLAIMS_HINT];

	if (!claim->mapped)
		return;
	if (!wrong || claims->latest.verdict != VERDICT_MISMATCH ||
	    !claim_goes_on(&claims->latest, claim))
		claims->latest_unlike = wrong && beside &&
					!claims_hint(&p->check->env, &judge->truth, beside,
						     judge->seen, buf);
	claims->mapped++;
	claims->unlike += claims->latest_unlike;
	claims->latest = *claim;
	claims->latest.verdict = judge->verdict;
}

static void tell_claims(struct process *p, const struct claim *const *claim, struct window *w)
{
	const struct examinee x = { .process = p };
	struct page_beside *beside = calloc(w->nr_judges, sizeof(*beside));
	struct report_finding *f;
	struct judge *judge;
	bool looked;

	if (!beside)
		exit_no_memory();
	for (size_t i = 0; i < w->nr_judges; i++)
		explain_hidden(p, claim[i], &w->judge[i]);
	looked = look_beside(p, w, beside);
	for (size_t i = 0; i < w->nr_judges; i++) {
		judge = &w->judge[i];
		f = process_note(p, 0, &judge->truth, judge->seen, true, 1, judge->verdict,
				 judge->rules);
		if (f)
			f->beside = beside[i];
		examine_claim(&x, claim[i] - p->check->claims.list->claim, judge->verdict);
		p->counts.in_vmas += !judge->truth.vma;
		count_unlike(p, claim[i], judge, looked ? &beside[i] : NULL);
	}
	free(beside);
}

/* In rounds until each has a verdict, as of pages that a source has shown wrongly. */
static int judge_claims(struct process *p, const struct claim *const *claim,
			size_t nr)
{
	struct check *c = p->check;
	struct window w;
	bool open = true;
	int err = 0;

	window_init(&w, 0, nr);
	for (; w.nr < nr; w.nr++) {
		w.suspect = process_grow(w.suspect, &w.max, w.nr, sizeof(*w.suspect));
		w.suspect[w.nr] = (struct suspect){ .addr = claim[w.nr]->vaddr, .pages = 1 };
		judge_init(&w.judge[w.nr]);
	}
	w.nr_judges = nr;
	w.rounds.retries = c->effort.retries;
	while (!err && rounds_next(&w.rounds, open ? ROUNDS_OPEN : ROUNDS_DECIDED)) {
		err = look_at(p, c->source[0], &w, &w.before);
		if (!err)
			err = look_at(p, c->source[0], &w, &w.after);
		open = false;
		for (size_t i = 0; !err && i < nr; i++) {
			judge_round(&w.judge[i], &c->env, c->source[0], &w.before.page[i],
				    claimed(p, claim[i]), true, &w.after.page[i], true);
			open |= !w.judge[i].decided;
		}
	}
	if (!err)
		tell_claims(p, claim, &w);
	window_free(&w);
	return err;
}

/* Those of the claims that were read which lie in the ranges. */
static size_t choose_claims(const struct claims *claims, const struct ranges *ranges,
			    const struct claim **wanted)
{
	size_t nr = 0, i;

	for (i = 0; i < claims->nr; i++)
		if (ranges_have(ranges, claims->claim[i].vaddr))
			wanted[nr++] = &claims->claim[i];
	return nr;
}

static int read_claims_on(struct claims *claims)
{
	int err = claims_next(claims);

	if (err == -EINVAL)
		return error_usage("%s:%zu: %s", claims->name,
				   claims->lines.number, claims->lines.reason);
	if (err)
		return error_set(err, "%s: %s", claims->name, strerror(-err));
	return 0;
}

#define NAMED	8	/* lines that are named */

/**
 * struct repeats - lines about an address that an earlier one is about
 * @check: The run.
 * @name: Of the file.
 * @nr: How many there have been.
 */
struct repeats {
	struct check *check;
	const char *name;
	uint64_t nr;
};

static void name_repeat(const struct claim *claim, const struct claim *first,
			void *arg)
{
	bool same = claim->mapped == first->mapped &&
		    claim->paddr == first->paddr;
	struct repeats *r = arg;

	if (r->nr++ < NAMED)
		check_warn(r->check, "%s:%zu: %s line %zu: both are about 0x%" PRIx64,
			   r->name, claim->line,
			   same ? "repeats" : "contradicts", first->line,
			   claim->vaddr);
}

/* Those that were read last, and that are @wanted. */
static int judge_some(struct process *p, const struct claim *const *wanted, size_t nr,
		      const struct ranges *ranges, bool whole)
{
	int err = 0;

	if (!nr)
		return 0;
	if (!p->check->claims.by_bytes)
		err = judge_claims(p, wanted, nr);
	if (!err)
		err = process_examine(p, ranges, whole);
	process_settle(p);
	count_claims(p);
	return err;
}

/* Claims may come without an end: one look at so many of them at a time. */
int claims_judge(struct process *p, struct claims *claims,
		 const struct ranges *ranges, bool whole)
{
	struct claims_pages claimed = { 0 };
	struct repeats repeats = { .check = p->check, .name = claims->name };
	const struct claim **wanted;
	size_t nr, outside = 0;
	bool stopped;
	int err;

	wanted = calloc(claims->max, sizeof(*wanted));
	if (!wanted)
		exit_no_memory();
	do {
		err = read_claims_on(claims);
		if (!err)
			claims_repeats(claims, name_repeat, &repeats);
		if (!err && claims_pages_add(&claimed, claims, p->page_shift))
			exit_no_memory();
		nr = err ? 0 : choose_claims(claims, ranges, wanted);
		outside += err ? 0 : claims->nr - nr;
		if (!err)
			err = judge_some(p, wanted, nr, ranges, whole);
	} while (!err && !claims->last);
	stopped = claims->stop && *claims->stop;
	if (!err && !stopped && !claims->all && p->check->claims.partial == CLAIMS_PARTIAL)
		err = error_usage("%s: no claims in it", claims->name);
	else if (!err && !stopped && !claims->all)
		check_warn(p->check, "no claims in %s: did the translator run?",
			   claims->name);
	/* Those that haven't come may still be claimed. */
	if (!err && !stopped && p->check->claims.partial != CLAIMS_PARTIAL)
		err = claims_missing(p, ranges, &claimed);
	if (repeats.nr > NAMED)
		check_warn(p->check, "%s: %" PRIu64 " more line%s",
			   claims->name, repeats.nr - NAMED,
			   repeats.nr - NAMED == 1 ?
			   " repeats or contradicts another" :
			   "s repeat or contradict others");
	if (claims_unlike(claims))
		check_warn(p->check,
			   "%s: %" PRIu64 " of %" PRIu64 " physical addresses are wrong by no known mistake: were they read of process %d, since its last exec(), and did it stand still? 'ptwalk frame' says who maps a frame",
			   claims->name, claims->unlike, claims->mapped, (int)p->pid);
	if (outside && !p->counts.comparisons)
		p->none = "no claim lies in the ranges";
	if (outside)
		check_warn(p->check, "%s: %zu claim%s outside of the ranges, not judged",
			   claims->name, outside, plural(outside));
	claims_pages_free(&claimed);
	free(wanted);
	return err;
}

int check_claims(struct check *check, pid_t pid, struct claims *claims,
		 char **args, int nr_args)
{
	struct process p = {
		.check = check,
		.pid = pid,
		.page_shift = check->env.kernel->page_shift,
		.counts.of_claims = true,
	};
	struct ranges ranges = { 0 };
	bool usage;
	int err;

	check->claims.list = claims;
	if (process_open(&p)) {
		process_close(&p);
		return 0;
	}
	err = process_ranges(&p, args, nr_args, &ranges);
	/* As they were typed, they may descend; what is unclaimed is looked for upwards. */
	if (!err)
		ranges_sort(&ranges);
	if (!err)
		err = process_freeze(&p);
	if (!err)
		err = claims_judge(&p, claims, &ranges, !nr_args);
	usage = error_is_usage(err);
	if (!usage)
		process_finish(&p, err);
	ranges_free(&ranges);
	process_close(&p);
	return usage ? err : 0;
}
