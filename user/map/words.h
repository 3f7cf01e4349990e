/* SPDX-License-Identifier: GPL-2.0 */
/* What the writers of pictures say in the same words. */
#ifndef PTWALK_MAP_WORDS_H
#define PTWALK_MAP_WORDS_H

#include <stdio.h>
#include "map/picture.h"

/*
 * Text of others (names of files and the like) inside XML: escaped as for
 * people (base/escape.h), then as XML wants it.
 */
void map_xml(FILE *to, const char *text);

/* The same of the last part of a path, cut to @most characters. */
void map_xml_label(FILE *to, const char *name, unsigned int most);

/* The same, not for XML; returns how many characters that are. */
unsigned int map_label(FILE *to, const char *name, unsigned int most);

/* "300 pages mapped, 20 in swap". */
void map_say_mapped(FILE *to, const struct map_count *count);

/* "300 file, 40 nothing mapped; in leaves of 4K: 300". */
void map_say_count(FILE *to, const struct map_input *input,
		   const struct map_count *count);

/* "mapped, moved": names of a mask of changes. */
#define MAP_CHANGES	256
const char *map_changes(uint32_t what, char buf[MAP_CHANGES]);

/* A size that is cut short: "4K", "1.5G", "127T". */
#define MAP_SIZE	16
const char *map_size(uint64_t bytes, char buf[MAP_SIZE]);

#endif /* PTWALK_MAP_WORDS_H */
