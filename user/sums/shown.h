/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel shows of a process in smaps, status and the like. */
#ifndef PTWALK_SUMS_SHOWN_H
#define PTWALK_SUMS_SHOWN_H

#include <stdbool.h>
#include <stdio.h>
#include "proc/smaps.h"
#include "proc/status.h"
#include "proc/thp.h"

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
 * @thp: The settings of huge pages, when smaps was read.
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
	struct thp_settings thp;
	bool exact_counters, only_mlock;
	unsigned int cpus;
	bool known_bugs;
};

/* Those that have lines for each mapping. */
#define SHOWN_BY_MAPPING						\
	(1U << FIGURE_SMAPS | 1U << FIGURE_NUMA_MAPS | 1U << FIGURE_MAPS | \
	 1U << FIGURE_QUERY | 1U << FIGURE_MAP_FILES)

/*
 * Parses the file @source, which then is among @shown->has. Returns 0 or a
 * negative errno: -EINVAL with the number of a line that makes no sense.
 */
int shown_parse(struct shown *shown, enum figure_source source, FILE *stream,
		size_t *line);

/* The same of one of SHOWN_BY_MAPPING, up to mappings that begin at @last. */
int shown_parse_until(struct shown *shown, enum figure_source source,
		      struct long_lines *lines, uint64_t last);

/* The lines of a file, as far as it is like smaps, or NULL: numa_maps isn't. */
const struct smaps *shown_lines(const struct shown *shown, enum figure_source source);

/* Forgets the mappings; shown_free() the rest, too. */
void shown_free_mappings(struct shown *shown);
void shown_free(struct shown *shown);

#endif /* PTWALK_SUMS_SHOWN_H */
