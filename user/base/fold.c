// SPDX-License-Identifier: GPL-2.0
/* Lines that are longer than the terminal is wide, or COLUMNS, go on below what they say. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/fold.h"
#include "base/parse.h"
#include "base/progress.h"

#define NARROWEST	40	/* below it, nothing is folded */
#define FARTHEST	24	/* column at which a line may go on */

bool fold_off;

/* Of files and pipes; 0: their lines are whole. */
static uint64_t asked_columns;

static size_t width_of(const char *text, size_t size)
{
	size_t width = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\033')
			while (i + 1 < size && text[i] != 'm')
				i++;
		else
			width += (text[i] & 0xc0) != 0x80;
	}
	return width;
}

static size_t blanks(const char *text, size_t size)
{
	size_t nr = 0;

	while (nr < size && text[nr] == ' ')
		nr++;
	return nr;
}

/* A word or a label, of one word or more, with the blanks before it. */
static size_t word(const char *text, size_t size)
{
	size_t nr = blanks(text, size);

	while (nr < size && text[nr] != ' ')
		nr++;
	return nr;
}

/* Where a line goes on: behind its first word if that is set off by two blanks. */
static size_t indent_of(const char *line, size_t size)
{
	const size_t first = word(line, size), gap = blanks(line + first, size - first);
	const size_t column = width_of(line, first) + gap;

	return gap > 1 && column <= FARTHEST ? column : blanks(line, size) + 4;
}

void fold_line(const char *line, size_t size, size_t columns, FILE *to)
{
	const size_t indent = indent_of(line, size);
	size_t at = 0, begin = 0, column = 0, length, width;

	if (columns < NARROWEST || width_of(line, size) <= columns) {
		fwrite(line, 1, size, to);
		return;
	}
	while (at < size) {
		length = word(line + at, size - at);
		width = width_of(line + at, length);
		if (column > begin && column + width > columns) {
			width -= blanks(line + at, length);
			at += blanks(line + at, length);
			length = word(line + at, size - at);
			fprintf(to, "\n%*s", (int)indent, "");
			begin = indent;
			column = indent;
		}
		fwrite(line + at, 1, length, to);
		at += length;
		column += width;
	}
}

static size_t columns_now(void)
{
	struct winsize window = { 0 };

	if (fold_off)
		return 0;
	if (asked_columns)
		return asked_columns;
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
	return window.ws_col;
}

static void fold(const char *bytes, size_t size, FILE *to)
{
	const char *end = bytes + size, *line = bytes, *newline;
	const size_t columns = columns_now();

	for (; line < end; line = newline + 1) {
		newline = memchr(line, '\n', end - line);
		fold_line(line, (newline ? newline : end) - line, columns, to);
		if (!newline)
			break;
		putc('\n', to);
	}
}

static bool write_all(const char *text, size_t size)
{
	ssize_t part;

	while (size) {
		part = write(STDOUT_FILENO, text, size);
		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			return false;
		text += part;
		size -= part;
	}
	return true;
}

/*
 * The line that was begun: stdio writes a buffer that is full, or more of that size, wherever
 * a line is then, and what is left of the line comes next.
 */
static char *begun;
static size_t nr_begun;

/* How many of the bytes can be folded, which are all but a line that was begun. */
static size_t whole_lines(const char *bytes, size_t nr, size_t written)
{
	const char *newline = memrchr(bytes, '\n', nr);

	return written % BUFSIZ ? nr : newline ? (size_t)(newline + 1 - bytes) : 0;
}

/* In the place of the line that says how far the command has come. */
static ssize_t write_folded(void *cookie, const char *bytes, size_t size)
{
	const size_t nr = nr_begun + size;
	char *all = realloc(begun, nr + 1), *text = NULL;
	size_t length = 0, whole;
	bool written;
	FILE *to;

	if (!all)
		return 0;
	begun = all;
	to = open_memstream(&text, &length);
	if (!to)
		return 0;
	memcpy(all + nr_begun, bytes, size);
	whole = whole_lines(all, nr, size);
	fold(all, whole, to);
	progress_clear();
	written = !fclose(to) && write_all(text, length);
	free(text);
	if (!written)
		return 0;
	if (whole)
		progress_in_line(all[whole - 1] != '\n');
	nr_begun = nr - whole;
	memmove(all, all + whole, nr_begun);
	return size;
}

void fold_begin(void)
{
	const cookie_io_functions_t functions = { .write = write_folded };
	const bool terminal = isatty(STDOUT_FILENO);
	const char *asked = terminal ? NULL : getenv("COLUMNS");
	FILE *folding = NULL;

	/* What makes no sense asks for nothing. */
	if (asked && parse_decimal(asked, UINT16_MAX, &asked_columns))
		asked_columns = 0;
	if (terminal || asked_columns)
		folding = fopencookie(NULL, "w", functions);

	if (folding && !setvbuf(folding, NULL, _IOLBF, BUFSIZ))
		stdout = folding;
}
