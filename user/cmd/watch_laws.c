// SPDX-License-Identifier: GPL-2.0
/* --laws of ptwalk watch and diff: entries that no operation may leave behind. */
#include <stdlib.h>
#include "base/error.h"
#include "cmd/watch_laws.h"
#include "lint/laws.h"

static void tell_broken_law(struct watch_laws *laws, struct lint_finding f, uint64_t start,
			    uint64_t last, struct changes_report *report)
{
	const unsigned int shift = report->info->page_shift;

	f.value += (start - f.addr) >> shift;
	f.addr = start;
	f.pages = (last - start + 1) >> shift;
	laws->pages += f.pages;
	changes_print_broken(report, &f, laws->name(start, laws->arg));
}

/* Of a finding, what lies between the ranges from @next on, which moves on. */
static void tell_new(struct watch_laws *laws, const struct lint_finding *f, size_t *next,
		     struct changes_report *report)
{
	const uint64_t last = f->addr + (f->pages << report->info->page_shift) - 1;
	const struct ranges *told = &laws->told[f->lint];
	uint64_t at = f->addr;
	size_t i = *next;

	while (i < told->nr && told->range[i].last < at)
		i++;
	*next = i;
	for (; i < told->nr && told->range[i].start <= last; i++) {
		if (at < told->range[i].start)
			tell_broken_law(laws, *f, at, told->range[i].start - 1, report);
		if (told->range[i].last >= last)
			return;
		at = told->range[i].last + 1;
	}
	tell_broken_law(laws, *f, at, last, report);
}

int watch_laws_look(struct watch_laws *laws, const struct truth *truth,
		    struct changes_report *report)
{
	struct range everything = { 0, UINT64_MAX };
	const struct ranges ranges = { .range = &everything, .nr = 1 };
	static const struct pcibars no_bars;
	static const struct iomem no_iomem;
	struct lint_findings *found = &laws->found;
	struct linter linter = {
		.kernel = report->info,
		.iomem = &no_iomem,
		.bars = &no_bars,
		.ranges = &ranges,
		.only = laws_lints(),
		.denies_exec = laws->denies_exec,
		.out = found,
	};
	size_t next[NR_LINTS] = { 0 };
	int err = 0;

	found->nr = 0;
	lint_truth(&linter, truth);
	if (found->failed)
		return error_no_memory();
	for (size_t i = 0; i < found->nr; i++)
		tell_new(laws, &found->finding[i], &next[found->finding[i].lint],
			 report);
	for (size_t i = 0; !err && i < found->nr; i++) {
		const struct lint_finding *f = &found->finding[i];

		err = ranges_add(&laws->told[f->lint], f->addr, f->addr +
				 (f->pages << report->info->page_shift) - 1);
	}
	for (size_t i = 0; !err && found->nr && i < NR_LINTS; i++)
		err = ranges_merge(&laws->told[i]);
	return err ? error_no_memory() : 0;
}

void watch_laws_free(struct watch_laws *laws)
{
	for (size_t i = 0; i < NR_LINTS; i++)
		ranges_free(&laws->told[i]);
	free(laws->found.finding);
}
