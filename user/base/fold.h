/* SPDX-License-Identifier: GPL-2.0 */
/* What a terminal gets fits it, and others what COLUMNS says: longer lines go on in the next one. */
#ifndef PTWALK_BASE_FOLD_H
#define PTWALK_BASE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Lines stay as they are, as those of JSON must. */
extern bool fold_off;

/*
 * If stdout is a terminal, folds what is printed from now on at its width; else at COLUMNS,
 * if that is in the environment.
 */
void fold_begin(void);

/* Prints @size bytes of a line, without its end, on @to in lines of at most @columns. */
void fold_line(const char *line, size_t size, size_t columns, FILE *to);

#endif /* PTWALK_BASE_FOLD_H */
