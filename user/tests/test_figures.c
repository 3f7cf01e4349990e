// SPDX-License-Identifier: GPL-2.0
/*
 * Processes as ptwalk rss recorded them on real kernels. As they are, every
 * figure is right. Then the kernel shows a page more, or one less, in one
 * figure after the other; and page tables or pages are other than they were
 * while the kernel shows the same. Each must be a mismatch.
 */
#include <stdio.h>
#include <stdlib.h>
#include "recording/sums.h"
#include "tests.h"

/**
 * struct tally - what was altered, and noticed
 */
struct tally {
	unsigned long mutants, killed;
};

static const struct figure *find(const struct figures *figures,
				 const struct figure *like)
{
	for (size_t i = 0; i < figures->nr; i++) {
		const struct figure *f = &figures->figure[i];

		if (!figure_order(f, like))
			return f;
	}
	return NULL;
}

static uint64_t *smaps_value(struct smaps_vma *v, const char *field)
{
	for (int i = 0; i < NR_SMAPS_FIELDS; i++)
		if (!strcmp(smaps_field[i].name, field))
			return &v->value[i];
	return NULL;
}

static uint64_t *numa_value(struct numa_vma *v, const struct figure *f)
{
	if (!strcmp(f->field, "N"))
		for (size_t i = 0; i < v->nr_nodes; i++)
			if (v->nodes[i].node == f->node)
				return &v->nodes[i].pages;
	for (int i = 0; i < NR_NUMA_FIELDS; i++)
		if (!strcmp(numa_field_name[i], f->field) && v->has & 1U << i)
			return &v->value[i];
	return NULL;
}

/* Where a figure was read to; NULL for one that is made of several. */
static uint64_t *place_of(struct shown *s, const struct figure *f)
{
	switch (f->source) {
	case FIGURE_STATUS:
		for (int i = 0; i < NR_STATUS_FIELDS; i++)
			if (!strcmp(status_field[i].name, f->field))
				return &s->status.value[i];
		return NULL;
	case FIGURE_STATM:
		return f->field[0] == 'l' ? &s->statm.lib :
		       !strcmp(f->field, "dt") ? &s->statm.dt :
		       f->field[0] == 'r' ? &s->statm.resident :
		       f->field[0] == 'd' ? &s->statm.data :
		       f->field[0] == 't' ? &s->statm.text :
		       f->field[1] == 'i' ? &s->statm.size : &s->statm.shared;
	case FIGURE_STAT:
		return f->field[0] == 'r' ? &s->stat.rss : &s->stat.vsize;
	case FIGURE_MAPS:
	case FIGURE_QUERY:
	case FIGURE_MAP_FILES:
		return NULL;	/* see lines_of_mappings() */
	case FIGURE_SMAPS:
		return smaps_value((void *)smaps_at(&s->smaps, f->start),
				   f->field);
	case FIGURE_ROLLUP:
		return smaps_value(&s->rollup.vma[0], f->field);
	default:
		return numa_value((void *)numa_maps_at(&s->numa, f->start), f);
	}
}

/* Shows @value at @place, and puts back what was there. */
static void show(struct rss_replay *r, const struct figure *f, uint64_t *place,
		 uint64_t value, struct tally *t)
{
	struct figures figures = { .sieve = true };
	const struct figure *found;
	uint64_t was = *place;

	*place = value;
	assert_int_equal(reconcile(&r->counted, &r->shown, &figures), 0);
	*place = was;
	found = find(&figures, f);
	t->mutants++;
	if (found && found->verdict == FIGURE_MISMATCH)
		t->killed++;
	else
		print_message("%s %s of %llx shows %llu: not noticed\n",
			      figure_source_name[f->source], f->field,
			      (unsigned long long)f->start,
			      (unsigned long long)value);
	figures_free(&figures);
}

/* Each flag that is compared, set where it isn't and the other way round. */
static void alter_flags(struct rss_replay *r, const struct figure *f,
			struct tally *t)
{
	struct smaps_vma *v = (void *)smaps_at(&r->shown.smaps, f->start);
	uint64_t flags = smaps_vm_flags_known() & r->info.vma_flags;

	for (; flags; flags &= flags - 1)
		show(r, f, &v->vm_flags, v->vm_flags ^ (flags & -flags), t);
}

/* A page more than may be, and a page less. */
static void alter_shown(struct rss_replay *r, const struct figures *figures,
			struct tally *t)
{
	uint64_t page = 1ULL << (r->info.page_shift - 10), step;
	uint64_t *place, least;

	for (size_t i = 0; i < figures->nr; i++) {
		const struct figure *f = &figures->figure[i];

		if (!strcmp(f->unit, "flags"))
			alter_flags(r, f, t);
		place = place_of(&r->shown, f);
		if (!place)
			continue;
		step = !strcmp(f->unit, "kB") && f->low == f->high ? page : 1;
		least = f->low > f->below ? f->low - f->below : 0;
		if (f->high != UINT64_MAX)
			show(r, f, place, f->high + f->above + step, t);
		if (least >= step)
			show(r, f, place, least - step, t);
	}
}

static bool noticed(struct rss_replay *r)
{
	struct figures figures = { .sieve = true };
	bool found = false;

	assert_int_equal(rss_replay_count(r), 0);
	assert_int_equal(reconcile(&r->counted, &r->shown, &figures), 0);
	for (size_t i = 0; i < figures.nr; i++)
		found |= figures.figure[i].verdict == FIGURE_MISMATCH;
	figures_free(&figures);
	return found;
}

