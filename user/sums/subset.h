/* SPDX-License-Identifier: GPL-2.0 */
/* What some of many numbers add up to. Pure. */
#ifndef PTWALK_SUMS_SUBSET_H
#define PTWALK_SUMS_SUBSET_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whether some of @nr numbers, which are not 0 and which it puts in order, add up
 * to something between @low and @high: 1, 0, or -ENOMEM. Of none it is 0.
 */
int subset_adds_up(uint64_t *number, size_t nr, uint64_t low, uint64_t high);

#endif /* PTWALK_SUMS_SUBSET_H */
