/* SPDX-License-Identifier: GPL-2.0 */
/* What all commands print through: text, errors, colours; JSON in base/jsonw.h. */
#ifndef PTWALK_BASE_PRINT_H
#define PTWALK_BASE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Prints "ptwalk: " and the message, escaped as in out_text(), as one line on
 * stderr and returns @status, so that callers can write "return fail(EXIT_USAGE, ...)".
 */
int fail(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Tells error_text() when exit() has been called already, by a handler of atexit(); the
 * other handlers come still, and then the status is EXIT_UNCHECKED.
 */
void tell_at_exit(void);

/* The message of the last call of fail(), until the next one; NULL before the first. */
const char *fail_said(void);

/* Prints what base/put.h put together at @from, up to @to. */
void out_bytes(const char *from, const char *to);

/* "0x..."; @buf is returned. */
#define HEX_SIZE	20
const char *hex(uint64_t value, char buf[HEX_SIZE]);

/* Prints @text; control characters and what is no UTF-8 as \ooo. */
void out_text(const char *text);

/* Who keeps lines for stdout sets it; it gives them to out_bytes(). */
extern void (*out_keeper)(void);

/* Writes all that was printed, as fflush(stdout), which knows nothing of what is kept. */
int out_sync(void);

/**
 * struct out_lines - lines for out_bytes() of which many are written at once
 * @nr: Bytes that wait; what else is printed must come before the first or after
 *	out_lines_end().
 * @written: How often those that waited were written: as long as it is the same, a line
 *	that began there is whole there.
 *
 * All zero is a valid one.
 */
struct out_lines {
	size_t nr, written;
	char text[16384];
};

/* Writes what waits. */
static inline void out_lines_end(struct out_lines *lines)
{
	out_bytes(lines->text, lines->text + lines->nr);
	lines->nr = 0;
	lines->written++;
}

/* Where there is room for a line of so many bytes, as many as @text has at most. */
static inline char *out_lines_room(struct out_lines *lines, size_t size)
{
	if (lines->nr + size > sizeof(lines->text))
		out_lines_end(lines);
	return lines->text + lines->nr;
}

/* The line there, or the part of it, ends before @end. */
static inline void out_lines_take(struct out_lines *lines, const char *end)
{
	lines->nr = end - lines->text;
}

/* Appends text of any length to the line. */
void out_lines_put(struct out_lines *lines, const char *text, size_t len);

enum out_colour { OUT_PLAIN, OUT_GOOD, OUT_BAD, OUT_WARN, OUT_DIM };

/*
 * The escape sequence that starts a colour (OUT_PLAIN ends it), "" when
 * stdout is no terminal or NO_COLOR is set.
 */
const char *out_colour(enum out_colour colour);

/*
 * Before anything is written: notes when the reader of a pipe goes away, and folds what
 * a terminal gets.
 */
void out_begin(void);

/*
 * Ends the program when stdout can no longer be written: called after each
 * line, so that nothing works on for a reader that has gone.
 */
void out_check(void);

/* The same after what is complete, and may be read although a signal ends the rest. */
void out_flush(void);

/*
 * Flushes stdout. Returns @status, or EXIT_UNCHECKED after a line on stderr
 * when something could not be written; EXIT_PIPE, without one, when the reader
 * of a pipe has gone. main() calls it for every command.
 */
int out_finish(int status);

#endif /* PTWALK_BASE_PRINT_H */
