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

/* "0x1f2"; there must be room for PUT_HEX bytes. */
char *put_hex(char *to, uint64_t value);

/* "0x00000000000001f2" */
char *put_hex_whole(char *to, uint64_t value);

/* In at least @width columns, to their right. */
char *put_decimal(char *to, uint64_t value, unsigned int width);

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

#endif /* PTWALK_BASE_PUT_H */
