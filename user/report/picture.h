/* SPDX-License-Identifier: GPL-2.0 */
/* What a picture shows, as JSON. */
#ifndef PTWALK_REPORT_PICTURE_H
#define PTWALK_REPORT_PICTURE_H

#include <sys/types.h>
#include "map/picture.h"

/*
 * Prints an object for each mapping, area of memory and finding, and one for all at
 * last, to which @end may add members. @pid is 0 for a recording.
 */
void picture_print_json(const struct map_picture *picture, pid_t pid, void (*end)(void));

#endif /* PTWALK_REPORT_PICTURE_H */
