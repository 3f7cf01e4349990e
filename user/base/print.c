// SPDX-License-Identifier: GPL-2.0
/* Text, errors and colours on stdout and stderr. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "base/fold.h"
#include "base/print.h"
#include "base/progress.h"
#include "base/put.h"

static char *said;		/* by fail(), the last time */
static int write_error;		/* errno of stdout, when fail() saw it first */

/* Set by SIGPIPE; a reader that has enough is nothing to complain of. */
static volatile sig_atomic_t reader_gone;

static void on_pipe(int sig)
{
	reader_gone = 1;
}

void out_begin(void)
{
	struct sigaction action = { .sa_handler = on_pipe };

	sigaction(SIGPIPE, &action, NULL);
	fold_begin();
}

/* At once, so that what others write to the same place comes before or after it. */
static void print_error(const char *text)
{
	char *line = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&line, &len);

	if (!to) {
		fputs("ptwalk: out of memory\n", stderr);
		return;
	}
	fputs("ptwalk: ", to);
	/* Words of others are in it: file names, arguments. */
	escape_print(to, text);
	fputc('\n', to);
	fclose(to);
	fwrite(line, 1, len, stderr);
	free(line);
}

int fail(int status, const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	if (out_sync())
		write_error = errno;
	progress_clear();
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	print_error(len < 0 ? "out of memory" : text);
	free(said);
	said = len < 0 ? NULL : text;
	/* SIGPIPE alone may be about another pipe, such as that of a child. */
	if (reader_gone && ferror(stderr))
		exit(EXIT_PIPE);
	return status;
}

static int status_at_exit;

void tell_at_exit(void)
{
	status_at_exit = fail(EXIT_UNCHECKED, "%s", error_text());
}

__attribute__((destructor)) static void correct_status(void)
{
	if (!status_at_exit)
		return;
	fflush(NULL);
	_exit(status_at_exit);
}

const char *fail_said(void)
{
	return said;
}

void out_bytes(const char *from, const char *to)
{
	fwrite_unlocked(from, 1, to - from, stdout);
}

void (*out_keeper)(void);

int out_sync(void)
{
	if (out_keeper)
		out_keeper();
	return fflush(stdout);
}

void out_lines_put(struct out_lines *lines, const char *text, size_t len)
{
	if (len > sizeof(lines->text)) {
		out_lines_end(lines);
		out_bytes(text, text + len);
	} else {
		out_lines_take(lines, put_bytes(out_lines_room(lines, len), text, len));
	}
}

const char *hex(uint64_t value, char buf[HEX_SIZE])
{
	*put_hex(buf, value) = '\0';
	return buf;
}

void out_text(const char *text)
{
	escape_print(stdout, text);
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

/* @err is why, or 0 if that isn't known any more. */
static int not_written(int err)
{
	static bool told;

	if (reader_gone)
		return EXIT_PIPE;
	progress_clear();
	if (!told)
		fprintf(stderr, "ptwalk: cannot write to stdout%s%s\n",
			err ? ": " : "", err ? strerror(err) : "");
	told = true;
	return EXIT_UNCHECKED;
}

void out_check(void)
{
	if (ferror(stdout))
		exit(not_written(errno));
}

void out_flush(void)
{
	if (out_sync())
		exit(not_written(errno));
}

int out_finish(int status)
{
	progress_clear();
	errno = 0;
	if (out_sync() || ferror(stdout))
		return not_written(errno ? errno : write_error);
	return status;
}
