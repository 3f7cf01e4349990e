// SPDX-License-Identifier: GPL-2.0
/* What the commands' command lines have in common. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>
#include "client.h"
#include "cmd.h"
#include "options.h"
#include "out.h"
#include "parse.h"

int option_refused(int c, char **argv)
{
	const char *arg = argv[optind - 1];

	if (c == ':')
		return fail(EXIT_USAGE, "%s: option %s needs an argument: see `man ptwalk-%s`",
			    argv[0], arg, argv[0]);
	/* Of a bundle of letters, getopt tells the one. */
	if (optopt && strncmp(arg, "--", 2))
		return fail(EXIT_USAGE, "%s: unknown option -%c: see `man ptwalk-%s`",
			    argv[0], optopt, argv[0]);
	return fail(EXIT_USAGE, "%s: unknown option %s: see `man ptwalk-%s`",
		    argv[0], arg, argv[0]);
}

int subject_take_map(struct subject *subject, const char *spec)
{
	const char *why;

	if (subject->map.file)
		return fail(EXIT_USAGE, "--map can be given only once");
	why = selfmap_parse(spec, &subject->map);
	if (why)
		return fail(EXIT_USAGE, "--map %s: %s: give FILE[:OFFSET[:LENGTH]]",
			    spec, why);
	return 0;
}

int subject_open(struct subject *subject, const char *pid)
{
	const char *why;
	int status;

	if (!pid)
		return fail(EXIT_USAGE, "a PID is missing: give a number or `self`");
	why = parse_pid(pid, &subject->pid);
	if (why)
		return fail(EXIT_USAGE, "PID '%s': %s: give a number or `self`",
			    pid, why);
	if (!subject->map.file)
		return subject->touch ?
			fail(EXIT_USAGE, "--touch goes with --map only") : 0;

	if (subject->pid != getpid())
		return fail(EXIT_USAGE,
			    "--map maps into ptwalk itself: the PID must be `self`");
	status = selfmap_open(&subject->map);
	if (!status && subject->touch)
		status = selfmap_touch(&subject->map);
	return status;
}

void subject_close(struct subject *subject)
{
	selfmap_close(&subject->map);
}

int subject_status(const struct subject *subject, int status)
{
	if (status == CLIENT_GONE)
		return fail(EXIT_UNCHECKED, "process %d: no such process",
			    (int)subject->pid);
	return status;
}
