// SPDX-License-Identifier: GPL-2.0
/* Standard input where the name of a file is "-". */
#include <string.h>
#include "base/input.h"

FILE *input_open(const char *path)
{
	return strcmp(path, "-") ? fopen(path, "re") : stdin;
}

void input_close(FILE *stream)
{
	if (stream != stdin)
		fclose(stream);
}

const char *input_name(const char *path)
{
	return strcmp(path, "-") ? path : INPUT_STANDARD;
}
