// SPDX-License-Identifier: GPL-2.0
/* Standard input where an argument is "-": one word a line. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/exit_status.h"
#include "base/input.h"
#include "base/lines.h"
#include "base/print.h"
#include "cmd/words.h"

#define BATCH	512	/* most lines that wait for an answer */
#define BLANKS	" \t\r"

/* Whoever writes line by line and waits for the answers has them. */
static bool is_idle(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return !poll(&in, 1, 0);
}

/* The line without blanks around it, or NULL if it says nothing. */
static char *word_of(char *line)
{
	size_t len = strlen(line);

	while (len && strchr(BLANKS, line[len - 1]))
		line[--len] = '\0';
	line += strspn(line, BLANKS);
	return *line && *line != '#' ? line : NULL;
}

/**
 * struct words - standard input being read
 * @answer: Of the caller, with @arg; or NULL.
 * @waiting: Lines that wait for it.
 * @err: What it returned.
 */
struct words {
	int (*answer)(void *arg);
	void *arg;
	int waiting, err;
};

static void pass_words(struct words *w)
{
	if (w->answer && w->waiting)
		w->err = w->answer(w->arg);
	w->waiting = 0;
}

/* Asks whether more is there when all that was read has been taken, not for each line. */
static ssize_t refill(void *arg, char *buf, size_t size)
{
	struct words *w = arg;

	if (w->waiting && is_idle())
		pass_words(w);
	return w->err ? 0 : read(STDIN_FILENO, buf, size);
}

const char *words_where(size_t line)
{
	static char where[48];

	*where = '\0';
	if (line)
		snprintf(where, sizeof(where), INPUT_STANDARD ", line %zu: ", line);
	return where;
}

int words_read(int (*take)(const char *word, size_t line, void *arg),
	       int (*answer_them)(void *arg), const char *what, void *arg)
{
	const cookie_io_functions_t from_stdin = { .read = refill };
	struct words w = { .answer = answer_them, .arg = arg };
	FILE *stream = fopencookie(&w, "r", from_stdin);
	int status = 0, err, more;
	static struct lines lines;
	bool any = false;
	char *word;

	if (!stream)
		return error_status(error_no_memory());
	lines_begin(&lines, stream);
	do {
		more = lines_next(&lines);
		/* An address from a shell may well lack its newline. */
		word = !w.err && (more > 0 || more == -ENODATA) ? word_of(lines.text) : NULL;
		if (word) {
			any = true;
			w.waiting++;
			err = error_status(take(word, lines.number, arg));
			status = status ? status : err;
		}
		if (more <= 0 || w.waiting == BATCH)
			pass_words(&w);
	} while (more > 0 && !w.err);
	fclose(stream);
	err = w.err;
	if (!err && more == -EINVAL)
		err = fail(EXIT_USAGE, INPUT_STANDARD ", line %zu: %s", lines.number,
			   lines.reason);
	else if (!err && more < 0 && more != -ENODATA)
		err = fail(EXIT_UNCHECKED, INPUT_STANDARD ": %s", strerror(-more));
	else if (!err && !any)
		err = fail(EXIT_USAGE, INPUT_STANDARD ": nothing in it: give one %s a line",
			   what);
	return status ? status : err;
}
