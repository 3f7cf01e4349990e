/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Findings that differ alike, as findings_differ_alike() has it: one bug shows in
 * many mappings and processes. The first are told; how many others there are is
 * told once for their process, and once for all other processes.
 */
#ifndef PTWALK_REPORT_ALIKE_H
#define PTWALK_REPORT_ALIKE_H

#include "check/events.h"

#define ALIKE_TOLD	3	/* those of the first process that are told */

enum alike {
	ALIKE_NEW,		/* none before was alike */
	ALIKE_APART,		/* one was, and another came between */
	ALIKE_NEXT,		/* it follows one, and is told with that */
	ALIKE_COUNTED,		/* it is only counted */
};

/* Forgets all. */
void alike_begin(void);

/* Notes a finding of the process at hand, and returns how it is to be told. */
enum alike alike_note(const struct report_finding *finding);

/*
 * How many findings were noted: one bug is one finding, so those that differ
 * alike, of whatever process, are one.
 */
uint64_t alike_findings(void);

/* What of the last process was only counted and isn't told yet, which it is now. */
uint64_t alike_left(void);

/* A line for each of those of which there are more, as in other processes. */
void alike_elsewhere(void (*line)(enum verdict verdict, const char *text));

#endif /* PTWALK_REPORT_ALIKE_H */
