/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How what reads files, processes and the module fails: it returns a negative
 * errno and leaves the message here, and prints nothing. -ESRCH is a process
 * that is gone, -EBUSY one whose memory can't be read for now; callers may go
 * on without it. The command that ends the work for an error prints it, and has
 * the exit status for it: error_status(). No folder below those of reports and
 * commands prints, or knows exit statuses, but check_status() (tests/folders.awk).
 *
 * Parsers of words, which have but one way to fail, return NULL or a reason
 * instead (base/parse.h); the caller knows what the word was for.
 */
#ifndef PTWALK_BASE_ERROR_H
#define PTWALK_BASE_ERROR_H

#include <stdbool.h>

/* Keeps the message, and returns @err, a negative errno. */
int error_set(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for a command line, or a file it names, that is wrong: -EINVAL. */
int error_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether @err is what error_usage() returned last. */
bool error_is_usage(int err);

/* The message of the last error; it stays until the next one. */
const char *error_text(void);

/*
 * The error of opening or reading @path, which needn't be there, nor be for our
 * eyes: 0 then, else @err with a message.
 */
int error_unless_missing(int err, const char *path);

int error_no_memory(void);

/* For callers that couldn't go on, nor return: ends the program. */
__attribute__((noreturn)) void exit_no_memory(void);

/*
 * For commands, the exit status of what a function returned: if that is a
 * negative errno, prints the message of the last error first. Others are
 * statuses already.
 */
int error_status(int err);

#endif /* PTWALK_BASE_ERROR_H */
