/* SPDX-License-Identifier: GPL-2.0 */
/* Long output that Ctrl-C ends with a whole line. */
#ifndef PTWALK_CMD_INTERRUPT_H
#define PTWALK_CMD_INTERRUPT_H

#include <signal.h>
#include <sys/types.h>

/*
 * The signal, from the first SIGINT since interrupt_begin() on; a second one kills, a
 * moment later.
 */
extern volatile sig_atomic_t interrupted;

/* Returned to truth_stream() and its like to stop them; no exit status. */
#define INTERRUPT_STOP	1001

void interrupt_begin(void);

/* The same for @sig. */
void interrupt_by(int sig);

/* The same for SIGALRM, which comes after so many seconds. */
void interrupt_after(double seconds);

/*
 * From now on @child, unless 0, gets those that were sent to this process alone;
 * a terminal sends them to both.
 */
void interrupt_pass_on(pid_t child);

/* Says in a summary that a signal came before its end: "partial": "signal". */
void interrupt_json(void);

/* Flushes the output, and ends as a shell expects it: with the signal as the cause. */
int interrupt_end(void);

#endif /* PTWALK_CMD_INTERRUPT_H */
