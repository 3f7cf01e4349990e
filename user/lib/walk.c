// SPDX-License-Identifier: GPL-2.0
/* The page tables of a process, message by message. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <netlink/attr.h>
#include "lib/exchange.h"
#include "lib/patience.h"
#include "lib/wire.h"

/**
 * struct ptwalk_walk - a walk under way
 * @p: The handle.
 * @pid: The process.
 * @start: First address that is still wanted.
 * @last: Last one.
 * @ex: The request, if @running.
 * @outside: What lies outside of VMAs is asked for.
 * @mixed: There may be mixed lists.
 * @entries_only: Facts of pages are left out.
 * @search: Only frames from @first_frame to @last_frame are looked for.
 * @first_frame: See @search.
 * @last_frame: See @search.
 * @running: It hasn't been ended.
 * @done: The runs have reached @last.
 * @over: Nothing more will come, for @err or because all has come.
 * @err: Of the call that failed.
 * @patience: With the kernel.
 * @runs: Of the message that came last.
 * @from: Of its pages, the first that is wanted.
 * @levels: As all messages say.
 * @extents: Of that message, with @nr, and room for @max.
 * @nr: See @extents.
 * @max: See @extents.
 * @pos: The extent that ptwalk_walk_next() gives next.
 * @run_pages: The page of each run of that message, room for WIRE_PAGE_RUNS, if
 *	pages are wanted.
 * @pages: That of each extent, likewise; room for @max.
 * @given: The first of the extents that were given last.
 */
struct ptwalk_walk {
	struct ptwalk *p;
	pid_t pid;
	uint64_t start, last;
	struct exchange ex;
	bool outside;
	bool mixed;
	bool entries_only;
	bool search;
	uint64_t first_frame, last_frame;
	bool running, done, over;
	int err;
	struct patience patience;
	struct ptwalk_runs runs;
	uint64_t from;
	uint32_t levels;
	struct ptwalk_extent *extents;
	size_t nr, max, pos;
	struct ptwalk_page *run_pages, *pages;
	size_t given;
};

/* The last address of the last run. */
static uint64_t runs_last(const struct ptwalk_runs *runs, unsigned int shift)
{
	const struct ptwalk_run *run;
	uint64_t pages = 0;

	ptwalk_for_each_run(run, runs)
		pages += run->pages;
	return runs->start + (pages << shift) - 1;
}

static int begin_walk(struct ptwalk_walk *w)
{
	struct nl_msg *msg = exchange_message(w->p, PTWALK_CMD_WALK, NLM_F_DUMP);

	if (!msg)
		return ptwalk_error(w->p);
	if (nla_put_u32(msg, PTWALK_A_WALK_PID, w->pid) < 0 ||
	    nla_put_u64(msg, PTWALK_A_WALK_START, w->start) < 0 ||
	    nla_put_u64(msg, PTWALK_A_WALK_LAST, w->last) < 0 ||
	    (w->run_pages && nla_put_flag(msg, PTWALK_A_WALK_WANT_PAGES) < 0) ||
	    (w->outside && nla_put_flag(msg, PTWALK_A_WALK_OUTSIDE) < 0) ||
	    (w->mixed && nla_put_flag(msg, PTWALK_A_WALK_WANT_MIXED) < 0) ||
	    (w->entries_only && nla_put_flag(msg, PTWALK_A_WALK_ENTRIES_ONLY) < 0) ||
	    (w->search &&
	     (nla_put_u64(msg, PTWALK_A_WALK_FIRST_FRAME, w->first_frame) < 0 ||
	      nla_put_u64(msg, PTWALK_A_WALK_LAST_FRAME, w->last_frame) < 0))) {
		nlmsg_free(msg);
		return handle_no_memory(w->p);
	}
	w->running = true;
	return exchange_begin(&w->ex, w->p, msg);
}

/*
 * Takes a message. Only runs are looked at here, not pages: much memory takes
 * this path. Returns 1 if something of it is wanted, 0, or an error.
 */
static int take_walk(struct ptwalk_walk *w, struct nlmsghdr *msg)
{
	struct ptwalk_runs *runs = &w->runs;
	unsigned int shift = ptwalk_kernel(w->p)->page_shift;
	uint64_t reached;

	if (wire_walk(msg, shift, runs, w->run_pages))
		return exchange_nonsense(&w->ex);
	w->levels |= runs->levels;
	if (!runs->nr)
		return 0;
	w->patience.busy_since = 0;
	/* Nothing but what isn't looked for is left out in the middle of a VMA. */
	if (!w->search && runs->start > w->start && runs->start > runs->vma.start)
		return exchange_nonsense(&w->ex);
	reached = runs_last(runs, shift);
	if (reached < w->start || runs->start > w->last)
		return 0;

	w->from = w->start;
	if (reached >= w->last)
		w->done = true;
	else
		w->start = reached + 1;
	return 1;
}

