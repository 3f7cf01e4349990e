/* SPDX-License-Identifier: GPL-2.0 */
/* Gathers what a picture is drawn from: of a process, or of recordings. */
#ifndef PTWALK_MAP_GATHER_H
#define PTWALK_MAP_GATHER_H

#include <signal.h>
#include "kernel/compare.h"
#include "map/input.h"
#include "proc/maps.h"
#include "recording/sums.h"

/**
 * struct map_gathered - all that @input points to; all zero is a valid empty one
 * @input: Complete once map_gather_end() was called.
 * @truth: The extents and their pages.
 * @recorded: All of it but the pages is the recording's.
 * @maps: Of a process.
 * @vma: For @input.
 * @stop: Once this isn't 0 a process is read no further, and the picture is of a
 *	part, @partial; NULL: it is read to its end.
 * @own: VMAs that are in no truth: of maps only, or of the past only.
 * @before: Of the kernel's own tables, what was there before; @info is of both.
 * @name: Names of their areas.
 */
struct map_gathered {
	struct map_input input;
	struct truth truth;
	bool recorded;
	const volatile sig_atomic_t *stop;
	bool partial;
	struct maps maps;
	struct zones zones;
	struct places places;
	struct map_vma *vma;
	size_t nr_vmas, max_vmas;
	struct ptwalk_vma **own;
	size_t nr_own, max_own;
	struct truth before;
	struct ptwalk_kernel info;
	char **name;
	size_t nr_names, max_names;
	struct change *change;
	size_t nr_changes, max_changes;
	struct map_finding *finding;
	size_t nr_findings, max_findings;
	char of[128];
};

/* Each returns 0 or a negative errno, see base/error.h. */

/* Process @pid as it is now, with @maps, which are taken over, and findings of lints. */
int map_gather_process(struct ptwalk *client, pid_t pid, struct maps *maps,
		       struct map_gathered *g);

/* A recording, which is to stay; with the mismatches of its figures. */
int map_gather_recording(struct rss_replay *replay, struct map_gathered *g);

/* What changed since @before, which is to stay, too. */
int map_gather_before(const struct rss_replay *before, struct map_gathered *g);

/*
 * The kernel's own tables, area by area, with what changed since @before, or NULL. What
 * couldn't be read at one of the moments couldn't be at both.
 */
int map_gather_kernel(const struct kernel_facts *now, const struct kernel_facts *before,
		      struct map_gathered *g);

/*
 * The last step: puts all in order. @why returns what a kind of finding means, or
 * "".
 */
void map_gather_end(struct map_gathered *g, const char *(*why)(const char *name));
void map_gathered_free(struct map_gathered *g);

#endif /* PTWALK_MAP_GATHER_H */
