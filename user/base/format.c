// SPDX-License-Identifier: GPL-2.0
/* Sizes and ranges in words. */
#include <inttypes.h>
#include <stdio.h>
#include "base/format.h"

const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

const char *format_size(uint64_t bytes, char buf[FORMAT_SIZE])
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0;

	while (bytes && !(bytes & 1023) && unit < sizeof(units) - 2) {
		bytes >>= 10;
		unit++;
	}
	snprintf(buf, FORMAT_SIZE, "%" PRIu64 "%c", bytes, units[unit]);
	return buf;
}

const char *format_range(uint64_t start, uint64_t last, char buf[FORMAT_RANGE])
{
	if (last == UINT64_MAX)
		snprintf(buf, FORMAT_RANGE, "0x%" PRIx64 "-0x1%016d", start, 0);
	else
		snprintf(buf, FORMAT_RANGE, "0x%" PRIx64 "-0x%" PRIx64, start,
			 last + 1);
	return buf;
}
