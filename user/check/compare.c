// SPDX-License-Identifier: GPL-2.0
/* Pages compared with what an interface shows of them. */
#include <string.h>
#include "check/compare.h"
#include "check/rules.h"
#include "sources/source.h"

const char *const verdict_name[NR_VERDICTS] = {
	[VERDICT_MATCH] = "match",
	[VERDICT_EXPLAINED] = "explained",
	[VERDICT_UNSTABLE] = "unstable",
	[VERDICT_MISMATCH] = "mismatch",
};

static bool same_expectation(const struct expectation *a, const struct expectation *b)
{
	return a->value == b->value && a->mask == b->mask &&
	       a->no_data == b->no_data;
}

void expect_all(const struct env *env, const struct source *source,
		const struct page_truth *truth, struct expected *out)
{
	uint64_t holding = rules_for(env, source, truth);
	const uint64_t required = rules_required(env, truth, holding);
	unsigned int must = 0, set;
	const struct rule *rule;
	struct expectation *e;

	source->expect(env, truth, &out->expectation[0]);
	out->rules[0] = 0;
	/* Each rule doubles the sets: those so far, and the same with it. */
	for (out->nr = 1; holding && out->nr < COMPARE_MAX_SETS; out->nr *= 2) {
		rule = &rules[__builtin_ctzll(holding)];
		for (set = 0; set < out->nr; set++) {
			out->rules[out->nr + set] = out->rules[set] | (holding & -holding);
			e = &out->expectation[out->nr + set];
			*e = out->expectation[set];
			e->value = (e->value & ~rule->clears) | rule->sets;
			e->mask |= rule->compares;
			if (rule->shows)
				rule->shows(env, truth, e);
		}
		must |= holding & -holding & required ? out->nr : 0;
		holding &= holding - 1;
	}
	/* A set may be what a kernel shows if those that it must have would change nothing. */
	for (set = 0; set < out->nr; set++)
		out->valid[set] = same_expectation(&out->expectation[set],
						   &out->expectation[set | must]);
}

const struct expected *expect_like(const struct env *env, const struct source *source,
				   const struct page_truth *truth,
				   struct expected_of *known)
{
	const uint64_t above = truth->value - known->value;

	if (!truth->vma || known->vma != truth->vma || known->bits != truth->bits ||
	    source->stretch ||
	    (above && !ptwalk_kind_ascends(page_kind(truth)))) {
		expect_all(env, source, truth, &known->expected);
		known->bits = truth->bits;
		known->vma = truth->vma;
		known->plain = known->expected.valid[0] &&
			       !known->expected.expectation[0].no_data &&
			       !rules_blind(env, source, truth);
	} else {
		for (unsigned int set = 0; set < known->expected.nr; set++)
			known->expected.expectation[set].value +=
				above * known->expected.expectation[set].step;
	}
	known->value = truth->value;
	return &known->expected;
}

/* By how much the truth's value of the @nr-th page is above the first one's. */
static uint64_t above(const uint64_t *list, uint64_t nr)
{
	return list ? list[nr] - list[0] : nr;
}

static bool agrees(const struct expectation *e, uint64_t above, uint64_t seen)
{
	return !(((e->value + above * e->step) ^ seen) & e->mask) &&
	       !e->no_data;
}

/* What differs in so many pages at once is told by one test. */
#define AT_ONCE	32

/* Two pages, which most processors compare as fast as one. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));

/*
 * Whether AT_ONCE pages show @value, or as much more as the list has, or @step has.
 * Unrolled: these loops run for every page, and the loop is half of the work.
 */
static bool all_agree(uint64_t value, uint64_t mask, uint64_t step,
		      const uint64_t *list, const uint64_t *seen)
{
	const pair *more = (const pair *)list, *shown = (const pair *)seen;
	const pair steps = { 2 * step, 2 * step }, same = { value, value };
	pair at = { value, value + step }, differs = { 0 };

	if (!list) {
#pragma GCC unroll 16
		for (int i = 0; i < AT_ONCE / 2; i++, at += steps)
			differs |= at ^ shown[i];
	} else if (step == 1) {
#pragma GCC unroll 16
		for (int i = 0; i < AT_ONCE / 2; i++)
			differs |= (same + more[i]) ^ shown[i];
	} else {
		for (int i = 0; i < AT_ONCE; i++)
			differs[0] |= (value + list[i] * step) ^ seen[i];
	}
	return !((differs[0] | differs[1]) & mask);
}

