// SPDX-License-Identifier: GPL-2.0
/* The kernel's tables against /proc/vmallocinfo, /proc/meminfo and /proc/kcore. */
#include <inttypes.h>
#include <string.h>
#include "base/array.h"
#include "base/format.h"
#include "kernel/findings.h"

/**
 * struct mapped - what the tables map of an area
 * @pages: How many pages.
 * @first: Address of the first one that isn't where it should be, with @is_wrong.
 * @phys: Where that is.
 * @is_row: They are in a row from the beginning of the area on.
 */
struct mapped {
	uint64_t pages, first, phys;
	bool is_wrong, is_row;
};

static uint64_t page_size(const struct kernel_facts *facts)
{
	return 1ULL << facts->tables.page_shift;
}

/* The part of the extent from @start up to @end. */
static bool clip_kernel_extent(struct kernel_extent *e, uint64_t start, uint64_t end)
{
	uint64_t behind = e->start + e->bytes, cut = start > e->start ? start - e->start : 0;

	if (e->start >= end || (behind && behind <= start))
		return false;
	e->start += cut;
	e->bytes -= cut;
	if (e->kind == KERNEL_MAPPED)
		e->phys += cut;
	if (e->bytes > end - e->start)
		e->bytes = end - e->start;
	return true;
}

/* Returns whether all of it could be read. */
static bool look_at_area(const struct kernel_facts *facts, const struct vmalloc_area *area,
			 struct mapped *mapped)
{
	const struct kernel_tables *t = &facts->tables;
	uint64_t next = area->start;
	struct kernel_extent e;

	*mapped = (struct mapped){ .is_row = true };
	for (size_t i = kernel_extent_from(t, area->start); i < t->nr; i++) {
		e = t->extent[i];
		if (!clip_kernel_extent(&e, area->start, area->end))
			break;
		if (e.kind == KERNEL_UNREADABLE || e.kind == KERNEL_CHANGING)
			return false;
		mapped->is_row &= e.start == next;
		next = e.start + e.bytes;
		mapped->pages += e.bytes >> t->page_shift;
		if (area->has_phys && !mapped->is_wrong &&
		    e.phys - area->phys != e.start - area->start) {
			mapped->is_wrong = true;
			mapped->first = e.start;
			mapped->phys = e.phys;
		}
	}
	return true;
}

/*
 * What an area has that is known by its physical address: all of it, from its beginning
 * on, but for the guard page. On arm64 the parts of the kernel's image are such areas,
 * too: only the last one has a guard page, and that of the start-up code is freed.
 */
static void compare_area_phys(const struct kernel_facts *facts, const struct vmalloc_area *area,
			      const struct mapped *mapped, struct kernel_findings *findings)
{
	uint64_t pages = (area->end - area->start) >> facts->tables.page_shift;
	bool is_image = !strncmp(area->caller, "paging_init", 11) ||
			!strncmp(area->caller, "declare_", 8) ||
			!strncmp(area->caller, "map_kernel", 10);

	if (mapped->is_wrong)
		kernel_found(findings, "vmalloc-phys", area->start, area->end - area->start,
			     "0x%" PRIx64 " of %s is mapped to 0x%" PRIx64
			     ", by vmallocinfo to 0x%" PRIx64,
			     mapped->first, kernel_area_name(area), mapped->phys,
			     area->phys + (mapped->first - area->start));
	else if (!(mapped->pages == pages - 1 && mapped->is_row) &&
		 !(is_image && (mapped->pages == pages || !mapped->pages)))
		kernel_found(findings, "vmalloc-pages", area->start, area->end - area->start,
			     "%s: %" PRIu64 " page%s mapped, by vmallocinfo %" PRIu64
			     " at phys=0x%" PRIx64,
			     kernel_area_name(area), mapped->pages, plural(mapped->pages),
			     pages - 1, area->phys);
}

