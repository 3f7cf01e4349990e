// SPDX-License-Identifier: GPL-2.0
/* Whose memory a command looks at, as its command line says. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "module/client.h"
#include "module/truth.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/subject.h"

/* A RANGE that begins where no process has memory. */
static int refuse_range(const struct maps *maps, const char *arg)
{
	struct range range;
	const char *why;
	bool single;

	if (parse_is_name(arg) || parse_range_or_address(arg, &range, &single))
		return 0;
	why = maps_refuse(maps, range.start);
	return why ? error_usage("range '%s': %s", arg, why) : 0;
}

int subject_refuse(char **args, int nr)
{
	struct maps maps = { 0 };
	int err = 0;

	for (int i = 0; !err && i < nr; i++) {
		if (!refuse_range(&maps, args[i]))
			continue;
		/* But for the gate area, which we have, too. */
		if (!maps.nr)
			err = maps_read(getpid(), &maps);
		if (!err)
			err = refuse_range(&maps, args[i]);
	}
	maps_free(&maps);
	return err;
}

/* Says that no mapping is @arg, and what one could be. */
static int not_there(pid_t pid, const struct maps *maps, const char *arg,
		     const char *why)
{
	const char *such = "", *meant;
	int err = refuse_range(maps, arg);

	if (err)
		return err;
	if (maps_is_mistake(arg, why))
		return error_usage("range '%s': %s", arg, why);
	if (!parse_is_name(arg))
		return error_set(-ENOENT, "range '%s': process %d has %s",
				 arg, (int)pid, why);
	meant = maps_nearest(maps, arg);
	if (meant)
		return error_set(-ENOENT, "'%s': process %d has %s: did you mean '%s'?",
				 arg, (int)pid, why, meant);
	for (size_t i = 0; !*such && i < maps->nr; i++)
		such = maps->map[i].name;
	return error_set(-ENOENT, "'%s': process %d has %s: names are as in /proc/%d/maps%s%s",
			 arg, (int)pid, why, (int)pid,
			 *such ? ", such as " : "", such);
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
	return err ? error_no_memory() : 0;
}

void subject_args(const struct subject *subject, char ***args, int *nr)
{
	static char *self[] = { "self", NULL };

	if (*nr || !subject->map.file)
		return;
	*args = self;
	*nr = 1;
}

int subject_take_map(struct subject *subject, const char *spec)
{
	const char *why;

	if (subject->map.file)
		return error_usage("--map '%s': can be given only once, and was '%s' already",
				   spec, subject->map.file);
	why = selfmap_parse(spec, &subject->map);
	if (why)
		return error_usage("--map '%s': %s: give FILE[:OFFSET[:LENGTH]][:ro|:wo|:private]",
				   spec, why);
	return 0;
}

int subject_open(struct subject *subject, const char *pid)
{
	int err;

	if (!pid)
		return error_usage("a PID is missing: give a number or `self`");
	err = pid_take(pid, &subject->pid);
	if (err)
		return err;
	if (!subject->map.file && subject->touch)
		return error_usage("--touch goes with --map only");
	if (subject->map.file && subject->pid != getpid())
		return error_usage("--map maps into ptwalk itself: the PID must be `self`");
	err = procs_ready();
	if (!err)
		err = procs_look(subject->pid);
	if (err || !subject->map.file)
		return err;
	err = selfmap_open(&subject->map);
	if (!err && subject->touch)
		err = selfmap_touch(&subject->map);
	return err;
}

void subject_close(struct subject *subject)
{
	selfmap_close(&subject->map);
}

int subject_maps(const struct subject *subject, struct ptwalk *client,
		 struct maps *maps)
{
	return truth_busy(client, subject->pid) ? client_busy(subject->pid) :
						  maps_read(subject->pid, maps);
}