/* Pages from @from on that @e is right about. */
static uint64_t agreeing(const struct expectation *e, const uint64_t *list,
			 uint64_t from, uint64_t to, const uint64_t *seen)
{
	const uint64_t step = e->step, mask = e->mask;
	uint64_t value = e->value, i = from;

	/* Where every second page is swapped out, each is a run of its own. */
	if (to - from == 1)
		return agrees(e, above(list, from), seen[from]);
	if (e->no_data)
		return 0;
	if (list) {
		value -= list[0] * step;
		while (i + AT_ONCE <= to &&
		       all_agree(value, mask, step, step ? list + i : NULL, seen + i))
			i += AT_ONCE;
		while (i < to && !(((value + list[i] * step) ^ seen[i]) & mask))
			i++;
		return i - from;
	}
	while (i + AT_ONCE <= to &&
	       all_agree(value + i * step, mask, step, NULL, seen + i))
		i += AT_ONCE;
	for (value += i * step; i < to; i++, value += step)
		if ((value ^ seen[i]) & mask)
			break;
	return i - from;
}

/* A bug of the kernel is a mismatch, but for those who take known ones (--known-bugs). */
static enum verdict verdict_of(const struct env *env,
			       const struct source *source, uint64_t rules)
{
	if (!rules)
		return VERDICT_MATCH;
	if (rules_have_bug(rules) && !env->known_bugs &&
	    !source_around_bugs(source, env))
		return VERDICT_MISMATCH;
	return VERDICT_EXPLAINED;
}

/*
 * The smallest set that says what was seen, of those that are @valid or of the
 * others; or @expected->nr.
 */
static unsigned int find_set(const struct expected *expected, uint64_t above,
			     const uint64_t *seen, bool valid)
{
	unsigned int set, best = expected->nr;

	for (set = 0; set < expected->nr; set++) {
		const struct expectation *e = &expected->expectation[set];

		if (expected->valid[set] != valid ||
		    (seen ? !agrees(e, above, *seen) : !e->no_data))
			continue;
		if (best == expected->nr ||
		    __builtin_popcount(set) < __builtin_popcount(best))
			best = set;
	}
	return best;
}

/*
 * Whether a page that @set is right about needs no look at the others: a smaller
 * one is never right about it, too.
 */
static bool is_told_apart(const struct expected *expected, unsigned int set)
{
	const struct expectation *own = &expected->expectation[set], *e;

	for (unsigned int other = 0; other < expected->nr; other++) {
		e = &expected->expectation[other];
		if (other == set || !expected->valid[other] || e->no_data ||
		    __builtin_popcount(other) > __builtin_popcount(set))
			continue;
		if (own->step || e->step ||
		    !((own->value ^ e->value) & own->mask & e->mask))
			return false;
	}
	return true;
}

/* Pages from @from on that @set is right about, and no smaller one. */
static uint64_t set_pages(const struct expected *expected, unsigned int set,
			  const uint64_t *list, uint64_t from, uint64_t to,
			  const uint64_t *seen)
{
	uint64_t i = from + 1;

	if (is_told_apart(expected, set))
		return agreeing(&expected->expectation[set], list, from, to, seen);
	while (i < to && find_set(expected, above(list, i), &seen[i], true) == set)
		i++;
	return i - from;
}

/* The rules that @set lacks, but must have. */
static uint64_t broken_rules(const struct env *env,
			     const struct page_truth *truth,
			     const struct expected *expected, unsigned int set)
{
	return set == expected->nr ? 0 :
	       rules_required(env, truth, expected->rules[expected->nr - 1] &
			      ~expected->rules[set]);
}

/* The interface has ended before @pages pages from @from on. */
static struct outcome outcome_of_end(const struct env *env, const struct source *source,
				     const struct expected *expected,
				     const struct page_truth *first, uint64_t from, uint64_t pages)
{
	const unsigned int set = find_set(expected, 0, NULL, true);
	struct outcome outcome = { .first = from, .pages = pages };

	if (set < expected->nr) {
		outcome.rules = expected->rules[set];
		outcome.verdict = verdict_of(env, source, outcome.rules);
	} else {
		/* To end where nothing is mapped contradicts nobody. */
		outcome.verdict = first->vma || first->gate ? VERDICT_MISMATCH : VERDICT_MATCH;
	}
	return outcome;
}

