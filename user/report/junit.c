// SPDX-License-Identifier: GPL-2.0
/* The events of a check as JUnit's XML, for Jenkins, GitLab and their like. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/escape.h"
#include "base/print.h"
#include "report/cases.h"

/* The element that says that a test hasn't passed. */
static const char *const element[NR_OUTCOMES] = {
	[OUTCOME_FAIL] = "failure",
	[OUTCOME_MISS] = "error",
	[OUTCOME_DONE] = "skipped",
	[OUTCOME_SKIP] = "skipped",
};

/* As in out_text(), and without what XML has another meaning for or doesn't allow. */
static void xml_text(const char *text)
{
	char *escaped = escape_text(text);

	if (!escaped)
		exit_no_memory();
	for (const char *p = escaped; *p; p++)
		if (*p == '&')
			fputs("&amp;", stdout);
		else if (*p == '<')
			fputs("&lt;", stdout);
		else if (*p == '>')
			fputs("&gt;", stdout);
		else if (*p == '"')
			fputs("&quot;", stdout);
		else if (!strncmp(p, "\xef\xbf\xbe", 3))
			fputs("\\357\\277\\276", stdout), p += 2;
		else if (!strncmp(p, "\xef\xbf\xbf", 3))
			fputs("\\357\\277\\277", stdout), p += 2;
		else
			putchar(*p);
	free(escaped);
}

static void xml_lines(const char *text)
{
	size_t length;
	char *line;

	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		line = strndup(text, length);
		if (!line)
			exit_no_memory();
		xml_text(line);
		putchar('\n');
		free(line);
	}
}

static void junit_case(const struct test_case *c)
{
	const char *name = element[c->outcome];

	printf("<testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"",
	       c->name ? CASE_SUITE : "ptwalk", c->name ? c->name : "check",
	       c->name ? 0 : cases_seconds());
	if (!name) {
		puts("/>");
		return;
	}
	printf(">\n<%s message=\"", name);
	xml_text(c->why);
	printf("\">");
	xml_lines(c->log);
	printf("</%s>\n</testcase>\n", name);
}

static void summary(const struct report_summary *s)
{
	unsigned int outcomes[NR_OUTCOMES] = { 0 };
	size_t i, nr = cases_number(s);
	char start[CASE_TIME];
	struct test_case c;

	for (i = 0; i < nr; i++) {
		c = cases_get(s, i);
		outcomes[c.outcome]++;
	}
	puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>");
	printf("<testsuite name=\"" CASE_SUITE "\" tests=\"%zu\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" timestamp=\"%s\" time=\"%.3f\">\n",
	       nr, outcomes[OUTCOME_FAIL], outcomes[OUTCOME_MISS],
	       outcomes[OUTCOME_DONE] + outcomes[OUTCOME_SKIP],
	       cases_start(start), cases_seconds());
	printf("<properties>\n<property name=\"kernel\" value=\"");
	xml_text(s->kernel->release);
	puts("\"/>\n</properties>");
	for (i = 0; i < nr; i++) {
		c = cases_get(s, i);
		junit_case(&c);
	}
	puts("</testsuite>\n</testsuites>");
	out_check();
}

const struct renderer render_junit = {
	.name = "junit",
	.help = "JUnit XML",
	.document = true,
	.begin = cases_begin,
	.finding = cases_finding,
	.process = cases_process,
	.summary = summary,
};
