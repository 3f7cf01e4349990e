// SPDX-License-Identifier: GPL-2.0
/* Which sums some of many numbers have. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "sums/subset.h"

static int ascending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	uint64_t rest;

	for (; b; b = rest) {
		rest = a % b;
		a = b;
	}
	return a;
}

/**
 * struct sum - a sum, in units of what divides all of the numbers
 * @reached: Some of the numbers so far have it.
 * @used: How many of the last ones, which are equal, it takes at least.
 */
struct sum {
	bool reached;
	uint32_t used;
};

/* Adds sums up to @most with up to @times times @number. */
static void reach(struct sum *sum, uint64_t most, uint64_t number, size_t times)
{
	for (uint64_t i = 0; i <= most; i++) {
		sum[i].used = 0;
		if (sum[i].reached || i < number || !sum[i - number].reached ||
		    sum[i - number].used >= times)
			continue;
		sum[i].reached = true;
		sum[i].used = sum[i - number].used + 1;
	}
}

int subset_adds_up(uint64_t *number, size_t nr, uint64_t low, uint64_t high)
{
	uint64_t total = 0, unit = 0, i;
	size_t first, end;
	struct sum *sum;
	bool found = false;

	for (i = 0; i < nr; i++) {
		total += number[i];
		unit = gcd(number[i], unit);
	}
	if (high > total)
		high = total;
	if (low > high || !unit)
		return !low;
	qsort(number, nr, sizeof(*number), ascending);
	sum = calloc(high / unit + 1, sizeof(*sum));
	if (!sum)
		return -ENOMEM;
	sum[0].reached = true;
	for (first = 0; first < nr; first = end) {
		for (end = first; end < nr && number[end] == number[first]; end++)
			;
		reach(sum, high / unit, number[first] / unit, end - first);
	}
	for (i = (low + unit - 1) / unit; i <= high / unit; i++)
		found |= sum[i].reached;
	free(sum);
	return found;
}
