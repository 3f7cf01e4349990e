// SPDX-License-Identifier: GPL-2.0
/* Gathers what is drawn: extents, names, findings, and what memory there is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "kernel/pieces.h"
#include "lint/lints.h"
#include "map/gather.h"
#include "proc/cpuinfo.h"
#include "proc/kpageflags.h"
#include "proc/processes.h"
#include "sums/figure.h"

#define LINT_ROUNDS	5	/* memory may be on the move */

static int gather_vma(struct map_gathered *g, const struct ptwalk_vma *vma,
		      const char *name, bool gone)
{
	return array_add(g->vma, g->nr_vmas, g->max_vmas,
			 (struct map_vma){ vma, name, gone }) ? 0 : error_no_memory();
}

/* A VMA that is in no truth. */
static int add_own(struct map_gathered *g, const struct ptwalk_vma *vma,
		   const char *name, bool gone)
{
	struct ptwalk_vma *own = malloc(sizeof(*own));

	if (!own || !array_room(&g->own, &g->max_own, g->nr_own + 1,
				sizeof(*g->own))) {
		free(own);
		return error_no_memory();
	}
	*own = *vma;
	g->own[g->nr_own++] = own;
	return gather_vma(g, own, name, gone);
}

static int add_finding(struct map_gathered *g, const char *name, uint64_t addr,
		       uint64_t last, const char *text)
{
	struct map_finding *f;

	if (!array_room(&g->finding, &g->max_findings, g->nr_findings + 1,
			sizeof(*f)))
		return error_no_memory();
	f = &g->finding[g->nr_findings];
	*f = (struct map_finding){
		.addr = addr, .last = last, .name = name, .text = strdup(text),
	};
	if (!f->text)
		return error_no_memory();
	g->nr_findings++;
	return 0;
}

static int add_lints(struct map_gathered *g, const struct lint_findings *found)
{
	const unsigned int shift = g->input.kernel->page_shift;
	char has[LINT_TEXT], against[LINT_TEXT], text[2 * LINT_TEXT + 2];
	const struct lint_finding *f;
	int err = 0;

	for (size_t i = 0; !err && i < found->nr; i++) {
		f = &found->finding[i];
		lint_found(f, g->input.kernel, has);
		lint_against(f, g->input.kernel, against);
		snprintf(text, sizeof(text), "%s; %s", has, against);
		err = add_finding(g, lint_name[f->lint], f->addr, f->addr +
				  ((f->pages - 1) << shift | ((1ULL << shift) - 1)),
				  text);
	}
	return err;
}

static int gather_lints(const struct map_gathered *g, pid_t pid,
			struct lint_findings *found)
{
	struct range everything = { 0, UINT64_MAX };
	const struct ranges ranges = { .range = &everything, .nr = 1 };
	int err;
	struct linter l = {
		.kernel = g->input.kernel, .iomem = &g->places.iomem,
		.bars = &g->places.bars, .pid = pid, .ranges = &ranges,
		.frame_flags = frameflags_read,
		.out = found,
	};

	err = noexec_read(g->input.kernel, &l.denies_exec);
	if (!err)
		lint_truth(&l, &g->truth);
	return err;
}

static int stop_if_asked(struct truth *truth, const struct ptwalk_extent *extents,
			 const struct ptwalk_page *pages, size_t nr)
{
	struct map_gathered *g = truth->arg;

	g->partial = g->stop && *g->stop;
	return g->partial ? error_set(-EINTR, "interrupted") : 0;
}

/* Reads the process until the lints find the same twice, or nothing. */
static int read_and_lint(struct ptwalk *client, pid_t pid,
			 struct map_gathered *g)
{
	struct lint_findings found[2] = { 0 };
	struct lint_findings *now = NULL;
	int err = 0;

	g->truth.want_pages = true;
	g->truth.take = stop_if_asked;
	g->truth.arg = g;
	for (unsigned int i = 0; !err && i < LINT_ROUNDS; i++) {
		now = &found[i % 2];
		now->nr = 0;
		err = truth_read(client, pid, 0, UINT64_MAX, &g->truth);
		if (g->partial) {
			err = 0;
			break;
		}
		if (!err)
			err = gather_lints(g, pid, now);
		if (!err && now->failed)
			err = error_no_memory();
		if (!now->nr || (i && lint_same(now, &found[!(i % 2)])))
			break;
	}
	if (!err)
		err = add_lints(g, now);
	free(found[0].finding);
	free(found[1].finding);
	return err;
}

