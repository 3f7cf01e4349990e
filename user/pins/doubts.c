// SPDX-License-Identifier: GPL-2.0
/* Streaks of places in rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "pins/doubts.h"

static int key_order(const uint64_t a[DOUBT_KEYS], const uint64_t b[DOUBT_KEYS])
{
	for (int i = 0; i < DOUBT_KEYS; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct doubt *x = a, *y = b;
	const int order = key_order(x->key, y->key);

	return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int append(struct doubts *out, const struct doubt *next)
{
	struct doubt *last = out->nr ? &out->doubt[out->nr - 1] : NULL;

	if (last && !key_order(last->key, next->key) && last->last + 1 == next->first &&
	    last->streak.nr == next->streak.nr && last->streak.slept == next->streak.slept) {
		last->last = next->last;
		return 0;
	}
	return array_add(out->doubt, out->nr, out->max, *next) ? 0 : -ENOMEM;
}

int doubts_add(struct doubts *wrong, const uint64_t key[DOUBT_KEYS], uint64_t first,
	       uint64_t last)
{
	struct doubt next = { .first = first, .last = last };

	memcpy(next.key, key, sizeof(next.key));
	return append(wrong, &next);
}

/* The first that ends at @at or behind, or belongs to a later key. */
static size_t from_place(const struct doubts *s, const uint64_t key[DOUBT_KEYS],
			 uint64_t at)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const int order = key_order(s->doubt[mid].key, key);

		if (order < 0 || (!order && s->doubt[mid].last < at))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The streak of @at so far, which *@last is cut to the end of. */
static struct streak streak_at(const struct doubts *s, const uint64_t key[DOUBT_KEYS],
			       uint64_t at, uint64_t *last)
{
	const size_t i = from_place(s, key, at);
	const struct doubt *old = i < s->nr ? &s->doubt[i] : NULL;
	uint64_t end;

	if (!old || key_order(old->key, key) || old->first > *last)
		return (struct streak){ 0 };
	end = old->first > at ? old->first - 1 : old->last;
	*last = end < *last ? end : *last;
	if (old->first > at)
		return (struct streak){ 0 };
	return old->streak;
}

int doubts_look(struct doubts *s, struct doubts *wrong, bool slept)
{
	struct doubts now = { 0 };
	int err = 0;

	if (wrong->nr)
		qsort(wrong->doubt, wrong->nr, sizeof(*wrong->doubt), by_place);
	for (size_t i = 0; !err && i < wrong->nr; i++) {
		const struct doubt *before = now.nr ? &now.doubt[now.nr - 1] : NULL;
		struct doubt next = wrong->doubt[i];
		const uint64_t last = next.last;

		/* What was noted twice is there once. */
		if (before && !key_order(before->key, next.key) && before->last >= next.first) {
			if (before->last >= last)
				continue;
			next.first = before->last + 1;
		}
		for (; !err; next.first = next.last + 1) {
			next.last = last;
			next.streak = streak_at(s, next.key, next.first, &next.last);
			next.streak.nr++;
			next.streak.slept = slept ? next.streak.slept + 1 : 0;
			err = append(&now, &next);
			if (next.last == last)
				break;
		}
	}
	doubts_free(wrong);
	doubts_free(s);
	*s = now;
	return err;
}

/* So long looks are apart, on average, that only a process explains that runs. */
#define APART	50000000L

struct rounds doubts_rounds(pid_t pid, uint64_t asleep)
{
	return (struct rounds){
		.pid = pid, .retries = 2 * JUDGE_PAGE_ROUNDS, .step = 2 * APART,
		.asleep = asleep,
	};
}

bool doubts_near(const struct doubts *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->doubt[i].streak.nr + 1 >= JUDGE_PAGE_ROUNDS)
			return true;
	return false;
}

enum rounds_state doubts_state(const struct doubts *s)
{
	enum rounds_state state = ROUNDS_DECIDED;

	for (size_t i = 0; i < s->nr; i++) {
		if (streak_insists(&s->doubt[i].streak))
			return ROUNDS_INSIST;
		if (!streak_proves(&s->doubt[i].streak))
			state = ROUNDS_OPEN;
	}
	return state;
}

bool doubts_prove(const struct doubts *s, const uint64_t key[DOUBT_KEYS], uint64_t at,
		  uint64_t *last)
{
	const struct streak streak = streak_at(s, key, at, last);

	return streak_proves(&streak);
}

void doubts_free(struct doubts *s)
{
	free(s->doubt);
	memset(s, 0, sizeof(*s));
}
