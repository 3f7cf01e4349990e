/* SPDX-License-Identifier: GPL-2.0 */
/* Standard input for an argument "-", as one word a line. */
#ifndef PTWALK_CMD_WORDS_H
#define PTWALK_CMD_WORDS_H

#include <stddef.h>

/*
 * Calls @take with each line that says something, without the blanks around
 * it, and with the number of the line. @take returns 0, an exit status
 * after a line on stderr, or a negative errno, see base/error.h; the lines that
 * follow are taken all the same. Calls @answer, which may be NULL, when there is
 * nothing more to read for now and after some hundred lines; what it returns
 * unless 0 ends it.
 *
 * Returns 0, or the first exit status that was not 0; EXIT_USAGE if there is no
 * such line: @what should be there.
 */
int words_read(int (*take)(const char *word, size_t line, void *arg),
	       int (*answer)(void *arg), const char *what, void *arg);

/* "standard input, line 3: " for a message, until the next call; "" for line 0. */
const char *words_where(size_t line);

#endif /* PTWALK_CMD_WORDS_H */
