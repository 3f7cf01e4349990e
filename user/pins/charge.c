// SPDX-License-Identifier: GPL-2.0
/* Memory that is charged to who has a device, and what isn't found of it. */
#include "pins/charge.h"

uint64_t charge_missing(struct charge *charge, const struct busmap *map)
{
	uint64_t found;

	/* The last one may go on. */
	for (; charge->counted + 1 < map->nr; charge->counted++)
		charge->found += map->stretch[charge->counted].bytes;
	found = charge->found + (map->nr ? map->stretch[map->nr - 1].bytes : 0);
	return charge->charged > found ? charge->charged - found : 0;
}
