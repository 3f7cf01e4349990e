/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text put together in memory, for lines that are printed by the million: each
 * conversion of a format takes hundreds of instructions. Pure.
 */
#ifndef PTWALK_BASE_PUT_H
#define PTWALK_BASE_PUT_H

#include <stdbool.h>
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
#define PUT_LINES_SHIFT	3

/**
 * struct put_what - what a line is made of
 * @key: All that decides it but for its numbers.
 * @number: One at least; the first ones that it has by put_hex(), in their order.
 * @nr: How many.
 */
struct put_what {
	uint64_t key[3], number[PUT_NUMBERS];
	size_t nr;
};

/**
 * struct put_line - a line that was put together
 * @what: What it is made of now.
 * @len: Bytes of @text; 0: there is none.
 * @end: Behind the digits of each number in @text.
 * @x: The "x" before them.
 */
struct put_line {
	struct put_what what;
	size_t len;
	char *end[PUT_NUMBERS], *x[PUT_NUMBERS];
	char text[PUT_LINE];
};

/**
 * struct put_lines - lines of which the next ones may differ in their numbers only
 * @last: Those which came last, by the number of digits of their last number, or NULL.
 *
 * All zero is a valid one. It isn't copied.
 */
struct put_lines {
	struct put_line *last[8], line[1 << PUT_LINES_SHIFT];
};

/* Keeps [@begin, @end), unless it is too long, or its numbers aren't found there. */
void put_keep(struct put_lines *lines, const struct put_what *what, const char *begin,
	      const char *end);

char *put_again_slowly(char *to, struct put_lines *lines, const struct put_what *what);

/* How many digits put_hex() writes. */
static inline unsigned int put_digits(uint64_t value)
{
	return (67 - __builtin_clzll(value | 1)) / 4;
}

/*
 * Writes @value over the @nr-th number, unless it has more digits, or less. Most that
 * differ do so by pages: the low digits are the same.
 */
static inline bool put_over(struct put_line *line, size_t nr, uint64_t value)
{
	uint64_t before = line->what.number[nr], differs = before ^ value;
	char *end = line->end[nr];

	if ((before & value) <= differs && put_digits(before) != put_digits(value))
		return false;
	line->what.number[nr] = value;
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
	*line->x[nr] = 'x';
	return true;
}

/* @line with the numbers of @what; NULL: it is another one, or they have other digits. */
static inline char *put_line(char *to, struct put_line *line, const struct put_what *what)
{
	if (!line->len || line->what.nr != what->nr || line->what.key[0] != what->key[0] ||
	    line->what.key[1] != what->key[1] || line->what.key[2] != what->key[2])
		return NULL;
	for (size_t i = 0; i < what->nr; i++)
		if (!put_over(line, i, what->number[i]))
			return NULL;
	return put_bytes(to, line->text, line->len);
}

static inline struct put_line **put_last(struct put_lines *lines, const struct put_what *what)
{
	return &lines->last[put_digits(what->number[what->nr - 1]) % 8];
}

/*
 * The line of @what, of which only those digits are made that differ. NULL: it must be
 * put together, as none like it is kept, or its numbers had more digits, or less.
 */
static inline char *put_again(char *to, struct put_lines *lines, const struct put_what *what)
{
	struct put_line *last = *put_last(lines, what);
	char *end = last ? put_line(to, last, what) : NULL;

	return end ? end : put_again_slowly(to, lines, what);
}

#endif /* PTWALK_BASE_PUT_H */
