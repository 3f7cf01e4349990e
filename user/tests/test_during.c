// SPDX-License-Identifier: GPL-2.0
/* Commands beside which processes are checked, and what is told of many rounds. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/exit_status.h"
#include "check/examine.h"
#include "claims/file.h"
#include "cmd/during.h"
#include "cmd/interrupt.h"
#include "proc/processes.h"
#include "tests.h"

static struct during run(char *command, char *argument, char *more)
{
	char *words[] = { command, argument, more, NULL };
	struct during d = { .pid = 0 };

	assert_int_equal(during_start(&d, words, false), 0);
	during_wait(&d);
	assert_false(during_runs(&d));
	assert_false(during_pause(&d));
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	return d;
}

static void ends(void **state)
{
	struct during d = run("true", NULL, NULL);

	assert_false(during_failed(&d));
	assert_false(d.report.interrupted);
	d = run("sh", "-c", "exit 3");
	assert_true(during_failed(&d));
	assert_int_equal(WEXITSTATUS(d.report.status), 3);
	d = run("sh", "-c", "kill -9 $$");
	assert_true(during_failed(&d));
	assert_int_equal(WTERMSIG(d.report.status), SIGKILL);
}

static void cannot_start(void **state)
{
	char *none[] = { "/nowhere/x", NULL }, *folder[] = { "/", NULL };
	struct during d = { .pid = 0 };

	assert_int_equal(during_start(&d, none, false), EXIT_USAGE);
	assert_int_equal(during_start(&d, folder, true), EXIT_USAGE);
	assert_false(during_runs(&d));
}

/* It gets what was sent to us alone; there is no further round. */
static void is_interrupted(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM };
	char *words[] = { "sleep", "600", NULL };

	for (int i = 0; i < 2; i++) {
		struct during d = { .pid = 0 };

		assert_int_equal(during_start(&d, words, false), 0);
		assert_true(during_runs(&d));
		assert_true(during_pause(&d));
		kill(getpid(), signals[i]);
		/* Once more at once, as timeout(1) does. */
		kill(getpid(), signals[i]);
		assert_false(during_pause(&d));
		during_wait(&d);
		assert_true(d.report.interrupted);
		assert_false(during_failed(&d));
		assert_int_equal(WTERMSIG(d.report.status), signals[i]);
		interrupted = 0;
		signal(signals[i], SIG_DFL);
	}
}

