// SPDX-License-Identifier: GPL-2.0
/* What the text for people says: the limits of interfaces only where they matter. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check/events.h"
#include "check/examine.h"
#include "check/rules.h"
#include "tests.h"

#define SAMPLED	"source pagemap, pagemap-scan: a sample of each mapping\n"
#define MISSING	"source kpageflags not used: there is none\n"
#define POLICY	"source smaps: policy is not compared\n"

static const struct remark no_sum = {
	.rule = "smaps", .truth = "Rss 4 kB", .seen = "Rss 8 kB",
};

/* One process with @finding, if there is any, and four interfaces with limits. */
static void report(bool verbose, const struct report_finding *finding)
{
	static const struct report_source limits[] = {
		{ "pagemap", true, "a sample of each mapping", NULL },
		{ "pagemap-scan", true, "a sample of each mapping", NULL },
		{ "kpageflags", false, "there is none", NULL },
		{ "smaps", true, "policy is not compared", NULL },
		{ "kpagecount", true, NULL, NULL },
	};
	static const uint64_t of_rules[RULES_MAX];
	const struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct report_summary summary = {
		.processes = 1, .rules = of_rules, .kernel = &kernel,
		.sources = limits, .nr_sources = 5,
	};

	summary.counts.verdict[finding ? finding->verdict : VERDICT_MATCH] = 1;
	render_text.begin(verbose, 1);
	if (finding)
		render_text.finding(finding);
	render_text.process(1, "init", &summary.counts, NULL);
	render_text.summary(&summary);
	fflush(stdout);
	_exit(0);
}

/* Its lines about interfaces are @limits; the last one is the verdict. */
static void expect_limits(bool verbose, const struct report_finding *finding,
			  const char *limits)
{
	char text[4096], told[4096] = "", *line, *end, *last = "";
	size_t len = 0;
	ssize_t part;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		report(verbose, finding);
	}
	close(ends[1]);
	while ((part = read(ends[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += part;
	text[len] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);

	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		last = line;
		if (!strncmp(line, "source ", strlen("source ")))
			strncat(told, line, end + 1 - line);
	}
	assert_string_equal(told, limits);
	assert_ptr_equal(strstr(last, "1 process on Linux "), last);
}

static void limits(void **state)
{
	struct report_finding finding = {
		.pid = 1, .comm = "init", .pages = 1,
		.truth = test_page(PTWALK_KIND_NONE, PTWALK_LEVEL_PTE, 0, 0, 0, NULL),
		.verdict = VERDICT_MISMATCH, .source = &test_pagemap,
	};

	expect_limits(false, NULL, "");
	expect_limits(true, NULL, SAMPLED MISSING POLICY);
	expect_limits(false, &finding, "source pagemap: a sample of each mapping\n");
	finding.also[0] = &test_scan;
	expect_limits(false, &finding, SAMPLED);
	expect_limits(true, &finding, SAMPLED MISSING POLICY);
	finding.verdict = VERDICT_UNSTABLE;
	expect_limits(false, &finding, SAMPLED);
	finding.source = &test_kpagecount;
	finding.also[0] = NULL;
	expect_limits(false, &finding, "");

	finding.source = NULL;
	finding.examination = "smaps";
	finding.remark = &no_sum;
	expect_limits(false, &finding, POLICY);
	finding.verdict = VERDICT_EXPLAINED;
	expect_limits(false, &finding, "");
	expect_limits(true, &finding, SAMPLED MISSING POLICY);
}

SUITE(suite_report, cmocka_unit_test(limits));
