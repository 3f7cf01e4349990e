// SPDX-License-Identifier: GPL-2.0
/* What areas of vmalloc(), vmap() and ioremap() should never map. */
#include <inttypes.h>
#include "base/array.h"
#include "base/format.h"
#include "base/parse.h"
#include "kernel/findings.h"
#include "proc/pagemap_bits.h"

/**
 * struct frame_law - what the frames of an area must be
 * @rule: What is broken otherwise.
 * @ioremap: Only areas of ioremap().
 * @never: Flags of a frame_run that none has,
 * @unless: but with one of these.
 * @what: What a frame is that breaks it.
 */
struct frame_law {
	const char *rule;
	bool ioremap;
	uint64_t never, unless;
	const char *what;
};

/* Memory that is reserved may be a device's: __ioremap_check_ram() lets it pass. */
static const struct frame_law laws[] = {
	{ "ioremap-ram", true, FRAME_RAM, KPF_BIT(RESERVED),
	  "memory of the kernel, no device's" },
	{ "freed-page", false, KPF_BIT(BUDDY) | KPF_BIT(PGTABLE) | KPF_BIT(OFFLINE), 0,
	  "free, or has another use by now" },
};

static bool is_broken(const struct frame_law *law, uint64_t flags)
{
	return flags & law->never && !(flags & law->unless);
}

static void lint_area(const struct kernel_facts *facts, const struct vmalloc_area *area,
		      const struct frame_law *law, struct kernel_findings *findings)
{
	const struct area_frames *frames = &facts->frames;
	const unsigned int shift = facts->tables.page_shift;
	const struct frame_run *run, *first = NULL;
	struct kernel_finding *f;
	uint64_t pages = 0;

	for (size_t i = array_from(frames->run, frames->nr, start, area->start);
	     i < frames->nr && frames->run[i].start < area->end; i++) {
		run = &frames->run[i];
		if (!is_broken(law, run->flags))
			continue;
		if (!first)
			first = run;
		pages += run->bytes >> shift;
	}
	if (!first)
		return;
	f = kernel_found(findings, law->rule, area->start, area->end - area->start,
			 "%s: 0x%" PRIx64 " is mapped to 0x%" PRIx64 ", which is %s; so %" PRIu64
			 " page%s", kernel_area_name(area), first->start, first->phys,
			 law->what, pages, plural(pages));
	/* An area whose pages turn over may have another one that was just freed each time. */
	if (f) {
		f->more = first->phys;
		f->page = first->start;
	}
}

/* A function that is gone is told by its address. */
static void lint_owner(const struct kernel_facts *facts, const struct vmalloc_area *area,
		       struct kernel_findings *findings)
{
	const struct kernel_gone *gone;
	uint64_t caller;

	if (parse_hex(area->caller, &caller))
		return;
	gone = kernel_gone_at(&facts->tables, caller);
	if (gone && gone->text)
		kernel_found(findings, "module-leftover", area->start, area->end - area->start,
			     "made by code that lay where %s+0x%" PRIx64 " was, of a module that is unloaded",
			     gone->name, caller - gone->text);
	else if (gone)
		kernel_found(findings, "module-leftover", area->start, area->end - area->start,
			     "made by code that lay where the start-up code of %s was, which is unloaded",
			     gone->name);
}

void kernel_lint_areas(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	const struct vmalloc_area *area;

	for (size_t i = 0; i < facts->frames.nr; i++)
		findings->frames += facts->frames.run[i].bytes >> facts->tables.page_shift;
	for (size_t i = 0; i < facts->areas.nr; i++) {
		area = &facts->areas.area[i];
		if (area->is_freed || !kernel_area_was_there(facts, area))
			continue;
		lint_owner(facts, area, findings);
		for (size_t n = 0; n < sizeof(laws) / sizeof(laws[0]); n++)
			if (!laws[n].ioremap || area->is_ioremap)
				lint_area(facts, area, &laws[n], findings);
	}
}
