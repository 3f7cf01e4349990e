/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text put together in memory, for lines that are printed by the million: each
 * conversion of a format takes hundreds of instructions. Pure.
 */
#ifndef PTWALK_BASE_PUT_H
#define PTWALK_BASE_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Each writes at @to, where there must be room, and returns the place behind what
 * it wrote, without a NUL. Bytes that they need at most:
 */
#define PUT_HEX		18
#define PUT_DECIMAL	20
#define PUT_END		(PUT_HEX + 1)

/* "00" to "ff" */
extern const char put_pairs[];

/* "0x1f2"; there must be room for PUT_HEX bytes. */
char *put_hex(char *to, uint64_t value);

/* "0x00000000000001f2" */
char *put_hex_whole(char *to, uint64_t value);

char *put_decimal_slowly(char *to, uint64_t value, unsigned int width);

/* @len bytes of @text. */
static inline char *put_bytes(char *to, const char *text, size_t len)
{
	memcpy(to, text, len);
	return to + len;
}

/* The string @text. */
static inline char *put_text(char *to, const char *text)
{
	return put_bytes(to, text, strlen(text));
}

/*
 * Blanks until the column that began at @from is @width wide, if it isn't. They
 * come in eights: there must be room for some more.
 */
static inline char *put_blanks(char *to, char *from, unsigned int width)
{
	char *end = from + width;

	if (to >= end)
		return to;
	for (; to < end; to += 8)
		memcpy(to, "        ", 8);
	return end;
}

/* In at least @width columns, to their right; as most numbers of pages are, at once. */
static inline char *put_decimal(char *to, uint64_t value, unsigned int width)
{
	if (value > 9)
		return put_decimal_slowly(to, value, width);
	to = put_blanks(to, to, width ? width - 1 : 0);
	*to++ = '0' + value;
	return to;
}

/* The end of a range as people write it: the address behind @last. */
static inline char *put_end(char *to, uint64_t last)
{
	return last == UINT64_MAX ? put_text(to, "0x10000000000000000") :
				    put_hex(to, last + 1);
}

/* "0xSTART-0xEND" */
static inline char *put_range(char *to, uint64_t start, uint64_t last)
{
	to = put_hex(to, start);
	*to++ = '-';
	return put_end(to, last);
}

#define PUT_NUMBERS	4
#define PUT_LINE	1280

/**
 * struct put_line - a line of which the next one may differ in some numbers only
 * @len: Bytes of @text, or 0: there is none.
 * @nr: Numbers that may be others, by put_hex(): @number, with digits from @begin to @end.
 *
 * All zero is a valid one.
 */
struct put_line {
	size_t len, nr, begin[PUT_NUMBERS], end[PUT_NUMBERS];
	uint64_t number[PUT_NUMBERS];
	char text[PUT_LINE];
};

/* A number whose digits end behind @end bytes of the line. */
void put_line_number(struct put_line *line, size_t end, uint64_t number);

/* Keeps [@begin, @end), with the numbers that were told, unless it is too long. */
void put_line_keep(struct put_line *line, const char *begin, const char *end);

/*
 * The line with other numbers, of which only those digits are made that differ.
 */
char *put_line_again(char *to, struct put_line *line, const uint64_t *number);

#endif /* PTWALK_BASE_PUT_H */
