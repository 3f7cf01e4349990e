// SPDX-License-Identifier: GPL-2.0
/* Sizes and ranges in words. */
#include "base/format.h"
#include "base/put.h"

const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

const char *format_size(uint64_t bytes, char buf[FORMAT_SIZE])
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0;
	char *end;

	while (bytes && !(bytes & 1023) && unit < sizeof(units) - 2) {
		bytes >>= 10;
		unit++;
	}
	end = put_decimal(buf, bytes, 0);
	*end++ = units[unit];
	*end = '\0';
	return buf;
}

const char *format_range(uint64_t start, uint64_t last, char buf[FORMAT_RANGE])
{
	*put_range(buf, start, last) = '\0';
	return buf;
}
