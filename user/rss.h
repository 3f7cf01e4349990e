/* SPDX-License-Identifier: GPL-2.0 */
/* A process's pages counted and reconciled: reading both sides, again if need be. */
#ifndef PTWALK_RSS_H
#define PTWALK_RSS_H

#include "reconcile.h"

/**
 * struct rss_options - how to look
 * @rounds: How often both sides are read before a figure that differs is told
 *	(at least RSS_ROUNDS).
 * @max_pages: Ask about each page up to this many; beyond, bounds must do.
 * @known_bugs: As in struct shown.
 * @sources: Mask of 1 << enum figure_source: those that are wanted.
 */
struct rss_options {
	unsigned int rounds;
	uint64_t max_pages;
	uint32_t sources;
	bool known_bugs;
};

/* So often in a row must a figure differ in the same way. */
#define RSS_ROUNDS	3

#define RSS_DEFAULTS	{ 12, 1 << 20, (1 << NR_FIGURE_SOURCES) - 1 }

/**
 * struct rss - the outcome for one process; all zero is a valid empty one
 * @truth: Its extents, of the last round.
 * @each: Totals of each VMA of it; @max_each is room for.
 * @counted: As compared.
 * @shown: What the kernel showed.
 * @figures: The figures. Those that differed but never twice alike are
 *	FIGURE_UNSTABLE.
 * @told: All pages were asked about.
 * @verdict: Number of figures by verdict.
 * @why_not: By source: why it could not be read, or NULL.
 */
struct rss {
	struct truth truth;
	struct totals *each;
	size_t nr_each;
	struct counted counted;
	struct shown shown;
	struct figures figures;
	bool told;
	uint64_t verdict[NR_FIGURE_VERDICTS];
	char why_not[NR_FIGURE_SOURCES][64];
};

/*
 * Reconciles process @pid. Returns 0, an exit status after a line on stderr,
 * or CLIENT_GONE. A process without memory makes no figures.
 */
int rss_read(struct client *client, pid_t pid,
	     const struct rss_options *options, struct rss *rss);
void rss_free(struct rss *rss);

#endif /* PTWALK_RSS_H */