/* What maps shows and no table was read of, such as [vsyscall]. */
static int add_unread(struct map_gathered *g)
{
	const struct truth *t = &g->truth;
	struct ptwalk_vma vma = { .page_shift = g->input.kernel->page_shift };
	int err = 0;
	size_t next;

	for (size_t i = 0; !err && i < g->maps.nr; i++) {
		const struct map *map = &g->maps.map[i];

		next = array_from(t->vmas, t->nr_vmas, last, map->start);
		if (next < t->nr_vmas && t->vmas[next].start <= map->last)
			continue;
		vma.start = map->start;
		vma.last = map->last;
		vma.flags = (map->perms[0] == 'r' ? PTWALK_VMA_FLAG_READ : 0) |
			    (map->perms[1] == 'w' ? PTWALK_VMA_FLAG_WRITE : 0) |
			    (map->perms[2] == 'x' ? PTWALK_VMA_FLAG_EXEC : 0);
		err = add_own(g, &vma, map->name, false);
	}
	return err;
}

int map_gather_process(struct ptwalk *client, pid_t pid, struct maps *maps,
		       struct map_gathered *g)
{
	char comm[32];
	int err;

	g->maps = *maps;
	*maps = (struct maps){ 0 };
	g->input.kernel = ptwalk_kernel(client);
	err = zones_read(&g->zones);
	if (!err)
		err = places_read(&g->places);
	if (!err)
		err = read_and_lint(client, pid, g);
	for (size_t i = 0; !err && i < g->truth.nr_vmas; i++)
		err = gather_vma(g, &g->truth.vmas[i],
				 maps_name_at(&g->maps, g->truth.vmas[i].start),
				 false);
	if (!err)
		err = add_unread(g);
	procs_comm(pid, comm, sizeof(comm));
	snprintf(g->of, sizeof(g->of), "process %d (%s)%s", (int)pid, comm,
		 g->partial ? ", partial: interrupted" : "");
	return err;
}

/* The page behind the first entry of each extent, as truth_read() has them. */
static int gather_pages(const struct rss_replay *r, struct truth *t)
{
	size_t next = 0;

	t->pages = calloc(t->nr_extents + 1, sizeof(*t->pages));
	if (!t->pages)
		return error_no_memory();
	for (size_t i = 0; i < t->nr_extents; i++) {
		while (next < r->nr_pages && r->page[next].addr < t->extents[i].addr)
			next++;
		if (next < r->nr_pages && r->page[next].addr == t->extents[i].addr)
			t->pages[i] = r->page[next].page;
	}
	return 0;
}

static int add_mismatches(struct rss_replay *r, struct map_gathered *g)
{
	struct figures figures = { 0 };
	char name[FIGURE_NAME], counted[FIGURE_TEXT], shown[FIGURE_TEXT];
	char text[3 * FIGURE_TEXT];
	const struct figure *f;
	int err = 0;

	if (rss_replay_judge(r, &figures))
		err = error_no_memory();
	for (size_t i = 0; !err && i < figures.nr; i++) {
		f = &figures.figure[i];
		if (f->verdict != FIGURE_MISMATCH || !f->last)
			continue;
		snprintf(text, sizeof(text),
			 "%s of %s: %s%s%s counted, %s%s (%s)",
			 figure_name(f, name), figure_source_name[f->source],
			 figure_counted(f, counted), *f->unit ? " " : "", f->unit,
			 figure_shown(f, shown), f->absent ? "" : " shown",
			 f->where);
		err = add_finding(g, f->bug ? f->bug->name : "mismatch",
				  f->start, f->last, text);
	}
	figures_free(&figures);
	return err;
}

int map_gather_recording(struct rss_replay *r, struct map_gathered *g)
{
	int err;

	g->input.kernel = &r->info;
	/* The arrays are the recording's. */
	g->truth = r->truth;
	g->recorded = true;
	err = gather_pages(r, &g->truth);
	if (!err)
		err = add_mismatches(r, g);
	for (size_t i = 0; !err && i < r->truth.nr_vmas; i++)
		err = gather_vma(g, &r->truth.vmas[i],
				 rss_replay_name(r, &r->truth.vmas[i]), false);
	snprintf(g->of, sizeof(g->of), "recorded on Linux %s", r->info.release);
	return err;
}

