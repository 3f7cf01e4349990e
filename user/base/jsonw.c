// SPDX-License-Identifier: GPL-2.0
/* JSON on stdout. What is open is a bit each: of an array 1, of an object 0. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/put.h"

#define LINE	8192	/* most lines are much shorter */
#define PIECE	32	/* what is put at once: a number, a character escaped */

static char line[LINE], *at = line;
static uint64_t arrays;		/* the innermost is the lowest bit */
static bool is_first;		/* member or element of what is open */

static void drain(void)
{
	out_bytes(line, at);
	at = line;
}

/* Where there is room for so many bytes, which are at most LINE. */
static char *room(size_t size)
{
	if ((size_t)(line + LINE - at) < size)
		drain();
	return at;
}

static void put(const char *text, size_t length)
{
	if (length > LINE) {
		drain();
		// cppcheck-suppress pointerOutOfBoundsCond
		out_bytes(text, text + length);
		return;
	}
	at = put_bytes(room(length), text, length);
}

void jsonw_begin(const char *type)
{
	arrays = 0;
	is_first = true;
	put("{", 1);
	if (type)
		jsonw_text("type", type);
}

void jsonw_end(void)
{
	put("}\n", 2);
	drain();
	out_check();
}

void jsonw_name_of_length(const char *name, size_t length)
{
	if (!is_first)
		put(",", 1);
	is_first = false;
	if (!name)
		return;
	put("\"", 1);
	put(name, length);
	put("\":", 2);
}

void jsonw_open(char bracket)
{
	put(&bracket, 1);
	arrays = arrays << 1 | (bracket == '[');
	is_first = true;
}

void jsonw_close(void)
{
	put(arrays & 1 ? "]" : "}", 1);
	arrays >>= 1;
	is_first = false;
}

void jsonw_members(const char *text, size_t length)
{
	if (!is_first)
		put(",", 1);
	is_first = false;
	put(text, length);
}

void jsonw_put_word(const char *word)
{
	put(word, strlen(word));
}

void jsonw_put_hex(uint64_t value)
{
	char *p = room(PIECE);

	*p++ = '"';
	p = put_hex(p, value);
	*p++ = '"';
	at = p;
}

void jsonw_put_number(uint64_t value)
{
	at = put_decimal(room(PIECE), value, 0);
}

void jsonw_put_signed(int64_t value)
{
	char *p = room(PIECE);

	if (value < 0)
		*p++ = '-';
	at = put_decimal(p, value < 0 ? -(uint64_t)value : (uint64_t)value, 0);
}

void jsonw_put_real(double value)
{
	char *p = room(PIECE);

	if (isfinite(value))
		at = p + snprintf(p, PIECE, "%.9g", value);
	else
		jsonw_put_word("null");
}

void jsonw_put_mask(const struct names *names, uint64_t mask)
{
	char name[NAME_SIZE];

	jsonw_open('[');
	for (; mask; mask &= mask - 1)
		jsonw_text(NULL, name_bit(names, __builtin_ctzll(mask), name));
	jsonw_close();
}

/* "\u00e4", of two such if it is beyond 16 bits. */
static void put_unit(unsigned int unit)
{
	static const char digits[] = "0123456789ABCDEF";
	char *p = put_text(room(PIECE), "\\u");

	for (int shift = 12; shift >= 0; shift -= 4)
		*p++ = digits[unit >> shift & 0xf];
	at = p;
}

static void put_character(uint32_t c)
{
	if (c < 0x10000) {
		put_unit(c);
	} else {
		put_unit(0xd800 + ((c - 0x10000) >> 10));
		put_unit(0xdc00 + ((c - 0x10000) & 0x3ff));
	}
}

/* Of ASCII, what can't stand in a string as it is. */
static void put_special(char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *found = c ? strchr(from, c) : NULL;
	char pair[2] = { '\\' };

	if (!found) {
		put_unit(c);
		return;
	}
	pair[1] = to[found - from];
	put(pair, 2);
}

/* What isn't UTF-8, or is to be shown like that: "\\377". */
static void put_octal(unsigned char c)
{
	char *p = put_text(room(PIECE), "\\\\");

	for (int shift = 6; shift >= 0; shift -= 3)
		*p++ = '0' + (c >> shift & 7);
	at = p;
}

static bool is_utf8(const char *text)
{
	uint32_t c;

	for (size_t len; *text; text += len) {
		len = utf8_character(text, &c);
		if (!len)
			return false;
	}
	return true;
}

/* Bytes at @text that stand for themselves. */
static size_t plain_length(const char *text)
{
	const char *p = text;

	while (*p >= ' ' && *p <= '~' && *p != '"' && *p != '\\')
		p++;
	return p - text;
}

static void put_escaped(const char *text)
{
	const bool valid = is_utf8(text);
	uint32_t c;

	while (*text) {
		size_t len = plain_length(text);

		put(text, len);
		text += len;
		if (!*text)
			break;
		len = utf8_character(text, &c);
		if (!valid && (!len || utf8_is_control(c))) {
			put_octal(*text);
			len = 1;
		} else if (len == 1) {
			put_special(*text);
		} else {
			put_character(c);
		}
		text += len;
	}
}

void jsonw_put_text(const char *text)
{
	size_t len;

	if (!text) {
		jsonw_put_word("null");
		return;
	}
	len = plain_length(text);
	put("\"", 1);
	if (text[len])
		put_escaped(text);
	else
		put(text, len);
	put("\"", 1);
}

void jsonw_format(const char *name, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	jsonw_text(name, text);
}
