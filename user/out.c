// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd.h"
#include "out.h"

int fail(int status, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("ptwalk: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return status;
}

void out_json(json_t *object)
{
	if (!object || json_dumpf(object, stdout, JSON_COMPACT |
				  JSON_ENSURE_ASCII) < 0) {
		if (!ferror(stdout)) {
			fail(0, "out of memory");
			exit(EXIT_UNCHECKED);
		}
	} else {
		putchar('\n');
	}
	json_decref(object);
	out_check();
}

const char *hex(uint64_t value, char buf[HEX_SIZE])
{
	snprintf(buf, HEX_SIZE, "0x%" PRIx64, value);
	return buf;
}

json_t *json_hex(uint64_t value)
{
	char buf[HEX_SIZE];

	return json_string(hex(value, buf));
}

json_t *json_mask(const struct names *names, uint64_t mask)
{
	json_t *array = json_array();
	char name[NAME_SIZE];

	for (; mask; mask &= mask - 1)
		json_array_append_new(array, json_string(name_bit(names,
			__builtin_ctzll(mask), name)));
	return array;
}

json_t *json_text(const char *text)
{
	json_t *string = json_string(text);
	char *copy, *p;

	if (string)
		return string;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (p = copy; *p; p++)
		if (*p & 0x80)
			*p = '?';
	string = json_string(copy);
	free(copy);
	return string;
}

void out_text(const char *text)
{
	for (; *text; text++) {
		unsigned char c = *text;

		if (c < ' ' || c == 0x7f)
			printf("\\%03o", c);
		else
			putchar(c);
	}
}

const char *out_colour(enum out_colour colour)
{
	static const char *const codes[] = {
		[OUT_PLAIN] = "\033[0m",
		[OUT_GOOD] = "\033[32m",
		[OUT_BAD] = "\033[1;31m",
		[OUT_WARN] = "\033[33m",
		[OUT_DIM] = "\033[2m",
	};
	static int on = -1;

	if (on < 0) {
		const char *no = getenv("NO_COLOR");

		on = isatty(STDOUT_FILENO) && !(no && *no);
	}
	return on ? codes[colour] : "";
}

void out_check(void)
{
	if (ferror(stdout))
		exit(out_finish(EXIT_UNCHECKED));
}

int out_finish(int status)
{
	static bool told;

	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		if (!told)
			fprintf(stderr, "ptwalk: cannot write to stdout%s%s\n",
				errno ? ": " : "",
				errno ? strerror(errno) : "");
		told = true;
		return EXIT_UNCHECKED;
	}
	return status;
}
