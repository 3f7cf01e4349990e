/* SPDX-License-Identifier: GPL-2.0 */
/* How often and for how long a request is repeated. */
#ifndef PTWALK_LIB_PATIENCE_H
#define PTWALK_LIB_PATIENCE_H

#include <stdbool.h>
#include <time.h>

/**
 * struct patience - with a request that the kernel doesn't get done
 * @busy_since: When the process was found busy, by CLOCK_MONOTONIC; or 0.
 */
struct patience {
	time_t busy_since;
};

/*
 * Whether a request that ended with @err shall be made again: for a busy
 * process after a short pause.
 */
bool patience_left(struct patience *patience, int err);

#endif /* PTWALK_LIB_PATIENCE_H */
