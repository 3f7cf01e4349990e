// SPDX-License-Identifier: GPL-2.0
/* ptwalk iova: what a device's bus addresses lead to, and whose pages that is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "cmd/bus_look.h"
#include "cmd/cmd.h"
#include "cmd/interrupt.h"
#include "cmd/iova_lint.h"
#include "cmd/options.h"
#include "dma/busmap.h"
#include "dma/device_names.h"
#include "dma/dmacheck.h"
#include "module/client.h"
#include "module/device.h"
#include "module/names.h"
#include "module/truth.h"
#include "proc/iomem.h"
#include "proc/maps.h"
#include "proc/pids.h"
#include "proc/processes.h"
#include "proc/subject.h"
#include "report/scattered.h"

/* More than that isn't looked up at once: it would take minutes and more. */
#define MAX_LOOKUPS	(UINT64_C(1) << 28)

/**
 * struct iova - the command at work
 * @look: The device, and what was found and looked up.
 * @json: As JSON lines.
 * @verbose: What is scattered has a line for each piece.
 * @lints: What the frames are is judged, by @lint.
 * @iovas: Bus addresses that were given.
 * @asked: The single ones among these.
 * @lost: Of these, and of ranges outside of the aperture, how many lead nowhere.
 * @unlisted: Of these, that the kernel's list, which is all there is, doesn't have.
 * @pid: Whose pages are looked for, or 0; @subject is it.
 * @own: Where it has memory, if all of it is looked for.
 * @listed: What the kernel lists of the device's mappings.
 * @refused: Why nothing was looked up, and the list is all there is; or NULL.
 * @unknown: Bytes of it whose physical addresses aren't told there.
 * @compared: Pages that the list and the tables were compared by.
 * @mismatches: Mappings of the list that the tables have otherwise.
 */
struct iova {
	struct bus_look look;
	bool json, verbose, lints;
	struct iova_lint lint;
	struct ranges iovas, asked, own;
	uint64_t lost, unlisted;
	pid_t pid;
	struct subject subject;
	struct dmadump listed;
	char *refused;
	uint64_t unknown, compared, mismatches;
};

static const char *domain_text(uint32_t domain)
{
	switch (domain) {
	case PTWALK_DOMAIN_NONE:
		return "no IOMMU stands between";
	case PTWALK_DOMAIN_BLOCKED:
		return "the IOMMU lets nothing through";
	case PTWALK_DOMAIN_IDENTITY:
		return "the IOMMU lets bus addresses through as they are";
	case PTWALK_DOMAIN_DMA:
		return "the IOMMU translates what the DMA API has mapped";
	case PTWALK_DOMAIN_DMA_LAZY:
		return "the IOMMU translates what the DMA API has mapped; what was unmapped may work a moment longer";
	case PTWALK_DOMAIN_UNMANAGED:
		return "the IOMMU translates what a driver has mapped by itself, such as VFIO";
	case PTWALK_DOMAIN_OPAQUE:
		return "the IOMMU translates by tables that the kernel can't be asked about";
	}
	return "of a kind that this command doesn't know";
}

static void print_page_sizes(uint64_t sizes)
{
	char size[FORMAT_SIZE];

	for (; sizes; sizes &= sizes - 1)
		printf(" %s", format_size(sizes & -sizes, size));
	putchar('\n');
}

static void facts_text(const struct ptwalk_device *f)
{
	char name[NAME_SIZE], range[FORMAT_RANGE];

	out_text(f->name);
	putchar('\n');
	printf("  %-9s ", "driver");
	out_text(f->driver[0] ? f->driver : "-");
	printf("\n  %-9s %s: %s\n", "domain",
	       name_of(&names_domain, f->domain, name), domain_text(f->domain));
	if (f->group >= 0)
		printf("  %-9s %" PRId64 "\n", "group", f->group);
	if (device_translates(f)) {
		printf("  %-9s", "pages");
		print_page_sizes(f->page_sizes);
		printf("  %-9s %s\n", "aperture",
		       format_range(f->aperture_start, f->aperture_last, range));
	}
	if (f->flags & PTWALK_DEVICE_FLAG_DMA)
		printf("  %-9s 0x%" PRIx64 ", coherent memory 0x%" PRIx64 "\n",
		       "mask", f->dma_mask, f->coherent_mask);
	else
		printf("  %-9s %s\n", "mask", "none: the device does no DMA");
	if (f->flags & PTWALK_DEVICE_FLAG_DMA)
		printf("  %-9s %s\n", "coherent", f->flags & PTWALK_DEVICE_FLAG_COHERENT ?
		       "yes: DMA and the processors' caches agree" :
		       "no: dma_alloc_coherent() gives memory that the processors don't cache");
	if (f->bus_limit)
		printf("  %-9s 0x%" PRIx64 "\n", "limit", f->bus_limit);
	if (f->ops[0]) {
		printf("  %-9s DMA goes by ", "operations");
		out_text(f->ops);
		putchar('\n');
	}
	if (f->flags & PTWALK_DEVICE_FLAG_BOUNCE)
		printf("  %-9s %s\n", "bounce",
		       "all that is mapped for DMA is copied through bounce buffers");
}