/*
 * Whether it is hardware's, not what somebody has taken of memory or of a device:
 * /proc/iomem doesn't show IORESOURCE_BUSY. Hardware's are those of known names, and
 * those with others inside, but for what x86 makes busy with these: RAM and its like
 * (do_mark_busy() in arch/x86/kernel/e820.c), all below 1M, and the configuration of
 * PCI devices.
 */
static bool is_hardware(const struct iomem *iomem, size_t i)
{
	static const char *const known[] = { "PCI Bus ", "HPET ", "pnp " };
	static const char *const busy[] = {
		"System RAM", "ACPI ", "Unusable ", "Unknown ", "PCI MMCONFIG ", "PCI ECAM ",
	};
	const struct iomem_resource *r = &iomem->resource[i];

	if (r->depth || r->start < 1 << 20)
		return false;
	for (size_t n = 0; n < sizeof(known) / sizeof(known[0]); n++)
		if (!strncmp(r->name, known[n], strlen(known[n])))
			return true;
	for (size_t n = 0; n < sizeof(busy) / sizeof(busy[0]); n++)
		if (!strncmp(r->name, busy[n], strlen(busy[n])))
			return false;
	return i + 1 < iomem->nr && r[1].depth;
}

/*
 * What ioremap() maps of hardware's resource is in it, counted in pages, as
 * iomem_map_sanity_check() has it.
 */
static void compare_resources(const struct kernel_facts *facts, const struct vmalloc_area *area,
			      struct kernel_findings *findings)
{
	const uint64_t mask = page_size(facts) - 1;
	const uint64_t last = area->phys + (area->end - area->start) - page_size(facts) - 1;
	const struct iomem_resource *r;

	for (size_t i = 0; i < facts->iomem.nr; i++) {
		r = &facts->iomem.resource[i];
		if (r->start > last || r->last < area->phys || !is_hardware(&facts->iomem, i) ||
		    ((r->start & ~mask) <= area->phys && (r->last | mask) >= last))
			continue;
		kernel_found(findings, "iomem", area->start, area->end - area->start,
			     "%s: 0x%" PRIx64 "-0x%" PRIx64 " is mapped, of which 0x%" PRIx64
			     "-0x%" PRIx64 " is %s, and the rest is not",
			     kernel_area_name(area), area->phys, last + 1, r->start, r->last + 1,
			     r->name);
		return;
	}
}

static void compare_area_pages(const struct kernel_facts *facts, const struct vmalloc_area *area,
			       struct kernel_findings *findings)
{
	struct mapped mapped;

	if (area->is_freed || !(area->has_pages || area->has_phys) ||
	    !kernel_area_was_there(facts, area) || !look_at_area(facts, area, &mapped))
		return;
	findings->areas++;
	if (area->has_phys) {
		compare_area_phys(facts, area, &mapped, findings);
		if (area->is_ioremap)
			compare_resources(facts, area, findings);
		return;
	}
	if (mapped.pages != area->pages)
		kernel_found(findings, "vmalloc-pages", area->start, area->end - area->start,
			     "%s: %" PRIu64 " page%s mapped, by vmallocinfo %" PRIu64,
			     kernel_area_name(area), mapped.pages, plural(mapped.pages),
			     area->pages);
	else if (!mapped.is_row && area->is_vmalloc)
		kernel_found(findings, "vmalloc-pages", area->start, area->end - area->start,
			     "%s: its %" PRIu64 " page%s not mapped from its beginning on",
			     kernel_area_name(area), mapped.pages,
			     mapped.pages == 1 ? " is" : "s are");
}

static void compare_segment(const struct kernel_facts *facts, const struct kcore_segment *s,
			    struct kernel_findings *findings)
{
	const struct kernel_tables *t = &facts->tables;
	struct kernel_extent e;

