// SPDX-License-Identifier: GPL-2.0
/* How far a long command has come, as a line on the terminal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "base/print.h"
#include "base/progress.h"

#define FIRST	1000	/* ms until there is a line */
#define AGAIN	100	/* ms until it is another one */

bool progress_on;

/**
 * state - the command, and the line
 * @next: When the line is to be written, in ms.
 * @width: Of the line that is there, or 0.
 * @in_line: Of progress_in_line().
 */
static struct {
	const char *what;
	size_t at, all;
	uint64_t pages, next;
	int width;
	bool in_line;
} state;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000ULL + time.tv_nsec / 1000000;
}

void progress_clear(void)
{
	if (state.width)
		fprintf(stderr, "\r%*s\r", state.width, "");
	state.width = 0;
}

/* As long as fits; what a job in the background has to say can wait. */
static void draw_progress(void)
{
	struct winsize size;
	char line[128];
	pid_t job = tcgetpgrp(STDERR_FILENO);
	int width;

	if (state.in_line || (job > 0 && job != getpgrp()))
		return;
	width = state.what ?
		snprintf(line, sizeof(line), "ptwalk: %s %zu of %zu, %" PRIu64 " pages read",
			 state.what, state.at, state.all, state.pages) :
		snprintf(line, sizeof(line), "ptwalk: %" PRIu64 " pages read", state.pages);
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col &&
	    width >= size.ws_col)
		width = size.ws_col - 1;
	progress_clear();
	state.width = width;
	fprintf(stderr, "%.*s", width, line);
}

void progress_in_line(bool in_line)
{
	state.in_line = in_line;
}

void progress_begin(const char *what, size_t all)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (!progress_on) {
		progress_on = true;
		atexit(progress_clear);
	}
	state.what = what;
	state.all = all;
	state.at = 0;
	state.next = now() + FIRST;
}

void progress_next(void)
{
	state.at++;
	progress_pages(0);
}

void progress_pages(uint64_t pages)
{
	uint64_t time;

	if (!progress_on)
		return;
	state.pages += pages;
	time = now();
	if (time < state.next)
		return;
	state.next = time + AGAIN;
	draw_progress();
}
