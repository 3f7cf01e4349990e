// SPDX-License-Identifier: GPL-2.0
/* Judges a figure. */
#include <errno.h>
#include "sums/job.h"

static enum figure_verdict judge_figure(const struct figure *f)
{
	if (f->absent)
		return FIGURE_MISMATCH;
	if (f->seen >= f->low && f->seen <= f->high)
		return FIGURE_MATCH;
	if (f->seen < f->low && f->low - f->seen <= f->below)
		return FIGURE_SLACK;
	if (f->seen > f->high && f->seen - f->high <= f->above)
		return FIGURE_SLACK;
	return FIGURE_MISMATCH;
}

void job_put(struct job *j, struct figure figure)
{
	figure.start = j->start;
	figure.last = j->last;
	figure.digest = j->digest;
	if ((figure.low == figure.high && !figure.below && !figure.above) ||
	    figure.absent)
		figure.why = NULL;
	figure.verdict = judge_figure(&figure);
	if (j->lost && !figure.bug) {
		figure.bug = &kernel_bugs[THP_PROT_NONE];
		figure.bug_low = figure.low > j->lost ? figure.low - j->lost : 0;
		figure.bug_high = figure.high;
	}
	if (figure.verdict != FIGURE_MISMATCH || figure.absent ||
	    figure.seen < figure.bug_low || figure.seen > figure.bug_high)
		figure.bug = NULL;
	if (figure.bug)
		figure.where = figure.bug->where;
	if (figure.bug && j->shown->known_bugs) {
		figure.verdict = FIGURE_SLACK;
		figure.why = figure.bug;
	}
	if (figures_add(j->figures, &figure))
		j->error = -ENOMEM;
}

void job_put_line(struct job *j, enum figure_source source, const char *where,
		  const char *field, uint64_t counted, uint64_t seen)
{
	if (job_matches(j, source, exactly(counted), seen))
		return;
	job_put(j, (struct figure){
		.source = source, .field = field, .unit = "", .where = where,
		.low = counted, .high = counted, .seen = seen });
}
