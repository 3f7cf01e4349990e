// SPDX-License-Identifier: GPL-2.0
/* What the kernel's tables should never have, whoever has made it. */
#include <inttypes.h>
#include <string.h>
#include "base/format.h"
#include "kernel/findings.h"
#include "module/memory_types.h"
#include "module/names.h"

static const char *where(const struct kernel_facts *facts, uint64_t addr)
{
	const struct vmalloc_area *area = vmallocinfo_at(&facts->areas, addr);
	const struct kernel_region *r = kernel_region_at(&facts->tables, addr);

	return area && *area->caller ? area->caller : r ? r->name : "nothing";
}

/*
 * The first page of the lowcore of s390 has the instruction that returns to processes, if
 * the machine lacks a facility or jumps through trampolines (vmem_map_init()).
 */
static bool is_lowcore(const struct kernel_tables *t, const struct kernel_region *r,
		       const struct kernel_extent *e)
{
	return r && !strcmp(r->name, "lowcore") && e->start == r->start &&
	       e->bytes == 1ULL << t->page_shift;
}

void kernel_lint_rights(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	const struct kernel_extent *e;
	const struct kernel_region *r;

	for (size_t i = 0; i < facts->tables.nr; i++) {
		e = &facts->tables.extent[i];
		if (e->kind != KERNEL_MAPPED)
			continue;
		findings->extents++;
		r = kernel_region_at(&facts->tables, e->start);
		if (e->write && e->exec && !is_lowcore(&facts->tables, r, e))
			kernel_found(findings, "write-exec", e->start, e->bytes,
				     "%s: it can be written to and executed",
				     where(facts, e->start));
		/* Both are for processes. */
		if (e->user && !(r && (!strcmp(r->name, "vsyscall") || !strcmp(r->name, "ldt"))))
			kernel_found(findings, "user", e->start, e->bytes,
				     "%s: processes can reach it", where(facts, e->start));
	}
}

static const char *type_name(unsigned int type, char buf[NAME_SIZE])
{
	return name_of(&names_memory_type, type, buf);
}

/*
 * Since Linux 6.10, c98d2ecae08f, s390 maps the image twice, and __set_memory_rox() is for
 * the one where it runs alone.
 */
static bool is_image_of_s390(const struct kernel_tables *t, uint64_t addr)
{
	const struct kernel_region *r = kernel_region_at(t, addr);

	return r && !strcmp(r->name, "image") && kernel_region_named(t, "lowcore");
}

/*
 * Whether an area of that address came or went while the tables were read: its entries
 * and those of the direct mapping are of two moments, and may belong to two areas.
 */
static bool came_or_went(const struct kernel_facts *facts, uint64_t addr)
{
	const struct vmalloc_area *area = vmallocinfo_at(&facts->areas, addr);

	return area ? !kernel_area_was_there(facts, area) :
		      vmallocinfo_at(&facts->before, addr) != NULL;
}

/* An extent outside the direct mapping, and one of that mapping with the same memory. */
static void lint_alias(const struct kernel_facts *facts, const struct kernel_extent *e,
		       const struct kernel_extent *direct, uint64_t offset,
		       struct kernel_findings *findings)
{
	const uint64_t from = e->phys + offset, to = from + e->bytes;
	const uint64_t start = direct->start > from ? direct->start : from;
	const uint64_t behind = direct->start + direct->bytes;
	const uint64_t bytes = (behind < to ? behind : to) - start;
	const uint64_t addr = e->start + (start - from);
	const struct vmalloc_area *area = vmallocinfo_at(&facts->areas, addr);
	const unsigned int a = memtype_caching(e->type), b = memtype_caching(direct->type);
	const bool known = is_image_of_s390(&facts->tables, addr);
	char one[NAME_SIZE], other[NAME_SIZE];
	struct kernel_finding *f;

	if (came_or_went(facts, addr))
		return;
	if (e->exec && !e->write && direct->write) {
		f = kernel_found(findings, "writable-alias", addr, bytes,
				 "%s: can be executed here, and written to at 0x%" PRIx64 "%s",
				 where(facts, addr), start,
				 known ? ": Linux of s390 protects it where it runs alone" : "");
		if (f) {
			f->known = known;
			f->more = start;
		}
	}
	/* Without areas it isn't known which memory may have a type of its own. */
	if (facts->areas.why_not || a == b || a == CACHING_UNKNOWN || b == CACHING_UNKNOWN)
		return;
	if (area && area->is_coherent) {
		findings->by_design += bytes;
		return;
	}
	f = kernel_found(findings, "two-types", addr, bytes,
			 "%s: %s here, %s in the direct mapping at 0x%" PRIx64,
			 where(facts, addr), type_name(e->type, one),
			 type_name(direct->type, other), start);
	if (f)
		f->more = start;
}

static bool region_has(const struct kernel_region *r, uint64_t addr)
{
	return addr >= r->start && addr <= r->last;
}

void kernel_lint_aliases(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	const struct kernel_tables *t = &facts->tables;
	const struct kernel_region *r = kernel_region_named(t, "direct");
	size_t first = r ? kernel_extent_from(t, r->start) : t->nr, j;
	const struct kernel_extent *e;
	uint64_t offset;

	while (first < t->nr && t->extent[first].kind != KERNEL_MAPPED)
		first++;
	if (first == t->nr || !region_has(r, t->extent[first].start))
		return;
	/* The same for all of it. */
	offset = t->extent[first].start - t->extent[first].phys;
	for (size_t i = 0; i < t->nr; i++) {
		e = &t->extent[i];
		if (e->kind != KERNEL_MAPPED || region_has(r, e->start) ||
		    !region_has(r, e->phys + offset))
			continue;
		for (j = kernel_extent_from(t, e->phys + offset);
		     j < t->nr && region_has(r, t->extent[j].start) &&
		     t->extent[j].start - offset < e->phys + e->bytes; j++)
			if (t->extent[j].kind == KERNEL_MAPPED)
				lint_alias(facts, e, &t->extent[j], offset, findings);
	}
}

void kernel_count_unread(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	const struct kernel_extent *e;

	for (size_t i = 0; i < facts->tables.nr; i++) {
		e = &facts->tables.extent[i];
		if (e->kind == KERNEL_UNREADABLE || e->kind == KERNEL_CHANGING)
			findings->unread += e->bytes;
	}
}
