/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What drivers have mapped for DMA, as /sys/kernel/debug/dma-api/dump lists it
 * on kernels that record it (CONFIG_DMA_API_DEBUG). No IOMMU table is read for
 * that.
 */
#ifndef PTWALK_DMA_DMADUMP_H
#define PTWALK_DMA_DMADUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "dma/busmap.h"

#define DMADUMP_PATH	"/sys/kernel/debug/dma-api/dump"

/**
 * struct dma_mapping - a line of the list
 * @bus: Bus address.
 * @bytes: How long it is.
 * @phys: Physical address of the first byte.
 * @known: For so many bytes the physical addresses follow @phys: all of a block
 *	that was mapped, a page of what may be scattered, and none where several
 *	of a list may have become one.
 */
struct dma_mapping {
	uint64_t bus, bytes, phys, known;
};

/**
 * struct dmadump - those of a device; all zero is a valid empty one
 * @mapping: In the file's order.
 * @nr: How many.
 * @max: Room for those.
 * @why_not: Why nothing is known, or NULL.
 */
struct dmadump {
	struct dma_mapping *mapping;
	size_t nr, max;
	const char *why_not;
};

/**
 * struct dma_finding - a mapping that the IOMMU translates otherwise
 * @mapping: As the kernel lists it.
 * @bus: The first bus address in it that is wrong.
 * @phys: Where that should lead.
 * @seen: Where it leads, if @is_mapped.
 * @is_mapped: Whether it leads anywhere.
 */
struct dma_finding {
	struct dma_mapping mapping;
	uint64_t bus, phys, seen;
	bool is_mapped;
};

/*
 * Reads @stream, of any version since Linux 6.1, to its end, for the device
 * called @device there, such as 0000:00:04.0. @page is the size of a page.
 * Returns 0 or a negative errno; lines that aren't understood are none.
 */
int dmadump_parse(FILE *stream, const char *device, uint64_t page,
		  struct dmadump *dump);

/* Reads the list anew. Never fails: @dump->why_not tells what was missing. */
void dmadump_read(const char *device, uint64_t page, struct dmadump *dump);
void dmadump_free(struct dmadump *dump);

/* Whether it has a mapping that is the same in all. */
bool dmadump_has(const struct dmadump *dump, const struct dma_mapping *mapping);

/* Whether the list has the bus address, and says that it leads there. */
bool dmadump_leads(const struct dmadump *dump, uint64_t bus, uint64_t phys);

/*
 * Pages of the list that can be compared: those that a bounce buffer may stand
 * for, which are the parts of pages, can't.
 */
uint64_t dmadump_pages(const struct dma_mapping *mapping, uint64_t page);

/* The first page of a mapping that @map has otherwise; false if there is none. */
bool dmadump_differs(const struct dma_mapping *mapping, uint64_t page,
		     const struct busmap *map, struct dma_finding *finding);

#endif /* PTWALK_DMA_DMADUMP_H */
