/* SPDX-License-Identifier: GPL-2.0 */
/* What a picture shows, as JSON. Pure. */
#ifndef PTWALK_MAP_JSON_H
#define PTWALK_MAP_JSON_H

#include <jansson.h>
#include <sys/types.h>
#include "map/picture.h"

/*
 * Calls @each with an object for each mapping, area of memory and finding, and one
 * for all at last, which it is to drop. @pid is 0 for a recording.
 */
void map_json(const struct map_picture *picture, pid_t pid,
	      void (*each)(json_t *object, void *arg), void *arg);

#endif /* PTWALK_MAP_JSON_H */
