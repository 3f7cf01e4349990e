// SPDX-License-Identifier: GPL-2.0
/* What is kept of the findings of a process, and what becomes of their sum. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/error.h"
#include "check/process.h"
#include "proc/pagemap_bits.h"
#include "proc/processes.h"
#include "tests.h"

static struct report_finding findings[16];
static struct report_counts sum;
static char noted[256], warned[256];
static unsigned int warnings;
static size_t nr_findings;

static void keep_finding(const struct report_finding *finding)
{
	if (nr_findings < 16)
		findings[nr_findings] = *finding;
	nr_findings++;
}

static void keep_sum(pid_t pid, const char *comm,
		     const struct report_counts *counts, const char *note)
{
	sum = *counts;
	snprintf(noted, sizeof(noted), "%s", note ? note : "");
}

static void warn(const char *message)
{
	snprintf(warned, sizeof(warned), "%s", message);
	warnings++;
}

static const struct renderer renderer = { .finding = keep_finding, .process = keep_sum };
static struct check check;
static struct process process;
static const struct ptwalk_vma plain = { .flags = PTWALK_VMA_FLAG_READ };
static const struct ptwalk_vma other = { .flags = PTWALK_VMA_FLAG_WRITE };

static void begin(void)
{
	static struct ptwalk_kernel kernel;

	kernel = test_kernel(6, 12);
	check = (struct check){
		.env.kernel = &kernel,
		.renderer = &renderer,
		.warn = warn,
		.source = { &test_pagemap, &test_scan }, .nr_sources = 2,
	};
	process = (struct process){ .check = &check, .page_shift = 12 };
	nr_findings = 0;
	warnings = 0;
}

static void note_seen(size_t source, uint64_t page, uint64_t pages,
		      const struct ptwalk_vma *vma, uint64_t seen, bool has_data,
		      enum verdict verdict, uint64_t rules)
{
	struct page_truth truth = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 1, vma);

	truth.addr += page << 12;
	process_note(&process, source, &truth, seen, has_data, pages, verdict,
		     rules);
}

static void note(size_t source, uint64_t page, uint64_t pages,
		 const struct ptwalk_vma *vma, bool has_data,
		 enum verdict verdict, uint64_t rules)
{
	note_seen(source, page, pages, vma, 0, has_data, verdict, rules);
}

static void end(void)
{
	process_report(&process, NULL);
	free(process.findings.found);
	free(process.findings.judged);
}

/* What goes on is one finding, and anything else is another one. */
static void joined(void **state)
{
	begin();
	note(0, 0, 2, &plain, true, VERDICT_EXPLAINED, 1);
	note(0, 2, 3, &plain, true, VERDICT_EXPLAINED, 1);
	note(0, 5, 1, &plain, true, VERDICT_EXPLAINED, 2);
	note(0, 6, 1, &plain, true, VERDICT_MISMATCH, 2);
	note(0, 7, 1, &other, true, VERDICT_MISMATCH, 2);
	note(0, 8, 1, &other, false, VERDICT_MISMATCH, 2);
	note(0, 10, 1, &other, false, VERDICT_MISMATCH, 2);
	note(0, 11, 1, NULL, false, VERDICT_MISMATCH, 2);
	end();
	assert_int_equal(nr_findings, 7);
	assert_int_equal(findings[0].pages, 5);
	for (size_t i = 1; i < nr_findings; i++)
		assert_int_equal(findings[i].pages, 1);
	assert_int_equal(check.tally.rules[0], 5);
	assert_int_equal(check.tally.rules[1], 6);
}

