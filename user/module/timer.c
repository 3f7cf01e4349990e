// SPDX-License-Identifier: GPL-2.0
/*
 * Ends a system call that waits for a lock of the kernel: a buffer of a dump
 * waits for the target's mmap lock until it gets that or a signal comes. The
 * signal is one that does nothing by default, and system calls that can be
 * restarted are.
 */
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include "module/timer.h"

#define TIMER_SIGNAL	SIGURG

static timer_t timer;
static bool made;

static void ignore_signal(int sig)
{
}

static bool make_timer(void)
{
	struct sigaction action = {
		.sa_handler = ignore_signal,
		.sa_flags = SA_RESTART,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = TIMER_SIGNAL,
	};
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, TIMER_SIGNAL);
	return !sigaction(TIMER_SIGNAL, &action, NULL) &&
	       !sigprocmask(SIG_UNBLOCK, &mask, NULL) &&
	       !timer_create(CLOCK_MONOTONIC, &event, &timer);
}

/* From a second on it comes again and again, lest one be missed. */
void timer_begin(void)
{
	static const struct itimerspec second = {
		.it_value = { .tv_sec = 1 },
		.it_interval = { .tv_nsec = 100 * 1000 * 1000 },
	};

	made = made || make_timer();
	if (made)
		timer_settime(timer, 0, &second, NULL);
}

void timer_end(void)
{
	static const struct itimerspec never;

	if (made)
		timer_settime(timer, 0, &never, NULL);
}
