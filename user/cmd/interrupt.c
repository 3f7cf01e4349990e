// SPDX-License-Identifier: GPL-2.0
/* Long commands that a signal ends with a whole line, and with what was found. */
#include <fcntl.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/exit_status.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/replace.h"
#include "cmd/interrupt.h"

volatile sig_atomic_t interrupted;

static volatile sig_atomic_t passed_on_to, killed;

/* What is read from this file no more, and that is what is read instead. */
static volatile sig_atomic_t input = -1, nothing;

/* timeout(1) sends its signal to a process and then to its group, which is one. */
#define AT_ONCE		250	/* ms */

static struct timespec begun;

static long since_first(void)
{
	return seconds_since(&begun) * 1000;
}

/* Kills the command that was told before, or else ends this program. */
static void insist(int sig)
{
	if (passed_on_to && !killed) {
		killed = 1;
		kill(passed_on_to, SIGKILL);
		clock_gettime(CLOCK_MONOTONIC, &begun);
		return;
	}
	replace_drop_all();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_interrupt(int sig, siginfo_t *info, void *context)
{
	/* A budget that is used up is not somebody's wish. */
	if (interrupted && interrupted != SIGALRM) {
		/* A terminal that is closed tells so more than once. */
		if (sig != SIGHUP && sig != SIGALRM && since_first() >= AT_ONCE)
			insist(sig);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &begun);
	interrupted = sig;
	if (input >= 0)
		dup2(nothing, input);
	/* Sent by a process, not by the kernel. */
	if (passed_on_to && info->si_code <= 0)
		kill(passed_on_to, sig);
}

void interrupt_pass_on(pid_t child)
{
	passed_on_to = child;
}

static void interrupt_by(int sig)
{
	struct sigaction action = {
		.sa_sigaction = on_interrupt,
		.sa_flags = SA_SIGINFO | (input < 0 ? SA_RESTART : 0),
	};

	sigaction(sig, &action, NULL);
}

void interrupt_input(int fd)
{
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	input = nothing < 0 ? -1 : fd;
}

void interrupt_after(double seconds)
{
	struct itimerval timer = {
		.it_value.tv_sec = seconds,
		.it_value.tv_usec = (seconds - (time_t)seconds) * 1e6,
	};

	interrupt_by(SIGALRM);
	if (timer.it_value.tv_sec || timer.it_value.tv_usec)
		setitimer(ITIMER_REAL, &timer, NULL);
	else
		raise(SIGALRM);
}

void interrupt_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGHUP);
}

void interrupt_begin(void)
{
	struct sigaction action;

	interrupt_by(SIGINT);
	interrupt_by(SIGTERM);
	/* Not under nohup(1). */
	if (!sigaction(SIGHUP, NULL, &action) && action.sa_handler != SIG_IGN)
		interrupt_by(SIGHUP);
}

void interrupt_json(void)
{
	if (interrupted)
		jsonw_text("partial", "signal");
}

int interrupt_end(void)
{
	out_finish(0);
	signal(interrupted, SIG_DFL);
	raise(interrupted);
	return EXIT_UNCHECKED;
}