/* What is explained and was found in another order is one, too; nothing else is. */
static void joined_later(void **state)
{
	begin();
	note(0, 4, 3, &plain, true, VERDICT_EXPLAINED, 1);
	note(0, 7, 1, &plain, true, VERDICT_EXPLAINED, 2);
	note(0, 0, 4, &plain, true, VERDICT_EXPLAINED, 1);
	note(1, 8, 2, &plain, true, VERDICT_EXPLAINED, 2);
	note(0, 21, 1, &plain, true, VERDICT_MISMATCH, 0);
	note(0, 20, 1, &plain, true, VERDICT_MISMATCH, 0);
	note(0, 12, 1, &other, true, VERDICT_EXPLAINED, 1);
	note(0, 11, 1, &plain, true, VERDICT_EXPLAINED, 1);
	end();
	assert_int_equal(nr_findings, 7);
	assert_int_equal(findings[0].pages, 7);
	for (size_t i = 1; i < nr_findings; i++)
		assert_int_equal(findings[i].pages, i == 2 ? 2 : 1);
	assert_int_equal(sum.verdict[VERDICT_EXPLAINED], 12);
}

/* Each page counts once, with the worst that any source said of it. */
static void worst(void **state)
{
	begin();
	note(0, 0, 10, &plain, true, VERDICT_MISMATCH, 0);
	note(0, 10, 20, &plain, true, VERDICT_MATCH, 0);
	note(1, 0, 5, &plain, true, VERDICT_MATCH, 0);
	note(1, 5, 10, &plain, true, VERDICT_MISMATCH, 0);
	note(1, 15, 3, &plain, true, VERDICT_UNSTABLE, 0);
	note(0, 2, 20, &plain, true, VERDICT_EXPLAINED, 1);
	note(1, 18, 12, &plain, true, VERDICT_MATCH, 0);
	end();
	assert_int_equal(sum.verdict[VERDICT_MISMATCH], 15);
	assert_int_equal(sum.verdict[VERDICT_UNSTABLE], 3);
	assert_int_equal(sum.verdict[VERDICT_EXPLAINED], 4);
	assert_int_equal(sum.verdict[VERDICT_MATCH], 50 - 22);
	assert_int_equal(sum.comparisons, 80);
	assert_int_equal(check.summary.counts.verdict[VERDICT_MISMATCH], 15);
	assert_int_equal(nr_findings, 4);
}

/*
 * Of many findings few are kept, and a page counts once even if something worse is
 * said of it when the first one has been printed.
 */
static void many(void **state)
{
	const uint64_t nr = 5 * FOUND_MOST;

	begin();
	for (uint64_t i = 0; i < nr; i++)
		note(0, 2 * i, 1, &plain, true, VERDICT_EXPLAINED, 1);
	note(0, 0, nr, &plain, true, VERDICT_MATCH, 0);
	assert_true(nr_findings >= nr - FOUND_MOST);
	for (uint64_t i = 0; i < FOUND_MOST; i += 4)
		note(1, 2 * i, 2, &plain, true, VERDICT_MISMATCH, 0);
	assert_true(process.findings.max <= 2 * FOUND_MOST);
	end();
	assert_int_equal(nr_findings, nr + FOUND_MOST / 4);
	assert_int_equal(findings[0].pages, 1);
	assert_int_equal(sum.verdict[VERDICT_MISMATCH], FOUND_MOST / 2);
	assert_int_equal(sum.verdict[VERDICT_EXPLAINED], nr - FOUND_MOST / 4);
	assert_int_equal(sum.verdict[VERDICT_MATCH], nr - FOUND_MOST / 4);
}

/* Of a process that stands still nothing is printed before it goes on. */
static void many_of_a_frozen_one(void **state)
{
	begin();
	process.frozen = true;
	for (uint64_t i = 0; i < 3 * FOUND_MOST; i++)
		note(0, 2 * i, 1, &plain, true, VERDICT_EXPLAINED, 1);
	process_settle(&process);
	assert_int_equal(nr_findings, 0);
	process.frozen = false;
	end();
	assert_int_equal(nr_findings, 3 * FOUND_MOST);
}

