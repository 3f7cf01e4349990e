/* SPDX-License-Identifier: GPL-2.0 */
/* What a physical address is: RAM of a node, or a resource of a device. */
#ifndef PTWALK_PROC_PLACES_H
#define PTWALK_PROC_PLACES_H

#include <stdio.h>
#include "module/truth.h"
#include "proc/iomem.h"
#include "proc/numa_nodes.h"
#include "proc/pci_bars.h"

struct places {
	struct iomem iomem;
	struct pcibars bars;
	struct nodes nodes;
};

/* Returns 0 or a negative errno; what a machine doesn't have is left out. */
int places_read(struct places *places);
void places_free(struct places *places);

/*
 * "System RAM, node 0", "PCI Bus 0000:00 / 0000:00:02.0 (PCI 0000:00:02.0 BAR
 * 2, offset 0x1000)"; written to @to, since names can be long and odd. @bits and
 * @vma (or NULL) are of the entry that maps it.
 */
void places_write(FILE *to, const struct places *places, uint64_t addr,
		  uint64_t bits, const struct ptwalk_vma *vma);

/*
 * Members: resources (null if /proc/iomem tells nothing), node,
 * pci_device, pci_resource, pci_offset, so far as there is any.
 */
void places_json(const struct places *places, uint64_t addr, uint64_t bits,
		 const struct ptwalk_vma *vma);

#endif /* PTWALK_PROC_PLACES_H */
