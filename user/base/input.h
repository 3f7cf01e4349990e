/* SPDX-License-Identifier: GPL-2.0 */
/* Standard input for the name "-" of a file. */
#ifndef PTWALK_BASE_INPUT_H
#define PTWALK_BASE_INPUT_H

#include <stdio.h>

/* Its name in messages. */
#define INPUT_STANDARD	"standard input"

/* Opens @path for reading, "-" as standard input; NULL and errno if that fails. */
FILE *input_open(const char *path);
void input_close(FILE *stream);
/* The name of @path for messages. */
const char *input_name(const char *path);

#endif /* PTWALK_BASE_INPUT_H */
