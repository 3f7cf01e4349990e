/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of processes: those that a command line names, all, or threads of one. */
#ifndef PTWALK_PROC_PIDS_H
#define PTWALK_PROC_PIDS_H

#include <stddef.h>
#include <sys/types.h>

/**
 * struct pids - processes or threads; all zero is a valid empty list
 * @pid: The numbers.
 * @nr: Number of those, with room for @max.
 */
struct pids {
	pid_t *pid;
	size_t nr, max;
};

/* Each returns 0 or a negative errno, see base/error.h. */

/* A word of the command line: a number, or "self". */
int pid_take(const char *word, pid_t *pid);

/*
 * The same, as one more of several: each process is listed once, however often
 * it is named, and by whichever of its threads.
 */
int pids_add(struct pids *pids, const char *word);

/* Several with commas between them, or one. */
int pids_add_list(struct pids *pids, const char *list);

/* All processes that there are now, in ascending order. */
int pids_add_all(struct pids *pids);

/* The threads that a process has now, in ascending order. */
int pids_add_threads(struct pids *pids, pid_t pid);

void pids_free(struct pids *pids);

#endif /* PTWALK_PROC_PIDS_H */
