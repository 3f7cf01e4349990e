// SPDX-License-Identifier: GPL-2.0
/* What a physical address is: RAM of a node, or a device's memory. */
#include <inttypes.h>
#include <string.h>
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "proc/places.h"

int places_read(struct places *places)
{
	int err;

	iomem_read(&places->iomem);
	err = pcibars_read(&places->bars);
	return err ? err : nodes_read(&places->nodes, NODES_SYSFS);
}

void places_free(struct places *places)
{
	iomem_free(&places->iomem);
	pcibars_free(&places->bars);
	nodes_free(&places->nodes);
}

/* The node of RAM, or -1. */
static int node_of(const struct places *places, uint64_t addr,
		   const struct iomem_resource **chain, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(chain[i]->name, "System RAM", 10))
			return nodes_at(&places->nodes, addr);
	return -1;
}

/*
 * The resources around a page. An anonymous page, or one of a file, is none of
 * the kernel's own; the vdso is in no file, and lies in the kernel's image.
 */
static size_t resources_of(const struct places *places, uint64_t addr,
			   uint64_t bits, const struct ptwalk_vma *vma,
			   const struct iomem_resource **chain)
{
	size_t nr = iomem_at(&places->iomem, addr, chain);
	uint32_t flags = ptwalk_bits_flags(bits);

	if (flags & PTWALK_FLAG_ANON ||
	    (flags & PTWALK_FLAG_PAGE && vma && vma->inode))
		nr = iomem_in_use(chain, nr);
	return nr;
}

void places_write(FILE *to, const struct places *places, uint64_t addr,
		  uint64_t bits, const struct ptwalk_vma *vma)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];
	const struct pcibar *bar = pcibars_at(&places->bars, addr);
	size_t nr = resources_of(places, addr, bits, vma, chain);
	int node = node_of(places, addr, chain, nr);
	char text[PCIBAR_TEXT];

	for (size_t i = 0; i < nr; i++) {
		if (i)
			fputs(" / ", to);
		escape_print(to, chain[i]->name);
	}
	if (!nr)
		fputs(places->iomem.why_not ? places->iomem.why_not :
		      "in no resource of /proc/iomem", to);
	if (node >= 0)
		fprintf(to, ", node %d", node);
	if (bar)
		fprintf(to, " (PCI %s %s, offset 0x%" PRIx64 ")", bar->device,
			pcibar_text(bar, text), addr - bar->start);
}

void places_json(const struct places *places, uint64_t addr, uint64_t bits,
		 const struct ptwalk_vma *vma)
{
	const struct iomem_resource *chain[IOMEM_DEPTH];
	const struct pcibar *bar = pcibars_at(&places->bars, addr);
	size_t nr = resources_of(places, addr, bits, vma, chain);
	int node = node_of(places, addr, chain, nr);
	char text[PCIBAR_TEXT];

	if (places->iomem.why_not) {
		jsonw_null("resources");
	} else {
		jsonw_array("resources");
		for (size_t i = 0; i < nr; i++)
			jsonw_text(NULL, chain[i]->name);
		jsonw_close();
	}
	if (node >= 0)
		jsonw_number("node", node);
	if (!bar)
		return;
	jsonw_text("pci_device", bar->device);
	jsonw_text("pci_resource", pcibar_text(bar, text));
	jsonw_hex("pci_offset", addr - bar->start);
}
