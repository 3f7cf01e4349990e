/* SPDX-License-Identifier: GPL-2.0 */
/* check --during: a command that runs while processes are checked in rounds. */
#ifndef PTWALK_CMD_DURING_H
#define PTWALK_CMD_DURING_H

#include <sys/types.h>
#include <time.h>
#include "check/events.h"

/**
 * struct during - the command
 * @pid: Its process, 0 once it has ended.
 * @begun: When it was started.
 * @told: Seconds from then to the latest line of progress.
 * @verbose: Print progress in any case, not only on a terminal.
 * @report: What the summary says of it.
 */
struct during {
	pid_t pid;
	struct timespec begun;
	double told;
	bool verbose;
	struct report_during report;
};

/*
 * Starts @command, whose words end with NULL; its standard output is the error
 * output if @to_stderr. Returns 0, or an exit status after a line.
 */
int during_start(struct during *d, char **command, bool to_stderr);

/* Whether it runs. */
bool during_runs(struct during *d);

/* Waits a while before the next round; false: there is to be none. */
bool during_pause(struct during *d);

/* Waits for its end; after a signal no longer than a second. */
void during_wait(struct during *d);

/* Ends it if it still runs: the signal, and after some seconds SIGKILL. */
void during_end(struct during *d);

/* Whether it ended of its own accord, and not with status 0. */
bool during_failed(const struct during *d);

/* Now and then, a line of what was compared so far. */
void during_progress(struct during *d, const struct report_counts *counts);

/* Whether this warning comes for the first time: there are many rounds. */
bool during_is_new(const char *message);

/*
 * A renderer that has @inner tell each finding once, however often it comes;
 * explained ones and processes only if @verbose.
 */
const struct renderer *during_renderer(const struct renderer *inner,
				       bool verbose);

#endif /* PTWALK_CMD_DURING_H */
