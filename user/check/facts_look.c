// SPDX-License-Identifier: GPL-2.0
/*
 * Of a process with few pages, all of them are compared with the interfaces that show facts
 * of pages: one walk reads these with the entries. Random requests have facts of few pages,
 * as the module is asked about each of these by itself.
 */
#include <string.h>
#include <unistd.h>
#include "check/draw.h"
#include "check/process.h"
#include "module/client.h"
#include "module/truth.h"
#include "sources/source.h"

/* What a page costs, about: its facts, and all interfaces that show some, in instructions. */
#define FACTS_PAGE_COST	1700

#define HAS_ENOUGH	1	/* of struct truth.take */

static int take_until_enough(struct truth *truth, const struct ptwalk_extent *extents,
			     const struct ptwalk_page *pages, size_t nr)
{
	uint64_t *left = truth->arg;

	if (!*left)
		return HAS_ENOUGH;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t n = ptwalk_bits_present(extents[i].bits) ? extents[i].pages : 0;

		*left -= n < *left ? n : *left;
	}
	return 0;
}

static struct page_truth first_of(struct process *p, const struct truth *truth, size_t nr)
{
	const struct ptwalk_extent *e = &truth->extents[nr];

	return process_page(p, e->addr, e->value, e->bits, truth_vma_at(truth, e->addr));
}

/* Behind @first, the extents of present pages in a row, no more than @most pages. */
static size_t row_end(const struct process *p, const struct truth *truth, size_t first,
		      uint64_t most, uint64_t *pages)
{
	uint64_t next = truth->extents[first].addr;
	size_t i = first;

	for (*pages = 0; i < truth->nr_extents; i++) {
		const struct ptwalk_extent *e = &truth->extents[i];
		const uint64_t behind = e->addr + (e->pages << p->page_shift);

		/* The kernel may crash when it is asked about some of it. */
		if (!ptwalk_bits_present(e->bits) || e->addr != next || *pages + e->pages > most ||
		    ranges_touch(&p->walk.left_out, e->addr, behind - 1))
			break;
		*pages += e->pages;
		next = behind;
	}
	return i;
}

/* What one interface shows of the extents from @first to before @end. */
static void compare_row(struct process *p, const struct source *s, const struct truth *truth,
			size_t first, size_t end, uint64_t pages)
{
	const struct env *env = &p->check->env;
	uint64_t at = 0;
	ssize_t got;

	memset(p->batch.frame, 0xff, pages * sizeof(*p->batch.frame));
	for (size_t i = first; i < end; at += truth->extents[i++].pages) {
		const struct page_truth page = first_of(p, truth, i);

		if (source_grain(s, env, &page) == SOURCE_SKIPS)
			continue;
		for (uint64_t n = 0; n < truth->extents[i].pages; n++)
			p->batch.frame[at + n] = page_at(&page, n, p->page_shift).value;
	}
	p->req.pages = (struct source_pages){
		.addr = truth->extents[first].addr, .nr = pages, .frame = p->batch.frame,
	};
	got = s->read(p->file[p->req.source], &p->req.pages, p->batch.values);
	if (got < 0) {
		process_unreadable(p, p->req.source, got);
		return;
	}
	at = 0;
	for (size_t i = first; i < end; i++) {
		const struct page_truth base = first_of(p, truth, i);
		const bool skips = source_grain(s, env, &base) == SOURCE_SKIPS;

		for (uint64_t n = 0; n < truth->extents[i].pages; n++, at++) {
			const struct ptwalk_page facts = ptwalk_page_behind(truth->pages[i], n);
			struct page_truth page = page_at(&base, n, p->page_shift);
			const bool has_data = at < (uint64_t)got;

			if (skips)
				continue;
			page.facts = &facts;
			if (compare_page(env, s, &page, has_data ? p->batch.values[at] : 0,
					 has_data).verdict == VERDICT_MISMATCH)
				process_suspect(p, p->req.source, page.addr, 1, 0, 0);
			else
				process_count(p, p->req.source, &page, 1);
		}
	}
}

int facts_look(struct process *p, uint64_t *budget)
{
	const uint64_t pays = *budget / 4 / FACTS_PAGE_COST;
	const uint64_t most = pays < BATCH_PAGES ? pays : BATCH_PAGES;
	uint64_t left = most, pages;
	struct truth truth = { .want_pages = true, .take = take_until_enough, .arg = &left };
	int err;

	if (!p->walk.present || p->walk.present > most)
		return 0;
	err = truth_read(p->check->client, p->pid, p->walk.range.start, p->walk.range.last,
			 &truth);
	if (err == HAS_ENOUGH)
		err = 0;
	*budget -= (most - left) * FACTS_PAGE_COST;
	p->counts.cost += (most - left) * FACTS_PAGE_COST;
	for (size_t source = 0; !err && source < p->check->nr_sources; source++) {
		const struct source *s = p->check->source[source];

		if (!s->grain || !s->trait.drawn || (s->trait.own && p->pid != getpid()))
			continue;
		p->req.source = source;
		for (size_t i = 0, end; i < truth.nr_extents; i = end) {
			end = row_end(p, &truth, i, most, &pages);
			if (end > i)
				compare_row(p, s, &truth, i, end, pages);
			else
				end++;
		}
	}
	truth_free(&truth);
	return err;
}
