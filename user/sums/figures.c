// SPDX-License-Identifier: GPL-2.0
/* Keeps figures, or counts those that needn't be kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "sums/figures.h"

const char *const figure_verdict_name[NR_FIGURE_VERDICTS] = {
	[FIGURE_MATCH] = "match",
	[FIGURE_SLACK] = "slack",
	[FIGURE_UNSTABLE] = "unstable",
	[FIGURE_MISMATCH] = "mismatch",
};

int figure_order(const struct figure *a, const struct figure *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return strcmp(a->field, b->field);
}

static int compare_wanted(const void *a, const void *b)
{
	const struct figure *const *x = a, *const *y = b;

	return figure_order(*x, *y);
}

int figures_want(struct figures *figures, const struct figures *differ)
{
	const struct figure **wanted;

	wanted = reallocarray(figures->wanted, differ->nr + 1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	figures->wanted = wanted;
	figures->nr_wanted = 0;
	for (size_t i = 0; i < differ->nr; i++)
		if (differ->figure[i].verdict == FIGURE_MISMATCH)
			wanted[figures->nr_wanted++] = &differ->figure[i];
	if (figures->nr_wanted)
		qsort(wanted, figures->nr_wanted, sizeof(*wanted), compare_wanted);
	return 0;
}

static bool figure_is_wanted(const struct figures *figures, const struct figure *f)
{
	return !figures->wanted ||
	       (figures->nr_wanted &&
		bsearch(&f, figures->wanted, figures->nr_wanted, sizeof(f), compare_wanted));
}

bool figures_count(struct figures *figures, enum figure_source source, uint64_t last)
{
	if (figures->wanted || !figures->sieve || !last)
		return false;
	figures->matched[source]++;
	return true;
}

int figures_add(struct figures *figures, const struct figure *f)
{
	if (f->verdict == FIGURE_MATCH && figures_count(figures, f->source, f->last))
		return 0;
	if (!figure_is_wanted(figures, f)) {
		figures->matched[f->source] += f->verdict == FIGURE_MATCH;
		return 0;
	}
	return array_add(figures->figure, figures->nr, figures->max, *f) ? 0 : -ENOMEM;
}

void figures_restart(struct figures *figures)
{
	figures->nr = 0;
	memset(figures->matched, 0, sizeof(figures->matched));
}

void figures_free(struct figures *figures)
{
	free(figures->figure);
	free(figures->wanted);
	memset(figures, 0, sizeof(*figures));
}