	for (size_t i = kernel_extent_from(t, s->vaddr); i < t->nr; i++) {
		e = t->extent[i];
		if (!clip_kernel_extent(&e, s->vaddr, s->vaddr + s->size))
			break;
		if (e.kind == KERNEL_MAPPED && e.phys - s->paddr != e.start - s->vaddr)
			kernel_found(findings, "kcore", e.start, e.bytes,
				     "mapped to 0x%" PRIx64 ", by the headers of /proc/kcore to 0x%" PRIx64,
				     e.phys, s->paddr + (e.start - s->vaddr));
	}
}

void kernel_compare_kcore(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	for (size_t i = 0; i < facts->kcore.nr; i++)
		compare_segment(facts, &facts->kcore.segment[i], findings);
	findings->segments += facts->kcore.nr;
}

/* Where the next area begins, or @end if that comes first. */
static uint64_t next_area(const struct vmallocinfo *areas, uint64_t at, uint64_t end)
{
	for (size_t i = array_from(areas->area, areas->nr, start, at); i < areas->nr; i++)
		if (!areas->area[i].is_freed)
			return areas->area[i].start < end ? areas->area[i].start : end;
	return end;
}

/* The part of the extent that no area holds. */
static void compare_owner(const struct kernel_facts *facts, const struct kernel_extent *e,
			  struct kernel_findings *findings)
{
	uint64_t at = e->start, end = e->start + e->bytes, next;
	const struct vmalloc_area *area;
	struct kernel_finding *f;

	while (at < end) {
		area = vmallocinfo_at(&facts->areas, at);
		if (!area)
			area = vmallocinfo_at(&facts->before, at);
		if (area) {
			at = area->end;
			continue;
		}
		next = next_area(&facts->areas, at, next_area(&facts->before, at, end));
		f = kernel_found(findings, "vmalloc-nobody", at, next - at, "%" PRIu64
				 " page%s mapped to 0x%" PRIx64 " in no area of vmallocinfo",
				 (next - at) >> facts->tables.page_shift,
				 next - at > page_size(facts) ? "s" : "",
				 e->phys + (at - e->start));
		/* Short-lived areas at one address have other memory each time. */
		if (f)
			f->more = e->phys + (at - e->start);
		at = next;
	}
}

static void compare_owners(const struct kernel_facts *facts, const char *part,
			   struct kernel_findings *findings)
{
	const struct kernel_tables *t = &facts->tables;
	const struct kernel_region *r = kernel_region_named(t, part);
	struct kernel_extent e;

	for (size_t i = r ? kernel_extent_from(t, r->start) : t->nr; i < t->nr; i++) {
		e = t->extent[i];
		if (!clip_kernel_extent(&e, r->start, r->last + 1))
			break;
		findings->extents++;
		if (e.kind == KERNEL_MAPPED)
			compare_owner(facts, &e, findings);
	}
}

void kernel_compare_areas(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	if (facts->areas.why_not || facts->before.why_not)
		return;
	for (size_t i = 0; i < facts->areas.nr; i++)
		compare_area_pages(facts, &facts->areas.area[i], findings);
	compare_owners(facts, "vmalloc", findings);
	compare_owners(facts, "modules", findings);
}

void kernel_compare_used(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	const struct vmalloc_used *u = &facts->used;
	struct kernel_finding *f;

	if (!u->is_known)
		return;
	findings->sizes++;
	if (u->used <= u->listed + u->rough && u->listed <= u->used + u->rough)
		return;
	f = kernel_found(findings, "vmalloc-used", 0, 0, "VmallocUsed is %" PRIu64
			 " kB in meminfo, %" PRIu64 " kB by the areas of vmallocinfo",
			 u->used, u->listed);
	/* Where processors keep a part of it, that may move. */
	if (f && !u->rough)
		f->more = u->used - u->listed;
}

/* The extent of that number or the next one that is mapped in the region, or NULL. */
static const struct kernel_extent *mapped_in(const struct kernel_tables *t,
					     const struct kernel_region *r, size_t *i)
{
	for (; *i < t->nr && t->extent[*i].start <= r->last; (*i)++)
		if (t->extent[*i].kind == KERNEL_MAPPED)
			return &t->extent[*i];
	return NULL;
}