static void judge_truth(struct rss_replay *r, const char *what, uint64_t addr,
			struct tally *t)
{
	t->mutants++;
	if (noticed(r))
		t->killed++;
	else
		print_message("%s at %llx: not noticed\n", what,
			      (unsigned long long)addr);
}

/* What the kernel adds up of an extent; the rest leaves no trace in sums. */
static bool adds_up(const struct ptwalk_extent *e)
{
	uint32_t flags = ptwalk_bits_flags(e->bits);

	switch (ptwalk_bits_kind(e->bits)) {
	case PTWALK_KIND_PRESENT:
		return flags & PTWALK_FLAG_PAGE && !(flags & PTWALK_FLAG_ZERO);
	case PTWALK_KIND_SWAP:
		return true;
	default:
		return false;
	}
}

/* Each extent a page shorter: its last one isn't there. */
static void alter_extents(struct rss_replay *r, struct tally *t)
{
	for (size_t i = 0; i < r->truth.nr_extents; i++) {
		struct ptwalk_extent *e = &r->truth.extents[i], was = *e;

		if (!adds_up(e))
			continue;
		e->pages--;
		judge_truth(r, "a page less", e->addr, t);
		*e = was;
	}
}

/* Other facts of a page than those that the kernel had. */
static void alter_pages(struct rss_replay *r, struct tally *t)
{
	for (size_t i = 0; i < r->nr_pages; i++) {
		struct rss_page *p = &r->page[i], was = *p;
		const struct ptwalk_vma *vma = truth_vma_at(&r->truth, p->addr);
		bool hugetlb = vma->flags & PTWALK_VMA_FLAG_HUGETLB;

		if (!hugetlb &&
		    !(ptwalk_bits_flags(p->bits) & PTWALK_FLAG_DIRTY)) {
			p->page.flags ^= PTWALK_PAGE_FLAG_DIRTY;
			judge_truth(r, "dirty", p->addr, t);
			*p = was;
		}
		if (!hugetlb) {
			p->page.flags ^= PTWALK_PAGE_FLAG_ANON;
			judge_truth(r, "anonymous", p->addr, t);
			*p = was;
		}
		if (!hugetlb && p->page.counts == (1 | 1ULL << 32)) {
			p->page.counts = 2 | 2ULL << 32;
			judge_truth(r, "mapped twice", p->addr, t);
			*p = was;
		}
		/* numa_maps leaves reserved pages out, such as the vdso. */
		if (r->shown.has & 1U << FIGURE_NUMA_MAPS &&
		    !(p->page.flags & PTWALK_PAGE_FLAG_RESERVED)) {
			p->page.place += 1 << 8;
			judge_truth(r, "on another node", p->addr, t);
			*p = was;
		}
	}
}

/* Figures that match are only counted; then every 50th is looked for again. */
static void sieved(const struct rss_replay *r, const struct figures *all)
{
	struct figures few = { .sieve = true }, differ = { 0 };
	size_t nr = 0;

	assert_int_equal(reconcile(&r->counted, &r->shown, &few), 0);
	for (int i = 0; i < NR_FIGURE_SOURCES; i++)
		nr += few.matched[i];
	assert_true(nr > 100);
	assert_int_equal(nr + few.nr, all->nr);
	for (size_t i = 0; i < few.nr; i++)
		assert_true(!few.figure[i].last ||
			    few.figure[i].verdict != FIGURE_MATCH);

	assert_int_equal(reconcile(&r->counted, &r->shown, &differ), 0);
	for (size_t i = 0; i < differ.nr; i += 50)
		differ.figure[i].verdict = FIGURE_MISMATCH;
	assert_int_equal(figures_want(&few, &differ), 0);
	assert_int_equal(reconcile(&r->counted, &r->shown, &few), 0);
	assert_int_equal(few.nr, (differ.nr + 49) / 50);
	for (size_t i = 0; i < few.nr; i++)
		assert_int_equal(figure_order(&few.figure[i],
					      &differ.figure[i * 50]), 0);
	figures_free(&differ);
	figures_free(&few);
}

void figures_mutants(const char *path, unsigned long *mutants,
		     unsigned long *killed)
{
	FILE *stream = fopen(path, "r");
	struct rss_replay replay = { 0 };
	struct figures figures = { 0 };
	struct tally tally = { 0 };
	struct lines lines;
	int err;

	assert_non_null(stream);
	lines_begin(&lines, stream);
	err = rss_replay_read(&lines, &replay);
	if (err)
		print_message("%s:%zu: error %d\n", path, lines.number, err);
	assert_int_equal(err, 0);
	fclose(stream);
	assert_int_equal(reconcile(&replay.counted, &replay.shown, &figures), 0);
	assert_true(figures.nr > 100);
	for (size_t i = 0; i < figures.nr; i++) {
		const struct figure *f = &figures.figure[i];

		if (f->verdict == FIGURE_MISMATCH)
			print_message("%s: %s %s of %llx: %llu..%llu, shown %llu\n",
				      path, figure_source_name[f->source],
				      f->field, (unsigned long long)f->start,
				      (unsigned long long)f->low,
				      (unsigned long long)f->high,
				      (unsigned long long)f->seen);
		assert_int_not_equal(f->verdict, FIGURE_MISMATCH);
	}
	sieved(&replay, &figures);
	alter_shown(&replay, &figures, &tally);
	alter_extents(&replay, &tally);
	alter_pages(&replay, &tally);
	print_message("# %s: killed %lu of %lu\n", path, tally.killed,
		      tally.mutants);
	*mutants += tally.mutants;
	*killed += tally.killed;
	figures_free(&figures);
	rss_replay_free(&replay);
}
