// SPDX-License-Identifier: GPL-2.0
/* Counts findings that differ alike. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "check/examine.h"
#include "check/findings.h"
#include "report/alike.h"

#define ELSEWHERE	512	/* room for a line */

/**
 * struct kind - those that differ alike
 * @finding: The first one, with its @remark.
 * @findings: How many of its process there are.
 * @elsewhere: How many more there are, most of other processes: those in @pid,
 *	with @nr_pids; @comm is the name of the first of them.
 */
struct kind {
	struct report_finding finding;
	struct remark remark;
	uint64_t findings, elsewhere;
	pid_t *pid;
	size_t nr_pids, max_pids;
	char comm[32];
};

static struct kind *kinds;
static size_t nr_kinds, max_kinds;
static size_t latest;		/* the kind of the last finding, from 1 on, or 0 */
static uint64_t left, findings;

void alike_begin(void)
{
	for (size_t i = 0; i < nr_kinds; i++)
		free(kinds[i].pid);
	nr_kinds = latest = left = findings = 0;
}

static void *grow_or_exit(void *array, size_t *max, size_t nr, size_t size)
{
	if (!array_room(&array, max, nr, size))
		exit_no_memory();
	return array;
}

static struct kind *find_kind(const struct report_finding *f)
{
	struct kind *kind;

	for (size_t i = 0; i < nr_kinds; i++) {
		kinds[i].finding.remark = &kinds[i].remark;
		if (findings_differ_alike(&kinds[i].finding, f))
			return &kinds[i];
	}
	kinds = grow_or_exit(kinds, &max_kinds, nr_kinds + 1, sizeof(*kinds));
	findings++;
	kind = &kinds[nr_kinds++];
	memset(kind, 0, sizeof(*kind));
	kind->finding = *f;
	kind->remark = *f->remark;
	return kind;
}

/* Of a process that may have had some in an earlier round. */
static void count_elsewhere(struct kind *kind, const struct report_finding *f)
{
	size_t i = kind->nr_pids;

	kind->elsewhere++;
	while (i && kind->pid[i - 1] != f->pid)
		i--;
	if (i)
		return;
	if (!kind->nr_pids)
		snprintf(kind->comm, sizeof(kind->comm), "%s", f->comm);
	kind->pid = grow_or_exit(kind->pid, &kind->max_pids, kind->nr_pids + 1,
				 sizeof(*kind->pid));
	kind->pid[kind->nr_pids++] = f->pid;
}

enum alike alike_note(const struct report_finding *f)
{
	size_t before = latest;
	struct kind *kind;

	latest = 0;
	if (!findings_differ_alike(f, f)) {
		findings++;
		return ALIKE_NEW;
	}
	kind = find_kind(f);
	if (f->pid != kind->finding.pid) {
		count_elsewhere(kind, f);
		return ALIKE_COUNTED;
	}
	latest = kind - kinds + 1;
	if (++kind->findings == 1)
		return ALIKE_NEW;
	if (kind->findings <= ALIKE_TOLD)
		return latest == before ? ALIKE_NEXT : ALIKE_APART;
	if (latest == before)
		left++;
	else
		kind->elsewhere++;
	return ALIKE_COUNTED;
}

uint64_t alike_findings(void)
{
	return findings;
}

uint64_t alike_left(void)
{
	const uint64_t nr = left;

	left = 0;
	return nr;
}

/* ", in 41 other processes such as 77 (bash)" */
static void others(const struct kind *k, char *buf, size_t size)
{
	buf[0] = '\0';
	if (k->nr_pids)
		snprintf(buf, size, ", in %zu other process%s such as %d (%s)",
			 k->nr_pids, k->nr_pids == 1 ? "" : "es",
			 (int)k->pid[0], k->comm);
}

void alike_elsewhere(void (*line)(enum verdict verdict, const char *text))
{
	char text[ELSEWHERE], where[128];
	const struct kind *k;

	for (size_t i = 0; i < nr_kinds; i++) {
		k = &kinds[i];
		if (!k->elsewhere)
			continue;
		others(k, where, sizeof(where));
		snprintf(text, sizeof(text), "%s of %s differs alike %" PRIu64
			 " more time%s%s: %s", k->remark.field,
			 k->finding.examination, k->elsewhere,
			 plural(k->elsewhere), where, k->remark.function);
		line(k->finding.verdict, text);
	}
}
