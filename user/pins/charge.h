/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that is charged to who has a device, and what isn't found of it. Pure. */
#ifndef PTWALK_PINS_CHARGE_H
#define PTWALK_PINS_CHARGE_H

#include "dma/busmap.h"

/**
 * struct charge - what is charged, and what was found
 * @charged: In bytes.
 * @found: In the first @counted stretches, which don't change any more.
 */
struct charge {
	uint64_t charged, found;
	size_t counted;
};

/*
 * How many bytes that are charged aren't in @map, which only grows, at its end, from one
 * call to the next: all calls together look at each stretch once.
 */
uint64_t charge_missing(struct charge *charge, const struct busmap *map);

#endif /* PTWALK_PINS_CHARGE_H */
