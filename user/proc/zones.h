/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/zoneinfo: which frames each zone of each node spans. */
#ifndef PTWALK_PROC_ZONES_H
#define PTWALK_PROC_ZONES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ZONE_NAME	16

/**
 * struct zone - a zone that has memory
 * @start: Its first frame.
 * @last: Its last one, inclusive; not all between need be there.
 * @node: Its node.
 * @name: Such as "Normal".
 */
struct zone {
	uint64_t start, last;
	unsigned int node;
	char name[ZONE_NAME];
};

/* All zero is a valid empty one. */
struct zones {
	struct zone *zone;
	size_t nr, max;
};

/* Reads @stream to its end. Returns 0 or a negative errno. */
int zones_parse(FILE *stream, struct zones *zones);

/* Reads /proc/zoneinfo, if there is one. Returns 0 or a negative errno. */
int zones_read(struct zones *zones);
void zones_free(struct zones *zones);

#endif /* PTWALK_PROC_ZONES_H */
