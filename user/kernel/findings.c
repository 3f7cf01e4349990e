// SPDX-License-Identifier: GPL-2.0
/* Findings about the kernel's tables, and those of two looks. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "kernel/findings.h"

struct kernel_finding *kernel_found(struct kernel_findings *findings, const char *rule,
				    uint64_t start, uint64_t bytes, const char *format, ...)
{
	struct kernel_finding *f;
	va_list args;

	if (!array_room(&findings->finding, &findings->max, findings->nr + 1, sizeof(*f))) {
		findings->no_memory = true;
		return NULL;
	}
	f = &findings->finding[findings->nr++];
	*f = (struct kernel_finding){ .rule = rule, .start = start, .bytes = bytes };
	va_start(args, format);
	vsnprintf(f->text, sizeof(f->text), format, args);
	va_end(args);
	return f;
}

static bool has_finding(const struct kernel_findings *findings, const struct kernel_finding *f)
{
	for (size_t i = 0; i < findings->nr; i++)
		if (!strcmp(findings->finding[i].rule, f->rule) &&
		    findings->finding[i].start == f->start &&
		    findings->finding[i].more == f->more &&
		    findings->finding[i].page == f->page)
			return true;
	return false;
}

void kernel_findings_keep(struct kernel_findings *findings,
			  const struct kernel_findings *again)
{
	size_t nr = 0;

	for (size_t i = 0; i < findings->nr; i++)
		if (has_finding(again, &findings->finding[i]))
			findings->finding[nr++] = findings->finding[i];
	findings->nr = nr;
	findings->no_memory |= again->no_memory;
}

void kernel_findings_free(struct kernel_findings *findings)
{
	free(findings->finding);
	memset(findings, 0, sizeof(*findings));
}

const char *kernel_area_name(const struct vmalloc_area *area)
{
	return *area->caller ? area->caller : "an area";
}

bool kernel_area_was_there(const struct kernel_facts *facts, const struct vmalloc_area *area)
{
	const struct vmalloc_area *b = vmallocinfo_at(&facts->before, area->start);

	return b && b->start == area->start && b->end == area->end &&
	       b->pages == area->pages && b->phys == area->phys &&
	       b->has_pages == area->has_pages && b->has_phys == area->has_phys;
}
