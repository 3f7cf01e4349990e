// SPDX-License-Identifier: GPL-2.0
/* The rights of modules' code, constants and data, by their sections. */
#include <inttypes.h>
#include <string.h>
#include "kernel/findings.h"

/* Whether the same section was there after the tables were read, too. */
static bool is_there_still(const struct kernel_facts *facts, const struct module_section *s)
{
	const struct module_sections *after = &facts->sections_after;

	for (size_t i = 0; i < after->nr; i++)
		if (after->section[i].addr == s->addr && after->section[i].name == s->name &&
		    !strcmp(after->section[i].module, s->module))
			return true;
	return false;
}

static void compare_section(const struct kernel_facts *facts, const struct module_section *s,
			    struct kernel_findings *findings)
{
	const struct kernel_tables *t = &facts->tables;
	const uint64_t mask = (1ULL << t->page_shift) - 1;
	const size_t i = kernel_extent_from(t, s->addr);
	const struct kernel_extent *e = i < t->nr && t->extent[i].start <= s->addr ?
					&t->extent[i] : NULL;

	if (e && e->kind != KERNEL_MAPPED)
		return;
	findings->sections++;
	if (e && e->write == s->write && e->exec == s->exec)
		return;
	kernel_found(findings, "module-rights", s->addr & ~mask, mask + 1, e ?
		     "%s of %s can%s be written to, and can%s be executed" : "%s of %s isn't mapped",
		     s->name, s->module, e && e->write ? "" : "not", e && e->exec ? "" : "not");
}

void kernel_compare_modules(const struct kernel_facts *facts, struct kernel_findings *findings)
{
	for (size_t i = 0; i < facts->sections.nr; i++)
		if (is_there_still(facts, &facts->sections.section[i]))
			compare_section(facts, &facts->sections.section[i], findings);
}