static void facts_json(const struct ptwalk_device *f)
{
	char name[NAME_SIZE];

	jsonw_begin("device");
	jsonw_text("device", f->name);
	if (f->driver[0])
		jsonw_text("driver", f->driver);
	jsonw_text("domain", name_of(&names_domain, f->domain, name));
	if (f->group >= 0)
		jsonw_number("group", f->group);
	if (device_translates(f)) {
		jsonw_array("page_sizes");
		for (uint64_t s = f->page_sizes; s; s &= s - 1)
			jsonw_number(NULL, s & -s);
		jsonw_close();
		jsonw_hex("aperture_start", f->aperture_start);
		jsonw_hex("aperture_last", f->aperture_last);
	}
	jsonw_mask("flags", &names_device_flag, f->flags);
	if (f->flags & PTWALK_DEVICE_FLAG_DMA)
		jsonw_hex("dma_mask", f->dma_mask);
	jsonw_hex("coherent_mask", f->coherent_mask);
	if (f->bus_limit)
		jsonw_hex("bus_limit", f->bus_limit);
	if (f->ops[0])
		jsonw_text("operations", f->ops);
	jsonw_end();
}

/* Of RAM, where no IOMMU translates, as if it were found by looking. */
static int add_direct(struct iova *c, uint64_t start, uint64_t last)
{
	uint64_t phys[2] = { start, last }, middle;
	struct ptwalk_device f;
	int status;

	status = device_read(c->look.client, c->look.facts.name, phys, 2, &f);
	if (status)
		return status;
	if (!f.is_direct)
		return fail(EXIT_UNCHECKED, "%s: it has an IOMMU now: ask again",
			    c->look.facts.name);
	if (f.bus[0] != UINT64_MAX && f.bus[1] - f.bus[0] == last - start) {
		struct ptwalk_stretch s = { f.bus[0], last - start + 1, start };

		return busmap_add(&c->look.map, &s) ? error_no_memory() : 0;
	}
	/* Parts of it are elsewhere, or out of reach altogether. */
	if (last - start < 2 * 4096)
		return 0;
	middle = (start + (last - start) / 2) & ~UINT64_C(4095);
	status = add_direct(c, start, middle - 1);
	return status ? status : add_direct(c, middle, last);
}

static int find_direct_ram(struct iova *c)
{
	struct iomem iomem = { 0 };
	int status = 0;

	iomem_read(&iomem);
	if (iomem.why_not)
		status = fail(EXIT_UNCHECKED, "/proc/iomem: %s", iomem.why_not);
	for (size_t i = 0; !status && i < iomem.nr; i++) {
		const struct iomem_resource *r = &iomem.resource[i];

		if (!r->depth && !strcmp(r->name, "System RAM"))
			status = add_direct(c, r->start, r->last);
	}
	iomem_free(&iomem);
	return status;
}

/* What the kernel lists is looked up, too, wherever it is. */
static int look_at_listed(struct iova *c)
{
	uint64_t page = device_page(&c->look.facts);
	int status = 0;

	for (size_t i = 0; !status && i < c->listed.nr; i++) {
		const struct dma_mapping *m = &c->listed.mapping[i];

		if (!ranges_have(&c->look.scanned, m->bus))
			status = bus_look(&c->look, m->bus & ~(page - 1),
					  (m->bus + m->bytes - 1) | (page - 1));
	}
	return status;
}

