// SPDX-License-Identifier: GPL-2.0
/* Whether a mapping is what the author of its driver means it to be. */
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "check/examine.h"
#include "check/judge.h"
#include "check/process.h"
#include "expect/layout.h"
#include "expect/offset.h"
#include "lint/lints.h"

static int read_range_truths(const struct examinee *x, struct truth *truth)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < x->ranges->nr; i++)
		err = truth_read(x->client, x->pid, x->ranges->range[i].start,
				 x->ranges->range[i].last, &truth[i]);
	return err;
}

static void report_departures(const struct examinee *x, const struct layout_result *result,
		 enum verdict verdict)
{
	const struct ptwalk_kernel *kernel = x->env->kernel;
	struct remark remark = { .verdict = verdict };
	size_t i;

	for (i = 0; i < result->nr; i++) {
		const struct departure *d = &result->departure[i];

		remark.start = d->addr;
		remark.pages = d->pages;
		remark.rule = departure_name[d->kind];
		remark.has_found = departure_has_found(d);
		remark.found = d->value << kernel->page_shift;
		remark.has_expected = departure_has_expected(d);
		remark.expected = d->expected;
		remark.beyond = d->beyond;
		departure_found(d, kernel, remark.truth, sizeof(remark.truth));
		departure_expected(d, kernel, remark.seen, sizeof(remark.seen));
		examine_remark(x, &remark);
	}
	examine_compared(x, result->pages);
}

/*
 * Memory may be on the move when it is looked at, so what departs must do so
 * in the same way again and again.
 */
static int judge_layout(const struct examinee *x, struct truth *truth,
			struct layout_result result[2])
{
	unsigned int round, same = 0;
	int err;

	for (round = 0; round < x->retries && same < JUDGE_ROUNDS; round++) {
		struct layout_result *now = &result[round % 2];

		pause_before_round(round);
		err = read_range_truths(x, truth);
		if (err)
			return err;
		if (layout_compare(x->arg, x->env->kernel, x->ranges, truth,
				   now))
			return error_no_memory();
		same = judge_same(same, now->nr,
				  layout_same(now, &result[!(round % 2)]));
	}
	report_departures(x, &result[!(round % 2)],
	     same < JUDGE_ROUNDS ? VERDICT_UNSTABLE : VERDICT_MISMATCH);
	return 0;
}

/* Of a mapping that may be anywhere, and of one whose frames are known. */
static int judge_offsets(const struct examinee *x)
{
	const struct layout *layout = x->arg;
	const struct selfmap *map = layout->map;
	const bool anywhere = layout_anywhere(layout);
	const struct ranges *where = x->ranges;
	bool judged = !anywhere;
	struct ranges own;
	struct range range;
	int err = 0;

	if (anywhere && map) {
		range.start = (uintptr_t)map->addr;
		range.last = range.start + (map->length - 1);
		own = (struct ranges){ .range = &range, .nr = 1 };
		where = &own;
		err = offset_examine(x, map, layout->touched, &judged);
	}
	if (!err && judged && examine_asks(x, &examination_lint))
		err = lint_offsets_judged(where);
	return err;
}

/* Memory types that are wrong, whatever was meant. */
#define TYPES								\
	(1U << LINT_TWO_TYPES | 1U << LINT_RAM_UNCACHED | 1U << LINT_DEVICE_CACHED)

static int examine(const struct examinee *x)
{
	struct truth *truth = calloc(x->ranges->nr, sizeof(*truth));
	struct layout_result result[2] = { 0 };
	const struct layout *layout = x->arg;
	size_t i;
	int err;

	if (!truth)
		return error_no_memory();
	err = judge_layout(x, truth, result);
	if (!err)
		err = judge_offsets(x);
	/* Anywhere, but not where it is no driver's, and as what it is, if nobody asks. */
	if (!err && layout_anywhere(layout) &&
	    !examine_asks(x, &examination_lint))
		err = examine_lints(x, 1U << LINT_NOWHERE | 1U << LINT_OTHERS |
				    1U << LINT_PAST_RESOURCE | 1U << LINT_FREED |
				    (layout_typed(layout) ? 0 : TYPES));
	for (i = 0; i < x->ranges->nr; i++)
		truth_free(&truth[i]);
	free(truth);
	layout_result_free(&result[0]);
	layout_result_free(&result[1]);
	return err;
}

const struct examination examination_expect = {
	.name = "expect",
	.help = "the mapping that --expect describes",
	.wanted = true,
	.examine = examine,
	.sum_text = lints_for_expect_text,
	.sum_json = lints_for_expect_json,
};
