// SPDX-License-Identifier: GPL-2.0
/* Sizes and ranges in words. */
#include "base/format.h"
#include "base/put.h"

const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

static const char units[] = "BKMGTPE";

const char *format_size(uint64_t bytes, char buf[FORMAT_SIZE])
{
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

const char *format_human(uint64_t bytes, char buf[FORMAT_SIZE])
{
	uint64_t whole = bytes, rest, tenths;
	unsigned int unit = 0;
	char *end = buf;

	for (; whole >= 1024; whole >>= 10)
		unit++;
	if (!(bytes & ((1ULL << unit * 10) - 1)))
		return format_size(bytes, buf);
	rest = bytes >> (unit - 1) * 10 & 1023;
	tenths = whole * 10 + ((rest * 10 + 512) >> 10);
	whole += rest >= 512;
	if (whole == 1024) {
		tenths = 10;
		unit++;
	}
	end = put_decimal(end, tenths < 100 ? tenths / 10 : whole, 0);
	if (tenths < 100) {
		*end++ = '.';
		*end++ = '0' + tenths % 10;
	}
	*end++ = units[unit];
	*end = '\0';
	return buf;
}

const char *format_amount(uint64_t nr, unsigned int shift, bool human,
			  char buf[FORMAT_SIZE])
{
	if (human)
		return format_human(nr << shift, buf);
	*put_decimal(buf, nr, 0) = '\0';
	return buf;
}

int format_columns(uint64_t most, int least)
{
	int columns = 1;

	for (; most > 9; most /= 10)
		columns++;
	return columns > least ? columns : least;
}

const char *format_range(uint64_t start, uint64_t last, char buf[FORMAT_RANGE])
{
	*put_range(buf, start, last) = '\0';
	return buf;
}