/* Without a look at any table. */
static int take_listed(struct iova *c)
{
	for (size_t i = 0; i < c->listed.nr; i++) {
		const struct dma_mapping *m = &c->listed.mapping[i];
		const struct ptwalk_stretch s = { m->bus, m->known, m->phys };

		c->unknown += m->bytes - m->known;
		if (m->known && busmap_add(&c->look.map, &s))
			return error_no_memory();
	}
	c->refused = strdup(ptwalk_strerror(c->look.client));
	return c->refused ? 0 : error_no_memory();
}

static void put_finding(const struct dma_finding *f, void *arg)
{
	struct iova *c = arg;

	c->mismatches++;
	if (!c->json) {
		printf("mismatch: bus address 0x%" PRIx64 ", of the mapping 0x%" PRIx64 "+0x%" PRIx64 "\n"
		       "  tables    ", f->bus, f->mapping.bus, f->mapping.bytes);
		if (f->is_mapped)
			printf("physical 0x%" PRIx64 "\n", f->seen);
		else
			printf("not mapped\n");
		printf("  dma-api   physical 0x%" PRIx64 "\n", f->phys);
		return;
	}
	jsonw_begin("finding");
	jsonw_text("verdict", "mismatch");
	jsonw_text("source", "dma-api");
	jsonw_text("device", c->look.facts.name);
	jsonw_hex("bus", f->bus);
	jsonw_hex_if("truth", f->is_mapped, f->seen);
	jsonw_hex("seen", f->phys);
	jsonw_end();
}

/* Pieces of this size, as a process may have many pages. */
#define OWN_PIECE	(UINT64_C(2) << 20)

static int take_own(const struct ptwalk_vma *vma, const struct ptwalk_extent *extents, size_t nr,
		    void *arg)
{
	struct iova *c = arg;
	const unsigned int shift = ptwalk_kernel(c->look.client)->page_shift;

	for (size_t i = 0; i < nr; i++) {
		const struct ptwalk_extent *e = &extents[i];
		const uint64_t start = e->addr & ~(OWN_PIECE - 1);
		const uint64_t last = (e->addr + (e->pages << shift) - 1) | (OWN_PIECE - 1);
		struct range *before = c->own.nr ? &c->own.range[c->own.nr - 1] : NULL;

		if (!ptwalk_bits_present(e->bits))
			continue;
		if (before && start <= before->last + 1)
			before->last = last;
		else if (ranges_add(&c->own, start, last))
			return error_no_memory();
	}
	return interrupted ? INTERRUPT_STOP : 0;
}

/* Bus addresses may be virtual ones: those of @ranges, or else all where memory is. */
static int look_at_same(struct iova *c, const struct ranges *ranges)
{
	int status = 0;

	if (c->pid && !ranges->nr)
		status = truth_stream(c->look.client, c->pid, 0, UINT64_MAX, take_own, c);
	if (!status)
		status = bus_look_same(&c->look, ranges->nr ? ranges : &c->own);
	bus_look_tidy(&c->look);
	return status;
}

/* @own: Of the process, that bus addresses are asked for. */
static int find_stretches(struct iova *c, const struct ranges *ranges, const struct ranges *own)
{
	int status = 0;

	if (c->look.facts.is_direct)
		return find_direct_ram(c);
	if (!device_translates(&c->look.facts))
		return 0;
	dmadump_read(strchr(c->look.facts.name, '/') + 1, device_page(&c->look.facts),
		     &c->listed);
	if (!c->listed.why_not && device_is_refused(c->look.client, &c->look.facts))
		return take_listed(c);
	if (!ranges->nr)
		status = bus_look_everywhere(&c->look);
	for (size_t i = 0; !status && i < ranges->nr; i++) {
		struct range inside = ranges->range[i];

		if (bus_look_cut(&c->look.facts, &inside))
			status = bus_look(&c->look, inside.start, inside.last);
	}
	bus_look_tidy(&c->look);
	if (!status && !ranges->nr) {
		status = look_at_listed(c);
		bus_look_tidy(&c->look);
	}
	if (!status && !ranges->nr && c->look.facts.domain == PTWALK_DOMAIN_UNMANAGED)
		status = look_at_same(c, own);
	if (!status)
		status = dmacheck(c->look.client, &c->look.facts, &c->listed,
				  &c->compared, put_finding, c);
	return status == INTERRUPT_STOP ? 0 : status;
}

