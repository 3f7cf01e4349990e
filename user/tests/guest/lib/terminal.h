/* SPDX-License-Identifier: GPL-2.0 */
/* What a command prints on a terminal. */
#ifndef PTWALK_TEST_TERMINAL_H
#define PTWALK_TEST_TERMINAL_H

#include <stddef.h>

/*
 * Has what @argv prints on a terminal of so many columns in *@text, until the next call.
 * Returns the exit status, or -1.
 */
int terminal_show(unsigned short columns, const char *const *argv, const char **text);

/*
 * How wide the widest line is, which *@line then is: of UTF-8, in characters; a terminal
 * ends it with a carriage return, too.
 */
size_t terminal_widest(const char *text, const char **line);

#endif /* PTWALK_TEST_TERMINAL_H */
