// SPDX-License-Identifier: GPL-2.0
/* Long output that Ctrl-C ends with a whole line. */
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include "base/exit_status.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "cmd/interrupt.h"

volatile sig_atomic_t interrupted;

static volatile sig_atomic_t passed_on_to;

/* timeout(1) sends its signal to a process and then to its group, which is one. */
#define AT_ONCE		250	/* ms */

static struct timespec begun;

/* Whether the first one was sent a while ago. */
static bool is_second(int sig)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (interrupted != sig) {
		begun = now;
		return false;
	}
	return (now.tv_sec - begun.tv_sec) * 1000 +
	       (now.tv_nsec - begun.tv_nsec) / 1000000 >= AT_ONCE;
}

static void on_interrupt(int sig, siginfo_t *info, void *context)
{
	const bool first = interrupted != sig;

	if (is_second(sig)) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	interrupted = sig;
	/* Sent by a process, not by the kernel. */
	if (first && passed_on_to && info->si_code <= 0)
		kill(passed_on_to, sig);
}

void interrupt_pass_on(pid_t child)
{
	passed_on_to = child;
}

void interrupt_by(int sig)
{
	struct sigaction action = {
		.sa_sigaction = on_interrupt,
		.sa_flags = SA_RESTART | SA_SIGINFO,
	};

	sigaction(sig, &action, NULL);
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

void interrupt_begin(void)
{
	interrupt_by(SIGINT);
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
