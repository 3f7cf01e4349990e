/* SPDX-License-Identifier: GPL-2.0 */
/* How much there is, as tables of a page: by kind, and by mapping. Pure but for the stream. */
#ifndef PTWALK_MAP_TABLE_H
#define PTWALK_MAP_TABLE_H

#include <stdio.h>
#include "map/picture.h"

/* Of mappings, those with most pages mapped come first. Returns 0 or -ENOMEM. */
int map_table(FILE *to, const struct map_picture *picture);

#endif /* PTWALK_MAP_TABLE_H */
