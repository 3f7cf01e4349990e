/* SPDX-License-Identifier: GPL-2.0 */
/* Writes a picture as lines of letters. Pure but for the stream. */
#ifndef PTWALK_MAP_TERMINAL_H
#define PTWALK_MAP_TERMINAL_H

#include <stdio.h>
#include "map/picture.h"

/* Lines of @width characters; with @colour, in colours of a terminal. */
void map_terminal(FILE *to, const struct map_picture *picture,
		  unsigned int width, bool colour);

/* The first line of these alone: what is drawn, and how much. */
void map_terminal_title(FILE *to, const struct map_picture *picture);

#endif /* PTWALK_MAP_TERMINAL_H */
