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
#include "base/error.h"
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/progress.h"
#include "cmd/interrupt.h"
#include "cmd/alike_places.h"
#include "cmd/pins_orphans.h"
#include "module/client.h"
#include "pins/orphan.h"
#include "proc/cgroups.h"
#include "proc/dmabuf.h"
#include "proc/iomem.h"
#include "proc/kpageflags.h"

#define AT_ONCE	PTWALK_MAX_ADDRESSES

static int scan_frames(struct orphans *o, struct orphan_list *out, struct ptwalk *client,
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

static int scan_all(struct orphans *o, struct orphan_list *out, struct ptwalk *client)
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

/* By what is told of them beside their place. */
static int by_kind(const struct orphan *a, const struct orphan *b)
{
	const uint64_t anon_a = a->page.flags & PTWALK_PAGE_FLAG_ANON;
	const uint64_t anon_b = b->page.flags & PTWALK_PAGE_FLAG_ANON;
	const uint32_t references_a = a->page.counts, references_b = b->page.counts;

	if (anon_a != anon_b)
		return anon_a > anon_b ? -1 : 1;
	if (references_a != references_b)
		return references_a < references_b ? -1 : 1;
	return (a->cgroup > b->cgroup) - (a->cgroup < b->cgroup);
}

static int by_kind_and_place(const void *x, const void *y)
{
	const struct orphan *a = x, *b = y;
	const int kind = by_kind(a, b);

	return kind ?: (a->pfn > b->pfn) - (a->pfn < b->pfn);
}

static bool orphan_goes_on(const struct orphan *a, const struct orphan *b)
{
	return a->pfn + 1 == b->pfn && !by_kind(a, b);
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

/* @pages in a row from @first on, with @last before them. */
static void tell_place(const struct orphans *o, const struct orphan *last,
		       const struct orphan *first, uint64_t pages, struct alike_places *alike,
		       const struct cgroups *groups, unsigned int shift)
{
	if (!o->json && last && by_kind(last, first))
		alike_places_end(alike, NULL);
	if (o->json || alike_places_tell(alike, pages))
		print_orphan(o, first, pages, groups, shift);
}

static void tell_orphans(struct orphans *o, struct orphan_list *s, unsigned int shift)
{
	struct cgroups groups = { 0 };
	struct alike_places alike = { 0 };
	size_t nr;

	if (s->nr)
		cgroups_read(&groups);
	for (size_t i = 0; i < s->nr; i++)
		frame_cgroup_read(s->orphan[i].pfn, &s->orphan[i].cgroup);
	if (s->nr && !o->json)
		qsort(s->orphan, s->nr, sizeof(*s->orphan), by_kind_and_place);
	for (size_t i = 0; i < s->nr; i += nr) {
		for (nr = 1; i + nr < s->nr; nr++)
			if (!orphan_goes_on(&s->orphan[i + nr - 1], &s->orphan[i + nr]))
				break;
		tell_place(o, i ? &s->orphan[i - 1] : NULL, &s->orphan[i], nr, &alike,
			   &groups, shift);
	}
	alike_places_end(&alike, NULL);
	o->pages += s->nr;
	cgroups_free(&groups);
}

/*
 * A dma-buf of udmabuf has the pages of a memfd, and keeps all of them once the file is
 * gone, as is right: what was cut out of a file may be its, if it is as much. No file
 * tells which frames it has.
 */
static void leave_to_dmabuf(struct orphans *o, struct orphan_list *s, unsigned int shift)
{
	uint64_t least;
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		nr += !(s->orphan[i].page.flags & PTWALK_PAGE_FLAG_ANON);
	if (!nr || !dmabuf_may_be_of("udmabuf", &least) || nr + o->unknown < least >> shift)
		return;
	o->of_dmabuf += nr;
	nr = 0;
	for (size_t i = 0; i < s->nr; i++)
		if (s->orphan[i].page.flags & PTWALK_PAGE_FLAG_ANON)
			s->orphan[nr++] = s->orphan[i];
	s->nr = nr;
}

int orphans_find(struct orphans *o, struct ptwalk *client)
{
	struct orphan_list found = { 0 };
	int err;

	orphans_drain();
	err = scan_all(o, &found, client);
	if (!err)
		err = orphans_confirm(&found, client, &interrupted, &o->unknown, &o->parted);
	o->uncounted = found.uncounted;
	if (!err)
		leave_to_dmabuf(o, &found, ptwalk_kernel(client)->page_shift);
	if (!err)
		tell_orphans(o, &found, ptwalk_kernel(client)->page_shift);
	free(found.orphan);
	/* What nobody was told of isn't known. */
	if (err)
		*o = (struct orphans){ .json = o->json };
	return err;
}
