/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Both sides of what ptwalk rss read of a process, as lines of text: for tests,
 * and to reconcile again what another kernel showed. Pure.
 */
#ifndef PTWALK_RECORDING_SUMS_H
#define PTWALK_RECORDING_SUMS_H

#include "base/lines.h"
#include "sums/rss.h"

/*
 * Writes what rss_read() kept (see rss_options), and the end mark. Returns 0
 * or a negative errno.
 */
int rss_record(FILE *stream, const struct rss *rss);

/**
 * struct rss_page - pages that are told alike
 */
struct rss_page {
	uint64_t addr, nr, bits;
	struct ptwalk_page page;
};

/**
 * struct rss_replay - a process out of a recording
 * @info: The kernel.
 * @truth: Its extents.
 * @page: What was told of the pages; @nr_pages, and room for @max_pages.
 * @counted: All that counted, after rss_replay_count().
 * @each: Where @counted has it.
 * @shown: What the kernel showed.
 * @moving: Figures that differed only while the process changed, with
 *	@nr_moving, and room for @max_moving.
 */
struct rss_replay {
	struct ptwalk_kernel info;
	struct truth truth;
	struct rss_page *page;
	size_t nr_pages, max_pages;
	struct counted counted;
	struct totals *each;
	struct shown shown;
	struct rss_moving *moving;
	size_t nr_moving, max_moving;
};

/*
 * Reads all of @lines, and counts. Returns 0; -EINVAL for a line that makes no
 * sense, -ENODATA for a file that ends without its end mark, each with the
 * reason in @lines; or another negative errno.
 */
int rss_replay_read(struct lines *lines, struct rss_replay *replay);

/*
 * Compares both sides again. What the recording has as moving is unstable at
 * worst. Returns 0 or -ENOMEM.
 */
int rss_replay_judge(const struct rss_replay *replay, struct figures *figures);

/* The name of one of its mappings, by its smaps or else its maps; "" for none. */
const char *rss_replay_name(const struct rss_replay *replay,
			    const struct ptwalk_vma *vma);

/* Counts again. Returns 0 or -ENOMEM. */
int rss_replay_count(struct rss_replay *replay);
void rss_replay_free(struct rss_replay *replay);

#endif /* PTWALK_RECORDING_SUMS_H */
