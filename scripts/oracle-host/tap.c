// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "tap.h"

static FILE *kept;
static char *text;
static size_t size;
static unsigned int number, failed;

void tap_begin(void)
{
	if (kept) {
		fclose(kept);
		free(text);
	}
	kept = open_memstream(&text, &size);
	if (!kept) {
		perror("oracle");
		exit(1);
	}
	number = 0;
	failed = 0;
}

void tap_result(bool good, const char *format, ...)
{
	va_list args;

	failed += !good;
	fprintf(kept, "%sok %u ", good ? "" : "not ", ++number);
	va_start(args, format);
	vfprintf(kept, format, args);
	va_end(args);
	putc('\n', kept);
}

void tap_note(const char *format, ...)
{
	va_list args;

	fprintf(kept, "# ");
	va_start(args, format);
	vfprintf(kept, format, args);
	va_end(args);
	putc('\n', kept);
}

bool tap_good(void)
{
	return !failed;
}

void tap_print(void)
{
	fflush(kept);
	printf("TAP version 13\n%s1..%u\n", text, number);
}
