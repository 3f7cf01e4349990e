/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line on stderr that says how far a command has come once it takes more than
 * a second. It is rewritten in place, and gone before anything else is printed.
 * Where stderr is no terminal, or not ours for now, there is none.
 */
#ifndef PTWALK_BASE_PROGRESS_H
#define PTWALK_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* There may be such a line: counting for it is not in vain. */
extern bool progress_on;

/* The command works from now on, on @all things in turn, such as "process"; NULL: on one. */
void progress_begin(const char *what, size_t all);

/* On the next one. */
void progress_next(void);

/* It has read @pages more, or does something else that takes its time. */
void progress_pages(uint64_t pages);

/* Whether what was last written to stdout doesn't end its line. */
void progress_in_line(bool in_line);

/* Takes the line away, if it is there. */
void progress_clear(void);

#endif /* PTWALK_BASE_PROGRESS_H */