/* What isn't explained is put in order with all that comes after it. */
static void many_that_differ(void **state)
{
	begin();
	for (uint64_t i = 3 * FOUND_MOST; i > 0; i--)
		note(0, 2 * i, 1, &plain, true, VERDICT_MISMATCH, 0);
	assert_int_equal(nr_findings, 0);
	end();
	assert_int_equal(nr_findings, 3 * FOUND_MOST);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(findings[i].truth.addr,
				 TEST_ADDR + ((2 * i + 2) << 12));
	assert_int_equal(sum.verdict[VERDICT_MISMATCH], 3 * FOUND_MOST);
}

/* The pages of many findings in a row are one run with one verdict. */
static void many_in_a_row(void **state)
{
	begin();
	for (uint64_t i = 0; i < 2 * FOUND_MOST; i++) {
		note(0, i, 1, i % 2 ? &plain : &other, true, VERDICT_EXPLAINED, 1);
		note(1, i, 1, i % 2 ? &plain : &other, true, VERDICT_EXPLAINED, 1);
	}
	assert_int_equal(process.findings.nr_judged, 1);
	end();
	assert_int_equal(sum.verdict[VERDICT_EXPLAINED], 2 * FOUND_MOST);
	assert_int_equal(sum.verdict[VERDICT_MATCH], 0);
}

static void text_of_pagemap(const struct env *env, uint64_t addr,
			    uint64_t value, char *buf, size_t size)
{
}

/* What ways of reading one interface show alike is one finding. */
static void alike(void **state)
{
	static const struct source ways[] = {
		{ .name = "pagemap", .expect = expect_pagemap, .text = text_of_pagemap },
		{ .name = "pagemap-4k", .rules = "pagemap",
		  .expect = expect_pagemap, .text = text_of_pagemap },
		{ .name = "pagemap-single", .rules = "pagemap",
		  .expect = expect_pagemap, .text = text_of_pagemap },
		{ .name = "pagemap-scan", .expect = expect_scan },
	};

	begin();
	check.nr_sources = 4;
	for (int i = 0; i < 4; i++)
		check.source[i] = &ways[i];
	note(2, 3, 1, &plain, true, VERDICT_MISMATCH, 0);
	note(2, 9, 1, &plain, true, VERDICT_MISMATCH, 0);
	note(1, 0, 10, &plain, true, VERDICT_MISMATCH, 0);
	note(0, 0, 10, &plain, true, VERDICT_MISMATCH, 0);
	/* Other pages, another verdict, another rule, no data, another interface. */
	note(1, 9, 2, &plain, true, VERDICT_MISMATCH, 0);
	note(2, 4, 1, &plain, true, VERDICT_UNSTABLE, 0);
	note(2, 5, 1, &plain, true, VERDICT_MISMATCH, 1);
	note(2, 6, 1, &plain, false, VERDICT_MISMATCH, 0);
	note(3, 0, 10, &plain, true, VERDICT_MISMATCH, 0);
	end();
	assert_int_equal(nr_findings, 6);
	assert_ptr_equal(findings[0].source, &ways[0]);
	assert_ptr_equal(findings[0].also[0], &ways[1]);
	assert_ptr_equal(findings[0].also[1], &ways[2]);
	assert_null(findings[0].also[2]);
	assert_ptr_equal(findings[1].source, &ways[3]);
	for (size_t i = 1; i < nr_findings; i++)
		assert_null(findings[i].also[0]);
	assert_int_equal(sum.verdict[VERDICT_MISMATCH], 11);

	/* The first page shows another value. */
	begin();
	check.source[0] = &ways[0];
	check.source[1] = &ways[1];
	process.findings.nr = 0;
	note(0, 0, 1, &plain, true, VERDICT_MISMATCH, 0);
	note(1, 0, 1, &plain, true, VERDICT_MISMATCH, 0);
	process.findings.found[1].finding.seen = 1;
	end();
	assert_int_equal(nr_findings, 2);
}

/*
 * Parts of what is wrong that the same way shows again, or one that hides what
 * others show; but not those that differ by another bit.
 */
