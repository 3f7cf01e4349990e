// SPDX-License-Identifier: GPL-2.0
/* How long it takes until something is looked at again. Tests stand in for it. */
#include <stdlib.h>
#include <time.h>
#include "check/rounds.h"

void pause_before_round(unsigned int round)
{
	unsigned int ms = round > 6 ? 50 : 1U << round >> 1;
	struct timespec time = { .tv_nsec = ms * 1000000L };

	if (round)
		nanosleep(&time, NULL);
}

void pause_out_of_step(long ns)
{
	const struct timespec time = { .tv_nsec = random() % ns };

	nanosleep(&time, NULL);
}
