/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares counted pages with what smaps, status and the like show: what each
 * field must show, by how much it may be off, and why. Pure.
 */
#ifndef PTWALK_SUMS_RECONCILE_H
#define PTWALK_SUMS_RECONCILE_H

#include "proc/status.h"
#include "sums/totals.h"

/**
 * struct counted - the truth, counted
 * @info: What the module says of the kernel.
 * @levels: Of the process's tables, as in struct truth.
 * @vmas: The VMAs, with their totals in @each; @nr of both.
 * @sum: Of all of them.
 * @tables: The page tables themselves.
 * @part: These aren't all VMAs of the process, and only figures of VMAs can be
 *	compared.
 */
struct counted {
	const struct ptwalk_kernel *info;
	uint32_t levels;
	const struct ptwalk_vma *vmas;
	const struct totals *each;
	size_t nr;
	struct totals sum;
	struct totals_tables tables;
	bool part;
};

/* The files that can be compared. */
enum figure_source {
	FIGURE_STATUS,
	FIGURE_STATM,
	FIGURE_STAT,
	FIGURE_SMAPS,
	FIGURE_ROLLUP,
	FIGURE_NUMA_MAPS,
	FIGURE_MAPS,
	FIGURE_QUERY,		/* PROCMAP_QUERY */
	FIGURE_MAP_FILES,
	NR_FIGURE_SOURCES
};

extern const char *const figure_source_name[NR_FIGURE_SOURCES];

/**
 * struct shown - what the kernel shows
 * @has: Mask of 1 << enum figure_source: those that could be read.
 * @exact_counters: The counters of status and statm take part in no batches;
 *	found by trying.
 * @only_mlock: No driver of this kernel charges pages to VmLck.
 * @cpus: Number of possible processors.
 * @known_bugs: Take known bugs of the kernel for slack.
 */
struct shown {
	uint32_t has;
	struct procstatus status;
	struct statm statm;
	struct procstat stat;
	struct smaps smaps, rollup, maps, query, map_files;
	struct numa_maps numa;
	bool exact_counters, only_mlock;
	unsigned int cpus;
	bool known_bugs;
};

/*
 * Parses the file @source, which then is among @shown->has. Returns 0 or a
 * negative errno: -EINVAL with the number of a line that makes no sense.
 */
int shown_parse(struct shown *shown, enum figure_source source, FILE *stream,
		size_t *line);
void shown_free(struct shown *shown);

enum figure_verdict {
	FIGURE_MATCH,		/* what was counted, or between its bounds */
	FIGURE_SLACK,		/* off by no more than @why says */
	FIGURE_UNSTABLE,
	FIGURE_MISMATCH,
	NR_FIGURE_VERDICTS
};

extern const char *const figure_verdict_name[NR_FIGURE_VERDICTS];

/**
 * struct slack - why a figure is not, or need not be, the counted one
 * @name: Short.
 * @text: A sentence.
 * @where: The kernel's function that decides it.
 * @versions: In words; NULL is all.
 */
struct slack {
	const char *name;
	const char *text;
	const char *where;
	const char *versions;
};

/**
 * struct figure - one field compared
 * @source: The file; @field is what it calls the field.
 * @node: Of the field "N", the pages on a NUMA node.
 * @where: The kernel's function that adds it up.
 * @unit: "kB", "pages", "flags", or "" for a bare number.
 * @start: The VMA, to @last; both 0 if it is about the whole process.
 * @digest: Of the pages that it is about, as in struct totals.
 * @low: What was counted; if @high is another, it lies between.
 * @below: How much less than @low it may show, and @above how much more than
 *	@high; UINT64_MAX is without a limit.
 * @seen: What the file shows.
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
	const struct slack *why, *bug;
	uint64_t bug_low, bug_high;
	enum figure_verdict verdict;
};

/**
 * struct figures - figures compared; all zero is a valid empty one
 * @figure: In the order in which they were compared, always the same one.
 * @sieve: Keep only what doesn't match, set by the caller. A process with 65,000
 *	mappings has some three million figures.
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

/*
 * Compares all fields of all files that were read; a figure each, always in
 * the same order. That a file has a mapping is one, too. Returns 0 or -ENOMEM.
 */
int reconcile(const struct counted *counted, const struct shown *shown,
	      struct figures *figures);
/* "VmRSS"; of a node "N0". */
#define FIGURE_NAME	16
const char *figure_name(const struct figure *figure, char buf[FIGURE_NAME]);
void figures_free(struct figures *figures);

/* Orders what figures are about; 0 if it is the same field of the same thing. */
int figure_order(const struct figure *a, const struct figure *b);

/*
 * Has the next reconcile() keep those figures in @figures that are mismatches in
 * @differ, which must stay as it is until then. Returns 0 or -ENOMEM.
 */
int figures_want(struct figures *figures, const struct figures *differ);

/* All reasons that there are; ends with one that has no name. */
extern const struct slack slacks[];

/* The same of the known bugs. */
extern const struct slack kernel_bugs[];

#endif /* PTWALK_SUMS_RECONCILE_H */