static bool reachable(const struct ptwalk_device *f, uint64_t bus, uint64_t bytes)
{
	return bus + bytes - 1 <= device_reach(f);
}

static void print_bus_stretch(const struct iova *c, const struct ptwalk_stretch *s)
{
	char bus[FORMAT_RANGE], phys[FORMAT_RANGE], size[FORMAT_SIZE];
	bool reach = reachable(&c->look.facts, s->iova, s->bytes);

	if (!c->json) {
		out_check();
		printf("  %-33s %-33s %8s%s\n",
		       format_range(s->iova, s->iova + s->bytes - 1, bus),
		       format_range(s->phys, s->phys + s->bytes - 1, phys),
		       format_size(s->bytes, size),
		       reach ? "" : "  beyond the mask");
		return;
	}
	jsonw_begin("stretch");
	jsonw_text("device", c->look.facts.name);
	jsonw_hex("bus", s->iova);
	jsonw_hex("paddr", s->phys);
	jsonw_number("bytes", s->bytes);
	jsonw_bool("reachable", reach);
	jsonw_end();
}

static int compare_iova(const void *a, const void *b)
{
	const struct ptwalk_stretch *x = a, *y = b;

	return x->iova < y->iova ? -1 : x->iova > y->iova;
}

/* What is in the ranges of a stretch. */
static void print_parts(const struct iova *c, const struct ptwalk_stretch *s,
			const struct ranges *ranges)
{
	uint64_t last = s->iova + s->bytes - 1;

	for (size_t i = 0; i < ranges->nr; i++) {
		const struct range *r = &ranges->range[i];
		uint64_t from = s->iova > r->start ? s->iova : r->start;
		uint64_t to = last < r->last ? last : r->last;
		struct ptwalk_stretch part = {
			from, to - from + 1, s->phys + (from - s->iova)
		};

		if (from <= to)
			print_bus_stretch(c, &part);
	}
}

static void print_stretches(struct iova *c, const struct ranges *ranges)
{
	if (c->look.map.nr)
		qsort(c->look.map.stretch, c->look.map.nr, sizeof(*c->look.map.stretch),
		      compare_iova);
	if (!c->json && c->look.map.nr)
		printf("  %-33s %-33s %8s\n", "BUS", "PHYSICAL", "SIZE");
	for (size_t i = 0; i < c->look.map.nr; i++) {
		if (ranges->nr)
			print_parts(c, &c->look.map.stretch[i], ranges);
		else
			print_bus_stretch(c, &c->look.map.stretch[i]);
	}
}

/* A device that accesses it would be told that it can't. */
static void print_lost(struct iova *c, uint64_t first, uint64_t last, const char *why)
{
	char range[FORMAT_RANGE];

	c->lost++;
	if (!c->json) {
		snprintf(range, sizeof(range), "0x%" PRIx64, first);
		printf("  %s  %s: an access of the device would fault\n",
		       first == last ? range : format_range(first, last, range), why);
		return;
	}
	jsonw_begin("fault");
	jsonw_text("device", c->look.facts.name);
	jsonw_hex("bus", first);
	jsonw_hex_if("last", first != last, last);
	jsonw_end();
}

/* What no table can have of a range that was given. */
static void print_outside(struct iova *c, const struct range *given)
{
	static const char why[] = "outside of the aperture";
	struct range inside = *given;

	if (!bus_look_cut(&c->look.facts, &inside)) {
		print_lost(c, given->start, given->last, why);
		return;
	}
	if (given->start < inside.start)
		print_lost(c, given->start, inside.start - 1, why);
	if (given->last > inside.last)
		print_lost(c, inside.last + 1, given->last, why);
}

static void print_asked(struct iova *c)
{
	uint64_t phys;

	for (size_t i = 0; i < c->iovas.nr; i++)
		print_outside(c, &c->iovas.range[i]);
	for (size_t i = 0; i < c->asked.nr && !interrupted; i++) {
		struct range r = c->asked.range[i];

		if (!bus_look_cut(&c->look.facts, &r) || busmap_find(&c->look.map, r.start, &phys))
			continue;
		if (c->refused)
			c->unlisted++;
		else
			print_lost(c, r.start, r.last, "not mapped");
	}
}

