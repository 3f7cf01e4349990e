/* SPDX-License-Identifier: GPL-2.0 */
/* Long commands that a signal ends with a whole line, and with what was found. */
#ifndef PTWALK_CMD_INTERRUPT_H
#define PTWALK_CMD_INTERRUPT_H

#include <signal.h>
#include <sys/types.h>

/*
 * The signal, from the first one since interrupt_begin() on; a second one kills, a
 * moment later.
 */
extern volatile sig_atomic_t interrupted;

/* Returned to truth_stream() and its like to stop them; no exit status. */
#define INTERRUPT_STOP	1001

/* From now on SIGINT, SIGTERM and SIGHUP, unless that is ignored, are waited for. */
void interrupt_begin(void);

/* These. */
void interrupt_signals(sigset_t *signals);

/*
 * To be called before: reading @fd, which can wait for ever, ends with the first
 * signal, and there is nothing more in it.
 */
void interrupt_input(int fd);

/* SIGALRM is waited for likewise, which comes after so many seconds. */
void interrupt_after(double seconds);

/*
 * From now on @child, unless 0, gets those that were sent to this process alone;
 * a terminal sends them to both. The second signal kills it, and not yet us.
 */
void interrupt_pass_on(pid_t child);

/* Says in a summary that a signal came before its end: "partial": "signal". */
void interrupt_json(void);

/* Flushes the output, and ends as a shell expects it: with the signal as the cause. */
int interrupt_end(void);

#endif /* PTWALK_CMD_INTERRUPT_H */
