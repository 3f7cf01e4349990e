// SPDX-License-Identifier: GPL-2.0
/* Recordings that aren't as they were written: cut off, or with other numbers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/error.h"
#include "recording/head.h"
#include "recording/pages.h"
#include "recording/sums.h"
#include "tests.h"

static const char *said;	/* of the last line */

static int read_pages(const char *text, size_t size)
{
	struct env env = { .kernel = NULL };
	struct ptwalk_kernel kernel;
	struct recorded page;
	struct lines lines;
	FILE *stream = size ? fmemopen((void *)text, size, "r") :
			      fopen("/dev/null", "r");
	int more;

	assert_non_null(stream);
	lines_begin(&lines, stream);
	while ((more = recording_next(&lines, &kernel, &env, &page)) > 0)
		;
	fclose(stream);
	said = lines.reason;
	if (more < 0)
		assert_non_null(said);
	return more;
}

static int read_sums(const char *text, size_t size)
{
	struct rss_replay replay = { 0 };
	struct figures figures = { 0 };
	struct lines lines;
	FILE *stream = size ? fmemopen((void *)text, size, "r") :
			      fopen("/dev/null", "r");
	int err;

	assert_non_null(stream);
	lines_begin(&lines, stream);
	err = rss_replay_read(&lines, &replay);
	fclose(stream);
	said = lines.reason;
	if (!err)
		err = rss_replay_judge(&replay, &figures);
	figures_free(&figures);
	rss_replay_free(&replay);
	return err;
}

#define LEVELS	"levels 1f 1f c:200:8 15:200:8 1e:200:8 27:200:8 30:200:8\n"
#define HEAD	"check 5 0 ff 1 x86_64\nkernel 6.12.3 c 0 0 7f 34\n" LEVELS

static const char pages[] =
	HEAD
	"pagemap 7000 4711 1 71:c 0 1:2:3:4 a000000000004711 match\n"
	"pagemap 8000 0 a - 0 - - match\n"
	"end 5\n";

static const char sums[] =
	"kernel 6.12.3 c 0 0 3f 34 2 1\n"
	LEVELS
	"vma 400000 401fff 71 c\n"
	"extent 400000 4711 2 400000000001\n"
	"page 400000 2 400000000001 0 100000001 1 0\n"
	"moving status VmRSS 0 0\n"
	"file statm\n"
	"|2 2 2 0 0 0 0\n"
	"end 8\n";

/* Wherever they end too early, they are not taken for whole. */
static void cut_off(void **state)
{
	size_t size;

	assert_int_equal(read_pages(pages, strlen(pages)), 0);
	assert_int_equal(read_sums(sums, strlen(sums)), 0);
	for (size = 0; size < strlen(pages); size++)
		assert_int_equal(read_pages(pages, size), -ENODATA);
	for (size = 0; size < strlen(sums); size++)
		assert_int_equal(read_sums(sums, size), -ENODATA);
}

/* Whoever replays the recording of the other command is told which that is. */
static void of_the_other_command(void **state)
{
	static const char older[] = "kernel 6.12.3 c 5 7f c 15 1e 27 30 0 ff 1\nend 1\n";

	assert_int_equal(read_pages(sums, strlen(sums)), -EINVAL);
	assert_non_null(strstr(said, "ptwalk rss --replay"));
	assert_int_equal(read_sums(pages, strlen(pages)), -EINVAL);
	assert_non_null(strstr(said, "ptwalk check --replay"));
	assert_int_equal(read_sums(older, strlen(older)), -EINVAL);
	assert_non_null(strstr(said, RECORDING_OLDER));
	assert_int_equal(read_pages(older, strlen(older)), -EINVAL);
	assert_non_null(strstr(said, RECORDING_OLDER));
	assert_int_equal(read_sums("extent\n", 7), -EINVAL);
	assert_string_equal(said, "no line of a recording: `ptwalk rss --record FILE PID` makes one");
}

/* @text with the line that begins with @old replaced by @new, or left out. */
static char *with(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	char *copy = NULL;

	assert_non_null(at);
	assert_true(asprintf(&copy, "%.*s%s%s", (int)(at - text), text, new,
			     strchr(at, '\n') + 1) > 0);
	return copy;
}

