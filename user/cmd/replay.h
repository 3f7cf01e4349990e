/* SPDX-License-Identifier: GPL-2.0 */
/* Files that ptwalk rss has recorded, for the commands that take them. */
#ifndef PTWALK_CMD_REPLAY_H
#define PTWALK_CMD_REPLAY_H

#include "recording/sums.h"

/*
 * Reads the file @path, "-" for standard input. Returns 0, or an exit status
 * after a line; rss_replay_free() frees @replay in either case.
 */
int replay_read(const char *path, struct rss_replay *replay);

/*
 * Whether what both have can be compared: entries of one kernel mean the same, those
 * of others nothing beside each other. Returns 0, or an exit status after a line.
 */
int replay_same_kernel(const char *name_a, const struct ptwalk_kernel *a,
		       const char *name_b, const struct ptwalk_kernel *b);

#endif /* PTWALK_CMD_REPLAY_H */
