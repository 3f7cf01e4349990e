/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctl PROCMAP_QUERY on /proc/PID/maps, of Linux 6.11. */
#ifndef PTWALK_PROC_PROCMAP_QUERY_H
#define PTWALK_PROC_PROCMAP_QUERY_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* NULL if this kernel has it, or why it can't be used. */
const char *procmap_query_probe(void);

/*
 * The name of the mapping at @addr of process @pid, as /proc/PID/maps has it, to be
 * freed; NULL with a negative errno in @err, -ENOTTY if this kernel has no such ioctl.
 */
char *procmap_query_name(pid_t pid, uint64_t addr, int *err);

/**
 * struct procmap_draw - how many queries are drawn
 * @seed: Decides which, with the address of a mapping: they are the same again while
 *	other mappings come and go.
 * @queries: About so many, of all @mappings that there are.
 */
struct procmap_draw {
	uint64_t seed, queries, mappings;
};

/*
 * All mappings of process @pid, as lines of smaps with KernelPageSize; each was
 * asked for as the next one behind the last, and again by its last address, with
 * its permissions. @draw says how many are asked for with other permissions, too, with
 * room for just their names and for less, and as the next one of their permissions; NULL: all
 * are. A name that is too long is "?"; what is found behind the last mapping is one, too.
 * Returns NULL with a negative errno in @err.
 */
FILE *procmap_query_fopen(pid_t pid, const struct procmap_draw *draw, int *err);

#endif /* PTWALK_PROC_PROCMAP_QUERY_H */
