// SPDX-License-Identifier: GPL-2.0
/* Numbers put together in memory. */
#include "base/put.h"

#define WITH(digit)							\
	digit "0" digit "1" digit "2" digit "3" digit "4" digit "5" digit "6" \
	digit "7" digit "8" digit "9" digit "a" digit "b" digit "c" digit "d" \
	digit "e" digit "f"

const char put_pairs[] =
	WITH("0") WITH("1") WITH("2") WITH("3") WITH("4") WITH("5") WITH("6")
	WITH("7") WITH("8") WITH("9") WITH("a") WITH("b") WITH("c") WITH("d")
	WITH("e") WITH("f");

static size_t digits(uint64_t value)
{
	return (67 - __builtin_clzll(value | 1)) / 4;
}

char *put_hex(char *to, uint64_t value)
{
	size_t nr = digits(value), left = nr;

	for (; left > 3; left -= 4) {
		memcpy(to + left, &put_pairs[2 * (value & 0xff)], 2);
		memcpy(to + left - 2, &put_pairs[2 * (value >> 8 & 0xff)], 2);
		value >>= 16;
	}
	if (left > 1) {
		memcpy(to + left, &put_pairs[2 * (value & 0xff)], 2);
		value >>= 8;
		left -= 2;
	}
	if (left)
		to[2] = put_pairs[2 * value + 1];
	memcpy(to, "0x", 2);
	return to + 2 + nr;
}

char *put_hex_whole(char *to, uint64_t value)
{
	to = put_bytes(to, "0x", 2);
	for (int shift = 56; shift >= 0; shift -= 8)
		to = put_bytes(to, &put_pairs[2 * (value >> shift & 0xff)], 2);
	return to;
}

char *put_decimal_slowly(char *to, uint64_t value, unsigned int width)
{
	char digits[PUT_DECIMAL], *end = digits + sizeof(digits), *p = end;
	unsigned int nr;

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

void put_line_number(struct put_line *line, size_t end, uint64_t number)
{
	line->begin[line->nr] = end - digits(number);
	line->end[line->nr] = end;
	line->number[line->nr++] = number;
}

void put_line_keep(struct put_line *line, const char *begin, const char *end)
{
	const size_t most = sizeof(line->text) - PUT_NUMBERS * PUT_HEX;

	line->len = (size_t)(end - begin) <= most ? end - begin : 0;
	memcpy(line->text, begin, line->len);
}

/* Writes @value over the @nr-th number, which has more digits, or less. */
static void put_resized(struct put_line *line, size_t nr, uint64_t value)
{
	const size_t end = line->end[nr], more = line->begin[nr] + digits(value) - end;

	memmove(line->text + end + more, line->text + end, line->len - end);
	line->len += more;
	line->end[nr] += more;
	for (size_t i = 0; i < line->nr; i++)
		if (line->begin[i] > line->begin[nr]) {
			line->begin[i] += more;
			line->end[i] += more;
		}
	put_hex(line->text + line->begin[nr] - 2, value);
}

/*
 * Writes @value over the @nr-th number. Most that differ do so by pages: the low digits
 * are the same.
 */
static inline void put_over(struct put_line *line, size_t nr, uint64_t value)
{
	uint64_t before = line->number[nr], differs = before ^ value;
	char *end = line->text + line->end[nr];

	line->number[nr] = value;
	if ((before & value) <= differs && digits(before) != digits(value)) {
		put_resized(line, nr, value);
		return;
	}
	if (!(differs & 0xfff)) {
		end -= 3;
		value >>= 12;
		before >>= 12;
	}
	for (; value != before; value >>= 8, before >>= 8) {
		end -= 2;
		memcpy(end, &put_pairs[2 * (value & 0xff)], 2);
	}
	/* The first of an odd number of digits came with another. */
	line->text[line->begin[nr] - 1] = 'x';
}

char *put_line_again(char *to, struct put_line *line, const uint64_t *number)
{
	for (size_t i = 0; i < line->nr; i++)
		put_over(line, i, number[i]);
	return put_bytes(to, line->text, line->len);
}
