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
#include "base/put.h"
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

int words_read(int (*take)(const char *word, const char *where, void *arg),
	       int (*answer)(void *arg), const char *what, void *arg)
{
	int status = 0, err = 0, more, waiting = 0;
	static struct lines lines;
	bool any = false;
	char where[48], *p;
	char *word;

	lines_begin(&lines, stdin);
	do {
		more = lines_next(&lines);
		/* An address from a shell may well lack its newline. */
		word = more > 0 || more == -ENODATA ? word_of(lines.text) : NULL;
		if (word) {
			any = true;
			waiting++;
			p = put_text(where, INPUT_STANDARD ", line ");
			p = put_decimal(p, lines.number, 0);
			put_bytes(p, ": ", sizeof(": "));
			err = error_status(take(word, where, arg));
			status = status ? status : err;
		}
		err = 0;
		if (waiting && answer &&
		    (more <= 0 || waiting == BATCH || is_idle())) {
			err = answer(arg);
			waiting = 0;
		}
	} while (more > 0 && !err);
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
