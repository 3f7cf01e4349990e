// SPDX-License-Identifier: GPL-2.0
/* The events of a check as a report to KCIDB, of version 5.3 of its schema. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include "base/jsonw.h"
#include "base/print.h"
#include "report/cases.h"
#include "report/describe.h"

#define VALUE_MOST	200
#define WORD	"abcdefghijklmnopqrstuvwxyz0123456789_"

/* What follows the name in --format; the CI system that reports, first of all. */
static struct {
	const char *origin, *build, *run;
} given = { .origin = "ptwalk" };

static const char *const status[NR_OUTCOMES] = {
	[OUTCOME_PASS] = "PASS",
	[OUTCOME_FAIL] = "FAIL",
	[OUTCOME_MISS] = "MISS",
	[OUTCOME_DONE] = "DONE",
	[OUTCOME_SKIP] = "SKIP",
};

static bool is_printable(const char *text)
{
	while (*text >= ' ' && *text <= '~')
		text++;
	return !*text;
}

static const char *configure(char *settings)
{
	enum { ORIGIN, BUILD, RUN };
	static char *const names[] = {
		[ORIGIN] = "origin", [BUILD] = "build", [RUN] = "run", NULL
	};
	char *value = NULL;
	size_t length;

	while (*settings) {
		int name = getsubopt(&settings, names, &value);

		if (name < 0)
			return "what can follow is origin=, build= and run=";
		if (!value || !*value)
			return "a value is empty";
		if (strlen(value) > VALUE_MOST)
			return "a value has more than 200 characters";
		if (!is_printable(value))
			return "values are of printable ASCII characters";
		length = strspn(value, WORD);
		if (name == ORIGIN && value[length])
			return "origin= takes a-z, 0-9 and _";
		if (name == BUILD && (!length || value[length] != ':'))
			return "build= takes ORIGIN:ID";
		*(name == ORIGIN ? &given.origin :
		  name == BUILD ? &given.build : &given.run) = value;
	}
	return NULL;
}

#define ID	(2 * VALUE_MOST + 2)

/* Of the run, alone among all that this CI system has. */
static const char *run_id(char buf[ID])
{
	struct timespec now;
	uint64_t word[2];

	if (given.run) {
		snprintf(buf, ID, "%s:%s", given.origin, given.run);
		return buf;
	}
	/* A filter of system calls may not know it. */
	if (getrandom(word, sizeof(word), GRND_INSECURE) != sizeof(word)) {
		clock_gettime(CLOCK_REALTIME, &now);
		word[0] = now.tv_sec * 1000000000ULL + now.tv_nsec;
		word[1] = getpid();
	}
	snprintf(buf, ID, "%s:%016" PRIx64 "%016" PRIx64, given.origin,
		 word[0], word[1]);
	return buf;
}

static void build_json(const struct report_summary *s)
{
	if (given.build)
		jsonw_text("build_id", given.build);
	else
		jsonw_format("build_id", "%s:%s", given.origin, s->kernel->release);
}

static void kcidb_run_json(const struct report_summary *s)
{
	char buf[CASE_TIME];

	jsonw_format("start_time", "%s+00:00", cases_start(buf));
	jsonw_real("duration", cases_seconds());
	jsonw_object("misc");
	jsonw_text("kernel", s->kernel->release);
	jsonw_signed("exit_status", s->status);
	jsonw_number("processes", s->processes.checked);
	counts_json(&s->counts);
	jsonw_close();
}

/* No member may be null or is to be empty. */
static void text_json(const char *member, const char *text)
{
	if (*text)
		jsonw_text(member, text);
}

static void test_json(const struct report_summary *s, const struct test_case *c,
		      const char *run)
{
	const char *dot = c->name ? "." : "", *name = c->name ? c->name : "";

	jsonw_object(NULL);
	jsonw_format("id", "%s%s%s", run, dot, name);
	jsonw_text("origin", given.origin);
	build_json(s);
	jsonw_format("path", CASE_SUITE "%s%s", dot, name);
	jsonw_text("status", status[c->outcome]);
	text_json("comment", c->why);
	text_json("log_excerpt", c->log);
	if (!c->name)
		kcidb_run_json(s);
	jsonw_close();
}

static void summary(const struct report_summary *s)
{
	struct test_case c;
	char run[ID];

	run_id(run);
	jsonw_begin(NULL);
	jsonw_object("version");
	jsonw_number("major", 5);
	jsonw_number("minor", 3);
	jsonw_close();
	jsonw_array("tests");
	for (size_t i = 0; i < cases_number(s); i++) {
		c = cases_get(s, i);
		test_json(s, &c, run);
	}
	jsonw_close();
	jsonw_end();
}

const struct renderer render_kcidb = {
	.name = "kcidb",
	.help = "a report to KCIDB",
	.document = true,
	.configure = configure,
	.begin = cases_begin,
	.finding = cases_finding,
	.process = cases_process,
	.summary = summary,
};
