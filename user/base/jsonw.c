// SPDX-License-Identifier: GPL-2.0
/* JSON on stdout. What is open is a bit each: of an array 1, of an object 0. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "base/escape.h"
#include "base/fold.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/put.h"

#define LINE	16384	/* most lines are much shorter */
#define PIECE	32	/* what is put at once but for names: a number, a character escaped */

static char line[LINE];
struct jsonw_line jsonw_line = { line, line + LINE - JSONW_AT_ONCE };
static uint64_t written;	/* bytes that don't wait any more */
static uint64_t begun;		/* where the object under way begins in all that is written */
static uint64_t arrays;		/* the innermost is the lowest bit */

static void drain(void)
{
	out_bytes(line, jsonw_line.at);
	written += jsonw_line.at - line;
	jsonw_line.at = line;
}

/* Where there is room for so many bytes, which are at most LINE. */
static inline char *line_room(size_t size)
{
	if ((size_t)(line + LINE - jsonw_line.at) < size)
		drain();
	return jsonw_line.at;
}

static void put(const char *text, size_t length)
{
	if (length > LINE) {
		drain();
		// cppcheck-suppress pointerOutOfBoundsCond
		out_bytes(text, text + length);
		written += length;
		return;
	}
	jsonw_line.at = put_bytes(line_room(length), text, length);
}

static void put_char(char c)
{
	char *p = line_room(1);

	*p = c;
	jsonw_line.at = p + 1;
}

static void begin_member(void)
{
	if (!jsonw_line.is_first)
		put_char(',');
	jsonw_line.is_first = false;
}

void jsonw_begin(const char *type)
{
	arrays = 0;
	fold_off = true;
	begun = written + (line_room(PUT_LINE) - line);
	jsonw_line.is_first = true;
	put_char('{');
	if (!type)
		return;
	jsonw_name("type");
	put_char('"');
	put(type, strlen(type));
	put_char('"');
}

static bool watched = true;	/* or it isn't known yet */

static void end_line_slowly(void)
{
	out_keeper = drain;
	watched = isatty(STDOUT_FILENO);
	if (!watched && jsonw_line.at < line + LINE / 2)
		return;
	drain();
	out_check();
}

/* Many lines are written at once, but for somebody who watches them come. */
static inline void end_line(void)
{
	if (watched || jsonw_line.at >= line + LINE / 2)
		end_line_slowly();
}

void jsonw_end(void)
{
	put("}\n", 2);
	end_line();
}

void jsonw_end_kept(struct put_lines *lines, const struct put_what *what)
{
	uint64_t length;

	put("}\n", 2);
	length = written + (jsonw_line.at - line) - begun;
	if (length < PUT_LINE)
		put_keep(lines, what, jsonw_line.at - length, jsonw_line.at);
	end_line();
}

bool jsonw_again(struct put_lines *lines, const struct put_what *what)
{
	char *end = put_again(line_room(PUT_LINE), lines, what);

	if (!end)
		return false;
	jsonw_line.at = end;
	end_line();
	return true;
}

void jsonw_name_slowly(const char *name, size_t length)
{
	begin_member();
	if (!name)
		return;
	put_char('"');
	put(name, length);
	put("\":", 2);
}

void jsonw_open(char bracket)
{
	put_char(bracket);
	arrays = arrays << 1 | (bracket == '[');
	jsonw_line.is_first = true;
}

void jsonw_close(void)
{
	put_char(arrays & 1 ? ']' : '}');
	arrays >>= 1;
	jsonw_line.is_first = false;
}

void jsonw_members(const char *text, size_t length)
{
	begin_member();
	put(text, length);
}

void jsonw_put_word(const char *word)
{
	put(word, strlen(word));
}

void jsonw_put_hex(uint64_t value)
{
	char *p = line_room(PIECE);

	*p++ = '"';
	p = put_hex(p, value);
	*p++ = '"';
	jsonw_line.at = p;
}

void jsonw_put_number(uint64_t value)
{
	jsonw_line.at = put_decimal(line_room(PIECE), value, 0);
}

