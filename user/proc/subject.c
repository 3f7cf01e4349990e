// SPDX-License-Identifier: GPL-2.0
/* Whose memory a command looks at, as its command line says. */
#include <string.h>
#include <unistd.h>
#include "base/exit_status.h"
#include "base/print.h"
#include "module/client.h"
#include "module/truth.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/subject.h"

/* Says that no mapping is @arg, and what one could be. */
static int not_there(pid_t pid, const struct maps *maps, const char *arg,
		     const char *why)
{
	const char *such = "";

	if (!parse_is_name(arg))
		return fail(EXIT_UNCHECKED, "range '%s': process %d has %s",
			    arg, (int)pid, why);
	for (size_t i = 0; !*such && i < maps->nr; i++)
		such = maps->map[i].name;
	return fail(EXIT_UNCHECKED, "'%s': process %d has %s: names are as in /proc/%d/maps%s%s",
		    arg, (int)pid, why, (int)pid, *such ? ", such as " : "",
		    such);
}

int subject_ranges(const struct subject *subject, const struct maps *maps,
		   char **args, int nr, struct ranges *ranges)
{
	const struct selfmap *map = &subject->map;
	uint64_t start = (uintptr_t)map->addr;
	const char *why;
	int err = 0;

	for (int i = 0; !err && i < nr; i++) {
		if (map->addr && !strcmp(args[i], map->file)) {
			err = ranges_add(ranges, start, start + map->length - 1);
			continue;
		}
		why = maps_ranges(maps, args[i], ranges);
		if (why)
			return not_there(subject->pid, maps, args[i], why);
	}
	if (!nr && map->addr)
		err = ranges_add(ranges, start, start + map->length - 1);
	else if (!nr)
		err = ranges_add(ranges, 0, UINT64_MAX);
	if (!err)
		err = ranges_merge(ranges);
	return err ? fail(EXIT_UNCHECKED, "out of memory") : 0;
}

int subject_take_map(struct subject *subject, const char *spec)
{
	const char *why;

	if (subject->map.file)
		return fail(EXIT_USAGE, "--map '%s': can be given only once, and was '%s' already",
			    spec, subject->map.file);
	why = selfmap_parse(spec, &subject->map);
	if (why)
		return fail(EXIT_USAGE, "--map '%s': %s: give FILE[:OFFSET[:LENGTH]]",
			    spec, why);
	return 0;
}

int subject_open(struct subject *subject, const char *pid)
{
	int status;

	if (!pid)
		return fail(EXIT_USAGE, "a PID is missing: give a number or `self`");
	status = pid_take(pid, &subject->pid);
	if (status)
		return status;
	if (!subject->map.file && subject->touch)
		return fail(EXIT_USAGE, "--touch goes with --map only");
	if (subject->map.file && subject->pid != getpid())
		return fail(EXIT_USAGE,
			    "--map maps into ptwalk itself: the PID must be `self`");
	status = procs_ready();
	if (!status)
		status = procs_look(subject->pid);
	if (status || !subject->map.file)
		return status;
	status = selfmap_open(&subject->map);
	if (!status && subject->touch)
		status = selfmap_touch(&subject->map);
	return status;
}

void subject_close(struct subject *subject)
{
	selfmap_close(&subject->map);
}

int subject_maps(const struct subject *subject, struct ptwalk *client,
		 struct maps *maps)
{
	return truth_busy(client, subject->pid) ? CLIENT_BUSY :
						  maps_read(subject->pid, maps);
}

int subject_status(const struct subject *subject, int status)
{
	if (status == CLIENT_GONE)
		return fail(EXIT_UNCHECKED, "process %d: " PROCS_WENT_AWAY,
			    (int)subject->pid);
	if (status == CLIENT_BUSY)
		return fail(EXIT_UNCHECKED, "process %d: busy: it holds its mmap lock, in mmap() or the like: try again later",
			    (int)subject->pid);
	return status;
}
