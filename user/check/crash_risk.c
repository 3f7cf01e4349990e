// SPDX-License-Identifier: GPL-2.0
/* Entries that the kernel can't show without the risk of a crash. */
#include <errno.h>
#include <inttypes.h>
#include "base/error.h"
#include "check/crash_risk.h"
#include "check/rules.h"

static const struct rule *rule_of(const struct env *env, struct page_truth *page,
				  uint64_t bits, bool sums)
{
	const struct rule *rule;

	page->bits = bits;
	rule = rules_may_crash(bits) ? rules_crash(env, page) : NULL;
	return rule && (rule->sums || !sums) ? rule : NULL;
}

int crash_risk_in(const struct ptwalk_kernel *kernel, pid_t pid,
		  const struct ptwalk_runs *runs, bool sums)
{
	struct page_truth page = { .addr = runs->start, .vma = &runs->vma };
	const struct env env = { .kernel = kernel };
	const struct rule *rule = NULL;
	const struct ptwalk_run *run;

	ptwalk_for_each_run(run, runs)
		if (!rule)
			rule = rule_of(&env, &page, run->bits, sums);
	for (size_t i = 0; i < runs->nr_mixed && !rule; i++)
		rule = rule_of(&env, &page, runs->mixed[i], sums);
	if (!rule)
		return 0;
	return error_set(-EPERM,
			 "process %d: not read, since the kernel can crash when it shows the mapping at 0x%" PRIx64 ": see ptwalk explain %s",
			 (int)pid, runs->vma.start, rule->name);
}

/**
 * struct search - a look for such entries
 * @kernel: This kernel.
 * @pid: The process.
 * @sums: Only those that sums may not be asked of, either.
 */
struct search {
	const struct ptwalk_kernel *kernel;
	pid_t pid;
	bool sums;
};

static int search_runs(const struct ptwalk_runs *runs, void *arg)
{
	const struct search *s = arg;

	return crash_risk_in(s->kernel, s->pid, runs, s->sums);
}

int crash_risk_refuse(struct ptwalk *client, pid_t pid, uint64_t start,
		      uint64_t last, bool sums)
{
	struct search s = { .pid = pid, .sums = sums };

	if (!client)
		return 0;
	s.kernel = ptwalk_kernel(client);
	return truth_runs(client, pid, start, last, search_runs, &s);
}