/* The request ended with @err, or well: whether it is to be made again. */
static int end_request(struct ptwalk_walk *w, int err)
{
	exchange_end(&w->ex);
	w->running = false;
	if (!err || (w->done && err == -EBUSY)) {
		w->over = true;
		return 0;
	}
	if (patience_left(&w->patience, err))
		return 1;
	w->over = true;
	w->err = err;
	return err;
}

/* Has @w->runs filled. Returns 1, 0 behind the last message, or an error. */
static int next_message(struct ptwalk_walk *w)
{
	struct nlmsghdr *msg;
	int ret;

	while (!w->over) {
		ret = w->running ? 0 : begin_walk(w);
		if (!ret)
			ret = exchange_next(&w->ex, &msg);
		if (ret == 1) {
			ret = take_walk(w, msg);
			if (!ret)
				continue;
		}
		if (ret == 1)
			return 1;
		ret = end_request(w, ret);
		if (ret < 0)
			return ret;
	}
	return w->err;
}

int ptwalk_walk_start(struct ptwalk *p, pid_t pid, uint64_t start,
		      uint64_t last, struct ptwalk_walk **walk)
{
	struct ptwalk_walk *w = calloc(1, sizeof(*w));

	*walk = w;
	if (!w)
		return handle_no_memory(p);
	w->p = p;
	w->pid = pid;
	w->start = start;
	w->last = last;
	return 0;
}

void ptwalk_walk_end(struct ptwalk_walk *w)
{
	if (!w)
		return;
	if (w->running)
		exchange_end(&w->ex);
	free(w->extents);
	free(w->run_pages);
	free(w->pages);
	free(w);
}

int handle_needs(struct ptwalk *p, uint32_t feature)
{
	/* A handle that can't be used has the reason. */
	if (!ptwalk_kernel(p)->page_shift)
		return ptwalk_error(p);
	if (ptwalk_kernel(p)->features & feature)
		return 0;
	return handle_fail(p, -EOPNOTSUPP,
			   "the module is older than this program: load the one that belongs to it");
}

int ptwalk_walk_outside(struct ptwalk_walk *w)
{
	w->outside = true;
	return handle_needs(w->p, PTWALK_FEATURE_WALK_OUTSIDE);
}

int ptwalk_walk_want_pages(struct ptwalk_walk *w)
{
	int err = handle_needs(w->p, PTWALK_FEATURE_WALK_PAGES);

	if (err || w->run_pages)
		return err;
	w->run_pages = calloc(WIRE_PAGE_RUNS, sizeof(*w->run_pages));
	return w->run_pages ? 0 : handle_no_memory(w->p);
}

int ptwalk_walk_frames(struct ptwalk_walk *w, uint64_t first, uint64_t last)
{
	w->search = true;
	w->first_frame = first;
	w->last_frame = last;
	return handle_needs(w->p, PTWALK_FEATURE_WALK_FRAMES);
}

void ptwalk_walk_mixed(struct ptwalk_walk *w)
{
	w->mixed = ptwalk_kernel(w->p)->features & PTWALK_FEATURE_WALK_MIXED;
}

void ptwalk_walk_entries_only(struct ptwalk_walk *w)
{
	w->entries_only = ptwalk_kernel(w->p)->features & PTWALK_FEATURE_WALK_ENTRIES;
}

uint32_t ptwalk_walk_levels(const struct ptwalk_walk *w)
{
	return w->levels;
}

int ptwalk_walk_runs(struct ptwalk_walk *w, const struct ptwalk_runs **runs)
{
	*runs = &w->runs;
	return next_message(w);
}

static uint64_t extent_last(const struct ptwalk_extent *e, unsigned int shift)
{
	return e->addr + (e->pages << shift) - 1;
}

/*
 * The extents of a run that lists a value for each of its pages, from @e on.
 * Returns the place behind the last one.
 */
static struct ptwalk_extent *expand_list(const struct ptwalk_run *run, uint64_t addr,
					 unsigned int shift, struct ptwalk_extent *e)
{
	uint64_t bits = run->bits & ~(1ULL << PTWALK_BITS_LIST_SHIFT);
	uint64_t step = ptwalk_kind_ascends(ptwalk_bits_kind(bits));

	*e = (struct ptwalk_extent){ addr, run->value[0], 1, bits };
	for (uint64_t i = 1; i < run->pages; i++) {
		addr += 1ULL << shift;
		if (run->value[i] == run->value[i - 1] + step)
			e->pages++;
		else
			*++e = (struct ptwalk_extent){ addr, run->value[i], 1, bits };
	}
	return e + 1;
}

/* The same of a mixed list. */
static struct ptwalk_extent *expand_mixed(const struct ptwalk_runs *runs,
					  const struct ptwalk_run *run, uint64_t addr,
					  unsigned int shift, struct ptwalk_extent *e)
{
	uint64_t i, next;

	for (i = 0; i < run->pages; i = next) {
		next = ptwalk_mixed_break(runs, run, i, run->pages);
		*e++ = (struct ptwalk_extent){
			addr + (i << shift), ptwalk_mixed_value(run->value[i]), next - i,
			runs->mixed[ptwalk_mixed_number(run->value[i])],
		};
	}
	return e;
}

