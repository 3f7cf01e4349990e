/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/PID/maps, and what users mean by a name from it. */
#ifndef PTWALK_PROC_MAPS_H
#define PTWALK_PROC_MAPS_H

#include <stdio.h>
#include "base/parse.h"

/**
 * struct map - a line of /proc/PID/maps
 * @start: First address.
 * @last: Last address, inclusive.
 * @perms: Such as "r-xp".
 * @offset: Offset in the file.
 * @dev_major: Device of the file, with @dev_minor; @inode is 0 without one.
 * @name: As printed there, with the kernel's escapes (\012) undone; "" if
 *	there is none. Mappings in a row with one name share it.
 */
struct map {
	uint64_t start, last;
	char perms[5];
	uint64_t offset;
	unsigned int dev_major, dev_minor;
	uint64_t inode;
	char *name;
};

/* All zero is a valid empty one; a kernel thread has no entries. */
struct maps {
	struct map *map;
	size_t nr, max;
};

/*
 * Reads @stream to its end. Returns 0, or a negative errno: -EINVAL for a
 * line that is none of maps (@line, if not NULL, receives its number).
 */
int maps_parse(FILE *stream, struct maps *maps, size_t *line);

/*
 * Reads /proc/@pid/maps. Returns 0 or a negative errno, see base/error.h: -ESRCH
 * when there is no such process.
 */
int maps_read(pid_t pid, struct maps *maps);
void maps_free(struct maps *maps);

/* The mapping that holds @addr, or NULL. */
const struct map *maps_at(const struct maps *maps, uint64_t addr);

/* How many bytes all of them have. */
uint64_t maps_bytes(const struct maps *maps);

/* The name of the mapping that holds @addr, or "". */
const char *maps_name_at(const struct maps *maps, uint64_t addr);

/*
 * What an argument of the command line means for the process of @maps: ADDR
 * (hexadecimal), NAME (its first address) or NAME+OFFSET. NAME can be escaped,
 * as it is printed, and short: the file's without the folders, where it means
 * one file only. Returns NULL, or a reason as the parsers do.
 */
const char *maps_address(const struct maps *maps, const char *arg,
			 uint64_t *addr);

/**
 * struct ranges - a list of ranges; all zero is a valid empty one
 */
struct ranges {
	struct range *range;
	size_t nr, max;
};

/*
 * As maps_address() for RANGE: START-END, START+LENGTH, or a NAME, which
 * appends a range for each mapping of that name. A range in which nothing is
 * mapped is refused, too.
 */
const char *maps_ranges(const struct maps *maps, const char *arg,
			struct ranges *ranges);
int ranges_add(struct ranges *ranges, uint64_t start, uint64_t last);
void ranges_free(struct ranges *ranges);

/*
 * Makes one of those that overlap; if there are any, all ascend then. Returns
 * 0 or -ENOMEM.
 */
int ranges_merge(struct ranges *ranges);

/* Whether @addr lies in one of them. */
bool ranges_have(const struct ranges *ranges, uint64_t addr);

#endif /* PTWALK_PROC_MAPS_H */
