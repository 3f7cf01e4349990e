/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the second look: look.c makes windows and reads their truth, second_look.c
 * has rounds until there is a verdict, and narrow.c finds the smallest request that shows
 * a difference.
 */
#ifndef PTWALK_CHECK_SECOND_LOOK_H
#define PTWALK_CHECK_SECOND_LOOK_H

#include "check/judge.h"
#include "check/process.h"

/**
 * struct look - one reading of the truth of a window
 * @page: The truth of each page that is judged.
 * @vmas: The VMAs of these, with @nr_vmas.
 * @facts: The facts of sources that have a grain, and what their pages are charged to:
 *	@cgroups.
 * @around: The truth of all pages of a request, for their frames.
 */
struct look {
	struct page_truth *page;
	struct ptwalk_vma *vmas;
	size_t nr_vmas;
	struct ptwalk_page *facts;
	uint64_t *cgroups;
	struct truth around;
};

/**
 * struct window - suspects near each other that are looked at together
 * @source: The source, as its index.
 * @first: Address of the first page.
 * @pages: Pages from there to the last suspect.
 * @request: What is read each time.
 * @last_request: The number of the request that was made again last, and how often it
 *	was made for one window after the other: @repeated.
 * @rounds: In which its truth and the request are read.
 * @suspect: The suspects, with @nr, and room for @max.
 * @judge: One for each page of each suspect, @nr_judges in all.
 * @before: The truth read before what the source shows, and @after it.
 */
struct window {
	size_t source;
	uint64_t first, pages;
	size_t last_request, repeated;
	struct source_pages request;
	struct rounds rounds;
	struct suspect *suspect;
	size_t nr, max;
	struct judge *judge;
	size_t nr_judges;
	struct look before, after;
};

/* Without suspects; room for judging @most pages at a time. */
void window_init(struct window *w, size_t source, size_t most);
void window_free(struct window *w);

/* A window of the suspects from the *@next-th on; that is behind them then. */
void window_gather(struct process *p, struct suspects *s, size_t *next, struct window *w);

/* How many pages any window of the suspects has to judge at the most. */
size_t window_most_judges(const struct suspects *s);

/* Where in the request the pages are that are judged. */
static inline uint64_t window_place(struct process *p, const struct window *w, size_t judge)
{
	return (w->before.page[judge].addr - w->request.addr) >> p->page_shift;
}

/*
 * Reads the truth of its pages, with the facts of those that have any if @source wants
 * them. Returns 0 or a negative errno.
 */
int look_at(struct process *p, const struct source *source, const struct window *w,
	    struct look *look);

/*
 * The frames of a request, in the batch, as the tables have them now. What they had
 * when it was made first may be another's by now, whose kpageflags must not be read on
 * all kernels.
 */
int look_at_frames(struct process *p, const struct source *s, struct window *w);

/* A round: one look at all pages of a window. Returns 0 or a negative errno. */
int window_look_again(struct process *p, struct window *w);

/*
 * The smallest request that shows a difference again: the page alone, or else
 * what is left when one end and then the other is brought nearer to it; with no more
 * arguments than that takes.
 */
struct read_request window_narrowest(struct process *p, const struct window *w,
				     const struct judge *judge);

#endif /* PTWALK_CHECK_SECOND_LOOK_H */
