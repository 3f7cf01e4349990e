/* SPDX-License-Identifier: GPL-2.0 */
/* Counts and reconciles a process's pages; reads both sides, again if needed. */
#ifndef PTWALK_SUMS_RSS_H
#define PTWALK_SUMS_RSS_H

#include <signal.h>
#include "proc/maps.h"
#include "proc/procmap_query.h"
#include "sums/reconcile.h"
#include "sums/judge_figures.h"

/**
 * struct rss_options - how to look
 * @rounds: How often both sides are read before a figure that differs is told
 *	(at least JUDGE_PAGE_ROUNDS).
 * @known_bugs: As in struct shown.
 * @sources: Mask of 1 << enum figure_source: those that are wanted.
 * @ranges: Only mappings that lie in one of these as a whole, of files that
 *	have figures of mappings; NULL: the whole process.
 * @keep: Keep what was read, for a recording.
 * @every: Keep figures of mappings that match, too.
 * @draw: Queries of PROCMAP_QUERY; NULL: all.
 * @stop: Once this isn't 0 it ends with -EINTR; NULL: it doesn't.
 */
struct rss_options {
	unsigned int rounds;
	uint32_t sources;
	bool known_bugs, keep, every;
	const struct ranges *ranges;
	const struct procmap_draw *draw;
	const volatile sig_atomic_t *stop;
};

#define RSS_DEFAULTS	{ 12, (1 << NR_FIGURE_SOURCES) - 1 }

#define RSS_NONE	"its first thread has ended, and others have none"

/**
 * struct rss - the outcome for one process; all zero is a valid empty one
 * @truth: If @keep, its extents and pages, of the last round.
 * @each: Totals of each VMA of it, likewise.
 * @counted: As compared; without @keep the sums only.
 * @shown: What the kernel showed; without @keep not of all mappings.
 * @figures: The figures. Those that differed but never twice alike are
 *	FIGURE_UNSTABLE.
 * @forked: Processes were created in the last round, see judge_figures().
 * @verdict: Number of figures by verdict.
 * @why_not: By source: why it could not be read, or NULL.
 * @none: Mask of 1 << source: the process has no such file; why is RSS_NONE.
 * @text: If @keep, what was read of the files.
 */
struct rss {
	struct truth truth;
	struct totals *each;
	size_t nr_each;
	struct counted counted;
	struct shown shown;
	struct figures figures;
	bool forked;
	uint64_t verdict[NR_FIGURE_VERDICTS];
	char why_not[NR_FIGURE_SOURCES][64];
	uint32_t none;
	char *text[NR_FIGURE_SOURCES];
};

/*
 * Reconciles process @pid. Returns 0 or a negative errno, see base/error.h. A
 * process without memory makes no figures.
 */
int rss_read(struct ptwalk *client, pid_t pid,
	     const struct rss_options *options, struct rss *rss);
void rss_free(struct rss *rss);

/*
 * For tests: whether a counter showed a @page more each time, of @nr readings
 * with a page written between each; a negative one could not be read.
 */
bool rss_seen_at_once(const long *shown, size_t nr, long page);

/* For tests: whether by @sys, where sysfs is, only mlock() counts in VmLck. */
bool rss_only_mlock(const char *sys, const struct ptwalk_kernel *kernel);

#endif /* PTWALK_SUMS_RSS_H */
