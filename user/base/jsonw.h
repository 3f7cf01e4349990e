/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON on stdout, one object a line, written as it is told: nothing is kept but
 * some lines that are written at once, so that no call can fail. Whether stdout could
 * be written is told at the end, as of all that is printed (out_check() and
 * out_finish() in base/print.h). What else is printed comes behind an out_sync().
 * A command prints an object with
 *
 *	jsonw_begin("mapping");			{"type":"mapping"
 *	jsonw_number("pid", pid);		,"pid":1
 *	jsonw_hex("start", addr);		,"start":"0x1000"
 *	jsonw_text("name", name);		,"name":"/bin/\u00e4"
 *	jsonw_mask("flags", &names_flag, 3);	,"flags":["write","user"]
 *	jsonw_object("vma");			,"vma":{
 *	jsonw_bool("gone", true);		"gone":true
 *	jsonw_close();				}
 *	jsonw_array("pids");			,"pids":[
 *	jsonw_number(NULL, 1);			1
 *	jsonw_number(NULL, 2);			,2
 *	jsonw_close();				]
 *	jsonw_end();				} and a newline
 *
 * A function that adds members to the object under way has a name that ends
 * with _json. Members are told once each, and what holds others until it is closed;
 * nothing else is printed until jsonw_end(). All of it is ASCII.
 */
#ifndef PTWALK_BASE_JSONW_H
#define PTWALK_BASE_JSONW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/names.h"
#include "base/put.h"

/*
 * Begins an object that is a line; @type is its member "type", in which nothing is
 * escaped, NULL: it has none.
 */
void jsonw_begin(const char *type);
void jsonw_end(void);

/*
 * What waits to be written is before @at; before @room there is room for what is put
 * at once. @is_first: The next member or element has no comma before it.
 */
struct jsonw_line {
	char *at, *room;
	bool is_first;
};
extern struct jsonw_line jsonw_line;

/* The same as jsonw_name() without room for it. */
void jsonw_name_slowly(const char *name, size_t length);

#define JSONW_AT_ONCE	64

/*
 * A name with its colon; the name is that of a member of an object, and NULL of an
 * element of an array. Nothing in it is escaped. Where the compiler knows it, it is
 * put in a few instructions.
 */
static inline __attribute__((always_inline)) void jsonw_name(const char *name)
{
	size_t length = name ? strlen(name) : 0;
	char *p = jsonw_line.at;

	if (p >= jsonw_line.room || length > JSONW_AT_ONCE - 4) {
		jsonw_name_slowly(name, length);
		return;
	}
	*p = ',';
	p += !jsonw_line.is_first;
	jsonw_line.is_first = false;
	if (name) {
		*p++ = '"';
		memcpy(p, name, length);
		p += length;
		*p++ = '"';
		*p++ = ':';
	}
	jsonw_line.at = p;
}

/* For those below, which write the value behind the name. */
void jsonw_open(char bracket);
void jsonw_put_text(const char *text);
void jsonw_put_hex(uint64_t value);
void jsonw_put_number(uint64_t value);
void jsonw_put_signed(int64_t value);
void jsonw_put_real(double value);
void jsonw_put_mask(const struct names *names, uint64_t mask);
void jsonw_put_word(const char *word);

/* Opens an object or an array in the one under way, until jsonw_close(). */
static inline void jsonw_object(const char *name)
{
	jsonw_name(name);
	jsonw_open('{');
}

static inline void jsonw_array(const char *name)
{
	jsonw_name(name);
	jsonw_open('[');
}

void jsonw_close(void);

/*
 * A string; null if @text is NULL. One that isn't UTF-8 (a path may be anything) is
 * told as out_text() prints it.
 */
static inline void jsonw_text(const char *name, const char *text)
{
	jsonw_name(name);
	jsonw_put_text(text);
}

/* A string that is put together as by printf(), of at most 1023 bytes. */
void jsonw_format(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "0x...", as all addresses, frames and raw entries are. */
static inline void jsonw_hex(const char *name, uint64_t value)
{
	jsonw_name(name);
	jsonw_put_hex(value);
}

static inline void jsonw_number(const char *name, uint64_t value)
{
	jsonw_name(name);
	jsonw_put_number(value);
}

/* These are null unless @known. */
static inline void jsonw_hex_if(const char *name, bool known, uint64_t value)
{
	jsonw_name(name);
	if (known)
		jsonw_put_hex(value);
	else
		jsonw_put_word("null");
}

static inline void jsonw_number_if(const char *name, bool known, uint64_t value)
{
	jsonw_name(name);
	if (known)
		jsonw_put_number(value);
	else
		jsonw_put_word("null");
}

static inline void jsonw_signed(const char *name, int64_t value)
{
	jsonw_name(name);
	jsonw_put_signed(value);
}

/* Null if @value is no finite number. */
static inline void jsonw_real(const char *name, double value)
{
	jsonw_name(name);
	jsonw_put_real(value);
}

static inline void jsonw_bool(const char *name, bool value)
{
	jsonw_name(name);
	jsonw_put_word(value ? "true" : "false");
}

static inline void jsonw_null(const char *name)
{
	jsonw_name(name);
	jsonw_put_word("null");
}

/* The names of the bits of @mask, as an array of strings. */
static inline void jsonw_mask(const char *name, const struct names *names, uint64_t mask)
{
	jsonw_name(name);
	jsonw_put_mask(names, mask);
}

/* Members that were put together before, without a comma around them. */
void jsonw_members(const char *text, size_t length);

/*
 * jsonw_end() of an object that is kept, with the numbers that it has by jsonw_hex(); and
 * the same object with other numbers: false, and nothing is written, if none is kept.
 */
void jsonw_end_kept(struct put_lines *lines, const struct put_what *what);
bool jsonw_again(struct put_lines *lines, const struct put_what *what);

#endif /* PTWALK_BASE_JSONW_H */
