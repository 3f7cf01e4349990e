/* SPDX-License-Identifier: GPL-2.0 */
/* How a device gets at memory, as the module tells it. */
#ifndef PTWALK_LIB_DEVICE_H
#define PTWALK_LIB_DEVICE_H

#include <stdbool.h>
#include "base/parse.h"
#include "lib/client.h"

/**
 * struct device_facts - what stands between a device and the memory
 * @name: Bus and name, as the module knows it.
 * @driver: Its driver, or "".
 * @flags: Mask of enum ptwalk_device_flag.
 * @dma_mask: Bus addresses that it can reach.
 * @coherent_mask: Likewise, of coherent memory.
 * @bus_limit: The last that the way to it lets through; 0 without a limit.
 * @ops: Symbol of DMA operations of its own, or "".
 * @group: IOMMU group, or -1.
 * @domain: enum ptwalk_domain.
 * @page_sizes: A bit for each size of the domain's pages; 0 if it doesn't
 *	translate.
 * @aperture: What it can translate, if it does.
 * @is_direct: Bus addresses follow from the physical ones; those of the request
 *	are in @bus, UINT64_MAX where there is none.
 * @bus: Of the request's addresses, in their order.
 */
struct device_facts {
	char name[PTWALK_MAX_DEVICE_NAME + 1];
	char driver[64];
	uint32_t flags;
	uint64_t dma_mask;
	uint64_t coherent_mask;
	uint64_t bus_limit;
	char ops[64];
	int64_t group;
	uint32_t domain;
	uint64_t page_sizes;
	struct range aperture;
	bool is_direct;
	uint64_t bus[PTWALK_MAX_ADDRESSES];
};

/*
 * Asks of a device, and for the bus addresses of up to PTWALK_MAX_ADDRESSES
 * physical ones. Returns 0 or an exit status after a line on stderr.
 */
int device_read(struct client *client, const char *name, const uint64_t *phys,
		size_t nr, struct device_facts *facts);

/* Whether the domain is one that device_stream() can ask about. */
bool device_translates(const struct device_facts *facts);

/* The last bus address that gets through, from and to the device. */
uint64_t device_reach(const struct device_facts *facts);

/* The smallest page of the domain. */
uint64_t device_page(const struct device_facts *facts);

/**
 * struct device_stretches - a message: what is translated in a piece of a range
 * @piece: All of it was looked up.
 * @stretch: In ascending order of iova, inside of the piece.
 * @nr: How many.
 */
struct device_stretches {
	struct range piece;
	const struct ptwalk_stretch *stretch;
	size_t nr;
};

/*
 * Calls @each with what the IOMMU translates in a range, piece by piece. It
 * returns 0 to go on, anything else to stop; that is then returned. Otherwise 0
 * or an exit status after a line on stderr.
 */
int device_stream(struct client *client, const char *name,
		  const struct range *range,
		  int (*each)(const struct device_stretches *s, void *arg),
		  void *arg);

#endif /* PTWALK_LIB_DEVICE_H */