/*
 * How many kB of the image are mapped by PTEs where a huge page would do: it was split.
 * Within one in which the image begins or ends, as on s390, none ever was.
 */
static uint64_t split_image(const struct kernel_facts *facts)
{
	const struct kernel_tables *t = &facts->tables;
	const struct kernel_region *r = kernel_region_named(t, "image");
	const size_t begin = r ? kernel_extent_from(t, r->start) : t->nr;
	const unsigned int shift = t->level_shift[1];
	const uint64_t huge = 1ULL << shift;
	uint64_t next = 0, end = 0, nr = 0, from, to;
	const struct kernel_extent *e;

	for (size_t i = begin; (e = mapped_in(t, r, &i)); i++) {
		if (!end)
			next = (e->start + huge - 1) >> shift;
		end = (e->start + e->bytes) >> shift;
	}
	for (size_t i = begin; (e = mapped_in(t, r, &i)); i++) {
		from = e->start >> shift < next ? next : e->start >> shift;
		to = (e->start + e->bytes + huge - 1) >> shift;
		to = to < end ? to : end;
		if (e->level == 1 && from < to && !((e->start ^ e->phys) & (huge - 1))) {
			nr += to - from;
			next = to;
		}
	}
	return nr * huge >> 10;
}

/*
 * Steps in which memory_map_top_down() maps RAM, each at least 32 times the one
 * before (get_new_step_size(), 6.1): 2M, 64M, 2G, 64G, 2T.
 */
#define BOOT_STEPS	5

/*
 * Bytes of the extent that aren't the lowcore of s390: this is mapped apart from RAM, for
 * each processor has its own there, and no size has it.
 */
static uint64_t bytes_of_ram(const struct kernel_tables *t, const struct kernel_extent *e)
{
	const struct kernel_region *r = kernel_region_named(t, "lowcore");
	struct kernel_extent part = *e;

	return r && clip_kernel_extent(&part, r->start, r->last + 1) ? e->bytes - part.bytes :
	       e->bytes;
}

/**
 * struct absent_ram - RAM that the direct mapping lacks, in kB: pages of memfd_secret(),
 *	pages that failed, KFENCE's
 * @part: Of huge pages, the rest of which is mapped.
 * @whole: The rest.
 *
 * Nothing takes them out of the sizes (arch/x86/mm/pat/set_memory.c, 7.3): of a huge
 * page that was split, split_page_count() has counted its pages as small ones.
 */
struct absent_ram {
	uint64_t part, whole;
};

static void add_absent(struct absent_ram *absent, uint64_t huge, uint64_t from, uint64_t to)
{
	const uint64_t first = (from + huge - 1) & ~(huge - 1);
	const uint64_t end = to & ~(huge - 1);
	const uint64_t whole = first < end ? end - first : 0;

	absent->whole += whole >> 10;
	absent->part += from < to ? (to - from - whole) >> 10 : 0;
}

/* Between addresses of RAM; extents of the direct mapping ascend by these, too. */
static void absent_between(const struct kernel_facts *facts, const struct kernel_region *r,
			   uint64_t from, uint64_t to, struct absent_ram *absent)
{
	const struct kernel_tables *t = &facts->tables;
	const uint64_t huge = 1ULL << t->level_shift[1];
	const struct kernel_extent *e;

	for (size_t i = kernel_extent_from(t, r->start); (e = mapped_in(t, r, &i)); i++) {
		if (e->phys + e->bytes <= from)
			continue;
		if (e->phys >= to)
			break;
		add_absent(absent, huge, from, e->phys);
		from = e->phys + e->bytes;
	}
	add_absent(absent, huge, from, to);
}

