// SPDX-License-Identifier: GPL-2.0
/* The verdicts on figures that are looked at again. */
#include <stdlib.h>
#include <string.h>
#include "sums/figure.h"
#include "sums/judge_figures.h"

/**
 * struct struck - a figure that differed
 * @figure: As it was the last time.
 * @streak: Rounds in a row in which it did.
 * @proven: It has been told for certain, whether the process wakes up or not.
 */
struct struck {
	struct figure figure;
	struct streak streak;
	bool proven;
};

/* Figures of two rounds, or of the two truths of one, that are the same one. */
static bool same_figure(const struct figure *a, const struct figure *b)
{
	return !figure_order(a, b);
}

static bool same_bounds(const struct figure *a, const struct figure *b)
{
	return a->low == b->low && a->high == b->high && a->last == b->last;
}

/* A field that isn't there is wrong whatever it should show. */
static bool same_fault(const struct figure *a, const struct figure *b)
{
	return a->absent || b->absent ? a->absent && b->absent :
	       same_bounds(a, b) && a->digest == b->digest;
}

/* What is shown lies between two truths that differ. */
static bool on_the_way(const struct figure *a, const struct figure *b)
{
	const struct figure *less = a->low < b->low ? a : b;
	const struct figure *more = a->high > b->high ? a : b;

	if (a->absent || same_bounds(a, b) || !strcmp(a->unit, "flags"))
		return false;
	return (a->seen >= less->low || less->low - a->seen <= less->below) &&
	       (a->seen <= more->high || a->seen - more->high <= more->above);
}

/* What it was struck with in the rounds before, as far as that still counts. */
static struct struck strikes_of(const struct strikes *s, const struct figure *f)
{
	struct struck struck = { .figure = *f };

	for (size_t i = 0; i < s->nr; i++) {
		if (!same_figure(&s->struck[i].figure, f))
			continue;
		if (same_fault(&s->struck[i].figure, f)) {
			struck.streak = s->struck[i].streak;
			struck.proven = s->struck[i].proven;
		}
		break;
	}
	return struck;
}

/* What the mappings decide can't have been otherwise meanwhile if the process slept. */
static bool is_proven(const struct struck *struck)
{
	return struck->proven || streak_proves(&struck->streak) ||
	       (figure_is(&struck->figure) & OF_VMAS && struck->streak.slept);
}

/* @after has the same figures in the same order, but for mappings that moved. */
static struct figure *counterpart(const struct figures *after, const struct figure *f,
				  size_t *hint)
{
	for (size_t n = 0; n < after->nr; n++, ++*hint) {
		if (*hint >= after->nr)
			*hint = 0;
		if (same_figure(&after->figure[*hint], f))
			return &after->figure[*hint];
	}
	return NULL;
}

/* Has a figure of the round be as it was when it was told for certain. */
static int put_back(struct figures *figures, const struct figure *proven)
{
	size_t hint = 0;
	struct figure *f = counterpart(figures, proven, &hint);

	if (f) {
		*f = *proven;
		return 0;
	}
	figures->matched[proven->source]--;
	return figures_add(figures, proven);
}

/*
 * What the mappings decide, and was told for certain, stays so whatever is shown now.
 * It is mostly shown again, in the same order.
 */
static int keep_proven(struct figures *figures, const struct strikes *before,
		       struct strikes *next)
{
	const size_t nr = next->nr;
	size_t at = 0, n;

	for (const struct struck *s = before->struck; s < before->struck + before->nr; s++) {
		if (!s->proven || !(figure_is(&s->figure) & OF_VMAS))
			continue;
		for (n = 0; n < nr && !same_figure(&next->struck[at].figure, &s->figure); n++)
			at = at + 1 < nr ? at + 1 : 0;
		if (n < nr && next->struck[at].proven)
			continue;
		next->struck[n < nr ? at : next->nr++] = *s;
		if (put_back(figures, &s->figure))
			return -1;
	}
	return 0;
}

int judge_figures(struct figures *before, const struct figures *after,
		  const struct figure_round *round, struct strikes *strikes)
{
	struct strikes next = { 0 };
	const struct figure *other;
	struct struck *struck;
	int state = ROUNDS_DECIDED;
	struct figure *f;
	size_t hint = 0;
	bool still, insists = false;
	int err;

	next.struck = calloc(before->nr + strikes->nr + 1, sizeof(*next.struck));
	if (!next.struck)
		return -1;
	for (size_t i = 0; i < before->nr; i++) {
		f = &before->figure[i];
		if (f->verdict != FIGURE_MISMATCH)
			continue;
		other = counterpart(after, f, &hint);
		still = other && same_fault(other, f);
		if (other && !still && other->verdict != FIGURE_MISMATCH) {
			*f = *other;
			continue;
		}
		if (round->last && other && on_the_way(f, other)) {
			f->verdict = FIGURE_MATCH;
			continue;
		}
		struck = &next.struck[next.nr++];
		*struck = still ? strikes_of(strikes, f) : (struct struck){ *f };
		struck->streak.slept = round->slept ? struck->streak.slept : 0;
		if (still && !(round->forked && figure_is(f) & OF_MAP_COUNTS)) {
			struck->streak.nr++;
			struck->streak.slept += round->slept;
		}
		struck->proven = is_proven(struck);
		if (struck->proven)
			continue;
		f->verdict = FIGURE_UNSTABLE;
		insists |= streak_insists(&struck->streak);
		state = ROUNDS_OPEN;
	}
	err = keep_proven(before, strikes, &next);
	strikes_free(strikes);
	*strikes = next;
	if (err)
		return err;
	return insists ? ROUNDS_INSIST : state;
}

void strikes_free(struct strikes *s)
{
	free(s->struck);
	memset(s, 0, sizeof(*s));
}
