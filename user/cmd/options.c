// SPDX-License-Identifier: GPL-2.0
/* What the commands' command lines have in common. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/parse.h"
#include "base/print.h"
#include "check/judge.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "sums/judge_figures.h"

/* The name of the one that was meant with @arg, of which a value is no part; or NULL. */
static const char *option_meant(const char *arg, const struct option *options)
{
	const char *meant = NULL;
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg, "="), arg);
	for (; options->name; options++)
		meant = parse_nearer(name, options->name, meant);
	return meant;
}

int option_refused(int c, char **argv, const struct option *options)
{
	const char *arg = argv[optind - 1], *meant = NULL;

	if (c == ':')
		return fail(EXIT_USAGE, "%s: option %s needs an argument: see `ptwalk help %s`",
			    argv[0], arg, argv[0]);
	/* Of a bundle of letters, getopt tells the one. */
	if (optopt && strncmp(arg, "--", 2))
		return fail(EXIT_USAGE, "%s: unknown option -%c: see `ptwalk help %s`",
			    argv[0], optopt, argv[0]);
	if (!strncmp(arg, "--", 2))
		meant = option_meant(arg + 2, options);
	if (meant)
		return fail(EXIT_USAGE, "%s: unknown option %s: did you mean --%s? See `ptwalk help %s`",
			    argv[0], arg, meant, argv[0]);
	return fail(EXIT_USAGE, "%s: unknown option %s: see `ptwalk help %s`",
		    argv[0], arg, argv[0]);
}

/* More than any command has. */
#define MOST_OPTIONS	32

static bool has_value(const struct command_option *o)
{
	return o->once || o->output || (o->take && !o->bare);
}

unsigned int options_given;

static int take_option(const struct command_option *o)
{
	char name[32];

	options_given++;
	snprintf(name, sizeof(name), "--%s", o->name);
	if (o->flag)
		*o->flag = true;
	return o->once ? option_once(o->once, name) :
	       o->output ? option_output(o->output, name) : o->take ? o->take(o->to) : 0;
}

/* That which getopt_long() found: by its letter, or by its place behind all letters. */
static const struct command_option *option_found(const struct command_option *options, int c)
{
	if (c > UCHAR_MAX)
		return &options[c - UCHAR_MAX - 1];
	while (options->name && options->letter != c)
		options++;
	return options->name ? options : NULL;
}

int options_take(int argc, char **argv, const struct command_option *options)
{
	char letters[2 * MOST_OPTIONS + 2] = ":", *letter = letters + 1;
	struct option names[MOST_OPTIONS + 1] = { 0 };
	const struct command_option *o;
	int c, status = 0;

	for (size_t i = 0; options[i].name; i++) {
		if (i == MOST_OPTIONS)
			abort();
		names[i] = (struct option){ options[i].name,
			options[i].optional ? optional_argument :
			has_value(&options[i]) ? required_argument : no_argument, NULL,
			UCHAR_MAX + 1 + i };
		if (options[i].letter)
			*letter++ = options[i].letter;
		if (options[i].letter && has_value(&options[i]))
			*letter++ = ':';
	}
	options_given = 0;
	optind = 0;
	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		o = option_found(options, c);
		status = o ? take_option(o) : option_refused(c, argv, names);
	}
	return status;
}

int option_map(void *to)
{
	return subject_take_map(to, optarg);
}

int option_once(const char **slot, const char *option)
{
	if (*slot)
		return fail(EXIT_USAGE, "%s '%s': can be given only once, and was '%s' already",
			    option, optarg, *slot);
	if (!*optarg)
		return fail(EXIT_USAGE, "%s '': empty", option);
	*slot = optarg;
	return 0;
}

int option_output(const char **slot, const char *option)
{
	if (!strcmp(optarg, "-"))
		return fail(EXIT_USAGE, "%s '-': standard output has the report: give a file, ./- for one of that name",
			    option);
	return option_once(slot, option);
}

int option_retries(const char **slot, unsigned int *rounds)
{
	const unsigned int least = 6;
	uint64_t value;

	_Static_assert(JUDGE_PAGE_ROUNDS == 6, "what is least, and said below");
	if (option_once(slot, "--retries"))
		return EXIT_USAGE;
	if (parse_decimal(optarg, 100000, &value) || value < least)
		return fail(EXIT_USAGE, "--retries '%s': give 6 to 100000, as a mismatch takes six rounds",
			    optarg);
	*rounds = value;
	return 0;
}

int option_seconds(const char *option, double *seconds)
{
	const char *why = NULL;
	double value;
	char *end;

	value = strtod(optarg, &end);
	if (!*optarg || *end)
		why = "no number of seconds: give 0 to 86400, such as 0.5";
	else if (!(value >= 0 && value <= 86400))
		why = "give 0 to 86400 seconds";
	if (why)
		return fail(EXIT_USAGE, "%s '%s': %s", option, optarg, why);
	*seconds = value;
	return 0;
}

int ranges_check(char **args, int nr)
{
	struct range range;
	const char *reason;
	bool single;

	for (int i = 0; i < nr; i++) {
		reason = parse_is_name(args[i]) ? NULL :
			 parse_range_or_address(args[i], &range, &single);
		if (reason)
			return fail(EXIT_USAGE,
				    "range '%s': %s: give START-END, START+LENGTH or an address in hexadecimal, or a name from /proc/PID/maps",
				    args[i], reason);
	}
	return 0;
}

int open_subject(struct subject *subject, int argc, char **argv)
{
	int status = argc ? ranges_check(argv + 1, argc - 1) : 0;

	return status ? status : subject_open(subject, argc ? argv[0] : NULL);
}

int whole_processes(char **args, int nr, const char *instead)
{
	struct range range;
	bool single;
	pid_t pid;

	for (int i = 1; i < nr; i++)
		if (parse_pid(args[i], &pid) &&
		    (parse_is_name(args[i]) || !parse_range_or_address(args[i], &range, &single)))
			return fail(EXIT_USAGE, "'%s': this command takes whole processes: %s",
				    args[i], instead);
	return 0;
}
