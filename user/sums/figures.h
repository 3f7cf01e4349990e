/* SPDX-License-Identifier: GPL-2.0 */
/* The fields compared, and what came of each. */
#ifndef PTWALK_SUMS_FIGURES_H
#define PTWALK_SUMS_FIGURES_H

#include <stdbool.h>
#include "sums/shown.h"
#include "sums/slacks.h"

enum figure_verdict {
	FIGURE_MATCH,		/* what was counted, or between its bounds */
	FIGURE_SLACK,		/* off by no more than @why says */
	FIGURE_UNSTABLE,
	FIGURE_MISMATCH,
	NR_FIGURE_VERDICTS
};

extern const char *const figure_verdict_name[NR_FIGURE_VERDICTS];

/**
 * struct figure - one field compared
 * @source: The file; @field is what it calls the field.
 * @node: Of the field "N", the pages on a NUMA node.
 * @where: The kernel's function that adds it up; with @bug, the one that has it.
 * @unit: "kB", "pages", "flags", or "" for a bare number.
 * @start: The VMA, to @last; both 0 if it is about the whole process.
 * @digest: Of the pages that it is about, as in struct totals.
 * @low: What was counted; if @high is another, it lies between.
 * @below: How much less than @low it may show, and @above how much more than
 *	@high; UINT64_MAX is without a limit.
 * @seen: What the file shows.
 * @absent: It should have the field, and hasn't; @seen is 0.
 * @why: Why there are bounds or a slack; NULL without.
 * @bug: The known bug of the kernel that makes this very mismatch, or NULL.
 * @bug_low: What that bug makes it show, to @bug_high.
 */
struct figure {
	enum figure_source source;
	const char *field;
	uint32_t node;
	const char *where;
	const char *unit;
	uint64_t start, last;
	uint64_t digest;
	uint64_t low, high;
	uint64_t below, above;
	uint64_t seen;
	bool absent;
	const struct slack *why, *bug;
	uint64_t bug_low, bug_high;
	enum figure_verdict verdict;
};

/**
 * struct figures - figures compared; all zero is a valid empty one
 * @figure: In the order in which they were compared, always the same one.
 * @sieve: Of mappings, keep only what doesn't match, set by the caller: 65,000 of
 *	them have some three million figures.
 * @matched: By file: figures that match and aren't kept.
 * @wanted: Keep only figures that are the same as one of these, set by
 *	figures_want(); NULL: @sieve decides.
 */
struct figures {
	struct figure *figure;
	size_t nr, max;
	bool sieve;
	uint64_t matched[NR_FIGURE_SOURCES];
	const struct figure **wanted;
	size_t nr_wanted;
};

void figures_free(struct figures *figures);

/* None so far; what is kept stays as it was chosen. */
void figures_restart(struct figures *figures);

/*
 * Counts a figure of a mapping up to @last, or 0, that matches, if it needn't be kept;
 * false: it must be added.
 */
bool figures_count(struct figures *figures, enum figure_source source, uint64_t last);

/* Adds @f, or counts it if it needn't be kept. Returns 0 or -ENOMEM. */
int figures_add(struct figures *figures, const struct figure *f);

/* Orders what figures are about; 0 if it is the same field of the same thing. */
int figure_order(const struct figure *a, const struct figure *b);

/*
 * Has reconcile() keep those figures in @figures that are mismatches in @differ,
 * which must stay as it is meanwhile. Returns 0 or -ENOMEM.
 */
int figures_want(struct figures *figures, const struct figures *differ);

#endif /* PTWALK_SUMS_FIGURES_H */