static int gather_change(const struct change *change, void *arg)
{
	struct map_gathered *g = arg;

	return array_add(g->change, g->nr_changes, g->max_changes, *change) ? 0 :
	       error_no_memory();
}

/* Of a VMA of the past, what is in none of today's. */
static int add_gone(struct map_gathered *g, const char *name, const struct ptwalk_vma *old)
{
	const struct truth *t = &g->truth;
	struct ptwalk_vma part = *old;
	size_t i = array_from(t->vmas, t->nr_vmas, last, old->start);
	int err = 0;

	for (; !err && i < t->nr_vmas && t->vmas[i].start <= old->last; i++) {
		if (t->vmas[i].start > part.start) {
			part.last = t->vmas[i].start - 1;
			err = add_own(g, &part, name, true);
		}
		if (t->vmas[i].last >= old->last)
			return err;
		part.start = t->vmas[i].last + 1;
	}
	part.last = old->last;
	return err ? err : add_own(g, &part, name, true);
}

int map_gather_before(const struct rss_replay *before, struct map_gathered *g)
{
	int err = 0;

	g->input.compared = true;
	for (size_t i = 0; !err && i < before->truth.nr_vmas; i++)
		err = add_gone(g, rss_replay_name(before, &before->truth.vmas[i]),
			       &before->truth.vmas[i]);
	return err ? err : changes_between(&before->info,
					   &before->truth, &g->truth,
					   CHANGES_USUAL, gather_change, g);
}

/* Keeps the name of the area, or part, at @addr. */
static const char *area_name(const struct kernel_facts *facts, uint64_t addr,
			     struct map_gathered *g)
{
	const struct kernel_region *r = kernel_region_at(&facts->tables, addr);
	const struct vmalloc_area *area = vmallocinfo_at(&facts->areas, addr);
	char text[160], *name;

	snprintf(text, sizeof(text), "%s%s%s", r ? r->name : "", r && area ? " " : "",
		 area ? area->caller : "");
	name = strdup(text);
	if (!name || !array_room(&g->name, &g->max_names, g->nr_names + 1, sizeof(name))) {
		free(name);
		return NULL;
	}
	return g->name[g->nr_names++] = name;
}

/* What none of its tables has a word of; a table that couldn't be read is no hole. */
static bool is_hole(const struct kernel_tables *t, uint64_t start, uint64_t last)
{
	const size_t i = kernel_extent_from(t, start);

	return i == t->nr || t->extent[i].start > last;
}

/* As the module tells of processes: between what is mapped of an area is nothing. */
static int fill_holes(const struct kernel_facts *facts, struct truth *t)
{
	const unsigned int shift = facts->tables.page_shift;
	struct truth to = { 0 };
	size_t vma = 0;
	uint64_t end = 0;

	if (!array_room(&to.extents, &to.max_extents, 2 * t->nr_extents + 1, sizeof(*to.extents)))
		return error_no_memory();
	for (size_t i = 0; i < t->nr_extents; i++) {
		while (t->vmas[vma].last < t->extents[i].addr)
			vma++;
		if (end > t->vmas[vma].start && end < t->extents[i].addr &&
		    is_hole(&facts->tables, end, t->extents[i].addr - 1))
			to.extents[to.nr_extents++] = (struct ptwalk_extent) {
				.addr = end, .pages = (t->extents[i].addr - end) >> shift,
				.bits = ptwalk_bits(PTWALK_KIND_NONE, 0, 0, 0),
			};
		to.extents[to.nr_extents++] = t->extents[i];
		end = t->extents[i].addr + (t->extents[i].pages << shift);
	}
	free(t->extents);
	t->extents = to.extents;
	t->nr_extents = to.nr_extents;
	t->max_extents = to.max_extents;
	return 0;
}

/* What the direct mapping has, which is RAM. */
static bool is_ram(const struct kernel_tables *t, uint64_t phys)
{
	const struct kernel_region *r = kernel_region_named(t, "direct");
	const struct kernel_extent *e;

	for (size_t i = r ? kernel_extent_from(t, r->start) : t->nr; i < t->nr; i++) {
		e = &t->extent[i];
		if (e->start > r->last)
			break;
		if (e->kind == KERNEL_MAPPED && phys >= e->phys && phys - e->phys < e->bytes)
			return true;
	}
	return false;
}