/* Of s390, neither the RAM at 0 nor that at whose addresses the lowcore is has a size. */
static struct absent_ram absent_ram(const struct kernel_facts *facts,
				    const struct kernel_region *r)
{
	const struct kernel_region *lowcore = kernel_region_named(&facts->tables, "lowcore");
	const uint64_t size = lowcore ? lowcore->last - lowcore->start + 1 : 0;
	const uint64_t at = lowcore && lowcore->start >= r->start && lowcore->last <= r->last ?
			    lowcore->start - r->start : 0;
	const uint64_t mask = page_size(facts) - 1;
	const struct iomem_resource *ram;
	struct absent_ram absent = { 0 };
	uint64_t from, to;

	for (size_t n = 0; n < facts->iomem.nr; n++) {
		ram = &facts->iomem.resource[n];
		if (strcmp(ram->name, "System RAM"))
			continue;
		from = ram->start < size ? size : (ram->start + mask) & ~mask;
		to = (ram->last + 1) & ~mask;
		absent_between(facts, r, from, to < at ? to : at, &absent);
		absent_between(facts, r, from < at + size ? at + size : from, to, &absent);
	}
	return absent;
}

/*
 * Of huge pages that are absent as a whole, how many kB were never split, as they are
 * in the size of huge ones still: all that this is more than @kb, or would be without
 * the bug that takes @split kB out of it.
 */
static uint64_t absent_huge(const struct directmap *map, uint64_t kb, uint64_t split,
			    uint64_t whole)
{
	const uint64_t more = map->kb[1] - kb;

	if (!map->has[1])
		return 0;
	if (more <= whole)
		return more;
	return more + split <= whole ? more + split : 0;
}

/*
 * Which known bug makes @level of meminfo @more kB larger than it is in the tables: one
 * of x86 and s390 (split_pmd_page() of arch/s390/mm/pageattr.c), and one of x86.
 */
static const char *known_bug(const struct directmap *map, int level, uint64_t more,
			     uint64_t split, uint64_t runs)
{
	if (split && level < 2 && (level ? -more : more) == split)
		return "split huge pages of the kernel's image are counted, too (directmap-image)";
	if (!strcmp(map->name[level], "DirectMap1G") && !(more & ((1ULL << 20) - 1)) &&
	    more >> 20 < BOOT_STEPS + runs)
		return "each step of mapping at boot counted what it met, too (directmap-boot)";
	return NULL;
}

void kernel_compare_directmap(const struct kernel_facts *facts,
			      struct kernel_findings *findings)
{
	const struct kernel_tables *t = &facts->tables;
	const struct kernel_region *r = kernel_region_named(t, "direct");
	const struct directmap *map = &facts->directmap;
	uint64_t kb[DIRECTMAP_LEVELS] = { 0 }, split = split_image(facts);
	uint64_t runs = 0, end = 0, huge;
	const struct kernel_extent *e;
	struct absent_ram absent;
	struct kernel_finding *f;
	const char *bug;

	if (!r)
		return;
	for (size_t i = kernel_extent_from(t, r->start); (e = mapped_in(t, r, &i)); i++) {
		if (e->level > DIRECTMAP_LEVELS)
			continue;
		kb[e->level - 1] += bytes_of_ram(t, e) >> 10;
		runs += e->start != end;
		end = e->start + e->bytes;
	}
	absent = absent_ram(facts, r);
	huge = absent_huge(map, kb[1], split, absent.whole);
	kb[0] += absent.part + absent.whole - huge;
	kb[1] += huge;
	for (int i = 0; i < DIRECTMAP_LEVELS; i++) {
		findings->sizes += map->has[i];
		if (!map->has[i] || map->kb[i] == kb[i])
			continue;
		bug = known_bug(map, i, map->kb[i] - kb[i], split, runs);
		f = kernel_found(findings, "directmap", r->start + i, 0,
				 "%s is %" PRIu64 " kB in meminfo, %" PRIu64 " kB in the tables%s%s",
				 map->name[i], map->kb[i], kb[i], bug ? ": " : "", bug ? bug : "");
		if (f) {
			f->more = map->kb[i] - kb[i];
			f->known = bug;
		}
	}
}
