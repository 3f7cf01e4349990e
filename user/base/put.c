// SPDX-License-Identifier: GPL-2.0
/* Numbers put together in memory. */
#include <ctype.h>
#include "base/put.h"

#define WITH(digit)							\
	digit "0" digit "1" digit "2" digit "3" digit "4" digit "5" digit "6" \
	digit "7" digit "8" digit "9" digit "a" digit "b" digit "c" digit "d" \
	digit "e" digit "f"

const char put_pairs[] =
	WITH("0") WITH("1") WITH("2") WITH("3") WITH("4") WITH("5") WITH("6")
	WITH("7") WITH("8") WITH("9") WITH("a") WITH("b") WITH("c") WITH("d")
	WITH("e") WITH("f");

char *put_hex(char *to, uint64_t value)
{
	size_t nr = put_digits(value), left = nr;

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

/* Where a line of the kind of @what is, if it is anywhere. */
static struct put_line *line_for(struct put_lines *lines, const struct put_what *what)
{
	uint64_t sum = what->key[0] + what->key[1] * 3 + what->key[2] * 5 +
		       put_digits(what->number[what->nr - 1]);

	return &lines->line[sum * 0x9e3779b97f4a7c15ULL >> (64 - PUT_LINES_SHIFT)];
}

void put_keep(struct put_lines *lines, const struct put_what *what, const char *begin,
	      const char *end)
{
	struct put_line *line = line_for(lines, what);
	char *at = line->text, text[PUT_HEX];
	size_t len;

	line->len = 0;
	if ((size_t)(end - begin) >= sizeof(line->text))
		return;
	*put_bytes(line->text, begin, end - begin) = '\0';
	for (size_t i = 0; i < what->nr; i++) {
		len = put_hex(text, what->number[i]) - text;
		at = strstr(at, "0x");
		if (!at || strncmp(at, text, len) || isxdigit((unsigned char)at[len]))
			return;
		line->x[i] = at + 1;
		at += len;
		line->end[i] = at;
	}
	line->what = *what;
	line->len = end - begin;
	*put_last(lines, what) = line;
}

char *put_again_slowly(char *to, struct put_lines *lines, const struct put_what *what)
{
	struct put_line *line = line_for(lines, what);

	*put_last(lines, what) = line;
	return put_line(to, line, what);
}
