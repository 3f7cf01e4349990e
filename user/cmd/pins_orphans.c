// SPDX-License-Identifier: GPL-2.0
/*
 * pins --orphans: a look at all memory for what is pinned and in nobody's tables.
 *
 * The module is asked of each frame, and not /proc/kpageflags, which can crash kernels
 * before 6.2 (kpageflags-compound-bug).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/progress.h"
#include "check/rounds.h"
#include "cmd/interrupt.h"
#include "cmd/pins_orphans.h"
#include "module/client.h"
#include "pins/orphan.h"
#include "proc/cgroups.h"
#include "proc/iomem.h"
#include "proc/kpageflags.h"

#define PAUSE	7	/* 50 ms, of pause_before_round() */
#define AT_ONCE	PTWALK_MAX_ADDRESSES

/**
 * struct orphan - a frame
 * @cgroup: Inode of the control group that it is charged to, 0 without one.
 * @looks: In so many was it an orphan, in the others it moved.
 */
struct orphan {
	uint64_t pfn, cgroup;
	unsigned int looks;
	struct ptwalk_page page;
};

/* Those that no look has refuted, ascending. */
struct found {
	struct orphan *orphan;
	size_t nr, max;
};

/* Looks at @nr of @before, and adds those that may be orphans. */
static int orphans_look(struct found *out, struct ptwalk *client,
			const struct orphan *before, size_t nr)
{
	struct ptwalk_page pages[AT_ONCE];
	uint64_t pfns[AT_ONCE] = { 0 };
	int err;

	for (size_t i = 0; i < nr; i++)
		pfns[i] = before[i].pfn;
	err = ptwalk_frames(client, pfns, nr, pages);
	if (err)
		return client_error(client, 0, err);
	for (size_t i = 0; i < nr; i++) {
		const enum pin_orphan is = pin_orphan(&pages[i]);
		struct orphan next;

		if (is == PIN_NO_ORPHAN)
			continue;
		next = before[i];
		next.page = pages[i];
		next.looks += is == PIN_ORPHAN;
		if (!array_add(out->orphan, out->nr, out->max, next))
			return error_no_memory();
	}
	return 0;
}

static int scan_frames(struct orphans *o, struct found *out, struct ptwalk *client,
		       uint64_t first, uint64_t last)
{
	struct orphan frames[AT_ONCE] = { 0 };
	int err = 0;

	for (uint64_t pfn = first; !err && pfn <= last && !interrupted;) {
		size_t nr = 0;

		while (nr < AT_ONCE && pfn <= last)
			frames[nr++].pfn = pfn++;
		err = orphans_look(out, client, frames, nr);
		o->scanned += nr;
		progress_pages(nr);
	}
	return err;
}

static int scan_all(struct orphans *o, struct found *out, struct ptwalk *client)
{
	const unsigned int shift = ptwalk_kernel(client)->page_shift;
	struct iomem iomem = { 0 };
	int err = 0;

	iomem_read(&iomem);
	if (iomem.why_not)
		err = error_set(-EACCES, "%s: --orphans needs it", iomem.why_not);
	for (size_t i = 0; !err && i < iomem.nr; i++) {
		const struct iomem_resource *r = &iomem.resource[i];

		if (!strncmp(r->name, "System RAM", strlen("System RAM")))
			err = scan_frames(o, out, client, r->start >> shift, r->last >> shift);
	}
	iomem_free(&iomem);
	return err;
}

static int orphans_look_again(struct found *s, struct ptwalk *client)
{
	struct found now = { 0 };
	int err = 0;

	for (size_t i = 0; !err && i < s->nr; i += AT_ONCE)
		err = orphans_look(&now, client, &s->orphan[i],
				   s->nr - i < AT_ONCE ? s->nr - i : AT_ONCE);
	free(s->orphan);
	*s = now;
	return err;
}

static bool looks_short(const struct found *s)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->orphan[i].looks < JUDGE_PAGE_ROUNDS)
			return true;
	return false;
}

