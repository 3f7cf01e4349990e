// SPDX-License-Identifier: GPL-2.0
/* ptwalk watch --laws: entries that no operation may leave behind. */
#include <stdlib.h>
#include "base/error.h"
#include "cmd/watch_laws.h"
#include "proc/cpuinfo.h"

static bool was_told(const struct lint_findings *before, const struct lint_finding *f)
{
	for (size_t i = 0; i < before->nr; i++) {
		const struct lint_finding *b = &before->finding[i];

		if (b->lint == f->lint && b->addr == f->addr && b->pages == f->pages)
			return true;
	}
	return false;
}

int64_t watch_laws_look(struct watch_laws *laws, const struct truth *truth,
			const struct maps *maps, struct changes_report *report)
{
	struct range everything = { 0, UINT64_MAX };
	const struct ranges ranges = { .range = &everything, .nr = 1 };
	static const struct iomem no_iomem;
	static const struct pcibars no_bars;
	struct lint_findings *before = &laws->found[0], latest = laws->found[1];
	struct linter linter = {
		.kernel = report->info,
		.iomem = &no_iomem,
		.bars = &no_bars,
		.ranges = &ranges,
		.only = LINTS_OF_LAWS,
		.denies_exec = noexec_read(report->info),
		.out = &laws->found[1],
	};
	int64_t pages = 0;

	/* The one before the last gives its place to the new one. */
	laws->found[1] = *before;
	*before = latest;
	laws->found[1].nr = 0;
	lint_truth(&linter, truth);
	if (laws->found[1].failed)
		return error_no_memory();
	for (size_t i = 0; i < laws->found[1].nr; i++) {
		const struct lint_finding *f = &laws->found[1].finding[i];

		if (was_told(before, f))
			continue;
		changes_print_broken(report, f, maps_name_at(maps, f->addr));
		pages += f->pages;
	}
	return pages;
}

void watch_laws_free(struct watch_laws *laws)
{
	free(laws->found[0].finding);
	free(laws->found[1].finding);
}
