/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdicts on figures that differ, from round to round. If the page tables
 * before and after have the same pages in the same places, both give the same
 * figure, and the kernel shows a different one, that is a strike. JUDGE_PAGE_ROUNDS
 * strikes in a row with the same pages are a mismatch if the process has slept
 * meanwhile, and JUDGE_RUNNING_ROUNDS of one that may have given the same page back
 * and taken it again each time; one match resets them. Of what the mappings alone
 * decide, one strike is a mismatch if the process has slept, whatever follows.
 * A round in which a process was created is no strike for what depends on map
 * counts, see judge_figures().
 * In the last round, a figure between two differing readings of the page tables
 * is a match: the process changed while it was read. Pure.
 */
#ifndef PTWALK_SUMS_JUDGE_FIGURES_H
#define PTWALK_SUMS_JUDGE_FIGURES_H

#include "check/rounds.h"
#include "sums/figures.h"

/**
 * struct figure_round - what is known of a round besides its figures
 * @forked: Processes were created meanwhile, of which nobody knows whether they
 *	mapped the same pages for a while. What depends on map counts is then no
 *	strike, and those before stay.
 * @slept: The process hasn't run since the round before.
 * @last: No other round will follow, unless this one brings ROUNDS_INSIST.
 */
struct figure_round {
	bool forked, slept, last;
};

/**
 * struct strikes - what is kept from round to round; all zero to begin with
 */
struct strikes {
	struct struck *struck;
	size_t nr;
};

/**
 * judge_figures() - takes a round into account
 * @before: Its figures, compared with the truth before; receives the verdicts
 *	for the case that no other round follows.
 * @after: The same compared with the truth after; empty if all of @before is
 *	well.
 * @round: What else is known of it.
 * @strikes: Of the rounds so far.
 *
 * Return: An enum rounds_state, or -1 without memory.
 */
int judge_figures(struct figures *before, const struct figures *after,
		  const struct figure_round *round, struct strikes *strikes);
void strikes_free(struct strikes *strikes);

#endif /* PTWALK_SUMS_JUDGE_FIGURES_H */
