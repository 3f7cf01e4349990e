/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands' command lines have in common. */
#ifndef PTWALK_CMD_OPTIONS_H
#define PTWALK_CMD_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include "proc/subject.h"

/**
 * struct command_option - an option of a command, which has one of @flag, @once, @output
 *	and @take
 * @name: Behind "--"; NULL ends a table.
 * @letter: Behind "-", or 0.
 * @flag: Becomes true.
 * @once: Receives its value; see option_once().
 * @output: The same for the name of a file that is written; see option_output().
 * @take: Called with @to, and optarg as its value unless it is @bare; NULL if the value is
 *	@optional, and there is none. Returns 0, or what the command returns.
 */
struct command_option {
	const char *name;
	char letter;
	bool *flag;
	const char **once, **output;
	int (*take)(void *to);
	void *to;
	bool bare, optional;
};

/* --map, of a struct subject. */
#define OPTION_MAP(subject)	"map", .take = option_map, .to = (subject)
int option_map(void *to);

/* Takes all options of a command; optind is behind them. Returns 0, or what it returns. */
int options_take(int argc, char **argv, const struct command_option *options);

/* How many that took. */
extern unsigned int options_given;

/*
 * Says what is wrong with the option that getopt_long() just refused with @c,
 * ':' or '?' (its option string begins with ':', opterr is 0), or which of
 * @options may have been meant, and returns EXIT_USAGE.
 */
int option_refused(int c, char **argv, const struct option *options);

/*
 * Takes optarg for @option, such as "--record", which has @slot for one value.
 * Returns 0, or EXIT_USAGE after a line if there is one already or it is empty.
 */
int option_once(const char **slot, const char *option);

/* The same for the name of a file that is written, which can't be "-". */
int option_output(const char **slot, const char *option);

/* The same for --retries, which has as many rounds at least as a mismatch takes. */
int option_retries(const char **slot, unsigned int *rounds);

/* Takes optarg for @option, a number of seconds with a fraction or without. */
int option_seconds(const char *option, double *seconds);

/*
 * Whether each of the arguments can be a RANGE, before anything is asked.
 * Returns 0, or EXIT_USAGE after a line.
 */
int ranges_check(char **args, int nr);

/* subject_open() of the first argument, if the others can be RANGEs. */
int open_subject(struct subject *subject, int argc, char **argv);

/*
 * The other way round: whether none of the arguments behind the first, a PID, can be meant
 * as a RANGE only; @instead says what takes one. Returns the same.
 */
int whole_processes(char **args, int nr, const char *instead);

#endif /* PTWALK_CMD_OPTIONS_H */
