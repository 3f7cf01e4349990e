/* SPDX-License-Identifier: GPL-2.0 */
/* Standard input for an argument "-": as a file, or as one word a line. */
#ifndef PTWALK_BASE_INPUT_H
#define PTWALK_BASE_INPUT_H

#include <stdio.h>

/* Opens @path for reading, "-" as standard input; NULL and errno if that fails. */
FILE *input_open(const char *path);
void input_close(FILE *stream);
/* The name of @path for messages. */
const char *input_name(const char *path);

/*
 * Calls @take with each line that says something, without the blanks around
 * it, and with @where it is, for messages. @take returns 0, an exit status
 * after a line on stderr, or a negative errno, see base/error.h; the lines that
 * follow are taken all the same. Calls @answer, which may be NULL, when there is
 * nothing more to read for now and after some hundred lines; what it returns
 * unless 0 ends it.
 *
 * Returns 0, or the first exit status that was not 0; EXIT_USAGE if there is no
 * such line.
 */
int input_read(int (*take)(const char *word, const char *where, void *arg),
	       int (*answer)(void *arg), void *arg);

#endif /* PTWALK_BASE_INPUT_H */