void jsonw_put_signed(int64_t value)
{
	char *p = line_room(PIECE);

	if (value < 0)
		*p++ = '-';
	jsonw_line.at = put_decimal(p, value < 0 ? -(uint64_t)value : (uint64_t)value, 0);
}

void jsonw_put_real(double value)
{
	char *p = line_room(PIECE);

	if (isfinite(value))
		jsonw_line.at = p + snprintf(p, PIECE, "%.9g", value);
	else
		jsonw_put_word("null");
}

static void put_mask_names(const struct names *names, uint64_t mask)
{
	char name[NAME_SIZE];

	jsonw_open('[');
	for (; mask; mask &= mask - 1)
		jsonw_text(NULL, name_bit(names, __builtin_ctzll(mask), name));
	jsonw_close();
}

/* The same sets come again and again: what was put for some of them. */
struct made {
	const struct names *names;
	uint64_t mask;
	size_t length;
	char text[512];
};

void jsonw_put_mask(const struct names *names, uint64_t mask)
{
	static struct made made[8];
	struct made *m = &made[((uintptr_t)names + mask) * 0x9e3779b97f4a7c15ULL >> 61];
	uint64_t begin;

	if (m->length && m->names == names && m->mask == mask) {
		put(m->text, m->length);
		return;
	}
	line_room(sizeof(m->text));
	begin = written + (jsonw_line.at - line);
	put_mask_names(names, mask);
	m->length = written + (jsonw_line.at - line) - begin;
	if (m->length > sizeof(m->text))
		m->length = 0;
	memcpy(m->text, jsonw_line.at - m->length, m->length);
	m->names = names;
	m->mask = mask;
}

/* "\u00e4", of two such if it is beyond 16 bits. */
static void put_unit(unsigned int unit)
{
	static const char digits[] = "0123456789ABCDEF";
	char *p = put_text(line_room(PIECE), "\\u");

	for (int shift = 12; shift >= 0; shift -= 4)
		*p++ = digits[unit >> shift & 0xf];
	jsonw_line.at = p;
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
	char *p = put_text(line_room(PIECE), "\\\\");

	for (int shift = 6; shift >= 0; shift -= 3)
		*p++ = '0' + (c >> shift & 7);
	jsonw_line.at = p;
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

/* Whether each of the eight bytes stands for itself. */
static inline bool are_plain(uint64_t bytes)
{
	const uint64_t ones = 0x0101010101010101, high = ones << 7;
	const uint64_t quote = bytes ^ ones * '"', backslash = bytes ^ ones * '\\';

	/* Less than a blank, a quote or a backslash, more than a tilde: the high bit is set. */
	return !((((bytes - ones * ' ') & ~bytes) | ((quote - ones) & ~quote) |
		  ((backslash - ones) & ~backslash) | (bytes + ones) | bytes) & high);
}

static bool is_plain(char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/* Bytes at @text, of @length, that stand for themselves. */
static size_t plain_length(const char *text, size_t length)
{
	uint64_t bytes;
	size_t i = 0;

	for (; i + sizeof(bytes) <= length; i += sizeof(bytes)) {
		memcpy(&bytes, text + i, sizeof(bytes));
		if (!are_plain(bytes))
			break;
	}
	while (i < length && is_plain(text[i]))
		i++;
	return i;
}

static void put_escaped(const char *text, size_t length)
{
	const char *end = text + length;
	const bool valid = is_utf8(text);
	uint32_t c;

	while (text < end) {
		size_t len = plain_length(text, end - text);

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
	size_t length;
	char *p;

	if (!text) {
		jsonw_put_word("null");
		return;
	}
	length = strlen(text);
	if (length < LINE - 2 && plain_length(text, length) == length) {
		p = line_room(length + 2);
		*p++ = '"';
		p = put_bytes(p, text, length);
		*p++ = '"';
		jsonw_line.at = p;
		return;
	}
	put_char('"');
	put_escaped(text, length);
	put_char('"');
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
