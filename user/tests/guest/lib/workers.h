/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that work beside one another, and what they count together. */
#ifndef PTWALK_TEST_WORKERS_H
#define PTWALK_TEST_WORKERS_H

#include <stdbool.h>
#include <sys/types.h>
#include "ptw.h"

#define WORKER_LATE	300	/* seconds that the last of its work may take */

/*
 * Starts one that does @work once, with a seed of its own, and ends then or with its
 * parent; for worker_ends() or process_end(). Ends the program if it can't.
 */
pid_t worker_start(void (*work)(u32 *seed), u32 seed);

/* Starts one that writes to its copies of @size bytes, or none, and stays, for process_end(). */
pid_t worker_copies(void *at, size_t size);

/*
 * Starts one that does @first, if any, and goes on without its first thread, for
 * process_end(). If @first returns false, it exits.
 */
pid_t worker_without_first_thread(bool (*first)(void *arg), void *arg);

/*
 * Waits until it has ended, and returns whether it had nothing to say. It is killed
 * WORKER_LATE seconds after @end, in those of seconds_now(): @what did not end.
 */
bool worker_ends(pid_t pid, double end, const char *what);

/* Adds to a figure in memory that all of them share. */
void worker_count(unsigned long *figure, unsigned long by);

#endif /* PTWALK_TEST_WORKERS_H */
