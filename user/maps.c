// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "client.h"
#include "cmd.h"
#include "maps.h"
#include "out.h"

/* The kernel escapes a newline in a name as \012, and nothing else. */
static void unescape(char *name)
{
	char *to = name;

	for (; *name; name++) {
		if (!strncmp(name, "\\012", 4)) {
			*to++ = '\n';
			name += 3;
		} else {
			*to++ = *name;
		}
	}
	*to = '\0';
}

static int parse_line(char *line, struct map *map)
{
	uint64_t end;
	int name = 0;
	char *p;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64
		   " %x:%x %" SCNu64 "%n", &map->start, &end, map->perms,
		   &map->offset, &map->dev_major, &map->dev_minor,
		   &map->inode, &name) != 7 || !name)
		return -EINVAL;
	if (strlen(map->perms) != 4 || end == map->start ||
	    end - 1 < map->start)
		return -EINVAL;
	map->last = end - 1;
	p = line + name;
	p += strspn(p, " ");
	unescape(p);
	map->name = strdup(p);
	return map->name ? 0 : -ENOMEM;
}

int maps_parse(FILE *stream, struct maps *maps, size_t *line)
{
	char *text = NULL;
	size_t size = 0, nr = 0;
	ssize_t len;
	int err = 0;

	while ((len = getline(&text, &size, stream)) > 0) {
		nr++;
		if (line)
			*line = nr;
		if (text[len - 1] == '\n')
			text[len - 1] = '\0';
		if (maps->nr == maps->max) {
			size_t max = maps->max ? maps->max * 2 : 64;
			struct map *map = reallocarray(maps->map, max,
						       sizeof(*map));

			if (!map) {
				err = -ENOMEM;
				break;
			}
			maps->map = map;
			maps->max = max;
		}
		err = parse_line(text, &maps->map[maps->nr]);
		if (err)
			break;
		maps->nr++;
	}
	if (!err && ferror(stream))
		err = errno ? -errno : -EIO;
	free(text);
	return err;
}

int maps_read(pid_t pid, struct maps *maps)
{
	char path[32];
	size_t line = 0;
	FILE *stream;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	stream = fopen(path, "re");
	if (!stream)
		err = -errno;
	else
		err = maps_parse(stream, maps, &line);
	if (stream)
		fclose(stream);
	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
	case -ESRCH:
		return CLIENT_GONE;
	case -EINVAL:
		return fail(EXIT_UNCHECKED, "%s:%zu: not understood", path,
			    line);
	default:
		return fail(EXIT_UNCHECKED, "%s: %s", path, strerror(-err));
	}
}

void maps_free(struct maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr; i++)
		free(maps->map[i].name);
	free(maps->map);
	memset(maps, 0, sizeof(*maps));
}

const struct map *maps_at(const struct maps *maps, uint64_t addr)
{
	size_t low = 0, high = maps->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addr > maps->map[mid].last)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == maps->nr || maps->map[low].start > addr)
		return NULL;
	return &maps->map[low];
}

const char *maps_name_at(const struct maps *maps, uint64_t addr)
{
	const struct map *map = maps_at(maps, addr);

	return map ? map->name : "";
}

static const struct map *find(const struct maps *maps, const char *name,
			      size_t len, size_t from)
{
	for (; from < maps->nr; from++) {
		const char *n = maps->map[from].name;

		if (strlen(n) == len && !memcmp(n, name, len))
			return &maps->map[from];
	}
	return NULL;
}

const char *maps_address(const struct maps *maps, const char *arg,
			 uint64_t *addr)
{
	const struct map *map;
	const char *plus, *reason;
	uint64_t offset = 0;

	if (!parse_is_name(arg))
		return parse_hex(arg, addr);

	/* A path may hold a plus itself, so the whole is tried first. */
	map = find(maps, arg, strlen(arg), 0);
	if (!map) {
		plus = strrchr(arg, '+');
		if (plus)
			map = find(maps, arg, plus - arg, 0);
		if (!map)
			return "no mapping of that name";
		reason = parse_hex(plus + 1, &offset);
		if (reason)
			return reason;
		if (offset > UINT64_MAX - map->start)
			return "ends behind the last address";
	}
	*addr = map->start + offset;
	return NULL;
}

int ranges_add(struct ranges *ranges, uint64_t start, uint64_t last)
{
	if (ranges->nr == ranges->max) {
		size_t max = ranges->max ? ranges->max * 2 : 16;
		struct range *range = reallocarray(ranges->range, max,
						   sizeof(*range));

		if (!range)
			return -ENOMEM;
		ranges->range = range;
		ranges->max = max;
	}
	ranges->range[ranges->nr].start = start;
	ranges->range[ranges->nr++].last = last;
	return 0;
}

void ranges_free(struct ranges *ranges)
{
	free(ranges->range);
	memset(ranges, 0, sizeof(*ranges));
}

const char *maps_ranges(const struct maps *maps, const char *arg,
			struct ranges *ranges)
{
	const struct map *map;
	struct range range;
	const char *reason;
	size_t from = 0;
	bool found = false;

	if (!parse_is_name(arg)) {
		reason = parse_range(arg, &range);
		if (!reason && ranges_add(ranges, range.start, range.last))
			return "out of memory";
		return reason;
	}
	while ((map = find(maps, arg, strlen(arg), from))) {
		found = true;
		from = map - maps->map + 1;
		if (ranges_add(ranges, map->start, map->last))
			return "out of memory";
	}
	return found ? NULL : "no mapping of that name";
}
