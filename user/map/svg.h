/* SPDX-License-Identifier: GPL-2.0 */
/* Writes a picture as SVG. Pure but for the stream. */
#ifndef PTWALK_MAP_SVG_H
#define PTWALK_MAP_SVG_H

#include <stdio.h>
#include "map/picture.h"

/* A document of its own: the picture, its legend, and the findings in a line each. */
void map_svg(FILE *to, const struct map_picture *picture);

/*
 * For another document, which has map_svg_style() in a style element: the
 * picture, and the strip of some of its mappings. Number i of the cells of the
 * picture that stand for several mappings leads to #gi, finding i to #fi.
 */
void map_svg_picture(FILE *to, const struct map_picture *picture);
void map_svg_strip(FILE *to, const struct map_picture *picture,
		   const struct map_strip *strip);
void map_svg_style(FILE *to);

/* The heading: of what this is a picture, and what is in it. */
void map_svg_heading(FILE *to, const struct map_picture *picture);

#endif /* PTWALK_MAP_SVG_H */
