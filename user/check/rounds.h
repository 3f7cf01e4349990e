/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs is looked at again in rounds: truth, answer, truth. The same for pages
 * and for figures: both agree, or the truth holds and the answer differs so often that
 * nothing else explains it.
 */
#ifndef PTWALK_CHECK_ROUNDS_H
#define PTWALK_CHECK_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Rounds in a row that must say the same of what is looked at as a whole. */
#define JUDGE_ROUNDS	3

/*
 * In which a page, or a figure, must differ: one that comes and goes may well be gone
 * both times that the truth is read, and there in between. Its lock makes that likelier
 * than chance would: whoever waits for a change sees what the change left.
 */
#define JUDGE_PAGE_ROUNDS	6

/*
 * The same where the process isn't asleep: it may give the page back and take it
 * again all the time, get the same frame each time, and be in step with us. On
 * arm64 (7.2) a process that parts a THP and puts it together again was seen to
 * differ six times in a row in 5 of some 300 checks.
 */
#define JUDGE_RUNNING_ROUNDS	48

/**
 * struct streak - how often something has differed
 * @nr: Rounds in a row in which it did so while the truth held still, in and between them.
 * @slept: So many of the last of these have seen the process asleep.
 */
struct streak {
	unsigned int nr, slept;
};

/*
 * The first round needs no sleep: who gives a page back between two readings of the truth
 * that are alike has to do so in each.
 */
static inline bool streak_proves(const struct streak *s)
{
	return s->nr >= JUDGE_RUNNING_ROUNDS ||
	       (s->nr >= JUDGE_PAGE_ROUNDS && s->slept + 1 >= JUDGE_PAGE_ROUNDS);
}

/* Often enough for a process that sleeps. */
static inline bool streak_insists(const struct streak *s)
{
	return s->nr >= JUDGE_PAGE_ROUNDS && !streak_proves(s);
}

/* What rounds have come to. */
enum rounds_state {
	ROUNDS_OPEN,	/* look again */
	ROUNDS_INSIST,	/* the same, as only a running process explains it */
	ROUNDS_DECIDED,	/* all verdicts are final */
};

/**
 * struct rounds - the rounds of a look
 * @pid: The process.
 * @retries: Rounds, each after a longer pause, in which things may come to rest.
 * @step: Those that only a running process explains come behind up to so many
 *	nanoseconds; 0: at once.
 * @nr: Rounds so far, of which @paused waited for things to come to rest.
 * @asleep: As procs_asleep() said at some time before the first one; 0 if the process has
 *	been seen not to sleep since.
 */
struct rounds {
	pid_t pid;
	unsigned int retries;
	long step;
	unsigned int nr, paused;
	uint64_t asleep;
};

/* Whether there is another round, or a first one; then it is time for it. */
bool rounds_next(struct rounds *rounds, enum rounds_state state);

/* Whether this round is the last one, unless it brings ROUNDS_INSIST. */
bool rounds_last(const struct rounds *rounds);

/* Whether the process has slept all the time. */
bool rounds_slept(struct rounds *rounds);

/* Gives a page time to come to rest, more in each round. */
void pause_before_round(unsigned int round);

/*
 * Waits up to so many nanoseconds, by chance: keeps us out of step with a process that
 * does the same again and again.
 */
void pause_out_of_step(long ns);

#endif /* PTWALK_CHECK_ROUNDS_H */
