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

/*
 * Whether a mapping of that name in maps is the gate area, which is the kernel's and
 * none of the process's.
 */
bool maps_is_gate(const char *name);

/* How many bytes all of them have. */
uint64_t maps_bytes(const struct maps *maps);

/* The name of the mapping that holds @addr, or "". */
const char *maps_name_at(const struct maps *maps, uint64_t addr);

/* What a mapping is called where names are told: memory without a file has none. */
#define MAPS_NO_NAME	"anonymous"

static inline const char *maps_title(const char *name)
{
	return *name ? name : MAPS_NO_NAME;
}

/*
 * Why no process can have memory at @addr on a machine of that name (uname -m), with
 * five levels of page tables or with four: it is the kernel's, or no address at all.
 * NULL: it can, or nothing is known. Pure.
 */
const char *address_refused(const char *machine, bool five_levels, uint64_t addr);

/* The same of this machine, but for what @maps has there all the same: the gate area. */
const char *maps_refuse(const struct maps *maps, uint64_t addr);

/* @addr of a process without the tag that it may have on such a machine. Pure. */
uint64_t address_untagged(const char *machine, uint64_t addr);

/* The name of a mapping, or what is short for it, that may have been meant; or NULL. */
const char *maps_nearest(const struct maps *maps, const char *arg);

/*
 * What an argument of the command line means for the process of @maps: ADDR
 * (hexadecimal), NAME (its first address) or NAME+OFFSET, which must lie in a mapping
 * of that name, too. NAME can be escaped,
 * as it is printed, and short: the file's without the folders, where it means
 * one file only. Returns NULL, or a reason as the parsers do.
 */
const char *maps_address(const struct maps *maps, const char *arg,
			 uint64_t *addr);

/*
 * Whether @why, which maps_address() or maps_ranges() gave for @arg, says how it is written
 * wrong, not that the process lacks it.
 */
bool maps_is_mistake(const char *arg, const char *why);

/**
 * struct ranges - a list of ranges; all zero is a valid empty one
 */
struct ranges {
	struct range *range;
	size_t nr, max;
};

/*
 * As maps_address() for RANGE: START-END, START+LENGTH, ADDR for its page, or a NAME,
 * which appends a range for each mapping of that name; dmabuf, memfd, anon and
 * anon_inode are the names of all such, and anonymous of memory without a name. A range
 * in which nothing is mapped is refused, too, unless @maps is NULL: NAMEs need them.
 */
const char *maps_ranges(const struct maps *maps, const char *arg,
			struct ranges *ranges);
int ranges_add(struct ranges *ranges, uint64_t start, uint64_t last);
void ranges_free(struct ranges *ranges);

/* Has them ascend. */
void ranges_sort(struct ranges *ranges);

/* Overwrites @copy. Returns 0 or -ENOMEM. */
int ranges_copy(const struct ranges *ranges, struct ranges *copy);

/*
 * Makes one of those that overlap, where the first of them stood: the order is kept.
 * Returns 0 or -ENOMEM.
 */
int ranges_merge(struct ranges *ranges);

/* Whether one of them has some of what is from @start to @last, or has @addr. */
bool ranges_touch(const struct ranges *ranges, uint64_t start, uint64_t last);
bool ranges_have(const struct ranges *ranges, uint64_t addr);

#endif /* PTWALK_PROC_MAPS_H */