/* Numbers that no kernel has, lines in disorder, and lines too many or too few. */
static void senseless(void **state)
{
	static const struct {
		bool sums;
		const char *old, *new;
	} cases[] = {
		{ false, "check", "check 63 0 ff 1 x86_64\n" },
		{ false, "check", "check 5 2 ff 1 x86_64\n" },
		{ false, "check", "check 5 0 ff 1\n" },
		{ false, "check", "" },
		{ false, "check", "kernel 6.12.3 c 0 0 7f 34\n" },
		{ false, "kernel", "kernel 6.12.3 40 0 0 7f 34\n" },
		{ false, "kernel", "kernel 6.12.3 1 0 0 7f 34\n" },
		{ false, "kernel", "kernel 6.12.3 c 0 0 10000007f 34\n" },
		{ false, "kernel", "kernel 6.12.3 c 0 0 7f 34 2 1\n" },
		{ false, "kernel", "kernel none c 0 0 7f 34\n" },
		{ false, "kernel", "check 5 0 ff 1 x86_64\n" },
		{ false, "kernel", "" },
		{ false, "levels", "levels 1f 1f c:200:8 15:200:8 1e:200:8 27:200:8 40:200:8\n" },
		{ false, "levels", "" },
		{ false, "pagemap 7", "" },
		{ false, "pagemap 7", "kernel 6.12.3 c 0 0 7f 34\n" },
		{ false, "pagemap 7", LEVELS },
		{ false, "pagemap 7", "end 1\n" },
		{ false, "pagemap 7", "pagemap 7000 1 1 1:40 0 - 1 match\n" },
		{ false, "pagemap 7", "pagemap 7000 1 1 - 0 1:2:3 1 match\n" },
		{ false, "pagemap 7", "pagemap 7000 -1 1 - 0 - 1 match\n" },
		{ false, "pagemap 7", "pagemap 7000 1 1 - 0 - 1 match 1\n" },
		{ false, "pagemap 7", "pagemap 7000 1 1 - 0 - 1 matches\n" },
		{ false, "end", "end 4\n" },
		{ false, "end", "end 5 6\n" },
		{ true, "kernel", "kernel 6.12.3 3f 0 0 3f 34 2 1\n" },
		{ true, "kernel", "" },
		{ true, "levels", "levels 1f 1f c:200:8 15:200:8 1e:200:8 27:200:8 40:200:8\n" },
		{ true, "levels", "levels 1f 1f c:200:8 0:200:8 1e:200:8 27:200:8 30:200:8\n" },
		{ true, "levels", "levels 1f 1f c:200:8 15:ffffffff:8 1e:0:0 27:0:0 30:0:0\n" },
		{ true, "levels", "levels 1e 1f c:200:8 15:200:8 1e:200:8 27:200:8 30:200:8\n" },
		{ true, "vma", "vma 400000 3fffff 71 c\n" },
		{ true, "vma", "vma 400000 401ffe 71 c\n" },
		{ true, "vma", "vma 400000 401fff 71 9\n" },
		{ true, "vma", "vma 400000 401fff 71 40\n" },
		{ true, "extent", "vma 400000 401fff 71 c\n" },
		{ true, "extent", "extent 500000 4711 1 1\n" },
		{ true, "extent", "extent 400000 4711 3 1\n" },
		{ true, "extent", "extent 400000 4711 0 1\n" },
		{ true, "extent", "extent 400001 4711 1 1\n" },
		{ true, "extent", "extent 400000 4711 ffffffffffffffff 1\n" },
		{ true, "page", "extent 400000 4711 1 1\n" },
		{ true, "page", "page 400000 ffffffffffffffff 1 0 1 1 0\n" },
		{ true, "page", "page 400000 3 1 0 1 1 0\n" },
		{ true, "page", "page 402000 1 1 0 1 1 0\n" },
		{ true, "page", "page 400000 2 f001 0 1 1 0\n" },
		{ true, "page", "page 400000 1 400000000001 0 100000001 1 0\n" },
		{ true, "file", "file maps\n" },
		{ true, "file", "nonsense\n" },
	};
	char *text;
	int err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text = with(cases[i].sums ? sums : pages, cases[i].old,
			    cases[i].new);
		err = cases[i].sums ? read_sums(text, strlen(text)) :
				      read_pages(text, strlen(text));
		if (err != -EINVAL)
			fail_msg("taken for a recording:\n%s", text);
		free(text);
	}
}

