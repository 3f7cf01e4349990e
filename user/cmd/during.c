// SPDX-License-Identifier: GPL-2.0
/* check --during: runs the command, and tells of many rounds as of one check. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/error.h"
#include "base/print.h"
#include "check/examine.h"
#include "cmd/cmd.h"
#include "cmd/during.h"
#include "cmd/interrupt.h"

#define PAUSE		100000000	/* ns between two rounds */
#define MOMENT		20000000	/* ns between two looks at a command that is to end */
#define PROGRESS	10		/* seconds between two lines */

/* Seconds that it has to end before the sums are told, and then before it is killed. */
#define GRACE		1
#define PATIENCE	3

/* In the child: the program, or why there is none to @error. */
static void become(char **command, bool to_stderr, int error, const sigset_t *mask)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (!to_stderr || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		execvp(command[0], command);
	if (write(error, &errno, sizeof(errno)) < 0)
		_exit(EXIT_UNCHECKED);
	_exit(EXIT_USAGE);
}

int during_start(struct during *d, char **command, bool to_stderr)
{
	sigset_t ends, mask;
	int fds[2], why = 0;

	d->report.command = command;
	if (pipe2(fds, O_CLOEXEC))
		return fail(EXIT_UNCHECKED, "--during: %s", strerror(errno));
	out_sync();
	clock_gettime(CLOCK_MONOTONIC, &d->begun);
	/* What comes while it starts would end us alone. */
	interrupt_signals(&ends);
	sigprocmask(SIG_BLOCK, &ends, &mask);
	d->pid = fork();
	if (!d->pid)
		become(command, to_stderr, fds[1], &mask);
	close(fds[1]);
	/* Nothing comes of one that could be started. */
	if (d->pid < 0 || read(fds[0], &why, sizeof(why)) < 0)
		why = errno;
	close(fds[0]);
	if (!why) {
		interrupt_begin();
		interrupt_pass_on(d->pid);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (!why)
		return 0;
	if (d->pid > 0)
		waitpid(d->pid, NULL, 0);
	d->pid = 0;
	return fail(EXIT_USAGE, "--during: '%s' can't be run: %s", command[0],
		    strerror(why));
}

static void note_command_end(struct during *d, int status)
{
	interrupt_pass_on(0);
	d->pid = 0;
	d->report.runs = false;
	d->report.status = status;
	d->report.seconds = seconds_since(&d->begun);
}

bool during_runs(struct during *d)
{
	int status;

	if (d->pid && waitpid(d->pid, &status, WNOHANG) == d->pid)
		note_command_end(d, status);
	return d->pid;
}

/* Whether it still runs after so many seconds; not longer than somebody waits. */
static bool runs_for(struct during *d, double seconds, bool wait)
{
	const struct timespec moment = { .tv_nsec = MOMENT };
	struct timespec from;

	clock_gettime(CLOCK_MONOTONIC, &from);
	while (during_runs(d) && (wait || !interrupted) && seconds_since(&from) < seconds)
		nanosleep(&moment, NULL);
	return d->pid;
}

bool during_pause(struct during *d)
{
	const struct timespec pause = { .tv_nsec = PAUSE };

	if (!interrupted && during_runs(d))
		nanosleep(&pause, NULL);
	return !interrupted && during_runs(d);
}

void during_wait(struct during *d)
{
	while (!interrupted && runs_for(d, HUGE_VAL, false))
		;
	d->report.interrupted = interrupted;
	d->report.runs = d->pid;
	if (!d->pid)
		return;
	/* It may have been stopped. */
	kill(d->pid, SIGCONT);
	if (runs_for(d, GRACE, true))
		d->report.seconds = seconds_since(&d->begun);
}

void during_end(struct during *d)
{
	if (!d->pid)
		return;
	/* Those who wait for the sums have them, whatever comes. */
	fflush(stdout);
	kill(d->pid, interrupted ? interrupted : SIGTERM);
	kill(d->pid, SIGCONT);
	if (!runs_for(d, PATIENCE, true))
		return;
	fail(0, "--during: '%s' didn't end, and is killed", d->report.command[0]);
	kill(d->pid, SIGKILL);
	waitpid(d->pid, NULL, 0);
	interrupt_pass_on(0);
	d->pid = 0;
}

bool during_failed(const struct during *d)
{
	return !d->report.interrupted && (d->report.runs || d->report.status);
}

void during_progress(struct during *d, const struct report_counts *counts)
{
	double seconds = seconds_since(&d->begun);
	uint64_t pages = 0;

	if (seconds < d->told + PROGRESS ||
	    (!d->verbose && !isatty(STDERR_FILENO)))
		return;
	d->told = seconds;
	for (int i = 0; i < NR_VERDICTS; i++)
		pages += counts->verdict[i];
	fail(0, "round %" PRIu64 ", after %.0f s: %" PRIu64
	     " pages compared, %" PRIu64 " unstable, %" PRIu64 " mismatch",
	     d->report.rounds, seconds, pages,
	     counts->verdict[VERDICT_UNSTABLE], counts->verdict[VERDICT_MISMATCH]);
}

/* What makes a finding another one; compared byte by byte. */
struct key {
	uint64_t pid, verdict, start, pages, rules, source, rule, field;
	uint64_t lacks, excess;
	char figure[32];
};

static const struct renderer *inner;
static bool verbose;
static void *told;	/* keys, see tsearch(3) */

static int by_finding_key(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct key));
}

static bool is_new(const struct report_finding *f)
{
	const struct remark *remark = f->remark;
	struct key key = {
		.pid = f->pid,
		.verdict = f->verdict,
		.start = f->truth.addr,
		.pages = f->pages,
		.rules = f->rules,
		.source = remark ? (uintptr_t)f->examination :
				   (uintptr_t)f->source,
	};
	const struct key **slot;
	struct key *copy;

	if (remark) {
		key.rule = (uintptr_t)remark->rule;
		key.field = (uintptr_t)remark->field;
		key.lacks = remark->lacks;
		key.excess = remark->excess;
	}
	/* Of a figure the words before what it should be: which node's it is. */
	if (remark && remark->field)
		snprintf(key.figure, sizeof(key.figure), "%.*s",
			 (int)strcspn(remark->truth, ":"), remark->truth);
	slot = tsearch(&key, &told, by_finding_key);
	if (slot && *slot != &key)
		return false;
	copy = malloc(sizeof(*copy));
	if (!slot || !copy)
		exit_no_memory();
	*copy = key;
	*slot = copy;
	return true;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

bool during_is_new(const char *message)
{
	static void *warned;
	const char **slot = tsearch(message, &warned, compare_texts);
	char *copy;

	if (slot && *slot != message)
		return false;
	copy = strdup(message);
	if (!slot || !copy)
		exit_no_memory();
	*slot = copy;
	return true;
}

static void finding(const struct report_finding *f)
{
	/* Text counts them for its summary. */
	if (f->verdict == VERDICT_EXPLAINED && !verbose ? inner == &render_text :
							  is_new(f))
		inner->finding(f);
}

static void process(pid_t pid, const char *comm,
		    const struct report_counts *counts, const char *note)
{
	if (verbose)
		inner->process(pid, comm, counts, note);
	else
		out_flush();
}

const struct renderer *during_renderer(const struct renderer *renderer,
				       bool be_verbose)
{
	static struct renderer once;

	inner = renderer;
	verbose = be_verbose;
	once = *renderer;
	once.finding = finding;
	once.process = process;
	return &once;
}
