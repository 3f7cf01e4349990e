// SPDX-License-Identifier: GPL-2.0
/* The message of the last error, until it is printed. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/exit_status.h"
#include "base/print.h"

/**
 * last - the last error
 * @usage: The command line is wrong.
 * @text: Its message; NULL without memory for one.
 */
static struct {
	bool usage;
	char *text;
} last;

static void keep_error(bool usage, const char *format, va_list args)
{
	free(last.text);
	if (vasprintf(&last.text, format, args) < 0)
		last.text = NULL;
	last.usage = usage;
}

int error_set(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep_error(false, format, args);
	va_end(args);
	return err;
}

int error_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep_error(true, format, args);
	va_end(args);
	return -EINVAL;
}

bool error_is_usage(int err)
{
	return err == -EINVAL && last.usage;
}

const char *error_text(void)
{
	return last.text ? last.text : "out of memory";
}

int error_unless_missing(int err, const char *path)
{
	if (!err || err == -ENOENT || err == -EACCES || err == -EPERM)
		return 0;
	return error_set(err, "%s: %s", path, strerror(-err));
}

int error_no_memory(void)
{
	return error_set(-ENOMEM, "out of memory");
}

void exit_no_memory(void)
{
	exit(error_status(error_no_memory()));
}

int error_status(int err)
{
	if (err >= 0)
		return err;
	return fail(last.usage ? EXIT_USAGE : EXIT_UNCHECKED, "%s", error_text());
}