void compare_expected(const struct env *env, const struct source *source,
		      const struct expected *expected,
		      const struct page_truth *first, uint64_t pages,
		      const uint64_t *list, const uint64_t *seen, uint64_t nr_seen,
		      void (*each)(const struct outcome *outcome, void *arg), void *arg)
{
	/* Where the interface doesn't look at a page, that it is right is explained, no match. */
	const uint64_t blind = rules_blind(env, source, first);
	struct outcome outcome;
	unsigned int set;

	if (nr_seen > pages)
		nr_seen = pages;
	for (uint64_t i = 0; i < nr_seen; i += outcome.pages) {
		outcome = (struct outcome){
			.first = i, .verdict = verdict_of(env, source, blind), .rules = blind,
		};
		if (expected->valid[0])
			outcome.pages = agreeing(&expected->expectation[0], list, i, nr_seen, seen);
		if (!outcome.pages) {
			set = find_set(expected, above(list, i), &seen[i], true);
			if (set < expected->nr) {
				outcome.rules = expected->rules[set];
				outcome.verdict = verdict_of(env, source, outcome.rules);
				outcome.pages = set_pages(expected, set, list, i, nr_seen, seen);
			} else {
				/* Right without a rule that it must have: that one is broken. */
				set = find_set(expected, above(list, i), &seen[i], false);
				outcome.verdict = VERDICT_MISMATCH;
				outcome.rules = broken_rules(env, first, expected, set);
				outcome.pages = 1;
			}
		}
		each(&outcome, arg);
	}
	if (nr_seen < pages) {
		outcome = outcome_of_end(env, source, expected, first, nr_seen, pages - nr_seen);
		each(&outcome, arg);
	}
}

static void keep_outcome(const struct outcome *outcome, void *arg)
{
	*(struct outcome *)arg = *outcome;
}

struct outcome compare_page(const struct env *env, const struct source *source,
			    const struct page_truth *truth, uint64_t seen,
			    bool has_data)
{
	struct expected expected;
	struct outcome outcome;

	expect_all(env, source, truth, &expected);
	compare_expected(env, source, &expected, truth, 1, NULL, &seen, has_data,
			 keep_outcome, &outcome);
	return outcome;
}

/* Whether all is well if that is shown. */
static bool is_sound(const struct env *env, const struct source *source,
		     const struct expected *expected, unsigned int set)
{
	return expected->valid[set] && !expected->expectation[set].no_data &&
	       verdict_of(env, source, expected->rules[set]) != VERDICT_MISMATCH;
}

static unsigned int nr_bits(const struct difference *d)
{
	return __builtin_popcountll(d->lacks) + __builtin_popcountll(d->excess);
}

struct difference compare_difference(const struct env *env, const struct source *source,
				     const struct page_truth *truth, uint64_t seen)
{
	struct difference least = { UINT64_MAX, UINT64_MAX }, d;
	struct expected expected;

	expect_all(env, source, truth, &expected);
	for (unsigned int set = 0; set < expected.nr; set++) {
		const struct expectation *e = &expected.expectation[set];

		if (!is_sound(env, source, &expected, set))
			continue;
		d.lacks = e->value & ~seen & e->mask;
		d.excess = seen & ~e->value & e->mask;
		if (nr_bits(&d) < nr_bits(&least))
			least = d;
	}
	return nr_bits(&least) < 128 ? least : (struct difference){ 0 };
}

/* Two pointers to the same, or none. */
static bool same_or_none(const void *a, const void *b, size_t size)
{
	return a == b || (a && b && !memcmp(a, b, size));
}

bool truth_is_same(const struct page_truth *a, const struct page_truth *b)
{
	return a->addr == b->addr && a->value == b->value && a->bits == b->bits &&
	       a->gate == b->gate && a->has_cgroup == b->has_cgroup &&
	       a->cgroup == b->cgroup &&
	       same_or_none(a->vma, b->vma, sizeof(*a->vma)) &&
	       same_or_none(a->facts, b->facts, sizeof(*a->facts));
}

bool truth_held(const struct env *env, const struct source *source,
		const struct page_truth *before,
		const struct page_truth *after)
{
	struct expected a, b;
	unsigned int set;

	/* What is shown of a frame is about another page once this one moved. */
	if (before->value != after->value)
		return false;
	if (truth_is_same(before, after))
		return true;
	expect_all(env, source, before, &a);
	expect_all(env, source, after, &b);
	if (a.nr != b.nr)
		return false;
	for (set = 0; set < a.nr; set++)
		if (a.rules[set] != b.rules[set] ||
		    !same_expectation(&a.expectation[set], &b.expectation[set]))
			return false;
	return true;
}
