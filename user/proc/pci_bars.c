// SPDX-License-Identifier: GPL-2.0
/* Which PCI device a physical address belongs to. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <linux/pci_regs.h>
#include "base/array.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/lines.h"
#include "proc/pci_bars.h"

#define PCI_DEVICES	"/sys/bus/pci/devices"

/* The kernel's ioport.h; the third column of the file. */
#define IORESOURCE_MEM	0x200

#define PCI_ROM_INDEX	6

/**
 * struct reading - a file being read
 * @bar: Its device, and the index of the line.
 */
struct reading {
	struct pcibars *bars;
	struct pcibar bar;
};

static int take_bar_line(char *line, void *arg)
{
	struct reading *r = arg;
	uint64_t flags;
	struct pcibars *bars = r->bars;
	int err = 0;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &r->bar.start,
		   &r->bar.last, &flags) != 3)
		return -EINVAL;
	if (flags & IORESOURCE_MEM && r->bar.start && r->bar.last >= r->bar.start)
		err = array_add(bars->bar, bars->nr, bars->max, r->bar) ? 0 : -ENOMEM;
	r->bar.index++;
	return err;
}

int pcibars_parse(FILE *stream, const char *device, struct pcibars *bars)
{
	struct reading r = { .bars = bars };

	snprintf(r.bar.device, sizeof(r.bar.device), "%s", device);
	return lines_each(stream, take_bar_line, &r, NULL);
}

/* A device that goes away meanwhile, or whose file isn't understood, is left out. */
static int take_pci_device(const char *name, void *arg)
{
	struct reading r = { .bars = arg };
	char path[512];
	int err;

	if (name[0] == '.')
		return 0;
	snprintf(r.bar.device, sizeof(r.bar.device), "%s", name);
	snprintf(path, sizeof(path), PCI_DEVICES "/%s/resource", name);
	err = lines_in(path, take_bar_line, &r);
	return err == -EINVAL || err == -ENODEV ? 0 : error_unless_missing(err, path);
}

int pcibars_read(struct pcibars *bars)
{
	memset(bars, 0, sizeof(*bars));
	return error_unless_missing(folder_each(PCI_DEVICES, take_pci_device, bars),
				    PCI_DEVICES);
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
