// SPDX-License-Identifier: GPL-2.0
/* What --format kcidb, junit and ktap make of the events of a check: whole documents. */
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <jansson.h>
#include "base/exit_status.h"
#include "base/print.h"
#include "check/check.h"
#include "proc/maps.h"
#include "report/cases.h"
#include "tests.h"

/* Of the schema of KCIDB, v5.3: names in a path, and how identifiers look. */
#define PATH	"^[a-zA-Z0-9_-]+(\\.[a-zA-Z0-9_-]+)*$"
#define ID	"^[a-z0-9_]+:[ -~]*$"
#define EXCERPT	16384

static struct ptwalk_kernel kernel;
static struct report_source asked[4];
static struct report_summary sum;
static struct env env;
static uint64_t none[64];
static char *printed;
static bool no_random;

/* In place of the one of libc. */
ssize_t getrandom(void *buf, size_t length, unsigned int flags)
{
	errno = EPERM;
	return no_random ? -1 : syscall(SYS_getrandom, buf, length, flags);
}

/* A run that asked three interfaces, of which one isn't there. */
static void clean(int status)
{
	kernel = test_kernel(6, 12);
	strcpy(kernel.release, "6.12.0-1-amd64");
	env.kernel = &kernel;
	memset(asked, 0, sizeof(asked));
	asked[0] = (struct report_source){ .name = "pagemap", .used = true };
	asked[1] = (struct report_source){ .name = "smaps", .used = true,
					   .why = "a limit" };
	asked[2] = (struct report_source){ .name = "pagemap-scan", .why = "Linux < 6.7" };
	sum = (struct report_summary){
		.processes.checked = 1, .rules = none, .sources = asked, .nr_sources = 3,
		.kernel = &kernel, .status = status,
		.counts.verdict = { [VERDICT_MATCH] = 7 },
	};
}

static void find(const struct source *source, const char *examination,
		 enum verdict verdict, const char *comm, const char *name)
{
	struct remark remark = { .verdict = verdict, .truth = "1 kB", .seen = "2 kB" };
	struct map map = { .name = (char *)name };

	cases_finding(&(struct report_finding){
		.pid = 4711, .comm = comm, .map = &map, .verdict = verdict,
		.truth = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 1, NULL),
		.pages = 1, .source = source, .examination = examination,
		.remark = examination ? &remark : NULL, .env = &env,
	});
}

/* The document; to be freed by the next call, or by release(). */
static char *document(const struct renderer *renderer)
{
	int kept = dup(STDOUT_FILENO);
	FILE *file = tmpfile();
	long size;

	assert_non_null(file);
	out_sync();
	assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
	renderer->summary(&sum);
	out_sync();
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	close(kept);
	size = lseek(fileno(file), 0, SEEK_END);
	free(printed);
	printed = calloc(1, size + 1);
	assert_non_null(printed);
	assert_int_equal(pread(fileno(file), printed, size, 0), size);
	fclose(file);
	assert_int_equal(strlen(printed), size);
	assert_int_equal(printed[size - 1], '\n');
	return printed;
}

static int release(void **state)
{
	free(printed);
	printed = NULL;
	return 0;
}

static void assert_like(const char *pattern, const char *text)
{
	regex_t regex;

	assert_non_null(text);
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&regex, text, 0, NULL, 0))
		fail_msg("'%s' isn't like %s", text, pattern);
	regfree(&regex);
}

/* As the schema has it: what is required, what may be there, and no null. */
static json_t *kcidb(void)
{
	static const char members[] =
		" id origin build_id path status comment log_excerpt start_time duration misc ";
	json_t *root = json_loads(document(&render_kcidb), 0, NULL);
	json_t *tests = json_object_get(root, "tests"), *test, *value;
	const char *name, *origin;
	char word[32];
	size_t i;

	assert_non_null(root);
	assert_null(strstr(printed, "null"));
	assert_int_equal(json_object_size(root), 2);
	value = json_object_get(root, "version");
	assert_int_equal(json_object_size(value), 2);
	assert_int_equal(json_integer_value(json_object_get(value, "major")), 5);
	assert_int_equal(json_integer_value(json_object_get(value, "minor")), 3);
	assert_int_equal(json_array_size(tests), 1 + sum.nr_sources);
	json_array_foreach(tests, i, test) {
		json_object_foreach(test, name, value) {
			snprintf(word, sizeof(word), " %s ", name);
			assert_non_null(strstr(members, word));
		}
		origin = json_string_value(json_object_get(test, "origin"));
		assert_like("^[a-z0-9_]+$", origin);
		assert_like(ID, json_string_value(json_object_get(test, "build_id")));
		name = json_string_value(json_object_get(test, "id"));
		assert_like(ID, name);
		assert_memory_equal(name, origin, strlen(origin));
		assert_int_equal(name[strlen(origin)], ':');
		assert_like(PATH, json_string_value(json_object_get(test, "path")));
		assert_like("^(FAIL|ERROR|MISS|PASS|DONE|SKIP)$",
			    json_string_value(json_object_get(test, "status")));
		value = json_object_get(test, "log_excerpt");
		assert_true(!value || json_string_length(value) < EXCERPT);
		value = json_object_get(test, "start_time");
		assert_true(!value == !!i);
		if (value)
			assert_like("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\+00:00$",
				    json_string_value(value));
	}
	return root;
}

