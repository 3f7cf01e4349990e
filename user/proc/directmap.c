// SPDX-License-Identifier: GPL-2.0
/* The lines of /proc/meminfo that begin with DirectMap, of pages of 4K, and VmallocUsed. */
#include <errno.h>
#include <string.h>
#include "base/lines.h"
#include "base/parse.h"
#include "proc/directmap.h"

/* "DirectMap4k:       26496 kB": whether it has this name; the number is taken then. */
static bool take_kb(const char *line, const char *name, uint64_t *kb, int *err)
{
	const size_t length = strlen(name);
	char number[24];
	size_t digits;

	if (strncmp(line, name, length) || line[length] != ':')
		return false;
	line += length + 1;
	line += strspn(line, " ");
	digits = strcspn(line, " ");
	snprintf(number, sizeof(number), "%.*s", (int)digits, line);
	if (digits >= sizeof(number) || strcmp(line + digits, " kB") ||
	    parse_decimal(number, UINT64_MAX, kb))
		*err = -EINVAL;
	return true;
}

static int take_meminfo_line(char *line, void *arg)
{
	/* Of x86 and of s390. */
	static const char *const name[][DIRECTMAP_LEVELS] = {
		{ "DirectMap4k", "DirectMap2M", "DirectMap1G" },
		{ "DirectMap4k", "DirectMap1M", "DirectMap2G" },
	};
	struct directmap *map = arg;
	int err = 0;

	for (int n = 0; n < 2 * DIRECTMAP_LEVELS; n++) {
		const int i = n / 2;

		if (take_kb(line, name[n % 2][i], &map->kb[i], &err)) {
			map->has[i] = true;
			strcpy(map->name[i], name[n % 2][i]);
		}
	}
	map->has_used |= take_kb(line, "VmallocUsed", &map->used_kb, &err);
	return err;
}

int directmap_parse(FILE *stream, struct directmap *map)
{
	memset(map, 0, sizeof(*map));
	return lines_each(stream, take_meminfo_line, map, NULL);
}

int directmap_read(struct directmap *map)
{
	memset(map, 0, sizeof(*map));
	return lines_in("/proc/meminfo", take_meminfo_line, map);
}