static void parts(void **state)
{
	static const struct source ways[] = {
		{ .name = "pagemap", .expect = expect_pagemap,
		  .text = text_of_pagemap },
		{ .name = "pagemap-4k", .rules = "pagemap",
		  .expect = expect_pagemap, .text = text_of_pagemap },
		{ .name = "pagemap-unprivileged", .rules = "pagemap",
		  .expect = expect_pagemap_hidden },
	};
	static const struct {
		size_t source;
		uint64_t page, pages, seen;
	} notes[] = {
		/* The page is no file's, and mapped twice. */
		{ 0, 0, 100, PM_PRESENT | PM_FILE | PM_EXCLUSIVE | 1 },
		{ 0, 200, 10, PM_PRESENT | PM_FILE | 7 },
		{ 0, 20, 40, PM_PRESENT | PM_FILE | PM_EXCLUSIVE | 1 },
		{ 0, 90, 20, PM_PRESENT | PM_FILE | PM_EXCLUSIVE | 1 },
		{ 1, 50, 1, PM_PRESENT | PM_FILE | PM_EXCLUSIVE | 1 },
		{ 1, 70, 1, PM_PRESENT | PM_EXCLUSIVE | 1 },
		{ 1, 205, 1, PM_PRESENT | PM_FILE | 8 },
		{ 2, 95, 5, PM_PRESENT | PM_FILE | PM_EXCLUSIVE },
		{ 2, 80, 1, PM_PRESENT | PM_EXCLUSIVE },
		{ 2, 200, 1, PM_PRESENT | PM_FILE },
	};
	static const uint64_t first[] = { 0, 70, 80, 90, 200, 200 };

	begin();
	check.nr_sources = 3;
	for (int i = 0; i < 3; i++)
		check.source[i] = &ways[i];
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		memset(process.findings.latest, 0, sizeof(process.findings.latest));
		note_seen(notes[i].source, notes[i].page, notes[i].pages, &plain,
			  notes[i].seen, true, VERDICT_MISMATCH, 0);
	}
	end();
	assert_int_equal(nr_findings, sizeof(first) / sizeof(first[0]));
	for (size_t i = 0; i < nr_findings; i++)
		assert_int_equal(findings[i].truth.addr, TEST_ADDR + (first[i] << 12));
	assert_ptr_equal(findings[0].also[0], &ways[1]);
	assert_ptr_equal(findings[0].also[1], &ways[2]);
	assert_null(findings[0].also[2]);
	assert_ptr_equal(findings[4].source, &ways[0]);
	assert_ptr_equal(findings[4].also[0], &ways[1]);
	assert_null(findings[4].also[1]);
	assert_int_equal(sum.verdict[VERDICT_MISMATCH], 100 + 10 + 10);
}

/* What differs alike follows the first of its kind; nothing else moves, or is lost. */
static void in_a_row(void **state)
{
	static const struct remark figures[] = {
		{ .start = 1, .field = "Rss", .excess = 1 },
		{ .start = 2, .field = "Pss", .excess = 1 },
		{ .start = 3, .field = "Rss", .lacks = 1 },
		{ .start = 4, .field = "Rss", .excess = 1 },
		{ .start = 5, .field = "Rss", .excess = 1, .rule = "a-bug" },
		{ .start = 6, .field = "Rss", .excess = 1, .verdict = VERDICT_UNSTABLE },
		{ .start = 7, .rule = "a-lint" },
		{ .start = 8, .field = "Rss", .lacks = 1 },
		{ .start = 9, .field = "Rss", .excess = 1, .verdict = VERDICT_EXPLAINED },
		{ .start = 10, .field = "Rss", .excess = 1 },
		{ .start = 11, .rule = "a-lint" },
		{ .start = 12, .field = "Rss", .excess = 1, .verdict = VERDICT_EXPLAINED },
	};
	static const uint64_t order[] = { 1, 4, 10, 2, 3, 8, 5, 6, 7, 9, 11, 12 };
	const struct examinee x = { .process = &process };
	struct remark remark;

	begin();
	process.examining.name = "smaps";
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		remark = figures[i];
		if (!remark.verdict)
			remark.verdict = VERDICT_MISMATCH;
		examine_remark(&x, &remark);
	}
	end();
	assert_int_equal(nr_findings, sizeof(order) / sizeof(order[0]));
	for (size_t i = 0; i < nr_findings; i++)
		assert_int_equal(findings[i].truth.addr, order[i]);
	assert_int_equal(sum.verdict[VERDICT_MISMATCH], 9);
}

