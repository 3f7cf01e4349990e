// SPDX-License-Identifier: GPL-2.0
/* The smallest request that shows what a larger one has shown. */
#include "check/second_look.h"
#include "sources/source.h"

/* Whether a part of the window's request shows the same of its only suspect. */
static bool still_shows(struct process *p, size_t source, struct window *w,
			struct look *before, struct look *after)
{
	judge_init(w->judge, false);
	return !window_look_again(p, source, w, 0, before, after) &&
	       w->judge->differed;
}

/* Leaves arguments out that aren't needed to show it. */
static void drop_args(struct process *p, size_t source, struct window *part,
		      struct look *before, struct look *after)
{
	uint64_t arg;

	for (size_t i = 0; i < SOURCE_ARGS; i++) {
		arg = part->request.arg[i];
		part->request.arg[i] = 0;
		if (arg && !still_shows(p, source, part, before, after))
			part->request.arg[i] = arg;
	}
}

struct read_request window_narrowest(struct process *p, size_t source,
				const struct window *w,
				const struct judge *judge,
				struct look *before, struct look *after)
{
	const uint64_t page = judge->truth.addr;
	struct suspect suspect = { .addr = page, .pages = 1 };
	struct source_pages shown = w->request;
	struct judge again;
	struct outcome outcome;
	struct window part = {
		.first = page,
		.pages = 1,
		.suspect = &suspect,
		.nr = 1,
		.judge = &again,
		.outcome = &outcome,
		.nr_judges = 1,
	};
	uint64_t at = (page - shown.addr) >> p->page_shift, cut;

	for (cut = at; cut; cut /= 2) {
		part.request = shown;
		part.request.addr += cut << p->page_shift;
		part.request.nr -= cut;
		if (!still_shows(p, source, &part, before, after))
			continue;
		shown = part.request;
		at -= cut;
		if (cut > at)
			cut = 2 * at;
	}
	for (cut = shown.nr - 1 - at; cut; cut /= 2) {
		part.request = shown;
		part.request.nr -= cut;
		if (!still_shows(p, source, &part, before, after))
			continue;
		shown = part.request;
		if (cut > shown.nr - 1 - at)
			cut = 2 * (shown.nr - 1 - at);
	}
	part.request = shown;
	drop_args(p, source, &part, before, after);
	return process_request(p, source, &part.request);
}
