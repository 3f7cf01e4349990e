/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdicts on figures that differ, from round to round. If the page tables
 * before and after have the same pages in the same places, both give the same
 * figure, and the kernel shows a different one, that is a strike. JUDGE_FIGURE_ROUNDS
 * strikes in a row with the same pages are a mismatch; one match resets them.
 * A round in which a process was created is no strike for what depends on map
 * counts, see judge_figures().
 * In the last round, a figure between two differing readings of the page tables
 * is a match: the process changed while it was read. Pure.
 */
#ifndef PTWALK_SUMS_JUDGE_FIGURES_H
#define PTWALK_SUMS_JUDGE_FIGURES_H

#include "sums/figures.h"

#define JUDGE_FIGURE_ROUNDS	6

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
 * @forked: Processes were created meanwhile, of which nobody knows whether they
 *	mapped the same pages for a while. What depends on map counts is then no
 *	strike, and those before stay.
 * @last: No other round will follow.
 * @strikes: Of the rounds so far.
 *
 * Return: 1 if all is decided, 0 if not, -1 without memory.
 */
int judge_figures(struct figures *before, const struct figures *after,
		  bool forked, bool last, struct strikes *strikes);
void strikes_free(struct strikes *strikes);

#endif /* PTWALK_SUMS_JUDGE_FIGURES_H */
