/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc/meminfo says of the kernel's own mappings: of RAM, and of vmalloc(). */
#ifndef PTWALK_PROC_DIRECTMAP_H
#define PTWALK_PROC_DIRECTMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define DIRECTMAP_LEVELS	3

/**
 * struct directmap - its lines
 * @has: It has the line of the level with that index; 0 is that of PTEs.
 * @kb: What that says, in kB.
 * @name: Its name, such as "DirectMap2M".
 * @has_used: It has the line VmallocUsed; that says @used_kb.
 */
struct directmap {
	bool has[DIRECTMAP_LEVELS];
	uint64_t kb[DIRECTMAP_LEVELS];
	char name[DIRECTMAP_LEVELS][16];
	bool has_used;
	uint64_t used_kb;
};

/* Reads @stream to its end. Returns 0 or a negative errno. */
int directmap_parse(FILE *stream, struct directmap *map);

/* Reads /proc/meminfo; the same. Not all architectures have such lines. */
int directmap_read(struct directmap *map);

#endif /* PTWALK_PROC_DIRECTMAP_H */
