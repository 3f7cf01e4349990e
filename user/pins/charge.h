/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that is charged to who has a device, and what isn't found of it. Pure. */
#ifndef PTWALK_PINS_CHARGE_H
#define PTWALK_PINS_CHARGE_H

#include "dma/busmap.h"
#include "module/truth.h"
#include "proc/maps.h"
#include "proc/status.h"

/**
 * struct charge - what is charged, and what was found
 * @ram: What the kernel charges for, ascending: not for a BAR, nor the doorbell of MSIs.
 *	Without any, everything counts.
 * @charged: In bytes.
 * @found: In the first @counted stretches, which don't change any more.
 */
struct charge {
	const struct ranges *ram;
	uint64_t charged, found;
	size_t counted;
};

/*
 * What is charged to a process for others than mlock(), in bytes, at least: @truth has its
 * mappings. What is in both of @charges may be the same memory, and counts once.
 */
uint64_t charge_of_process(const struct procstatus_charges *charges, const struct truth *truth);

/*
 * How many bytes that are charged aren't in @map, which only grows, at its end, from one
 * call to the next: all calls together look at each stretch once.
 */
uint64_t charge_missing(struct charge *charge, const struct busmap *map);

#endif /* PTWALK_PINS_CHARGE_H */