/* The extents of the message; there is room for all. */
static void expand(struct ptwalk_walk *w, unsigned int shift)
{
	const struct ptwalk_page *page = w->run_pages;
	struct ptwalk_extent *e = w->extents, *first;
	uint64_t addr = w->runs.start;
	const struct ptwalk_run *run;

	ptwalk_for_each_run(run, &w->runs) {
		first = e;
		if (ptwalk_bits_kind(run->bits) == PTWALK_KIND_MIXED) {
			e = expand_mixed(&w->runs, run, addr, shift, e);
		} else if (ptwalk_bits_list(run->bits)) {
			e = expand_list(run, addr, shift, e);
		} else {
			*e++ = (struct ptwalk_extent){ addr, run->value[0],
						       run->pages, run->bits };
		}
		for (; page && first < e; first++)
			w->pages[first - w->extents] =
				ptwalk_page_behind(*page, (first->addr - addr) >> shift);
		if (page)
			page++;
		addr += run->pages << shift;
	}
	w->nr = e - w->extents;
}

/* Cuts what lies before the start and behind the end of what is wanted. */
static void clip_extents(struct ptwalk_walk *w, unsigned int shift)
{
	struct ptwalk_extent *e = w->extents, *end = e + w->nr;
	uint64_t cut;

	while (e < end && extent_last(e, shift) < w->from)
		e++;
	while (e < end && end[-1].addr > w->last)
		end--;
	w->pos = e - w->extents;
	w->nr = end - w->extents;
	if (e == end)
		return;

	if (e->addr < w->from) {
		cut = (w->from - e->addr) >> shift;
		if (w->pages)
			w->pages[w->pos] = ptwalk_page_behind(w->pages[w->pos], cut);
		e->addr += cut << shift;
		e->pages -= cut;
		if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
			e->value += cut;
	}
	if (extent_last(&end[-1], shift) > w->last)
		end[-1].pages = ((w->last - end[-1].addr) >> shift) + 1;
}

/* Makes room for @nr extents. */
static int extents_room(struct ptwalk_walk *w, size_t nr)
{
	struct ptwalk_extent *extents;
	struct ptwalk_page *pages;

	if (nr <= w->max)
		return 0;
	extents = reallocarray(w->extents, nr, sizeof(*extents));
	if (!extents)
		return handle_no_memory(w->p);
	w->extents = extents;
	if (w->run_pages) {
		pages = reallocarray(w->pages, nr, sizeof(*pages));
		if (!pages)
			return handle_no_memory(w->p);
		w->pages = pages;
	}
	w->max = nr;
	return 0;
}

/* Fills @w->extents, from @w->pos on. Returns as next_message(). */
static int next_extents(struct ptwalk_walk *w)
{
	unsigned int shift = ptwalk_kernel(w->p)->page_shift;
	int ret;

	do {
		ret = next_message(w);
		if (ret <= 0)
			return ret;
		/* No run has more extents than words. */
		if (extents_room(w, w->runs.nr))
			return ptwalk_error(w->p);
		expand(w, shift);
		clip_extents(w, shift);
	} while (w->pos == w->nr);
	return 1;
}

int ptwalk_walk_extents(struct ptwalk_walk *w,
			const struct ptwalk_extent **extents, size_t *nr,
			const struct ptwalk_vma **vma)
{
	int ret = next_extents(w);

	*extents = w->extents + w->pos;
	*nr = w->nr - w->pos;
	*vma = &w->runs.vma;
	w->given = w->pos;
	w->pos = w->nr;
	return ret;
}

const struct ptwalk_page *ptwalk_walk_pages(const struct ptwalk_walk *w)
{
	return w->pages ? w->pages + w->given : w->run_pages;
}

int ptwalk_walk_next(struct ptwalk_walk *w, struct ptwalk_extent *extent,
		     const struct ptwalk_vma **vma)
{
	int ret;

	if (w->pos == w->nr) {
		ret = next_extents(w);
		if (ret <= 0)
			return ret;
	}
	w->given = w->pos;
	*extent = w->extents[w->pos++];
	if (vma)
		*vma = &w->runs.vma;
	return 1;
}

/* Walks one page, for the sake of the lock. */
int ptwalk_busy(struct ptwalk *p, pid_t pid)
{
	const struct ptwalk_runs *runs;
	struct ptwalk_walk *w;
	int ret = ptwalk_walk_start(p, pid, 0, 0, &w);

	while (!ret && (ret = ptwalk_walk_runs(w, &runs)) > 0)
		ret = 0;
	ptwalk_walk_end(w);
	return ret == -EBUSY ? 1 : ret;
}
