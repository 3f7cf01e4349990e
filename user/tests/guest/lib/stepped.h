/* SPDX-License-Identifier: GPL-2.0 */
/* A program that is stopped at a chosen system call. */
#ifndef PTWALK_TEST_STEPPED_H
#define PTWALK_TEST_STEPPED_H

#include <sched.h>
#include "system.h"

/**
 * struct stepped - a program under way
 * @pid: It; 0 when it has ended.
 * @out: What it prints.
 * @steps: Beginnings and ends of system calls that it has passed.
 * @cpus: Where it and the caller may run once it is released. Until then they
 *	take turns on one CPU: to wake another one at each step takes longest.
 */
struct stepped {
	pid_t pid;
	int out;
	unsigned int steps;
	cpu_set_t cpus;
};

/* Starts a program, and stops it before its first step. 0 or a negative errno. */
int stepped_start(struct stepped *s, const char *const *argv);

/* Goes on to the next step; false: it has ended, and @out has its status. */
bool stepped_step(struct stepped *s, struct output *out);

/*
 * Goes on until it has made a process, which nobody traces; false as above. What it does
 * before that are no steps.
 */
bool stepped_to_child(struct stepped *s, struct output *out);

/* Lets it go, with a signal unless @sig is 0. */
void stepped_release(struct stepped *s, int sig);

/* Lets it run to its end, and tells of that. */
void stepped_finish(struct stepped *s, struct output *out);

#endif /* PTWALK_TEST_STEPPED_H */
