// SPDX-License-Identifier: GPL-2.0
/* Puts a picture together. */
#include <stdlib.h>
#include <string.h>
#include "map/picture.h"

int map_picture_make(const struct map_input *in, struct map_picture *p)
{
	int err;

	memset(p, 0, sizeof(*p));
	p->input = in;
	err = map_strip_make(in, 0, in->nr_vmas, &p->strip);
	if (!err)
		err = map_memory_make(in, &p->memory);
	if (!err)
		err = map_bands_make(p);
	for (size_t i = 0; !err && i < p->strip.nr_cells; i++)
		map_count_add(&p->count, &p->strip.cell[i].count);
	return err;
}

void map_picture_free(struct map_picture *p)
{
	map_strip_free(&p->strip);
	map_memory_free(&p->memory);
	free(p->band);
	p->band = NULL;
}
