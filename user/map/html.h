/* SPDX-License-Identifier: GPL-2.0 */
/* Writes a picture as a page of HTML around SVG. Pure but for the stream. */
#ifndef PTWALK_MAP_HTML_H
#define PTWALK_MAP_HTML_H

#include <stdio.h>
#include "map/picture.h"

/* A page that needs nothing else. Returns 0 or -ENOMEM. */
int map_html(FILE *to, const struct map_picture *picture);

#endif /* PTWALK_MAP_HTML_H */
