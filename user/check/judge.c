// SPDX-License-Identifier: GPL-2.0
/* The verdict on a page that is looked at again. */
#include <string.h>
#include "check/judge.h"
#include "sources/source.h"

void judge_init(struct judge *judge)
{
	memset(judge, 0, sizeof(*judge));
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

/* The source showed @truth, as @run says. */
static void agree(struct judge *judge, const struct page_truth *truth,
		  const struct run *run)
{
	keep(judge, truth);
	judge->differed = 0;
	judge->agreed++;
	judge->decided = !is_on_its_way(truth) ||
			 (judge->agreed >= JUDGE_PAGE_ROUNDS &&
			  !judge->contradicted);
	if (judge->decided || !judge->contradicted) {
		judge->verdict = run->verdict;
		judge->rules = run->rules;
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
		 uint64_t seen, bool has_data, const struct page_truth *after)
{
	struct run first, second;
	bool held, same, comparable;

	if (judge->decided)
		return;
	if (is_silent(env, source, before)) {
		keep(judge, before);
		judge->decided = true;
		judge->verdict = VERDICT_MATCH;
		return;
	}
	/* What a framed source showed is about the frame from before. */
	comparable = !source->framed || (before->value == after->value &&
				   !is_silent(env, source, after));
	held = comparable && truth_held(env, source, before, after);
	same = held && judge->differed &&
	       truth_held(env, source, &judge->truth, before);
	first = compare_page(env, source, before, seen, has_data);
	second = compare_page(env, source, after, seen, has_data);
	keep(judge, after);
	judge->seen = seen;
	judge->has_data = has_data;

	if (source->at_rest && (is_migrating(before) || is_migrating(after)))
		judge->differed = 0;
	else if (comparable && second.verdict != VERDICT_MISMATCH)
		agree(judge, after, &second);
	else if (first.verdict != VERDICT_MISMATCH)
		agree(judge, before, &first);
	else
		differ(judge, held, same);
	if (judge->differed >= JUDGE_PAGE_ROUNDS) {
		judge->decided = true;
		judge->verdict = VERDICT_MISMATCH;
		judge->rules = second.rules;
	}
}

unsigned int judge_same(unsigned int same, bool found, bool as_before)
{
	if (!found)
		return JUDGE_ROUNDS;
	return same && as_before ? same + 1 : 1;
}
