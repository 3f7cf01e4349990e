// SPDX-License-Identifier: GPL-2.0
/* Judges the pages of a recording anew, without the module or a process. */
#include <errno.h>
#include <string.h>
#include "check.h"
#include "cmd.h"
#include "out.h"
#include "recording.h"

static const struct source *source_named(const char *name)
{
	size_t i;

	for (i = 0; sources[i]; i++)
		if (!strcmp(sources[i]->name, name))
			return sources[i];
	return NULL;
}

static void replay_page(struct check *c, const struct recorded *page,
			const struct source *source)
{
	struct report_finding finding = {
		.comm = "recorded",
		.truth = page->truth,
		.seen = page->seen,
		.has_data = page->has_data,
		.pages = 1,
		.source = source,
		.env = &c->env,
	};
	struct run run = compare_page(&c->env, source, &page->truth,
				      page->seen, page->has_data);
	uint64_t set;

	c->summary.counts.verdict[run.verdict]++;
	for (set = run.rules; set; set &= set - 1)
		c->rules[__builtin_ctzll(set)]++;
	finding.verdict = run.verdict;
	finding.rules = run.rules;
	if (run.verdict != VERDICT_MATCH)
		c->renderer->finding(&finding);
}

int check_replay(struct check *check, const char *path)
{
	FILE *stream = fopen(path, "re");
	const struct source *source;
	struct kernel_info *kernel;
	struct recorded page;
	size_t line = 0;
	int more;

	if (!stream)
		return fail(EXIT_UNCHECKED, "%s: %s", path, strerror(errno));
	kernel = &check->recorded;
	while ((more = recording_next(stream, kernel, &check->env, &page,
				      &line)) > 0) {
		source = source_named(page.source);
		if (!source)
			break;
		replay_page(check, &page, source);
	}
	fclose(stream);
	if (more)
		return fail(EXIT_USAGE, "%s:%zu: no line of a recording", path,
			    line);
	if (!check->env.kernel)
		return fail(EXIT_USAGE, "%s: an empty recording", path);
	check->summary.processes = 1;
	return 0;
}
