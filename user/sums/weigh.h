/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdicts on figures that differ, from round to round. Where the truth
 * before and the truth after have the same pages in the same places, make the
 * same of a figure, and the kernel shows another, that is a strike; so many in
 * a row, of the same pages all the time, are a mismatch, one match ends it.
 * What lies between two truths that differ is a match in the last round: the
 * process got from the one to the other while it was looked at. Pure.
 */
#ifndef PTWALK_SUMS_WEIGH_H
#define PTWALK_SUMS_WEIGH_H

#include "sums/reconcile.h"

#define WEIGH_ROUNDS	6

/**
 * struct strikes - what is kept from round to round; all zero to begin with
 */
struct strikes {
	struct struck *struck;
	size_t nr;
};

/**
 * weigh() - takes a round into account
 * @before: Its figures, compared with the truth before; receives the verdicts
 *	for the case that no other round follows.
 * @after: The same compared with the truth after; empty if all of @before is
 *	well.
 * @moved: The mappings changed, and nothing that differs proves anything.
 * @last: No other round will follow.
 * @strikes: Of the rounds so far.
 *
 * Return: 1 if all is decided, 0 if not, -1 without memory.
 */
int weigh(struct figures *before, const struct figures *after, bool moved,
	  bool last, struct strikes *strikes);
void strikes_free(struct strikes *strikes);

#endif /* PTWALK_SUMS_WEIGH_H */