/* Of two with a while between them, the second one ends us. */
static void ends_at_once(void **state)
{
	const struct timespec while_ = { .tv_nsec = 300000000 };
	int status;
	pid_t pid = fork();

	if (!pid) {
		interrupt_begin();
		raise(SIGINT);
		nanosleep(&while_, NULL);
		raise(SIGINT);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
}

/* What comes before it runs isn't lost. */
static void is_interrupted_early(void **state)
{
	char *words[] = { "sh", "-c", "kill $PPID; exec sleep 600", NULL };
	struct during d = { .pid = 0 };

	assert_int_equal(during_start(&d, words, false), 0);
	while (during_pause(&d))
		;
	during_wait(&d);
	assert_true(d.report.interrupted);
	assert_int_equal(WTERMSIG(d.report.status), SIGTERM);
	interrupted = 0;
	signal(SIGTERM, SIG_DFL);
}

/* It doesn't want to end: the sums are told, and then it has to. */
static void outlasts(void **state)
{
	char *words[] = { "sh", "-c", "trap '' TERM; kill $PPID; while :; do :; done", NULL };
	struct during d = { .pid = 0 };
	pid_t pid;

	assert_int_equal(during_start(&d, words, false), 0);
	pid = d.pid;
	while (during_pause(&d))
		;
	during_wait(&d);
	assert_true(d.report.interrupted);
	assert_true(d.report.runs);
	assert_false(during_failed(&d));
	assert_false(kill(pid, 0));
	during_end(&d);
	assert_true(kill(pid, 0));
	assert_false(during_runs(&d));
	interrupted = 0;
	signal(SIGTERM, SIG_DFL);
}

/* One that was stopped can't hear of a signal until it goes on. */
static void is_stopped(void **state)
{
	char *words[] = { "sh", "-c", "kill -STOP $$; exec sleep 600", NULL };
	struct during d = { .pid = 0 };

	assert_int_equal(during_start(&d, words, false), 0);
	while (!procs_stopped(d.pid))
		assert_true(during_pause(&d));
	kill(getpid(), SIGTERM);
	during_wait(&d);
	assert_true(d.report.interrupted);
	assert_false(d.report.runs);
	assert_int_equal(WTERMSIG(d.report.status), SIGTERM);
	interrupted = 0;
	signal(SIGTERM, SIG_DFL);
}

/* Whoever insists has the command killed, and still gets the sums; then it is our turn. */
static void insists(void **state)
{
	char *words[] = { "sh", "-c", "trap '' TERM; kill $PPID; while :; do :; done", NULL };
	const struct timespec while_ = { .tv_nsec = 300000000 };
	int status, killed;
	pid_t pid = fork();

	if (!pid) {
		struct during d = { .pid = 0 };

		if (during_start(&d, words, false))
			_exit(1);
		while (during_pause(&d))
			;
		nanosleep(&while_, NULL);
		raise(SIGTERM);
		waitpid(d.pid, &killed, 0);
		if (!WIFSIGNALED(killed) || WTERMSIG(killed) != SIGKILL)
			_exit(2);
		nanosleep(&while_, NULL);
		raise(SIGTERM);
		_exit(3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* What waits for input ends, too, and with what came until then. */
static void input_ends(void **state)
{
	struct claims claims;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "1000 2000\n3000 40", 17), 17);
	assert_int_equal(claims_open(&claims, fdopen(fds[0], "r"), "claims", 8), 0);
	claims.stop = &interrupted;
	interrupt_input(fds[0]);
	interrupt_begin();
	/* Which the signal comes before or after: the writer doesn't end. */
	if (!fork()) {
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	assert_int_equal(claims_next(&claims), 0);
	assert_true(claims.last);
	assert_int_equal(interrupted, SIGTERM);
	assert_true(claims.nr <= 1);
	wait(NULL);
	claims_close(&claims);
	close(fds[1]);
	interrupted = 0;
	interrupt_input(-1);
	signal(SIGTERM, SIG_DFL);
}

static unsigned int findings, processes;

static void count_finding(const struct report_finding *finding)
{
	findings++;
}

static void count_process(pid_t pid, const char *comm,
			  const struct report_counts *counts, const char *note)
{
	processes++;
}

/* Each finding once, as long as nothing of it is another. */
static void told_once(void **state)
{
	static const struct renderer inner = {
		.finding = count_finding, .process = count_process,
	};
	const struct renderer *r = during_renderer(&inner, false);
	struct report_finding f = {
		.pid = 1, .truth.addr = 0x1000, .pages = 2,
		.verdict = VERDICT_MISMATCH, .source = &test_pagemap,
	};
	struct report_counts counts = { .comparisons = 2 };
	struct remark remark = { .rule = "past-end" };
	struct remark rss = { .field = "Rss" }, pss = { .field = "Pss" };
	struct remark known = { .field = "Rss", .rule = "some-bug" };
	struct remark less = { .field = "Rss", .lacks = 1 };
	struct remark more = { .field = "Rss", .excess = 1 };
	struct remark nodes[] = {
		{ .field = "N", .truth = "N0 of 0x1000-0x1fff: 1 page" },
		{ .field = "N", .truth = "N1 of 0x1000-0x1fff: 1 page" },
		/* The same, as it is in another round. */
		{ .field = "N", .truth = "N1 of 0x1000-0x1fff: 2 pages" },
	};

	for (int round = 0; round < 3; round++) {
		struct report_finding other[17];

		for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
			other[i] = f;
		other[1].pid = 2;
		other[2].truth.addr = 0x2000;
		other[3].pages = 3;
		other[4].verdict = VERDICT_UNSTABLE;
		other[5].rules = 1;
		other[6].source = &test_scan;
		other[7].remark = &remark;
		other[8].remark = &rss;
		other[9].remark = &pss;
		other[10].remark = &rss;
		other[10].examination = "smaps_rollup";
		other[11].remark = &known;
		other[12].remark = &less;
		other[13].remark = &more;
		for (int i = 0; i < 3; i++)
			other[14 + i].remark = &nodes[i];
		for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
			r->finding(&other[i]);
		assert_int_equal(findings, 16);
		r->process(1, "x", &counts, NULL);
	}
	assert_int_equal(processes, 0);

	/* So are warnings. */
	for (int round = 0; round < 2; round++) {
		char text[] = "process 1: busy", other[] = "process 2: busy";

		assert_int_equal(during_is_new(text), !round);
		assert_int_equal(during_is_new(other), !round);
	}

	/* Explained ones if they are wanted. */
	f.verdict = VERDICT_EXPLAINED;
	r->finding(&f);
	assert_int_equal(findings, 16);
	r = during_renderer(&inner, true);
	r->finding(&f);
	r->finding(&f);
	assert_int_equal(findings, 17);
	r->process(1, "x", &counts, NULL);
	assert_int_equal(processes, 1);
}

SUITE(suite_during,
	cmocka_unit_test(ends),
	cmocka_unit_test(cannot_start),
	cmocka_unit_test(is_interrupted),
	cmocka_unit_test(ends_at_once),
	cmocka_unit_test(is_interrupted_early),
	cmocka_unit_test(outlasts),
	cmocka_unit_test(is_stopped),
	cmocka_unit_test(insists),
	cmocka_unit_test(input_ends),
	cmocka_unit_test(told_once),
);