/* Leaves those that are proven, and counts the others. */
static void drop_open(struct orphans *o, struct found *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		if (s->orphan[i].looks < JUDGE_PAGE_ROUNDS)
			o->unknown++;
		else
			s->orphan[nr++] = s->orphan[i];
	}
	s->nr = nr;
}

static bool orphan_goes_on(const struct orphan *a, const struct orphan *b)
{
	return a->pfn + 1 == b->pfn && a->cgroup == b->cgroup &&
	       !((a->page.flags ^ b->page.flags) & PTWALK_PAGE_FLAG_ANON) &&
	       (uint32_t)a->page.counts == (uint32_t)b->page.counts;
}

static void print_orphan(const struct orphans *o, const struct orphan *first, uint64_t pages,
			 const struct cgroups *groups, unsigned int shift)
{
	const char *path = first->cgroup ? cgroups_path(groups, first->cgroup) : NULL;

	if (o->json) {
		jsonw_begin("orphan");
		jsonw_text("verdict", "mismatch");
		jsonw_text("rule", PINNED_ORPHAN);
		jsonw_hex("pfn", first->pfn);
		jsonw_hex("paddr", first->pfn << shift);
		jsonw_number("pages", pages);
		jsonw_number("references", (uint32_t)first->page.counts);
		jsonw_number("order", first->page.place & 0xff);
		jsonw_text("cgroup", path);
		jsonw_end();
		return;
	}
	printf("%smismatch%s: physical 0x%" PRIx64 ", %" PRIu64 " page%s, %s\n",
	       out_colour(OUT_BAD), out_colour(OUT_PLAIN), first->pfn << shift, pages,
	       plural(pages), PINNED_ORPHAN);
	printf("  truth     %s, pinned (references %" PRIu32 "), held by nobody's tables\n",
	       first->page.flags & PTWALK_PAGE_FLAG_ANON ? "anonymous memory" :
	       "memory that was cut out of its file", (uint32_t)first->page.counts);
	if (path) {
		printf("  cgroup    ");
		out_text(path);
		putchar('\n');
	}
	printf("  explain   ptwalk explain %s\n", PINNED_ORPHAN);
	out_check();
}

static void tell_orphans(struct orphans *o, struct found *s, unsigned int shift)
{
	struct cgroups groups = { 0 };
	size_t nr;

	if (s->nr)
		cgroups_read(&groups);
	for (size_t i = 0; i < s->nr; i++)
		frame_cgroup_read(s->orphan[i].pfn, &s->orphan[i].cgroup);
	for (size_t i = 0; i < s->nr; i += nr) {
		for (nr = 1; i + nr < s->nr; nr++)
			if (!orphan_goes_on(&s->orphan[i + nr - 1], &s->orphan[i + nr]))
				break;
		print_orphan(o, &s->orphan[i], nr, &groups, shift);
	}
	o->pages += s->nr;
	cgroups_free(&groups);
}

/*
 * Puts pages on their LRU list that wait for it in a processor's batch, where one that is
 * idle leaves them for as long as it is: to move no pages begins with that on each of them
 * (do_pages_move(), lru_cache_disable()). Without move_pages() they are seen to move.
 */
static void drain_batches(void)
{
	const int node = 0;
	int status;

	syscall(SYS_move_pages, 0, 0UL, NULL, &node, &status, 0);
}

int orphans_find(struct orphans *o, struct ptwalk *client)
{
	struct found found = { 0 };
	int err;

	drain_batches();
	err = scan_all(o, &found, client);
	/* What ends the first look doesn't end the others: they take about a second at most. */
	for (int looks = 1; !err && looks_short(&found) && looks < 2 * JUDGE_PAGE_ROUNDS; looks++) {
		pause_before_round(PAUSE);
		drain_batches();
		err = orphans_look_again(&found, client);
	}
	if (!err) {
		drop_open(o, &found);
		tell_orphans(o, &found, ptwalk_kernel(client)->page_shift);
	}
	free(found.orphan);
	return err;
}
