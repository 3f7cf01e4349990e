// SPDX-License-Identifier: GPL-2.0
/* The lines of /proc/meminfo that begin with DirectMap, of pages of 4K. */
#include <errno.h>
#include <string.h>
#include "base/lines.h"
#include "base/parse.h"
#include "proc/directmap.h"

/* "DirectMap4k:       26496 kB" */
static int take_line(char *line, void *arg)
{
	static const char *const name[DIRECTMAP_LEVELS] = {
		"DirectMap4k", "DirectMap2M", "DirectMap1G",
	};
	struct directmap *map = arg;
	size_t length = strcspn(line, ":");
	char *number, *end;

	for (int i = 0; i < DIRECTMAP_LEVELS; i++) {
		if (strlen(name[i]) != length || strncmp(line, name[i], length) ||
		    !line[length])
			continue;
		number = line + length + 1;
		number += strspn(number, " ");
		end = number + strcspn(number, " ");
		if (strcmp(end, " kB"))
			return -EINVAL;
		*end = '\0';
		if (parse_decimal(number, UINT64_MAX, &map->kb[i]))
			return -EINVAL;
		map->has[i] = true;
		strcpy(map->name[i], name[i]);
	}
	return 0;
}

int directmap_parse(FILE *stream, struct directmap *map)
{
	memset(map, 0, sizeof(*map));
	return lines_each(stream, take_line, map, NULL);
}

int directmap_read(struct directmap *map)
{
	memset(map, 0, sizeof(*map));
	return lines_in("/proc/meminfo", take_line, map);
}
