/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a check as what harnesses count: a case for the run, and one
 * for each interface. Their names are the same in each run; whatever varies,
 * such as processes and reasons, is in their texts.
 */
#ifndef PTWALK_REPORT_CASES_H
#define PTWALK_REPORT_CASES_H

#include "check/events.h"
#include "report/alike.h"

#define CASE_SUITE	"ptwalk.check"
#define CASE_WHY	256
#define CASE_TIME	32

enum case_outcome {
	OUTCOME_PASS,
	OUTCOME_FAIL,		/* mismatches */
	OUTCOME_MISS,		/* could not be checked */
	OUTCOME_DONE,		/* pages that never held still */
	OUTCOME_SKIP,		/* there is no such interface, or it can't be asked */
	NR_OUTCOMES
};

/**
 * struct test_case - one of them
 * @name: Of the interface as in --source; NULL for the whole run, which is the
 *	first case, and whose outcome is that of the exit status.
 * @why: What the outcome comes from, or what is left out; "" if there is nothing.
 * @log: Findings, a few lines each, and "" if there are none. All but newlines is
 *	printable.
 */
struct test_case {
	const char *name;
	enum case_outcome outcome;
	char why[CASE_WHY];
	const char *log;
};

/* A finding in lines of printable text, to be freed; @alike: how it is told. */
char *cases_text(const struct report_finding *finding, enum alike alike);

/* What cases_finding() does; returns how it is told. */
enum alike cases_keep(const struct report_finding *finding);

/* The functions of a renderer that has no use for events before the summary. */
void cases_begin(bool verbose, unsigned int interfaces);
void cases_finding(const struct report_finding *finding);
void cases_process(pid_t pid, const char *comm,
		   const struct report_counts *counts, const char *note);

/* What has become of the cases: how many there are, and each of them. */
size_t cases_number(const struct report_summary *summary);
struct test_case cases_get(const struct report_summary *summary, size_t i);

/* When cases_begin() was called, in UTC and without a zone; and how long ago. */
const char *cases_start(char buf[CASE_TIME]);
double cases_seconds(void);

#endif /* PTWALK_REPORT_CASES_H */
