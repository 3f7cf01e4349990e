/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the bus addresses that lead to a physical address. Pure. */
#ifndef PTWALK_DMA_BUSMAP_H
#define PTWALK_DMA_BUSMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/ptwalk_record.h>

/**
 * struct busmap - stretches, in any order until busmap_sort()
 * @stretch: Those; by physical address once they are sorted.
 * @last: Once they are sorted, the last physical address of all up to each.
 * @nr: How many.
 * @max: Room for those.
 */
struct busmap {
	struct ptwalk_stretch *stretch;
	uint64_t *last;
	size_t nr, max;
};

/**
 * struct bus_row - memory of a process, and where a device finds it
 * @vaddr: Address in the process.
 * @phys: Physical address.
 * @bus: Bus address, if @is_mapped.
 * @bytes: How much goes on like this.
 * @is_mapped: Whether there is a bus address.
 */
struct bus_row {
	uint64_t vaddr, phys, bus, bytes;
	int is_mapped;
};

/**
 * struct bus_rows - rows; all zero is a valid empty one
 * @row: In the order of the addresses; several bus addresses of the same memory
 *	have rows of the same length.
 * @nr: How many.
 * @max: Room for those.
 * @is_open: The last row is the only one of its memory, and may grow.
 */
struct bus_rows {
	struct bus_row *row;
	size_t nr, max;
	int is_open;
};

/* Each returns 0 or -ENOMEM. */

/* Adds a stretch; to the last one if it goes on there. */
int busmap_add(struct busmap *map, const struct ptwalk_stretch *stretch);
int busmap_sort(struct busmap *map);

/* Whether a bus address leads somewhere, in any order of the stretches. */
bool busmap_find(const struct busmap *map, uint64_t bus, uint64_t *phys);
void busmap_free(struct busmap *map);

/*
 * Adds rows for @bytes of memory at @vaddr, by address: one for each bus
 * address that leads to a part of it, and for parts without any one that isn't
 * mapped. The last row so far grows if it just goes on.
 */
int busmap_join(const struct busmap *map, uint64_t vaddr, uint64_t phys,
		uint64_t bytes, struct bus_rows *rows);
void bus_rows_free(struct bus_rows *rows);

#endif /* PTWALK_DMA_BUSMAP_H */
