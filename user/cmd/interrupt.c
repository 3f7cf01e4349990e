// SPDX-License-Identifier: GPL-2.0
/* Long output that Ctrl-C ends with a whole line. */
#include <stddef.h>
#include "base/exit_status.h"
#include "base/print.h"
#include "cmd/interrupt.h"

volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
	interrupted = sig;
}

void interrupt_by(int sig)
{
	struct sigaction action = {
		.sa_handler = on_interrupt,
		.sa_flags = SA_RESTART | SA_RESETHAND,
	};

	sigaction(sig, &action, NULL);
}

void interrupt_begin(void)
{
	interrupt_by(SIGINT);
}

int interrupt_end(void)
{
	out_finish(0);
	signal(interrupted, SIG_DFL);
	raise(interrupted);
	return EXIT_UNCHECKED;
}
