// SPDX-License-Identifier: GPL-2.0
/* The line that says how far a command has come: late, and never between others. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/print.h"
#include "base/progress.h"
#include "tests.h"

/*
 * A command of two processes, each of which prints a line, with pauses in which the line
 * of progress becomes due: the first time after a second, and then after 100 ms.
 */
static void work(void)
{
	const struct timespec first = { .tv_sec = 1 }, again = { .tv_nsec = 200000000 };

	out_begin();
	progress_begin("process", 2);
	for (int i = 0; i < 2; i++) {
		progress_next();
		progress_pages(40);
		nanosleep(i ? &again : &first, NULL);
		progress_pages(2);
		printf("found %d\n", i);
		printf("half");
		fflush(stdout);
		progress_pages(0);
		nanosleep(&again, NULL);
		progress_pages(0);
		printf(" a line\n");
	}
	progress_pages(1);
	(fail)(0, "over");
	exit(out_finish(0));
}

/* What it prints on a terminal of so many columns, or with only stdout there. */
static void printed(unsigned short columns, bool both, char text[4096])
{
	struct winsize size = { .ws_col = columns, .ws_row = 24 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	size_t len = 0;
	ssize_t part;
	pid_t pid;

	assert_true(master >= 0);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(slave, STDOUT_FILENO);
		dup2(both ? slave : open("/dev/null", O_WRONLY), STDERR_FILENO);
		close(master);
		work();
	}
	close(slave);
	while ((part = read(master, text + len, 4095 - len)) > 0)
		len += part;
	text[len] = '\0';
	/* Who prints more than that would wait for a reader. */
	close(master);
	waitpid(pid, NULL, 0);
}

/* What is to be seen in the end: a CR goes to the line's start, and is written over. */
static void seen(const char *text, char screen[4096])
{
	char *line = screen, *end = screen, *at = screen;

	for (; *text; text++) {
		if (*text == '\r') {
			at = line;
		} else if (*text == '\n') {
			while (end > line && end[-1] == ' ')
				end--;
			*end++ = '\n';
			line = end;
			at = end;
		} else {
			*at++ = *text;
			if (at > end)
				end = at;
		}
	}
	*end = '\0';
}

#define FOUND	"found 0\nhalf a line\nfound 1\nhalf a line\n"

static void on_a_terminal(void **state)
{
	char text[4096], screen[4096];

	printed(80, true, text);
	assert_non_null(strstr(text, "ptwalk: process 1 of 2, 42 pages read\r"));
	assert_non_null(strstr(text, "ptwalk: process 2 of 2, 84 pages read\r"));
	/* Not where a line has begun. */
	assert_null(strstr(text, "halfp"));
	seen(text, screen);
	assert_string_equal(screen, FOUND "ptwalk: over\n");
}

static void too_wide(void **state)
{
	char text[4096];

	printed(20, true, text);
	assert_non_null(strstr(text, "ptwalk: process 1 o\r"));
	assert_null(strstr(text, "1 of"));
}

static void elsewhere(void **state)
{
	char text[4096];

	printed(80, false, text);
	assert_string_equal(text, "found 0\r\nhalf a line\r\nfound 1\r\nhalf a line\r\n");
}

SUITE(suite_progress, cmocka_unit_test(on_a_terminal), cmocka_unit_test(too_wide),
      cmocka_unit_test(elsewhere));
