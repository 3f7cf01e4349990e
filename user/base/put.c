// SPDX-License-Identifier: GPL-2.0
/* Numbers put together in memory. */
#include "base/put.h"

/* "00" to "ff" */
#define WITH(digit)							\
	digit "0" digit "1" digit "2" digit "3" digit "4" digit "5" digit "6" \
	digit "7" digit "8" digit "9" digit "a" digit "b" digit "c" digit "d" \
	digit "e" digit "f"

static const char pairs[] =
	WITH("0") WITH("1") WITH("2") WITH("3") WITH("4") WITH("5") WITH("6")
	WITH("7") WITH("8") WITH("9") WITH("a") WITH("b") WITH("c") WITH("d")
	WITH("e") WITH("f");

char *put_hex(char *to, uint64_t value)
{
	size_t nr = (67 - __builtin_clzll(value | 1)) / 4, left = nr;

	for (; left > 3; left -= 4) {
		memcpy(to + left, &pairs[2 * (value & 0xff)], 2);
		memcpy(to + left - 2, &pairs[2 * (value >> 8 & 0xff)], 2);
		value >>= 16;
	}
	if (left > 1) {
		memcpy(to + left, &pairs[2 * (value & 0xff)], 2);
		value >>= 8;
		left -= 2;
	}
	if (left)
		to[2] = pairs[2 * value + 1];
	memcpy(to, "0x", 2);
	return to + 2 + nr;
}

char *put_hex_whole(char *to, uint64_t value)
{
	to = put_bytes(to, "0x", 2);
	for (int shift = 56; shift >= 0; shift -= 8)
		to = put_bytes(to, &pairs[2 * (value >> shift & 0xff)], 2);
	return to;
}

char *put_decimal(char *to, uint64_t value, unsigned int width)
{
	char digits[PUT_DECIMAL], *end = digits + sizeof(digits), *p = end;
	unsigned int nr;

	/* As most numbers of pages are. */
	if (value < 10) {
		to = put_blanks(to, to, width ? width - 1 : 0);
		*to++ = '0' + value;
		return to;
	}
	for (; value > 9; value /= 10)
		*--p = '0' + value % 10;
	*--p = '0' + value;
	nr = end - p;
	if (width > nr)
		to = put_blanks(to, to, width - nr);
	while (p < end)
		*to++ = *p++;
	return to;
}