/* "PASS FAIL ...", of the run and of each interface. */
static void assert_statuses(const char *expected)
{
	json_t *root = kcidb(), *test;
	char text[128] = "";
	size_t i;

	json_array_foreach(json_object_get(root, "tests"), i, test) {
		strcat(text, i ? " " : "");
		strcat(text, json_string_value(json_object_get(test, "status")));
	}
	json_decref(root);
	assert_string_equal(text, expected);
}

/* The numbers of its suite are those of its elements. */
static void assert_suite(int tests, int failures, int errors, int skipped)
{
	char text[128];

	snprintf(text, sizeof(text),
		 " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" ",
		 tests, failures, errors, skipped);
	if (!strstr(document(&render_junit), text))
		fail_msg("not%s: %s", text, printed);
}

/* Elements that end in the order of XML, in UTF-8, of characters that it allows. */
static void assert_xml(const char *text)
{
	char open[16][32];
	size_t depth = 0, length;
	json_t *string = json_string(text);	/* takes nothing but UTF-8 */
	const char *p;

	assert_non_null(string);
	json_decref(string);
	assert_null(strstr(text, "\xef\xbf\xbe"));
	assert_null(strstr(text, "\xef\xbf\xbf"));
	for (p = text; *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= ' ');
	for (p = strchr(text, '\n') + 1; (p = strpbrk(p, "<&")); p++) {
		if (*p == '&') {
			assert_true(!strncmp(p, "&amp;", 5) || !strncmp(p, "&lt;", 4) ||
				    !strncmp(p, "&gt;", 4) || !strncmp(p, "&quot;", 6));
			continue;
		}
		length = strcspn(p, ">");
		assert_int_equal(p[length], '>');
		if (p[1] == '/') {
			assert_true(depth > 0);
			depth--;
			assert_int_equal(strlen(open[depth]), length - 2);
			assert_memory_equal(p + 2, open[depth], length - 2);
		} else if (p[length - 1] != '/') {
			assert_true(depth < 16);
			snprintf(open[depth++], sizeof(open[0]), "%.*s",
				 (int)strcspn(p + 1, " >"), p + 1);
		}
	}
	assert_int_equal(depth, 0);
}

static void statuses(void **state)
{
	static const struct {
		int status;
		const char *kcidb;
		int failures, errors, skipped;
	} runs[] = {
		{ EXIT_MATCH, "PASS PASS PASS SKIP", 0, 0, 1 },
		{ EXIT_MISMATCH, "FAIL FAIL PASS SKIP", 2, 0, 1 },
		{ EXIT_UNCHECKED, "MISS MISS MISS SKIP", 0, 3, 1 },
		{ EXIT_UNSTABLE, "DONE DONE PASS SKIP", 0, 0, 3 },
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		clean(runs[i].status);
		cases_begin(false, 1);
		if (runs[i].status == EXIT_UNCHECKED) {
			sum.processes.unchecked = 1;
			cases_process(4711, "a", &sum.counts, "busy");
			assert_non_null(strstr(document(&render_junit),
					       "<error message=\"process 4711: busy\">"));
		}
		if (runs[i].status == EXIT_MISMATCH)
			find(&test_pagemap, NULL, VERDICT_MISMATCH, "a", "b");
		if (runs[i].status == EXIT_UNSTABLE)
			find(&test_pagemap, NULL, VERDICT_UNSTABLE, "a", "b");
		find(&test_pagemap, NULL, VERDICT_EXPLAINED, "a", "b");
		assert_statuses(runs[i].kcidb);
		assert_suite(4, runs[i].failures, runs[i].errors, runs[i].skipped);
		assert_xml(printed);
	}
}