/* What differed only as time went by between the two sides stays unstable. */
static void moving(void **state)
{
	struct rss_replay replay = { 0 };
	struct figures figures = { 0 };
	unsigned int seen[NR_FIGURE_VERDICTS] = { 0 };
	struct lines lines;
	char *text = with(sums, "moving", "moving statm resident 0 0\n"), *wrong;
	FILE *stream;

	wrong = with(text, "|2", "|2 9 2 0 0 0 0\n");
	stream = fmemopen(wrong, strlen(wrong), "r");
	lines_begin(&lines, stream);
	assert_int_equal(rss_replay_read(&lines, &replay), 0);
	assert_int_equal(rss_replay_judge(&replay, &figures), 0);
	for (size_t i = 0; i < figures.nr; i++)
		seen[figures.figure[i].verdict]++;
	assert_int_equal(seen[FIGURE_UNSTABLE], 1);
	assert_int_equal(seen[FIGURE_MISMATCH], 0);
	figures.nr = 0;
	replay.nr_moving = 0;
	assert_int_equal(rss_replay_judge(&replay, &figures), 0);
	seen[FIGURE_MISMATCH] = 0;
	for (size_t i = 0; i < figures.nr; i++)
		seen[figures.figure[i].verdict]++;
	assert_int_equal(seen[FIGURE_MISMATCH], 1);
	fclose(stream);
	figures_free(&figures);
	rss_replay_free(&replay);
	free(text);
	free(wrong);
}

static void not_told(const struct report_finding *finding)
{
}

static void ends(pid_t pid, const char *comm, const struct report_counts *counts,
		 const char *note)
{
}

/*
 * A bug that was passed over, as it is without --source, is passed over again,
 * one that was told is told again.
 */
static void replayed(void **state)
{
	static const struct renderer renderer = {
		.finding = not_told, .process = ends,
	};
	static const char ksm[] =
		HEAD
		"kpageflags 4c5000 3791 101c09a00000001 8000804071:c 0 - 205828 %s\n"
		"end 4\n";

	for (enum verdict v = VERDICT_EXPLAINED; v <= VERDICT_MISMATCH; v++) {
		struct check check = { .renderer = &renderer };
		char path[] = "/tmp/ptwalk-test-XXXXXX";
		int fd = mkstemp(path);

		assert_true(fd >= 0);
		assert_true(dprintf(fd, ksm, verdict_name[v]) > 0);
		close(fd);
		assert_int_equal(check_replay(&check, path), 0);
		unlink(path);
		assert_int_equal(check.summary.counts.verdict[v], 1);
	}
}

static char warned[256];

static void warn(const char *message)
{
	snprintf(warned, sizeof(warned), "%s", message);
}

static char noted[256];

static void note(pid_t pid, const char *comm, const struct report_counts *counts,
		 const char *note)
{
	snprintf(noted, sizeof(noted), "%s", note ? note : "");
}

/* What is wrong with a recording is returned, and what is cut off warned of. */
static void unusable(void **state)
{
	static const struct renderer renderer = {
		.finding = not_told, .process = note,
	};
	static const char head[] = HEAD;
	static const struct {
		const char *text, *message;	/* behind the name of the file */
		int err;
		bool usage;
	} files[] = {
		{ "", ": an empty recording", -ENODATA, false },
		{ "end 1\n", ":1: ", -EINVAL, true },
		{ "end 0\n", ": an empty recording", -EINVAL, true },
		{ "kernel\n", ":1: ", -EINVAL, true },
		{ "%spagemap 0\n", ":4: ", -EINVAL, true },
		{ "check 5 0 ff 1 x86_64\n", ":1: ", -ENODATA, false },
		{ "%s", ":3: ", 0, false },
	};
	struct check check = { .renderer = &renderer, .warn = warn };
	char name[] = "/tmp/ptwalk-test-XXXXXX", path[64];
	const char *message;

	assert_int_equal(check_replay(&check, "/nowhere/x"), -ENOENT);
	assert_string_equal(error_text(), "/nowhere/x: No such file or directory");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd;

		strcpy(path, name);
		fd = mkstemp(path);
		assert_true(fd >= 0);
		assert_true(dprintf(fd, files[i].text, head) >= 0);
		close(fd);
		check = (struct check){ .renderer = &renderer, .warn = warn };
		*warned = '\0';
		assert_int_equal(check_replay(&check, path), files[i].err);
		unlink(path);
		if (files[i].err)
			assert_int_equal(error_is_usage(files[i].err), files[i].usage);
		message = files[i].err ? error_text() : warned;
		assert_memory_equal(message, path, strlen(path));
		assert_memory_equal(message + strlen(path), files[i].message,
				    strlen(files[i].message));
		/* One place or the other. */
		assert_int_equal(!*warned, !!files[i].err);
		assert_int_equal(check.summary.processes.unchecked, !files[i].err);
	}
	assert_non_null(strstr(warned, noted));
	assert_true(*noted);
}

SUITE(suite_recording,
	cmocka_unit_test(unusable),
	cmocka_unit_test(cut_off),
      cmocka_unit_test(of_the_other_command),
	cmocka_unit_test(senseless),
	cmocka_unit_test(moving),
	cmocka_unit_test(replayed),
);
