/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is wrong in one look after the other: a streak for each place, until all are
 * proven, right again, or given up. For what has places in rows rather than pages of an
 * interface: see judge.h. Pure.
 */
#ifndef PTWALK_PINS_DOUBTS_H
#define PTWALK_PINS_DOUBTS_H

#include <stddef.h>
#include "check/rounds.h"

#define DOUBT_KEYS	4

/**
 * struct doubt - places in a row that were wrong in each of the last looks
 * @key: What they are places of, and what is wrong: another key, another streak.
 * @first: The first one; @last is the last.
 * @streak: The looks.
 */
struct doubt {
	uint64_t key[DOUBT_KEYS];
	uint64_t first, last;
	struct streak streak;
};

/* Ascending by key and place, without overlaps; all zero is a valid empty one. */
struct doubts {
	struct doubt *doubt;
	size_t nr, max;
};

/* Notes for doubts_look() what is wrong, in any order. Returns 0 or -ENOMEM. */
int doubts_add(struct doubts *wrong, const uint64_t key[DOUBT_KEYS], uint64_t first,
	       uint64_t last);

/*
 * Takes a look into account, in which all of @wrong was wrong, and nothing else; empties
 * it. A look that could tell nothing is none. @slept: as of struct streak. Returns 0 or
 * -ENOMEM.
 */
int doubts_look(struct doubts *doubts, struct doubts *wrong, bool slept);

/*
 * Of the looks at what process @pid has, which slept as procs_asleep() says by @asleep;
 * 0: as one that runs.
 */
struct rounds doubts_rounds(pid_t pid, uint64_t asleep);

/* Whether the next look asks if the process has slept. */
bool doubts_near(const struct doubts *doubts);

enum rounds_state doubts_state(const struct doubts *doubts);

/*
 * Whether the place @at, with this key, is proven to be wrong. *@last, which is @at or
 * more, is reduced to the last place from there on of which the same is true.
 */
bool doubts_prove(const struct doubts *doubts, const uint64_t key[DOUBT_KEYS],
		  uint64_t at, uint64_t *last);
void doubts_free(struct doubts *doubts);

#endif /* PTWALK_PINS_DOUBTS_H */
