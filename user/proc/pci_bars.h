/* SPDX-License-Identifier: GPL-2.0 */
/* Which PCI device a physical address belongs to. */
#ifndef PTWALK_PROC_PCI_BARS_H
#define PTWALK_PROC_PCI_BARS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct pcibar - a memory resource of a PCI device
 * @start: First physical address.
 * @last: Last one, inclusive.
 * @device: Such as "0000:00:02.0".
 * @index: Line of the device's sysfs file "resource": 0 to 5 are the BARs, 6
 *	the ROM, what follows windows of bridges and of virtual functions.
 */
struct pcibar {
	uint64_t start, last;
	char device[32];
	unsigned int index;
};

/* All zero is a valid empty one. */
struct pcibars {
	struct pcibar *bar;
	size_t nr, max;
};

/* Reads the file "resource" of @device. Returns 0 or a negative errno. */
int pcibars_parse(FILE *stream, const char *device, struct pcibars *bars);

/* Reads those of all devices, if there are any. Returns 0 or a negative errno. */
int pcibars_read(struct pcibars *bars);
void pcibars_free(struct pcibars *bars);

/* The smallest resource that holds @addr, or NULL. */
const struct pcibar *pcibars_at(const struct pcibars *bars, uint64_t addr);

/* "BAR 2", "ROM" or "resource 7". */
#define PCIBAR_TEXT	24
const char *pcibar_text(const struct pcibar *bar, char buf[PCIBAR_TEXT]);

#endif /* PTWALK_PROC_PCI_BARS_H */
