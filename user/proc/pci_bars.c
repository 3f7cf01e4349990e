// SPDX-License-Identifier: GPL-2.0
/* Which PCI device a physical address belongs to. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <linux/pci_regs.h>
#include "base/array.h"
#include "proc/pci_bars.h"

#define PCI_DEVICES	"/sys/bus/pci/devices"

/* The kernel's ioport.h; the third column of the file. */
#define IORESOURCE_MEM	0x200

#define PCI_ROM_INDEX	6

static int add(struct pcibars *bars, const struct pcibar *bar)
{
	if (!array_room(&bars->bar, &bars->max, bars->nr + 1, sizeof(*bar)))
		return -ENOMEM;
	bars->bar[bars->nr++] = *bar;
	return 0;
}

int pcibars_parse(FILE *stream, const char *device, struct pcibars *bars)
{
	struct pcibar bar = { 0 };
	uint64_t flags;
	int err = 0;
	int n;

	snprintf(bar.device, sizeof(bar.device), "%s", device);
	for (bar.index = 0; !err; bar.index++) {
		n = fscanf(stream, "%" SCNx64 " %" SCNx64 " %" SCNx64,
			   &bar.start, &bar.last, &flags);
		if (n == EOF)
			break;
		if (n != 3)
			return -EINVAL;
		if (flags & IORESOURCE_MEM && bar.start && bar.last >= bar.start)
			err = add(bars, &bar);
	}
	return err;
}

void pcibars_read(struct pcibars *bars)
{
	DIR *dir = opendir(PCI_DEVICES);
	struct dirent *entry;
	char path[sizeof(PCI_DEVICES) + sizeof(entry->d_name) + 16];
	FILE *stream;

	memset(bars, 0, sizeof(*bars));
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), PCI_DEVICES "/%s/resource",
			 entry->d_name);
		stream = fopen(path, "r");
		if (!stream)
			continue;
		pcibars_parse(stream, entry->d_name, bars);
		fclose(stream);
	}
	closedir(dir);
}

void pcibars_free(struct pcibars *bars)
{
	free(bars->bar);
	memset(bars, 0, sizeof(*bars));
}

const struct pcibar *pcibars_at(const struct pcibars *bars, uint64_t addr)
{
	const struct pcibar *found = NULL;

	for (size_t i = 0; i < bars->nr; i++) {
		const struct pcibar *bar = &bars->bar[i];

		if (addr < bar->start || addr > bar->last)
			continue;
		if (!found || bar->last - bar->start < found->last - found->start)
			found = bar;
	}
	return found;
}

const char *pcibar_text(const struct pcibar *bar, char buf[PCIBAR_TEXT])
{
	if (bar->index < PCI_STD_NUM_BARS)
		snprintf(buf, PCIBAR_TEXT, "BAR %u", bar->index);
	else if (bar->index == PCI_ROM_INDEX)
		snprintf(buf, PCIBAR_TEXT, "ROM");
	else
		snprintf(buf, PCIBAR_TEXT, "resource %u", bar->index);
	return buf;
}