/* In the order of the bus addresses, in which they were printed. */
static int lint_stretches(struct iova *c)
{
	int status = 0;

	c->lint = (struct iova_lint){
		.client = c->look.client, .facts = &c->look.facts, .json = c->json,
		.by_list = c->refused,
	};
	for (size_t i = 0; !status && i < c->look.map.nr && !interrupted; i++)
		status = iova_lint_stretch(&c->lint, &c->look.map.stretch[i]);
	return status;
}

/**
 * struct process - what a process has, in the order of its addresses
 * @vaddr: Width of the column of virtual addresses; @phys: of physical ones.
 */
struct process {
	struct iova *c;
	struct bus_rows rows;
	int vaddr, phys;
};

static int join_bus_extents(const struct ptwalk_vma *vma,
			    const struct ptwalk_extent *extents, size_t nr, void *arg)
{
	struct process *p = arg;
	unsigned int shift = ptwalk_kernel(p->c->look.client)->page_shift;

	for (size_t i = 0; i < nr; i++) {
		const struct ptwalk_extent *e = &extents[i];

		if (!ptwalk_bits_present(e->bits))
			continue;
		if (busmap_join(&p->c->look.map, e->addr, e->value << shift,
				e->pages << shift, &p->rows))
			return error_no_memory();
	}
	return interrupted ? INTERRUPT_STOP : 0;
}

static void print_bus_row(const struct process *p, const struct bus_row *row)
{
	const struct iova *c = p->c;
	char vaddr[FORMAT_RANGE], phys[FORMAT_RANGE], bus[FORMAT_RANGE] = "-";
	bool reach = row->is_mapped && reachable(&c->look.facts, row->bus, row->bytes);

	if (!c->json) {
		if (row->is_mapped)
			format_range(row->bus, row->bus + row->bytes - 1, bus);
		printf("  %-*s %-*s %s%s\n",
		       p->vaddr, format_range(row->vaddr, row->vaddr + row->bytes - 1, vaddr),
		       p->phys, format_range(row->phys, row->phys + row->bytes - 1, phys),
		       bus, !row->is_mapped || reach ? "" : "  beyond the mask");
		return;
	}
	jsonw_begin("page");
	jsonw_text("device", c->look.facts.name);
	jsonw_number("pid", c->pid);
	jsonw_hex("vaddr", row->vaddr);
	jsonw_hex("paddr", row->phys);
	jsonw_hex_if("bus", row->is_mapped, row->bus);
	jsonw_number("bytes", row->bytes);
	jsonw_bool("reachable", reach);
	jsonw_end();
}

/**
 * struct counts - what the summary tells
 * @bytes: Of a process, that are present.
 * @mapped: Of these, that have a bus address.
 */
struct counts {
	uint64_t bytes, mapped;
};

/* Whether the memory of a row is also that of the one before or behind it. */
static bool has_several(const struct bus_rows *rows, size_t i)
{
	return (i && rows->row[i - 1].vaddr == rows->row[i].vaddr) ||
	       (i + 1 < rows->nr && rows->row[i + 1].vaddr == rows->row[i].vaddr);
}

/*
 * How many rows from @at on follow each other in the process, and differ in nothing but
 * where they are; if they are so few that each has a line, 1.
 */
static size_t scattered_rows(const struct iova *c, const struct bus_rows *rows, size_t at)
{
	const struct ptwalk_device *f = &c->look.facts;
	const struct bus_row *first = &rows->row[at];
	const bool reach = reachable(f, first->bus, first->bytes);
	size_t nr = 1;

	if (c->json || c->verbose || has_several(rows, at))
		return 1;
	for (const struct bus_row *r = first + 1; at + nr < rows->nr; r++, nr++)
		if (r->vaddr != r[-1].vaddr + r[-1].bytes || r->is_mapped != first->is_mapped ||
		    has_several(rows, at + nr) ||
		    (r->is_mapped && reachable(f, r->bus, r->bytes) != reach))
			break;
	return nr > SCATTERED ? nr : 1;
}

