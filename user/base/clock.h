/* SPDX-License-Identifier: GPL-2.0 */
/* Time that passes while the command runs. */
#ifndef PTWALK_BASE_CLOCK_H
#define PTWALK_BASE_CLOCK_H

#include <time.h>

/* Seconds of CLOCK_MONOTONIC since @begun. */
static inline double seconds_since(const struct timespec *begun)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begun->tv_sec + (now.tv_nsec - begun->tv_nsec) / 1e9;
}

#endif /* PTWALK_BASE_CLOCK_H */
