/* SPDX-License-Identifier: GPL-2.0 */
/* The processes that a command line names. */
#ifndef PTWALK_PROC_PIDS_H
#define PTWALK_PROC_PIDS_H

#include <stddef.h>
#include <sys/types.h>

/**
 * struct pids - processes, in the order in which they were named, each once
 *	however often, and by whichever of its threads
 * @pid: The processes.
 * @nr: Number of those.
 */
struct pids {
	pid_t *pid;
	size_t nr;
};

/*
 * Each takes what somebody wrote, and returns 0, or an exit status after a line
 * on stderr.
 */

/* A number, or "self". */
int pid_take(const char *word, pid_t *pid);

/* The same, as one more of several. */
int pids_add(struct pids *pids, const char *word);

/* Several with commas between them, or one. */
int pids_add_list(struct pids *pids, const char *list);

void pids_free(struct pids *pids);

#endif /* PTWALK_PROC_PIDS_H */
