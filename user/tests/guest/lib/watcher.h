/* SPDX-License-Identifier: GPL-2.0 */
/* ptwalk watch, one look at a time. */
#ifndef PTWALK_TEST_WATCHER_H
#define PTWALK_TEST_WATCHER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * struct watcher - `ptwalk watch --enter --json` at work
 * @pid: Its process.
 * @in: Its input: a line for each look but the first.
 * @out: What it prints.
 * @looks: That were waited for.
 * @busy: Whether the last one was in vain.
 * @text: What it told.
 */
struct watcher {
	pid_t pid;
	FILE *in, *out;
	unsigned long looks;
	bool busy;
	char text[64 * 1024];
};

/* @args follow the options above, and end with NULL; at most eight of them. */
bool watcher_start(struct watcher *w, const char *const *args);

/*
 * What the next look tells: its lines that have @word, but for the one at its end.
 * NULL if there is none, as the watch has ended; @text is what it said then.
 */
const char *watcher_look(struct watcher *w, const char *word);

/* Ends the watch, and returns its exit status. */
int watcher_end(struct watcher *w);

#endif /* PTWALK_TEST_WATCHER_H */