/* An area may do what one of its entries allows, and its memory may be RAM. */
static void add_rights(const struct kernel_facts *facts, struct truth *t)
{
	struct ptwalk_vma *vma = t->vmas;
	struct ptwalk_extent *e;
	uint32_t flags;

	for (size_t i = 0; i < t->nr_extents; i++) {
		e = &t->extents[i];
		flags = ptwalk_bits_flags(e->bits);
		while (vma->last < e->addr)
			vma++;
		vma->flags |= PTWALK_VMA_FLAG_READ |
			      (flags & PTWALK_FLAG_WRITE ? PTWALK_VMA_FLAG_WRITE : 0) |
			      (flags & PTWALK_FLAG_EXEC ? PTWALK_VMA_FLAG_EXEC : 0);
		if (is_ram(&facts->tables, e->value << facts->tables.page_shift))
			flags |= PTWALK_FLAG_RAM;
		e->bits = ptwalk_bits(PTWALK_KIND_PRESENT, ptwalk_bits_level(e->bits),
				      ptwalk_bits_aux(e->bits), flags);
	}
}

static int add_areas(const struct kernel_facts *facts, struct map_gathered *g)
{
	const struct truth *t = &g->truth;
	const char *name;
	int err = 0;

	for (size_t i = 0; !err && i < t->nr_vmas; i++) {
		name = area_name(facts, t->vmas[i].start, g);
		err = name ? gather_vma(g, &t->vmas[i], name, false) : error_no_memory();
	}
	return err;
}

/* Areas that are gone as a whole. */
static int add_gone_areas(const struct kernel_facts *facts, struct map_gathered *g)
{
	const struct truth *old = &g->before;
	const char *name;
	int err = 0;

	for (size_t i = 0; !err && i < old->nr_vmas; i++) {
		name = area_name(facts, old->vmas[i].start, g);
		err = name ? add_gone(g, name, &old->vmas[i]) : error_no_memory();
	}
	return err;
}

int map_gather_kernel(const struct kernel_facts *now, const struct kernel_facts *before,
		      struct map_gathered *g)
{
	const struct kernel_wanted all = { 0 };
	int err;

	kernel_pieces_describe(now, &g->info);
	g->input.kernel = &g->info;
	err = kernel_pieces_truth(now, before ? before : now, &all, &g->truth);
	if (!err)
		err = add_areas(now, g);
	if (!err && before) {
		g->input.compared = true;
		err = kernel_pieces_truth(before, now, &all, &g->before);
		if (!err)
			err = add_gone_areas(before, g);
		if (!err)
			err = changes_between(&g->info, &g->before, &g->truth, CHANGES_ALL,
					      gather_change, g);
	}
	if (err)
		return err;
	add_rights(now, &g->truth);
	return fill_holes(now, &g->truth);
}

static int by_vma_start(const void *a, const void *b)
{
	const struct map_vma *x = a, *y = b;

	return x->vma->start < y->vma->start ? -1 : x->vma->start > y->vma->start;
}

static int by_addr(const void *a, const void *b)
{
	const struct map_finding *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->text, y->text);
}

void map_gather_end(struct map_gathered *g, const char *(*why)(const char *name))
{
	struct map_input *in = &g->input;

	if (g->nr_vmas)
		qsort(g->vma, g->nr_vmas, sizeof(*g->vma), by_vma_start);
	if (g->nr_findings)
		qsort(g->finding, g->nr_findings, sizeof(*g->finding), by_addr);
	for (size_t i = 0; i < g->nr_findings; i++)
		g->finding[i].why = why(g->finding[i].name);
	in->truth = &g->truth;
	in->vma = g->vma;
	in->nr_vmas = g->nr_vmas;
	in->finding = g->finding;
	in->nr_findings = g->nr_findings;
	in->change = g->change;
	in->nr_changes = g->nr_changes;
	in->zones = &g->zones;
	in->places = &g->places;
	in->of = g->of;
}

void map_gathered_free(struct map_gathered *g)
{
	if (g->recorded)
		free(g->truth.pages);
	else
		truth_free(&g->truth);
	maps_free(&g->maps);
	zones_free(&g->zones);
	places_free(&g->places);
	free(g->vma);
	for (size_t i = 0; i < g->nr_own; i++)
		free(g->own[i]);
	free(g->own);
	truth_free(&g->before);
	for (size_t i = 0; i < g->nr_names; i++)
		free(g->name[i]);
	free(g->name);
	free(g->change);
	for (size_t i = 0; i < g->nr_findings; i++)
		free(g->finding[i].text);
	free(g->finding);
	memset(g, 0, sizeof(*g));
}
