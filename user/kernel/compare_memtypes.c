// SPDX-License-Identifier: GPL-2.0
/*
 * What areas map against the list of the memory types that x86 has given out
 * (arch/x86/mm/pat/memtype.c, 6.1 to 7.3). RAM isn't in it: its pages tell their type.
 */
#include <inttypes.h>
#include "kernel/findings.h"
#include "module/memory_types.h"
#include "module/names.h"

static bool differs(unsigned int a, unsigned int b)
{
	const enum caching one = memtype_caching(a), other = memtype_caching(b);

	return one != other && one != CACHING_UNKNOWN && other != CACHING_UNKNOWN;
}

/*
 * An extent of the area against each range that it maps some of. They may overlap, as
 * there is one for each who has asked: a finding is of the first that differs.
 */
static void compare_extent(const struct kernel_facts *facts, const struct vmalloc_area *area,
			   const struct kernel_extent *e, struct kernel_findings *findings)
{
	const struct memtype_range *range, *other = NULL;
	char is[NAME_SIZE], given[NAME_SIZE];

	for (size_t n = 0; n < facts->memtypes.nr; n++) {
		range = &facts->memtypes.range[n];
		if (e->phys >= range->end || e->phys + e->bytes <= range->start)
			continue;
		findings->memtypes++;
		if (!other && differs(e->type, range->type))
			other = range;
	}
	if (other)
		kernel_found(findings, "memtype", e->start, e->bytes,
			     "%s: %s, but 0x%" PRIx64 "-0x%" PRIx64 " was given out as %s",
			     kernel_area_name(area), name_of(&names_memory_type, e->type, is),
			     other->start, other->end,
			     name_of(&names_memory_type, other->type, given));
}

static void compare_area_memtypes(const struct kernel_facts *facts, const struct vmalloc_area *area,
				  struct kernel_findings *findings)
{
	const struct kernel_tables *t = &facts->tables;

	for (size_t i = kernel_extent_from(t, area->start);
	     i < t->nr && t->extent[i].start < area->end; i++)
		if (t->extent[i].kind == KERNEL_MAPPED)
			compare_extent(facts, area, &t->extent[i], findings);
}

/*
 * memtype_reserve(): what is below 1M is given out to everybody, and isn't listed, nor is
 * RAM that is reserved, whose pages tell their type. Whether it is RAM must be known.
 */
static bool is_listed(const struct kernel_facts *facts, uint64_t phys)
{
	const struct memtype_list *list = &facts->memtypes;

	for (size_t n = 0; n < list->nr; n++)
		if (phys >= list->range[n].start && phys < list->range[n].end)
			return true;
	return phys < 1 << 20 || facts->iomem.why_not || iomem_is_ram(&facts->iomem, phys);
}

void kernel_compare_memtypes(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	const struct vmalloc_area *area;

	for (size_t i = 0; facts->memtypes.nr && i < facts->areas.nr; i++) {
		area = &facts->areas.area[i];
		if (area->is_freed || !area->is_ioremap || !kernel_area_was_there(facts, area))
			continue;
		compare_area_memtypes(facts, area, findings);
		if (area->has_phys && !is_listed(facts, area->phys))
			kernel_found(findings, "memtype", area->start, area->end - area->start,
				     "%s: nobody has asked for a memory type of 0x%" PRIx64,
				     kernel_area_name(area), area->phys);
	}
}
