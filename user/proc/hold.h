/* SPDX-License-Identifier: GPL-2.0 */
/* The child that keeps a process stopped for freeze(), by ptrace. */
#ifndef PTWALK_PROC_HOLD_H
#define PTWALK_PROC_HOLD_H

#include <sys/types.h>

#define HOLD_SECONDS	10	/* that one thread may take to stop */

enum hold_outcome {
	HOLD_HELD,		/* all threads stand still */
	HOLD_GONE,		/* there is no thread left */
	HOLD_REFUSED,		/* @tid can't be traced: @err */
	HOLD_STUCK,		/* @tid doesn't stop */
	HOLD_NO_MEMORY,
};

/**
 * struct hold_report - what the child says first
 */
struct hold_report {
	enum hold_outcome outcome;
	pid_t tid;
	int err;
};

/* And last, one byte: */
#define HOLD_TO_THE_END	'e'	/* it was let go when ptwalk said so */
#define HOLD_LET_GO	'l'	/* earlier, since ptwalk had been stopped */

/*
 * Stops all threads of @pid, and writes a report to @out; lets them go when
 * something can be read from @in, or its other end is closed, or the parent is
 * stopped. Doesn't return.
 */
void hold(pid_t pid, int in, int out) __attribute__((noreturn));

#endif /* PTWALK_PROC_HOLD_H */
