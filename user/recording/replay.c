// SPDX-License-Identifier: GPL-2.0
/* Judges the pages of a recording anew, without the module or a process. */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "base/input.h"
#include "recording/head.h"
#include "recording/pages.h"

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
	struct outcome outcome;
	uint64_t set;

	/* A bug that was passed over when it was recorded. */
	c->env.around_bugs = page->verdict == VERDICT_EXPLAINED;
	outcome = compare_page(&c->env, source, &page->truth, page->seen,
			       page->has_data);
	/* Its two sides are of different moments. */
	if (page->verdict == VERDICT_UNSTABLE &&
	    outcome.verdict == VERDICT_MISMATCH)
		outcome.verdict = VERDICT_UNSTABLE;
	c->summary.counts.verdict[outcome.verdict]++;
	for (set = outcome.rules; set; set &= set - 1)
		c->tally.rules[__builtin_ctzll(set)]++;
	finding.verdict = outcome.verdict;
	finding.rules = outcome.rules;
	if (page->has_data && outcome.verdict != VERDICT_EXPLAINED)
		finding.differs = compare_difference(&c->env, source, &page->truth,
						     page->seen);
	if (outcome.verdict != VERDICT_MATCH)
		c->renderer->finding(&finding);
}

int check_replay(struct check *check, const char *path)
{
	struct report_summary *s = &check->summary;
	const struct source *source;
	struct recorded page;
	struct lines lines;
	int err = recording_open(&lines, path), more;

	if (err)
		return err;
	while ((more = recording_next(&lines, &check->recorded, &check->env, &page)) > 0) {
		source = source_find(page.source, strlen(page.source));
		if (!source)
			break;
		replay_page(check, &page, source);
	}
	err = recording_close(&lines, path, more > 0 ? -EINVAL : more);
	if (!err && !check->env.kernel)
		return error_usage("%s: an empty recording", input_name(path));
	if (err && (err != -ENODATA || !check->env.kernel))
		return err;
	/* What there is of it has been judged. */
	if (err)
		check_warn(check, "%s", error_text());
	s->processes.checked = 1;
	s->processes.unchecked += err != 0;
	check->renderer->process(0, "recorded", &s->counts, err ? lines.reason : NULL);
	return 0;
}
