/* SPDX-License-Identifier: GPL-2.0 */
/* A line of /proc/PID/maps, with which a mapping begins in smaps, too. Pure. */
#ifndef PTWALK_PROC_MAP_LINE_H
#define PTWALK_PROC_MAP_LINE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct map_line - what the line says
 * @start: First address.
 * @end: The one behind the last.
 * @perms: Such as "r-xp".
 * @offset: Of the first page in its file.
 * @dev_major: Device of the file, with @dev_minor; @inode is 0 without one.
 * @name: What follows, in the line itself; "" for nothing.
 */
struct map_line {
	uint64_t start, end;
	char perms[5];
	uint64_t offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	const char *name;
};

/* Returns false for a line that makes no sense. */
bool map_line_parse(const char *line, struct map_line *out);

/*
 * The digits at *@s, in base 10 or 16, as a number, and *@s behind them. Returns
 * false if there are none, or too many.
 */
bool map_line_number(const char **s, unsigned int base, uint64_t *value);

#endif /* PTWALK_PROC_MAP_LINE_H */
