// SPDX-License-Identifier: GPL-2.0
/* Windows of pages that are looked at again, and their truth. */
#include <stdlib.h>
#include "base/error.h"
#include "check/second_look.h"
#include "sources/source.h"

#define FIRST_PAGES	1024	/* most pages of one that weren't compared yet */
#define WINDOW_GAP	64	/* pages that suspects may lie apart in a window */
#define REPEATED	16	/* windows for which a long request is made again */

static void look_init(struct look *look, size_t max)
{
	look->page = calloc(max, sizeof(*look->page));
	look->facts = calloc(max, sizeof(*look->facts));
	look->cgroups = calloc(max, sizeof(*look->cgroups));
	if (!look->page || !look->facts || !look->cgroups)
		exit_no_memory();
}

static void look_free(struct look *look)
{
	free(look->page);
	free(look->facts);
	free(look->cgroups);
	free(look->vmas);
	truth_free(&look->around);
}

void window_init(struct window *w, size_t source, size_t most)
{
	*w = (struct window){ .source = source };
	look_init(&w->before, most);
	look_init(&w->after, most);
	w->judge = calloc(most, sizeof(*w->judge));
	if (!w->judge)
		exit_no_memory();
}

void window_free(struct window *w)
{
	look_free(&w->before);
	look_free(&w->after);
	free(w->judge);
	free(w->suspect);
}

int look_at(struct process *p, const struct source *source, const struct window *w,
	    struct look *look)
{
	const bool facts = source->grain;
	struct ptwalk_translation *t = calloc(w->nr_judges, sizeof(*t));
	uint64_t *addrs = calloc(w->nr_judges, sizeof(*addrs)), n;
	size_t i, judge = 0;
	uint32_t levels;
	int err;

	if (!t || !addrs)
		exit_no_memory();
	for (i = 0; i < w->nr; i++)
		for (n = 0; n < w->suspect[i].pages; n++)
			addrs[judge++] = w->suspect[i].addr +
					 (n << p->page_shift);
	free(look->vmas);
	look->vmas = NULL;
	look->nr_vmas = 0;
	err = truth_translate_cgroups(p->check->client, p->pid, addrs, judge, t,
				      facts ? look->facts : NULL,
				      facts ? look->cgroups : NULL, &look->vmas,
				      &look->nr_vmas, &levels);
	for (i = 0; !err && i < judge; i++) {
		look->page[i] = process_page(p, addrs[i], t[i].value, t[i].bits,
					     truth_vma_among(look->vmas,
							     look->nr_vmas,
							     addrs[i]));
		if (!facts)
			continue;
		look->page[i].facts = &look->facts[i];
		look->page[i].cgroup = look->cgroups[i];
		look->page[i].has_cgroup = look->cgroups[i] != PTWALK_NO_CGROUP;
	}
	free(addrs);
	free(t);
	return err;
}

/* The frames of the pages of a request that aren't judged, as far as they may be read. */
static int frames_around(struct process *p, const struct source *s,
			 const struct source_pages *request, struct truth *truth)
{
	const uint64_t last = request->addr + ((uint64_t)request->nr << p->page_shift) - 1;
	const struct ptwalk_extent *e;
	struct page_truth page;
	uint64_t at;
	int err;

	err = truth_read(p->check->client, p->pid, request->addr, last, truth);
	for (e = truth->extents; !err && e < truth->extents + truth->nr_extents; e++) {
		page = process_page(p, e->addr, e->value, e->bits, truth_vma_at(truth, e->addr));
		at = (e->addr - request->addr) >> p->page_shift;
		if (source_grain(s, &p->check->env, &page) == SOURCE_SKIPS)
			continue;
		for (uint64_t i = 0; i < e->pages; i++)
			p->batch.frame[at + i] = page_at(&page, i, p->page_shift).value;
	}
	return err;
}

int look_at_frames(struct process *p, const struct source *s, struct window *w)
{
	struct look *look = &w->before;
	const struct page_truth *page;
	uint64_t i, at;
	int err = 0;

	for (i = 0; i < w->request.nr; i++)
		p->batch.frame[i] = SOURCE_NO_FRAME;
	if (w->nr_judges < w->request.nr)
		err = frames_around(p, s, &w->request, &look->around);
	for (i = 0; i < w->nr_judges; i++) {
		page = &look->page[i];
		at = window_place(p, w, i);
		p->batch.frame[at] = source_grain(s, &p->check->env, page) == SOURCE_SKIPS ?
				     SOURCE_NO_FRAME : page->value;
	}
	return err;
}

/*
 * How many pages a window with @suspect may have. What a request has shown is
 * looked at in few of them, see REPEATED.
 */
static uint64_t window_most(const struct suspect *suspect)
{
	return suspect->request_nr ? WINDOW_PAGES : FIRST_PAGES;
}

/* Moves what a window has room for, up to @most pages, from @from to @piece. */
static void take_suspects(struct process *p, struct suspect *from, uint64_t most,
			  struct suspect *piece)
{
	*piece = *from;
	if (piece->pages > most)
		piece->pages = most;
	from->addr += piece->pages << p->page_shift;
	from->pages -= piece->pages;
	if (from->sighting)
		from->sighting += piece->pages;
}

void window_gather(struct process *p, struct suspects *s, size_t *next, struct window *w)
{
	const struct requests *r = &p->again.requests[w->source];
	struct suspect *first = &s->suspect[*next], *from;
	const uint64_t most = window_most(first);
	const size_t request_nr = first->request_nr;
	/* Of a request that is made again, facts are asked for page by page. */
	const bool by_page = request_nr && p->check->source[w->source]->grain;
	uint64_t at, end;

	w->first = first->addr;
	w->pages = w->nr_judges = w->nr = 0;
	for (; *next < s->nr; ++*next) {
		from = &s->suspect[*next];
		at = (from->addr - w->first) >> p->page_shift;
		end = at + (from->pages < most ? from->pages : most);
		if (w->nr && (from->addr < w->first || at < w->pages || end > most ||
			      from->request_nr != request_nr ||
			      (at > w->pages + WINDOW_GAP && !by_page)))
			break;
		w->suspect = process_grow(w->suspect, &w->max, w->nr,
					  sizeof(*w->suspect));
		take_suspects(p, from, most, &w->suspect[w->nr]);
		w->nr_judges += w->suspect[w->nr++].pages;
		w->pages = end;
		if (from->pages)
			break;
	}
	w->repeated = request_nr == w->last_request ? w->repeated + 1 : 0;
	w->last_request = request_nr;
	if (request_nr && w->repeated < REPEATED) {
		w->request = r->request[request_nr - 1];
		return;
	}
	w->request = (struct source_pages){
		.addr = w->first,
		.nr = w->pages,
	};
}

size_t window_most_judges(const struct suspects *s)
{
	uint64_t most = 0, sum = 0, limit;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		limit = window_most(&s->suspect[i]);
		sum += s->suspect[i].pages;
		if (limit > most)
			most = limit;
	}
	return most < sum ? most : sum;
}
