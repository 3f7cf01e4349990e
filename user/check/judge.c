// SPDX-License-Identifier: GPL-2.0
/* The verdict on a page that is looked at again. */
#include <string.h>
#include "check/judge.h"
#include "check/transient.h"
#include "sources/source.h"

void judge_init(struct judge *judge, bool runs)
{
	memset(judge, 0, sizeof(*judge));
	judge->needed = runs ? JUDGE_RUNNING_ROUNDS : JUDGE_PAGE_ROUNDS;
	judge->verdict = VERDICT_UNSTABLE;
}

static void keep(struct judge *judge, const struct page_truth *truth)
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

/* @env for this page alone. */
static struct env env_of(const struct judge *judge, const struct env *env)
{
	struct env own = *env;

	own.without |= judge->without;
	return own;
}

/* The source says nothing of what the page has become. */
static bool is_silent(const struct env *env, const struct source *source,
		      const struct page_truth *truth)
{
	return source_grain(source, env, truth) == SOURCE_SKIPS;
}

static bool is_migrating(const struct page_truth *truth)
{
	return ptwalk_bits_kind(truth->bits) == PTWALK_KIND_MIGRATION;
}

static bool is_on_its_way(const struct page_truth *truth)
{
	return is_migrating(truth) ||
	       (ptwalk_bits_kind(truth->bits) == PTWALK_KIND_NONE &&
		truth->vma && truth->vma->flags & PTWALK_VMA_FLAG_HUGETLB);
}

/* One and the same, in each bit that the module tells. */
static bool is_alike(const struct page_truth *a, const struct page_truth *b)
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

bool judge_insists(const struct judge *judge)
{
	return !judge->decided && judge->differed >= JUDGE_PAGE_ROUNDS;
}

void judge_slept(struct judge *judge, const struct env *env,
		 const struct source *source)
{
	const struct env own = env_of(judge, env);

	if (!judge_insists(judge))
		return;
	judge->decided = true;
	judge->verdict = VERDICT_MISMATCH;
	judge->rules = compare_page(&own, source, &judge->truth, judge->seen,
				    judge->has_data).rules;
}

static void note_odd(struct judge *judge, uint64_t seen, bool has_data)
{
	judge->differed_once = true;
	judge->odd = seen;
	judge->odd_has_data = has_data;
}

/* The source showed the truth that is kept, as @outcome says. */
static void agree(struct judge *judge, const struct outcome *outcome)
{
	judge->differed = 0;
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

/* @same: It did so in the round before, too, and the truth held since. */
static void differ(struct judge *judge, bool held, bool same)
{
	judge->agreed = 0;
	judge->contradicted = true;
	judge->verdict = VERDICT_UNSTABLE;
	judge->rules = 0;
	judge->differed = !held ? 0 : same ? judge->differed + 1 : 1;
}

void judge_round(struct judge *judge, const struct env *env,
		 const struct source *source, const struct page_truth *before,
		 uint64_t seen, bool has_data, const struct page_truth *after,
		 const struct outcome *outcome)
{
	const struct env own = env_of(judge, env);
	struct outcome first, second;
	bool still, as_kept, held, same, comparable;

	if (judge->decided)
		return;
	still = truth_is_same(before, after);
	as_kept = judge->rounds && truth_is_same(&judge->truth, before);
	judge->moved |= (!still && !is_alike(before, after)) ||
			(judge->rounds && !as_kept &&
			 !is_alike(&judge->truth, before));
	judge->rounds++;
	if (is_silent(&own, source, before)) {
		keep(judge, before);
		judge->decided = true;
		judge->verdict = VERDICT_MATCH;
		return;
	}
	/* What a framed source showed is about the frame from before. */
	comparable = !source->framed || (before->value == after->value &&
				   !is_silent(&own, source, after));
	held = comparable && (still || truth_held(&own, source, before, after));
	same = held && judge->differed &&
	       (as_kept || truth_held(&own, source, &judge->truth, before));
	first = outcome && !judge->without ? *outcome :
		compare_page(&own, source, before, seen, has_data);
	second = still ? first :
		 compare_page(&own, source, after, seen, has_data);
	if (!still || !as_kept)
		keep(judge, after);
	judge->seen = seen;
	judge->has_data = has_data;

	if (source->at_rest && (is_migrating(before) || is_migrating(after))) {
		judge->differed = 0;
	} else if (comparable && second.verdict != VERDICT_MISMATCH) {
		agree(judge, &second);
	} else if (first.verdict != VERDICT_MISMATCH) {
		keep(judge, before);
		agree(judge, &first);
	} else {
		differ(judge, held, same);
	}
	if (judge->differed && !judge->moved) {
		note_odd(judge, seen, has_data);
		judge->narrow = true;
	}
	if (judge->differed >= judge->needed) {
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

	if (is_alike(then, now) &&
	    !(source->at_rest && is_migrating(then)))
		note_odd(judge, sighting->seen, sighting->has_data);
}

void judge_conclude(struct judge *judge, const struct env *env,
		    const struct source *source, bool slept,
		    bool slept_lately)
{
	const struct env own = env_of(judge, env);
	bool proven = judge->narrow ? slept_lately : slept;

	if (!judge_is_open(judge))
		return;
	proven = proven && !transient_shows(&own, source, &judge->truth,
					    judge->odd, judge->odd_has_data);
	if (!proven && !judge->narrow)
		return;
	judge->verdict = proven ? VERDICT_MISMATCH : VERDICT_UNSTABLE;
	judge->decided = proven;
	judge->seen = judge->odd;
	judge->has_data = judge->odd_has_data;
	judge->rules = compare_page(&own, source, &judge->truth, judge->seen,
				    judge->has_data).rules;
}

unsigned int judge_same(unsigned int same, bool found, bool as_before)
{
	if (!found)
		return JUDGE_ROUNDS;
	return same && as_before ? same + 1 : 1;
}
