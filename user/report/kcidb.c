// SPDX-License-Identifier: GPL-2.0
/* The events of a check as a report to KCIDB, of version 5.3 of its schema. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include "base/print.h"
#include "report/cases.h"
#include "report/describe.h"

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

/* Of the run, alone among all that this CI system has. */
static json_t *run_id(void)
{
	struct timespec now;
	uint64_t word[2];

	if (given.run)
		return json_sprintf("%s:%s", given.origin, given.run);
	/* A filter of system calls may not know it. */
	if (getrandom(word, sizeof(word), GRND_INSECURE) != sizeof(word)) {
		clock_gettime(CLOCK_REALTIME, &now);
		word[0] = now.tv_sec * 1000000000ULL + now.tv_nsec;
		word[1] = getpid();
	}
	return json_sprintf("%s:%016" PRIx64 "%016" PRIx64, given.origin,
			    word[0], word[1]);
}

static json_t *build_id(const struct report_summary *s)
{
	json_t *release, *id;

	if (given.build)
		return json_string(given.build);
	release = json_text(s->kernel->release);
	id = json_sprintf("%s:%s", given.origin, json_string_value(release));
	json_decref(release);
	return id;
}

static void set_run(json_t *test, const struct report_summary *s)
{
	json_t *misc = json_object();
	char buf[CASE_TIME];

	json_object_set_new(test, "start_time",
			    json_sprintf("%s+00:00", cases_start(buf)));
	json_object_set_new(test, "duration", json_real(cases_seconds()));
	json_object_set_new(misc, "kernel", json_text(s->kernel->release));
	json_object_set_new(misc, "exit_status", json_integer(s->status));
	json_object_set_new(misc, "processes", json_integer(s->processes));
	counts_json(misc, &s->counts);
	json_object_set_new(test, "misc", misc);
}

/* No member may be null or is to be empty. */
static void set_text(json_t *test, const char *member, const char *text)
{
	if (*text)
		json_object_set_new(test, member, json_text(text));
}

static json_t *test_json(const struct report_summary *s,
			 const struct test_case *c, const char *run)
{
	const char *dot = c->name ? "." : "", *name = c->name ? c->name : "";
	json_t *test = json_object();

	json_object_set_new(test, "id", json_sprintf("%s%s%s", run, dot, name));
	json_object_set_new(test, "origin", json_string(given.origin));
	json_object_set_new(test, "build_id", build_id(s));
	json_object_set_new(test, "path",
			    json_sprintf(CASE_SUITE "%s%s", dot, name));
	json_object_set_new(test, "status", json_string(status[c->outcome]));
	set_text(test, "comment", c->why);
	set_text(test, "log_excerpt", c->log);
	if (!c->name)
		set_run(test, s);
	return test;
}

static void summary(const struct report_summary *s)
{
	json_t *tests = json_array(), *run = run_id();
	struct test_case c;

	for (size_t i = 0; i < cases_number(s); i++) {
		c = cases_get(s, i);
		json_array_append_new(tests, test_json(s, &c, json_string_value(run)));
	}
	json_decref(run);
	out_json(json_pack("{s{sisi}so}", "version", "major", 5, "minor", 3,
			   "tests", tests));
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
