// SPDX-License-Identifier: GPL-2.0
/* The child that keeps a process stopped, by ptrace. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/array.h"
#include "proc/hold.h"
#include "proc/pids.h"
#include "proc/processes.h"

#define SCANS		1000	/* for threads that were made meanwhile */
#define POLL_MS		100	/* between looks at the parent */

/* There since Linux 3.4; not in each libc's header. */
#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP	128
#endif

/**
 * struct held - a thread that stands still
 * @signal: That it was about to take, and takes when it goes on; or 0.
 */
struct held {
	pid_t tid;
	int signal;
};

static struct held *held;
static size_t nr, max;

static bool is_held(pid_t tid)
{
	for (size_t i = 0; i < nr; i++)
		if (held[i].tid == tid)
			return true;
	return false;
}

/* Waits for a thread that was told to stop; false: it doesn't. */
static bool stops(pid_t tid, int *status)
{
	for (int ms = 0; ms < HOLD_SECONDS * 1000; ms++) {
		if (waitpid(tid, status, __WALL | WNOHANG))
			return true;
		usleep(1000);
	}
	return false;
}

/* Stops one thread; what it has no words for is an outcome of its own. */
static enum hold_outcome stop(pid_t pid, pid_t tid, int *err)
{
	int status = 0;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0)) {
		*err = errno;
		return errno == ESRCH || !procs_thread_lives(pid, tid) ?
		       HOLD_GONE : HOLD_REFUSED;
	}
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	if (!stops(tid, &status))
		return HOLD_STUCK;
	if (!WIFSTOPPED(status))
		return HOLD_GONE;
	/* Those that stopped before are let go by what is there. */
	if (!array_room(&held, &max, nr + 1, sizeof(*held)))
		return HOLD_NO_MEMORY;
	held[nr].tid = tid;
	held[nr++].signal = status >> 16 == PTRACE_EVENT_STOP ?
			    0 : WSTOPSIG(status);
	return HOLD_HELD;
}

/*
 * Stops the threads that aren't yet; HOLD_GONE: there are none. *@ended tells those
 * apart that had ended, or did so meanwhile.
 */
static struct hold_report stop_more(pid_t pid, uint64_t *ended)
{
	struct hold_report report = { .outcome = HOLD_GONE };
	struct pids threads = { 0 };
	enum hold_outcome outcome;
	pid_t tid;

	*ended = 0;
	pids_add_threads(&threads, pid);
	for (size_t i = 0; i < threads.nr; i++) {
		tid = threads.pid[i];
		if (is_held(tid))
			continue;
		outcome = procs_thread_lives(pid, tid) ?
			  stop(pid, tid, &report.err) : HOLD_GONE;
		if (outcome == HOLD_GONE) {
			*ended = *ended * 0x100000001b3 + tid;
			continue;
		}
		report.tid = tid;
		report.outcome = outcome;
		if (outcome != HOLD_HELD)
			break;
	}
	pids_free(&threads);
	return report;
}

/*
 * Threads make others until the last one stands still. One that ends may have made
 * one that the list doesn't have yet; and if it does while it is listed, those
 * behind it are missing.
 */
static struct hold_report stop_all(pid_t pid)
{
	uint64_t before, ended = UINT64_MAX;
	struct hold_report report;
	int scans = 0;
	bool again;

	do {
		before = ended;
		report = stop_more(pid, &ended);
		again = report.outcome == HOLD_HELD ||
			(report.outcome == HOLD_GONE && ended != before);
	} while (again && ++scans < SCANS);
	if (again)
		report.outcome = HOLD_STUCK;
	else if (report.outcome == HOLD_GONE && nr)
		report.outcome = HOLD_HELD;
	return report;
}

static void let_go(void)
{
	for (size_t i = 0; i < nr; i++)
		ptrace(PTRACE_DETACH, held[i].tid, 0, (long)held[i].signal);
}

void hold(pid_t pid, int in, int out)
{
	struct pollfd end = { .fd = in, .events = POLLIN };
	pid_t parent = getppid();
	struct hold_report report;
	char how = HOLD_TO_THE_END;
	sigset_t all;

	/* What a terminal sends to all of a job is for ptwalk alone. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);

	report = stop_all(pid);
	if (write(out, &report, sizeof(report)) != sizeof(report) ||
	    report.outcome != HOLD_HELD)
		_exit(1);
	while (!poll(&end, 1, POLL_MS)) {
		/* Those that are killed have a parent who waits for them. */
		while (waitpid(-1, NULL, __WALL | WNOHANG) > 0)
			;
		if (!procs_stopped(parent))
			continue;
		how = HOLD_LET_GO;
		break;
	}
	let_go();
	_exit(write(out, &how, 1) != 1);
}
