// SPDX-License-Identifier: GPL-2.0
/* What a physical address is: RAM of a node, or a device's memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/escape.h"
#include "base/jsonw.h"
#include "base/put.h"
#include "proc/places.h"

int places_read(struct places *places)
{
	int err;

	iomem_read(&places->iomem);
	memset(places->found, 0, sizeof(places->found));
	places->nr_found = 0;
	err = pcibars_read(&places->bars);
	return err ? err : nodes_read(&places->nodes, NODES_SYSFS);
}

void places_free(struct places *places)
{
	for (int i = 0; i < 2; i++) {
		free(places->found[i].text);
		places->found[i] = (struct place){ 0 };
	}
	iomem_free(&places->iomem);
	pcibars_free(&places->bars);
	nodes_free(&places->nodes);
}

static bool place_has(const struct place *p, uint64_t addr)
{
	return p->number && addr >= p->start && addr <= p->last;
}

/* Leaves of the place what is on @addr's side of where a resource begins and ends. */
static void narrow(struct place *p, uint64_t addr, uint64_t start, uint64_t last)
{
	if (addr < start) {
		if (p->last >= start)
			p->last = start - 1;
	} else if (addr > last) {
		if (p->start <= last)
			p->start = last + 1;
	} else {
		if (p->start < start)
			p->start = start;
		if (p->last > last)
			p->last = last;
	}
}

static void find_place(struct places *places, uint64_t addr, bool used, struct place *p)
{
	free(p->text);
	*p = (struct place){ .number = ++places->nr_found, .last = UINT64_MAX };
	p->nr = iomem_at(&places->iomem, addr, p->chain);
	if (used)
		p->nr = iomem_in_use(p->chain, p->nr);
	for (size_t i = 0; i < p->nr; i++)
		p->ram |= !strncmp(p->chain[i]->name, "System RAM", 10);
	p->bar = pcibars_at(&places->bars, addr);
	for (size_t i = 0; i < places->iomem.nr; i++) {
		/* Which no page that is used is in, but for what holds it: see iomem_in_use(). */
		if (used && iomem_is_image(&places->iomem.resource[i]))
			continue;
		narrow(p, addr, places->iomem.resource[i].start,
		       places->iomem.resource[i].last);
	}
	for (size_t i = 0; i < places->bars.nr; i++)
		narrow(p, addr, places->bars.bar[i].start, places->bars.bar[i].last);
}

/*
 * An anonymous page, or one of a file, is none of the kernel's own; the vdso is in no
 * file, and lies in the kernel's image. Most pages lie where the one before does.
 */
static struct place *place_at(struct places *places, uint64_t addr, uint64_t bits,
			      const struct ptwalk_vma *vma)
{
	const uint32_t flags = ptwalk_bits_flags(bits);
	const bool used = flags & PTWALK_FLAG_ANON ||
			  (flags & PTWALK_FLAG_PAGE && vma && vma->inode);
	struct place *p = &places->found[used];

	if (!place_has(p, addr))
		find_place(places, addr, used, p);
	return p;
}

/* The node of RAM, or -1. */
static int place_node(const struct places *places, const struct place *p, uint64_t addr)
{
	return p->ram ? nodes_at(&places->nodes, addr) : -1;
}

uint64_t places_key(struct places *places, uint64_t addr, uint64_t bits,
		    const struct ptwalk_vma *vma)
{
	const struct place *p = place_at(places, addr, bits, vma);

	return p->bar ? 0 : p->number << 16 | (uint16_t)place_node(places, p, addr);
}

/* ", node 0", or the BAR. */
#define MORE	(PUT_DECIMAL + 2 * PUT_HEX + PCIBAR_TEXT + 32)

static void name_chain(const struct places *places, struct place *p)
{
	FILE *to = open_memstream(&p->text, &p->len);
	const char *none = places->iomem.why_not ? places->iomem.why_not :
						   "in no resource of /proc/iomem";
	size_t len;
	char *text;

	if (!to)
		return;
	for (size_t i = 0; i < p->nr; i++) {
		if (i)
			fputs(" / ", to);
		escape_print(to, p->chain[i]->name);
	}
	if (!p->nr)
		fputs(none, to);
	if (fclose(to)) {
		free(p->text);
		p->text = NULL;
		return;
	}
	len = p->len + MORE + (p->bar ? strlen(p->bar->device) : 0);
	text = realloc(p->text, len);
	if (!text)
		free(p->text);
	p->text = text;
}

const char *places_text(struct places *places, uint64_t addr, uint64_t bits,
			const struct ptwalk_vma *vma, size_t *len)
{
	static const char without[] = "not known: out of memory";
	struct place *p = place_at(places, addr, bits, vma);
	int node = place_node(places, p, addr);
	char bar[PCIBAR_TEXT], *end;

	if (!p->text)
		name_chain(places, p);
	if (!p->text) {
		*len = strlen(without);
		return without;
	}
	end = p->text + p->len;
	if (node >= 0)
		end = put_decimal(put_text(end, ", node "), node, 0);
	if (p->bar) {
		end = put_text(put_text(end, " (PCI "), p->bar->device);
		*end++ = ' ';
		end = put_text(end, pcibar_text(p->bar, bar));
		end = put_hex(put_text(end, ", offset "), addr - p->bar->start);
		*end++ = ')';
	}
	*len = end - p->text;
	return p->text;
}

void places_json(struct places *places, uint64_t addr, uint64_t bits,
		 const struct ptwalk_vma *vma)
{
	const struct place *p = place_at(places, addr, bits, vma);
	int node = place_node(places, p, addr);
	char text[PCIBAR_TEXT];

	if (places->iomem.why_not) {
		jsonw_null("resources");
	} else {
		jsonw_array("resources");
		for (size_t i = 0; i < p->nr; i++)
			jsonw_text(NULL, p->chain[i]->name);
		jsonw_close();
	}
	if (node >= 0)
		jsonw_number("node", node);
	if (!p->bar)
		return;
	jsonw_text("pci_device", p->bar->device);
	jsonw_text("pci_resource", pcibar_text(p->bar, text));
	jsonw_hex("pci_offset", addr - p->bar->start);
}
