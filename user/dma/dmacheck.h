/* SPDX-License-Identifier: GPL-2.0 */
/* Compares what an IOMMU translates with what drivers mapped by the DMA API. */
#ifndef PTWALK_DMA_DMACHECK_H
#define PTWALK_DMA_DMACHECK_H

#include "dma/dmadump.h"
#include "module/device.h"

/* So many times a mapping must be listed, and translated otherwise, in a row. */
#define DMACHECK_ROUNDS	6

/*
 * Asks the module about the mappings of @dump, and the list again about those
 * that differ. Calls @each with every finding; *@pages is how many pages were
 * compared. Returns 0 or a negative errno, see base/error.h.
 */
int dmacheck(struct ptwalk *client, const struct ptwalk_device *facts,
	     const struct dmadump *dump, uint64_t *pages,
	     void (*each)(const struct dma_finding *finding, void *arg),
	     void *arg);

#endif /* PTWALK_DMA_DMACHECK_H */