/* Of an examination, and of what shows the same; a mismatch counts first. */
static void mismatches(void **state)
{
	struct report_finding finding = {
		.comm = "a", .verdict = VERDICT_MISMATCH, .pages = 1,
		.source = &test_pagemap, .also = { &test_scan }, .env = &env,
		.truth = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 1, NULL),
	};

	clean(EXIT_MISMATCH);
	sum.processes.unchecked = 1;
	asked[2].used = true;
	cases_begin(false, 1);
	assert_statuses("FAIL MISS MISS MISS");
	find(NULL, "smaps", VERDICT_MISMATCH, "a", "b");
	find(NULL, "smaps", VERDICT_UNSTABLE, "a", "b");
	assert_statuses("FAIL MISS FAIL MISS");
	asked[2].name = test_scan.name;
	cases_finding(&finding);
	assert_statuses("FAIL FAIL FAIL FAIL");
	assert_suite(4, 4, 0, 0);
	/* All is new with the next run. */
	cases_begin(false, 1);
	assert_statuses("FAIL MISS MISS MISS");
}

/* Nothing was asked, or no process was there. */
static void empty(void **state)
{
	clean(EXIT_UNCHECKED);
	cases_begin(false, 0);
	sum.processes.checked = 0;
	assert_statuses("MISS MISS MISS SKIP");
	sum.nr_sources = 0;
	sum.why = "no <module>";
	assert_statuses("MISS");
	assert_suite(1, 0, 1, 0);
	assert_xml(printed);
	assert_non_null(strstr(printed, "<error message=\"no &lt;module&gt;\"></error>"));
	sum.status = EXIT_USAGE;
	assert_statuses("MISS");
}

/* A mapping without a name is one of memory without a file. */
static void nameless(void **state)
{
	clean(EXIT_MISMATCH);
	cases_begin(false, 1);
	find(&test_pagemap, NULL, VERDICT_MISMATCH, "a", "");
	assert_non_null(strstr(document(&render_junit),
			       "mismatch: 4711 (a) 0x7f0000200000, 1 page, anonymous\n"));
}

/* What varies from run to run stands in texts, never in names. */
static void names(void **state)
{
	char *first;

	clean(EXIT_MISMATCH);
	cases_begin(false, 1);
	find(&test_pagemap, NULL, VERDICT_MISMATCH, "a", "b");
	document(&render_junit);
	first = strdup(strstr(printed, "<testcase"));
	assert_non_null(first);
	assert_non_null(strstr(first,
		"<testcase classname=\"ptwalk.check\" name=\"pagemap\" time=\"0.000\">\n"
		"<failure message=\"1 finding\">mismatch: 4711 (a) 0x7f0000200000, 1 page, b\n"));
	assert_non_null(strstr(first,
		"</failure>\n</testcase>\n"
		"<testcase classname=\"ptwalk.check\" name=\"smaps\" time=\"0.000\"/>\n"
		"<testcase classname=\"ptwalk.check\" name=\"pagemap-scan\" time=\"0.000\">\n"
		"<skipped message=\"Linux &lt; 6.7\"></skipped>\n"
		"</testcase>\n</testsuite>\n</testsuites>\n"));
	free(first);
	/* Every name that there is, in both. */
	for (size_t i = 0; sources[i]; i++)
		assert_like(PATH, sources[i]->name);
	for (size_t i = 0; examinations[i]; i++)
		assert_like(PATH, examinations[i]->name);
}

/* Names of processes and files are strangers'. */
static void odd_characters(void **state)
{
	char all[256];

	for (int i = 0; i < 255; i++)
		all[i] = i + 1;
	all[255] = '\0';
	clean(EXIT_MISMATCH);
	strcpy(kernel.release, "\"6\"<&'\xff\x01");
	cases_begin(false, 1);
	find(&test_pagemap, NULL, VERDICT_MISMATCH, all,
	     "]]>\n</failure>\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80\xc3\xa9&\"");
	find(NULL, "smaps", VERDICT_MISMATCH, "\xf0\x9f\x98\x80", all);
	cases_process(1, all, &sum.counts, all);
	assert_xml(document(&render_junit));
	assert_non_null(strstr(printed, "]]&gt;\\012&lt;/failure&gt;\\357\\277\\276"
			       "\\357\\277\\277\\355\\240\\200\xc3\xa9&amp;&quot;\n"));
	json_decref(kcidb());
	sum.status = EXIT_UNCHECKED;
	assert_xml(document(&render_junit));
	json_decref(kcidb());
}

/*
 * Names and reasons for a skip are the same in each run; findings and all else
 * that varies are diagnostics, whatever strangers call their processes.
 */