/* What is found in a hole makes no mapping of it, whether the process stands still or not. */
static void not_checked_but_found(void **state)
{
	for (unsigned int i = 0; i < 4; i++) {
		begin();
		process.pid = getpid();
		process.space = procs_space(process.pid);
		process.frozen = i & 1;
		note(0, 0, 1, NULL, true, i & 2 ? VERDICT_MISMATCH : VERDICT_EXPLAINED, 1);
		process_finish(&process, 0);
		assert_int_equal(nr_findings, 1);
		assert_int_equal(check.summary.processes.checked, 0);
		assert_int_equal(check.summary.processes.unchecked, 1);
		assert_string_equal(noted, "nothing to compare: no mapping there");
		process_close(&process);
	}
	/* Beside a mapping, it is one of its findings. */
	begin();
	process.pid = getpid();
	process.space = procs_space(process.pid);
	note(0, 0, 1, NULL, true, VERDICT_MISMATCH, 0);
	note(0, 1, 1, &plain, true, VERDICT_MATCH, 0);
	process_finish(&process, 0);
	assert_int_equal(check.summary.processes.checked, 1);
	assert_int_equal(check.summary.processes.unchecked, 0);
	process_close(&process);
}

/* Why a process isn't checked is told once to the command, and once in the report. */
static void not_checked(void **state)
{
	begin();
	process.pid = getpid();
	process.space = procs_space(process.pid);
	process_finish(&process, error_set(-EIO, "smaps of process 1: text"));
	assert_int_equal(warnings, 1);
	assert_string_equal(warned, "smaps of process 1: text");
	assert_string_equal(noted, "smaps of process 1: text");
	assert_int_equal(check.summary.processes.unchecked, 1);

	/* What the report has is shorter where that is known. */
	begin();
	process.pid = getpid();
	process.space = procs_space(process.pid);
	process.why = "nothing is mapped there";
	process_finish(&process, error_set(-ENOENT, "'x': no mapping"));
	assert_int_equal(warnings, 1);
	assert_string_equal(warned, "'x': no mapping");
	assert_string_equal(noted, "nothing is mapped there");

	/* Nothing was compared. */
	begin();
	process.pid = getpid();
	process.space = procs_space(process.pid);
	process_finish(&process, 0);
	assert_int_equal(warnings, 1);
	assert_non_null(strstr(warned, noted));
	assert_int_equal(check.summary.processes.unchecked, 1);

	/* It is another program by now, one of all, and nobody's fault. */
	begin();
	check.all = true;
	process.pid = getpid();
	process.space = procs_space(process.pid) + 1;
	process_finish(&process, 0);
	assert_int_equal(warnings, 0);
	assert_int_equal(check.summary.processes.gone, 1);
}

SUITE(suite_process, cmocka_unit_test(not_checked),
      cmocka_unit_test(not_checked_but_found),
      cmocka_unit_test(joined), cmocka_unit_test(joined_later), cmocka_unit_test(worst),
      cmocka_unit_test(alike), cmocka_unit_test(parts), cmocka_unit_test(in_a_row),
      cmocka_unit_test(many), cmocka_unit_test(many_that_differ),
      cmocka_unit_test(many_of_a_frozen_one),
      cmocka_unit_test(many_in_a_row));
