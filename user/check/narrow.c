// SPDX-License-Identifier: GPL-2.0
/* The smallest request that shows what a larger one has shown. */
#include "check/second_look.h"
#include "sources/source.h"

/* Whether a part of the window's request shows the same of its only suspect. */
static bool still_shows(struct process *p, struct window *w, const struct source_pages *request)
{
	w->request = *request;
	judge_init(w->judge);
	return !window_look_again(p, w) && w->judge->streak.nr;
}

/* Leaves arguments out that aren't needed to show it. */
static void drop_args(struct process *p, struct window *part, struct source_pages *shown)
{
	uint64_t arg;

	for (size_t i = 0; i < SOURCE_ARGS; i++) {
		arg = shown->arg[i];
		shown->arg[i] = 0;
		if (arg && !still_shows(p, part, shown))
			shown->arg[i] = arg;
	}
}

struct read_request window_narrowest(struct process *p, const struct window *w,
				     const struct judge *judge)
{
	struct suspect suspect = { .addr = judge->truth.addr, .pages = 1 };
	struct source_pages shown = w->request, less;
	uint64_t at = (suspect.addr - shown.addr) >> p->page_shift, cut;
	struct window part;

	window_init(&part, w->source, 1);
	part.first = suspect.addr;
	part.pages = part.nr = part.nr_judges = 1;
	part.suspect = &suspect;
	/* As in the first round: on the open file, as a request is repeated, too. */
	part.rounds.nr = 1;
	for (cut = at; cut; cut /= 2) {
		less = shown;
		less.addr += cut << p->page_shift;
		less.nr -= cut;
		if (!still_shows(p, &part, &less))
			continue;
		shown = less;
		at -= cut;
		if (cut > at)
			cut = 2 * at;
	}
	for (cut = shown.nr - 1 - at; cut; cut /= 2) {
		less = shown;
		less.nr -= cut;
		if (!still_shows(p, &part, &less))
			continue;
		shown = less;
		if (cut > shown.nr - 1 - at)
			cut = 2 * (shown.nr - 1 - at);
	}
	drop_args(p, &part, &shown);
	part.suspect = NULL;
	window_free(&part);
	return process_request(p, w->source, &shown);
}