static void ktap_names(void **state)
{
	static const struct {
		int status;
		const char *results;
	} runs[] = {
		{ EXIT_MATCH, "ok 1 ptwalk.check\nok 2 ptwalk.check.pagemap\n"
		  "ok 3 ptwalk.check.smaps\n"
		  "ok 4 ptwalk.check.pagemap-scan # SKIP not compared\n" },
		{ EXIT_MISMATCH, "not ok 1 ptwalk.check\n"
		  "not ok 2 ptwalk.check.pagemap\nok 3 ptwalk.check.smaps\n"
		  "ok 4 ptwalk.check.pagemap-scan # SKIP not compared\n" },
		{ EXIT_UNCHECKED, "ok 1 ptwalk.check # SKIP could not be checked\n"
		  "ok 2 ptwalk.check.pagemap # SKIP could not be checked\n"
		  "ok 3 ptwalk.check.smaps # SKIP could not be checked\n"
		  "ok 4 ptwalk.check.pagemap-scan # SKIP not compared\n" },
		{ EXIT_UNSTABLE, "ok 1 ptwalk.check # SKIP pages never held still\n"
		  "ok 2 ptwalk.check.pagemap # SKIP pages never held still\n"
		  "ok 3 ptwalk.check.smaps\n"
		  "ok 4 ptwalk.check.pagemap-scan # SKIP not compared\n" },
	};
	char results[1024], *line, *rest;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		clean(runs[i].status);
		cases_begin(false, 1);
		if (runs[i].status == EXIT_MISMATCH)
			find(&test_pagemap, NULL, VERDICT_MISMATCH,
			     "a\nok 9 x # SKIP", "b\nnot ok 10");
		if (runs[i].status == EXIT_UNSTABLE)
			find(&test_pagemap, NULL, VERDICT_UNSTABLE, "a", "b");
		sum.processes.unchecked = runs[i].status == EXIT_UNCHECKED;
		rest = document(&render_ktap);
		results[0] = '\0';
		while ((line = strsep(&rest, "\n")) && rest)
			if (strncmp(line, "# ", 2))
				strcat(strcat(results, line), "\n");
		assert_string_equal(results, runs[i].results);
	}
}

/* However many findings there are, the document has an end. */
static void many(void **state)
{
	json_t *root, *log;
	char text[64];

	clean(EXIT_MISMATCH);
	cases_begin(false, 1);
	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "name-%u", i);
		find(i % 2 ? &test_pagemap : NULL, i % 2 ? NULL : "smaps",
		     VERDICT_MISMATCH, text, "b");
	}
	root = kcidb();
	log = json_object_get(json_array_get(json_object_get(root, "tests"), 0),
			      "log_excerpt");
	assert_non_null(strstr(json_string_value(log), "(name-1)"));
	assert_like("\nand 4[0-9]{3} more\n$", json_string_value(log));
	json_decref(root);
	assert_xml(document(&render_junit));
	assert_non_null(strstr(printed, "\"2500 findings\""));
}

/* Each run has an identifier of its own, with random numbers and without. */
static void identifiers(void **state)
{
	char *id[4];

	clean(EXIT_MATCH);
	cases_begin(false, 1);
	for (size_t i = 0; i < 4; i++) {
		json_t *root;

		no_random = i > 1;
		root = kcidb();
		id[i] = strdup(json_string_value(json_object_get(json_array_get(
			json_object_get(root, "tests"), 0), "id")));
		json_decref(root);
		assert_like("^ptwalk:[0-9a-f]{32}$", id[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(id[i], id[k]);
	}
	no_random = false;
	for (size_t i = 0; i < 4; i++)
		free(id[i]);
}

/* Last: what is given to kcidb stays. */
static void settings(void **state)
{
	static const char *const refused[] = {
		"nosuch=1", "origin", "origin=", "origin=A", "origin=a b", "build=1",
		"build=:1", "build=A:1", "run=a\nb", "run=\xff", "origin=a,x=1",
	};
	char text[64];
	json_t *root, *test;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		strcpy(text, refused[i]);
		assert_non_null(render_kcidb.configure(text));
	}
	strcpy(text, "origin=lab_1,build=other:0:1,run=job 7");
	assert_null(render_kcidb.configure(text));
	clean(EXIT_MATCH);
	cases_begin(false, 1);
	root = kcidb();
	test = json_array_get(json_object_get(root, "tests"), 1);
	assert_string_equal(json_string_value(json_object_get(test, "id")),
			    "lab_1:job 7.pagemap");
	assert_string_equal(json_string_value(json_object_get(test, "origin")), "lab_1");
	assert_string_equal(json_string_value(json_object_get(test, "build_id")),
			    "other:0:1");
	assert_string_equal(json_string_value(json_object_get(test, "path")),
			    "ptwalk.check.pagemap");
	json_decref(root);
}

SUITE(suite_cases,
	cmocka_unit_test_teardown(nameless, release),
	cmocka_unit_test_teardown(statuses, release),
	cmocka_unit_test_teardown(mismatches, release),
	cmocka_unit_test_teardown(empty, release),
	cmocka_unit_test_teardown(names, release),
	cmocka_unit_test_teardown(odd_characters, release),
	cmocka_unit_test_teardown(ktap_names, release),
	cmocka_unit_test_teardown(many, release),
	cmocka_unit_test_teardown(identifiers, release),
	cmocka_unit_test_teardown(settings, release),
);
