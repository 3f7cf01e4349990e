// SPDX-License-Identifier: GPL-2.0
/* Memory that is charged to who has a device, and what isn't found of it. */
#include "base/array.h"
#include "pins/charge.h"

uint64_t charge_of_process(const struct procstatus_charges *charges, const struct truth *truth)
{
	uint64_t locked = charges->locked << 10, pinned = charges->pinned << 10, mapped = 0;

	/* mlock() charges whole mappings, whatever they have. */
	for (size_t i = 0; i < truth->nr_vmas; i++)
		if (truth->vmas[i].flags & PTWALK_VMA_FLAG_LOCKED)
			mapped += truth->vmas[i].last - truth->vmas[i].start + 1;
	locked -= mapped < locked ? mapped : locked;
	return locked > pinned ? locked : pinned;
}

static uint64_t charged_bytes(const struct charge *charge, const struct ptwalk_stretch *s)
{
	const struct ranges *ram = charge->ram;
	const uint64_t end = s->phys + s->bytes - 1;
	uint64_t bytes = 0;

	if (!ram || !ram->nr)
		return s->bytes;
	for (size_t i = array_from(ram->range, ram->nr, last, s->phys);
	     i < ram->nr && ram->range[i].start <= end; i++) {
		const struct range *r = &ram->range[i];

		bytes += (r->last < end ? r->last : end) -
			 (r->start > s->phys ? r->start : s->phys) + 1;
	}
	return bytes;
}

uint64_t charge_missing(struct charge *charge, const struct busmap *map)
{
	uint64_t found;

	/* The last one may go on. */
	for (; charge->counted + 1 < map->nr; charge->counted++)
		charge->found += charged_bytes(charge, &map->stretch[charge->counted]);
	found = charge->found;
	if (map->nr)
		found += charged_bytes(charge, &map->stretch[map->nr - 1]);
	return charge->charged > found ? charge->charged - found : 0;
}
