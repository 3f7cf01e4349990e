/* SPDX-License-Identifier: GPL-2.0 */
/* What a physical address is: RAM of a node, or a resource of a device. */
#ifndef PTWALK_PROC_PLACES_H
#define PTWALK_PROC_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include "module/truth.h"
#include "proc/iomem.h"
#include "proc/numa_nodes.h"
#include "proc/pci_bars.h"

/**
 * struct place - what holds of all physical addresses from @start to @last
 * @number: All of this was found, as the so manieth; or 0.
 * @chain: The resources around them, with @nr; without those of the kernel's own if a
 *	process uses the page.
 * @ram: They are RAM.
 * @bar: The BAR that they lie in, or NULL.
 * @text: @chain in words, of @len bytes, with room for what differs by address; NULL:
 *	nobody has asked for it yet.
 */
struct place {
	uint64_t start, last, number;
	bool ram;
	const struct iomem_resource *chain[IOMEM_DEPTH];
	size_t nr, len;
	const struct pcibar *bar;
	char *text;
};

/**
 * struct places - what is known of physical addresses
 * @found: The latest place of pages that processes use, and of all others.
 * @nr_found: How many places were found.
 */
struct places {
	struct iomem iomem;
	struct pcibars bars;
	struct nodes nodes;
	struct place found[2];
	uint64_t nr_found;
};

/* Returns 0 or a negative errno; what a machine doesn't have is left out. */
int places_read(struct places *places);
void places_free(struct places *places);

/*
 * "System RAM, node 0", "PCI Bus 0000:00 / 0000:00:02.0 (PCI 0000:00:02.0 BAR
 * 2, offset 0x1000)", of *@len bytes, until the next call. @bits and @vma (or NULL)
 * are of the entry that maps it.
 */
const char *places_text(struct places *places, uint64_t addr, uint64_t bits,
			const struct ptwalk_vma *vma, size_t *len);

/*
 * A number for each text that places_text() has, and for the members below; 0 if that
 * depends on the address, too.
 */
uint64_t places_key(struct places *places, uint64_t addr, uint64_t bits,
		    const struct ptwalk_vma *vma);

/*
 * Members: resources (null if /proc/iomem tells nothing), node, pci_device,
 * pci_resource, pci_offset, so far as there is any.
 */
void places_json(struct places *places, uint64_t addr, uint64_t bits,
		 const struct ptwalk_vma *vma);

#endif /* PTWALK_PROC_PLACES_H */