static void print_scattered_rows(const struct process *p, const struct bus_row *rows,
				 size_t nr)
{
	const struct bus_row *last = &rows[nr - 1];
	const uint64_t bytes = last->vaddr + last->bytes - rows->vaddr;
	char vaddr[FORMAT_RANGE], pieces[SCATTERED_TEXT], bus[FORMAT_RANGE] = "-";
	bool in_a_row = true;

	for (size_t i = 1; i < nr; i++)
		in_a_row &= rows[i].bus == rows[i - 1].bus + rows[i - 1].bytes;
	if (rows->is_mapped && in_a_row)
		format_range(rows->bus, rows->bus + bytes - 1, bus);
	else if (rows->is_mapped)
		snprintf(bus, sizeof(bus), "scattered, too (-v)");
	snprintf(pieces, sizeof(pieces), "scattered: in %zu pieces", nr);
	printf("  %-*s %-*s %s%s\n",
	       p->vaddr, format_range(rows->vaddr, rows->vaddr + bytes - 1, vaddr),
	       p->phys, pieces, bus,
	       !rows->is_mapped || reachable(&p->c->look.facts, rows->bus, rows->bytes) ? "" :
	       "  beyond the mask");
}

static void widen(int *width, uint64_t start, uint64_t bytes)
{
	char range[FORMAT_RANGE];
	int len = strlen(format_range(start, start + bytes - 1, range));

	if (len > *width)
		*width = len;
}

/* Pages without a bus address are shown of ranges that somebody asked for. */
static void print_rows(struct process *p, bool all, struct counts *counts)
{
	const struct bus_rows *rows = &p->rows;
	const struct iova *c = p->c;

	for (size_t i = 0; i < rows->nr; i++) {
		widen(&p->vaddr, rows->row[i].vaddr, rows->row[i].bytes);
		widen(&p->phys, rows->row[i].phys, rows->row[i].bytes);
	}
	if (!c->json && rows->nr)
		printf("  %-*s %-*s %s\n", p->vaddr, "VIRTUAL", p->phys, "PHYSICAL", "BUS");
	for (size_t i = 0, told = 0; i < rows->nr && !interrupted; i++) {
		const struct bus_row *row = &rows->row[i];
		const size_t nr = i < told ? 0 : scattered_rows(c, rows, i);

		told = nr ? i + nr : told;
		if (nr > 1 && (row->is_mapped || all))
			print_scattered_rows(p, row, nr);
		else if (nr && (row->is_mapped || all))
			print_bus_row(p, row);
		/* Of several bus addresses of a page, one is counted. */
		if (i && row->vaddr == row[-1].vaddr)
			continue;
		counts->bytes += row->bytes;
		counts->mapped += row->is_mapped ? row->bytes : 0;
	}
}

static int print_process(struct iova *c, const struct ranges *ranges,
			 struct counts *counts)
{
	struct process p = { .c = c };
	int status = 0;

	if (busmap_sort(&c->look.map))
		return error_no_memory();
	if (!ranges->nr)
		status = truth_stream(c->look.client, c->pid, 0, UINT64_MAX,
				      join_bus_extents, &p);
	for (size_t i = 0; !status && i < ranges->nr; i++)
		status = truth_stream(c->look.client, c->pid, ranges->range[i].start,
				      ranges->range[i].last, join_bus_extents, &p);
	if (status == INTERRUPT_STOP)
		status = 0;
	if (!status)
		print_rows(&p, ranges->nr, counts);
	bus_rows_free(&p.rows);
	return status;
}

/* Without an IOMMU that translates, the bus address follows from the physical one. */
static bool is_arithmetic(const struct iova *c)
{
	return c->look.facts.is_direct && c->look.map.nr;
}

/* What is to be added to a physical address; false: that differs by range. */
static bool find_offset(const struct iova *c, uint64_t *offset)
{
	const struct ptwalk_stretch *s = c->look.map.stretch;

	*offset = s[0].iova - s[0].phys;
	for (size_t i = 1; i < c->look.map.nr; i++)
		if (s[i].iova - s[i].phys != *offset)
			return false;
	return true;
}

static void iova_summary_json(const struct iova *c, const struct ranges *unscanned,
			      const struct counts *counts)
{
	uint64_t offset = 0;
	bool known;

	jsonw_begin("summary");
	jsonw_text("device", c->look.facts.name);
	jsonw_number("stretches", c->look.map.nr);
	if (device_translates(&c->look.facts)) {
		bus_ranges_json("scanned", &c->look.scanned);
		bus_ranges_json("unscanned", unscanned);
		jsonw_text("source", c->refused ? "dma-api" : "tables");
		jsonw_number("unknown", c->unknown);
		jsonw_number("compared", c->compared);
		jsonw_number("mismatch", c->mismatches);
	}
	if (is_arithmetic(c)) {
		known = find_offset(c, &offset);
		jsonw_hex_if("offset", known, offset);
	}
	if (c->lints)
		iova_lint_json(&c->lint);
	if (c->pid) {
		jsonw_number("pid", c->pid);
		jsonw_number("bytes", counts->bytes);
		jsonw_number("mapped", counts->mapped);
	}
	jsonw_end();
}

