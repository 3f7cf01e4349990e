/* SPDX-License-Identifier: GPL-2.0 */
/* The truth of a page, and sums, as text. Pure. */
#ifndef PTWALK_REPORT_DESCRIBE_H
#define PTWALK_REPORT_DESCRIBE_H

#include <stdbool.h>
#include "check/compare.h"
#include "check/events.h"
#include "claims/hint.h"

#define DESCRIBE_SIZE	384

/* "present pmd pfn 0x1234 write user", or "swap type 1 offset 0x10". */
void truth_text(const struct page_truth *truth, char *buf, size_t size);
/* The same as members of an object. */
void truth_json(const struct ptwalk_kernel *kernel, const struct page_truth *truth);

/*
 * The request of a finding: "again", with the command line that makes it once
 * more in @buf; of ptwalk itself, which is another process then, "request"
 * with the request alone; NULL if it has none.
 */
const char *request_text(const struct report_finding *finding,
			 char buf[DESCRIBE_SIZE]);

/*
 * Calls @line for the truth of a finding, for what is seen instead, and for what
 * else there is: which bits differ, what shows the same, and the request.
 */
void describe_finding(const struct report_finding *finding,
		      void (*line)(const char *label, const char *text));

/* What may have been done wrong, in @buf or not; NULL: nothing is known. */
const char *finding_hint(const struct report_finding *finding, char buf[CLAIMS_HINT]);

/* What it lies in, as /proc/PID/maps names it, or in words. */
const char *finding_place(const struct report_finding *finding);

/* Members that say which bits the value of a finding lacks and has in excess, by name. */
void bits_json(const struct report_finding *finding);

/* Members that say what was counted: pages, match... */
void counts_json(const struct report_counts *counts);

/* What the examination of a source sums up; false: nothing. */
bool report_sum_text(const struct report_source *source, char buf[REPORT_SUM]);

#endif /* PTWALK_REPORT_DESCRIBE_H */
