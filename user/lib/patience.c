// SPDX-License-Identifier: GPL-2.0
/* How often and how long a request is made again. */
#include <errno.h>
#include "lib/exchange.h"
#include "lib/patience.h"

/* How long a process may be busy, in seconds, before it is given up. */
#define MAX_BUSY	3

bool patience_left(struct patience *patience, int err)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	struct timespec now;

	if (err != -EBUSY)
		return false;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!patience->busy_since)
		patience->busy_since = now.tv_sec;
	if (now.tv_sec - patience->busy_since >= MAX_BUSY)
		return false;
	nanosleep(&pause, NULL);
	return true;
}