static void summary_of_tables(const struct iova *c, const struct ranges *unscanned)
{
	if (c->look.scanned.nr) {
		printf("looked up");
		bus_ranges_print(&c->look.scanned);
		printf("%s: %zu stretch%s\n", interrupted ? ", then interrupted" : "",
		       c->look.map.nr, c->look.map.nr == 1 ? "" : "es");
	}
	if (unscanned->nr) {
		printf("not looked up");
		bus_ranges_print(unscanned);
		printf(": %s of it is looked up by itself\n",
		       c->pid ? "--iova RANGE" : "a RANGE");
	}
	if (c->compared)
		printf("compared with " DMADUMP_PATH ": %" PRIu64 " page%s, %" PRIu64 " mismatch\n",
		       c->compared, plural(c->compared), c->mismatches);
}

static void summary_of_offset(const struct iova *c)
{
	uint64_t offset;

	printf("no IOMMU that translates: the bus address is the physical address plus ");
	if (find_offset(c, &offset))
		printf("the device's offset of 0x%" PRIx64 "\n", offset);
	else
		printf("an offset that differs by range\n");
}

static void iova_summary_text(const struct iova *c, const struct ranges *unscanned,
			      const struct counts *counts)
{
	unsigned int shift = ptwalk_kernel(c->look.client)->page_shift;

	if (c->refused) {
		printf("as " DMADUMP_PATH " lists it: %zu stretch%s\n",
		       c->look.map.nr, c->look.map.nr == 1 ? "" : "es");
		if (c->unknown)
			printf("not told there: the physical addresses of %" PRIu64 " bytes more\n",
			       c->unknown);
		printf("not compared with the tables: %s\n", c->refused);
	} else if (device_translates(&c->look.facts)) {
		summary_of_tables(c, unscanned);
	} else if (is_arithmetic(c) && !c->pid) {
		summary_of_offset(c);
	}
	if (c->lints)
		iova_lint_print(&c->lint);
	if (c->pid)
		printf("process %d: %" PRIu64 " of %" PRIu64 " pages have a bus address%s\n",
		       (int)c->pid, counts->mapped >> shift, counts->bytes >> shift,
		       unscanned->nr ? " that was looked up" : "");
}

/* Why nothing is known of bus addresses, as the one line that says so. */
static int no_answer(const struct iova *c)
{
	const struct ptwalk_device *f = &c->look.facts;

	if (!f->is_direct)
		return fail(EXIT_UNCHECKED, "%s: %s%s%s", f->name,
			    f->domain != PTWALK_DOMAIN_NONE ?
			    domain_text(f->domain) :
			    "no IOMMU, and bus addresses are not a matter of arithmetic here",
			    f->ops[0] ? ": DMA goes by " : "", f->ops);
	return fail(EXIT_UNCHECKED,
		    "%s: no IOMMU that translates, and no RAM that has a bus address",
		    f->name);
}

static int run_iova(struct iova *c, const char *name, const struct ranges *iovas,
		    const struct ranges *ranges)
{
	struct ranges unscanned = { 0 };
	struct counts counts = { 0 };
	const uint64_t none = 0;
	int status;

	status = client_open(&c->look.client);
	if (!status)
		status = device_read(c->look.client, name, &none, 1, &c->look.facts);
	if (status)
		return status;
	if (c->json)
		facts_json(&c->look.facts);
	else
		facts_text(&c->look.facts);
	if (c->lints && !device_translates(&c->look.facts))
		return fail(EXIT_UNCHECKED, "%s: --lint judges what an IOMMU translates, and here %s",
			    c->look.facts.name, domain_text(c->look.facts.domain));
	interrupt_begin();
	status = find_stretches(c, iovas, ranges);
	if (!status && c->pid)
		status = print_process(c, ranges, &counts);
	else if (!status)
		print_stretches(c, iovas);
	if (!status && device_translates(&c->look.facts))
		print_asked(c);
	if (!status && c->lints)
		status = lint_stretches(c);
	if (status)
		return status;
	status = bus_look_unscanned(&c->look, &unscanned);
	if (!status && c->json)
		iova_summary_json(c, &unscanned, &counts);
	else if (!status)
		iova_summary_text(c, &unscanned, &counts);
	ranges_free(&unscanned);
	if (status)
		return status;
	if (interrupted)
		return interrupt_end();
	if (!device_translates(&c->look.facts) && !is_arithmetic(c))
		return no_answer(c);
	if (c->mismatches || c->lost || (c->lints && iova_lint_wrong(&c->lint)))
		return EXIT_MISMATCH;
	if (c->unlisted)
		return fail(EXIT_UNCHECKED, DMADUMP_PATH " doesn't tell where %" PRIu64 " of the bus addresses lead",
			    c->unlisted);
	return 0;
}

/* A range of bus addresses, or one of them. */
static int add_iova(struct iova *c, const char *arg, struct ranges *ranges)
{
	const char *why;
	struct range range;
	uint64_t total = 0;
	bool single;

	why = parse_range_or_address(arg, &range, &single);
	if (!why && (ranges_add(ranges, range.start, range.last) ||
		     (single && ranges_add(&c->asked, range.start, range.last))))
		return error_no_memory();
	if (why)
		return fail(EXIT_USAGE,
			    "range '%s': %s: give ADDRESS, START-END or START+LENGTH in hexadecimal",
			    arg, why);
	for (size_t i = 0; i < ranges->nr; i++) {
		uint64_t pages = (ranges->range[i].last -
				  ranges->range[i].start) / 4096;

		total = pages < MAX_LOOKUPS ? total + pages : MAX_LOOKUPS;
		if (total >= MAX_LOOKUPS)
			return fail(EXIT_USAGE,
				    "range '%s': more than 1T of bus addresses, each page of which would be looked up: give smaller ones",
				    arg);
	}
	return 0;
}

static int take_iova(void *to)
{
	struct iova *c = to;

	return add_iova(c, optarg, &c->iovas);
}

/* RANGEs are of the process if there is one, else of the bus. */
static int add_ranges(struct iova *c, const char *pid, int argc, char **argv,
		      struct ranges *iovas, struct ranges *ranges)
{
	struct maps maps = { 0 };
	int status = 0;

	if (!pid && (c->subject.map.file || c->subject.touch))
		return error_usage("--map goes with -p self");
	for (int i = 0; !status && !pid && i < argc; i++)
		status = add_iova(c, argv[i], iovas);
	if (!pid)
		return status;
	status = ranges_check(argv, argc);
	if (!status)
		status = subject_open(&c->subject, pid);
	c->pid = c->subject.pid;
	if (!status)
		status = subject_maps(&c->subject, NULL, &maps);
	if (!status && (argc || c->subject.map.file))
		status = subject_ranges(&c->subject, &maps, argv, argc, ranges);
	maps_free(&maps);
	return status;
}

int cmd_iova(int argc, char **argv)
{
	struct ranges ranges = { 0 };
	char name[DEVNAME_SIZE];
	struct iova c = { 0 };
	const char *pid = NULL;
	const struct command_option options[] = {
		{ "iova", .take = take_iova, .to = &c },
		{ "json", .flag = &c.json },
		{ "lint", .flag = &c.lints },
		{ OPTION_MAP(&c.subject) },
		{ "pid", 'p', .once = &pid },
		{ "touch", .flag = &c.subject.touch },
		{ "verbose", 'v', .flag = &c.verbose },
		{ 0 }
	};
	int status = options_take(argc, argv, options);

	if (!status)
		status = optind < argc ? devname_parse(argv[optind], name) :
			 error_usage("a device is missing: " DEVNAME_SUCH_AS);
	if (!status)
		status = add_ranges(&c, pid, argc - optind - 1, argv + optind + 1,
				    &c.iovas, &ranges);
	if (!status)
		status = run_iova(&c, name, &c.iovas, &ranges);

	ranges_free(&c.iovas);
	ranges_free(&ranges);
	ranges_free(&c.look.scanned);
	ranges_free(&c.asked);
	ranges_free(&c.own);
	subject_close(&c.subject);
	dmadump_free(&c.listed);
	free(c.refused);
	busmap_free(&c.look.map);
	ptwalk_close(c.look.client);
	return status;
}
