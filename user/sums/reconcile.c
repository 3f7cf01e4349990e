// SPDX-License-Identifier: GPL-2.0
/*
 * Counted pages against what smaps, status and their like show. Each field
 * has bounds, which are equal where all that the kernel adds up is known, and
 * a slack beside them where the kernel's own sum may be off.
 */
#include "base/array.h"
#include "proc/maps.h"
#include "sums/job.h"

/* Who shows that there is a mapping, and where it ends; of smaps the end is as in maps. */
static const char *const mapping_by[NR_FIGURE_SOURCES] = {
	[FIGURE_MAPS] = "show_map_vma(), fs/proc/task_mmu.c",
	[FIGURE_SMAPS] = "show_smap(), fs/proc/task_mmu.c",
	[FIGURE_NUMA_MAPS] = "show_numa_map(), fs/proc/task_mmu.c",
	[FIGURE_QUERY] = "do_procmap_query(), fs/proc/task_mmu.c",
	[FIGURE_MAP_FILES] = "proc_map_files_readdir(), fs/proc/base.c",
};

/* Whether a file has a mapping. */
static void put_mapping(struct job *j, enum figure_source source,
			bool counted, bool seen)
{
	job_put_line(j, source, mapping_by[source], "mapping", counted, seen);
}

/* The mapping in @lines if it has it, from the first to the last address. */
static const struct smaps_vma *put_whole(struct job *j, enum figure_source source,
					 const struct smaps *lines,
					 const struct ptwalk_vma *vma)
{
	const enum figure_source end = source == FIGURE_SMAPS ? FIGURE_MAPS : source;
	const struct smaps_vma *v = smaps_at(lines, vma->start);

	if (v && v->last != vma->last) {
		job_put_line(j, source, mapping_by[end], "end", vma->last, v->last);
		return NULL;
	}
	put_mapping(j, source, true, v);
	return v;
}

/* Of a file with a line for each mapping, as in maps; NULL: none was read. */
static const struct smaps *lines_of(const struct shown *s, enum figure_source source)
{
	return s->has & SHOWN_BY_MAPPING & 1U << source ? shown_lines(s, source) : NULL;
}

/* Returns the mapping in that file, if it has it. */
static const struct smaps_vma *compare_mapping(struct job *j,
					       enum figure_source source,
					       const struct ptwalk_vma *vma)
{
	const struct smaps *lines = lines_of(j->shown, source);
	const struct smaps_vma *v;

	if (!lines)
		return NULL;
	v = put_whole(j, source, lines, vma);
	if (v)
		compare_line(j, source, v, vma);
	return v;
}

/* How many lines that mapping has; they are side by side. */
static uint64_t times_listed(const struct smaps *lines, const struct smaps_vma *v)
{
	const struct smaps_vma *first = v, *last = v;

	while (first > lines->vma && first[-1].start == v->start)
		first--;
	while (last + 1 < lines->vma + lines->nr && last[1].start == v->start)
		last++;
	return last - first + 1;
}

/* Only mappings of files have a link. */
static void compare_link(struct job *j, const struct ptwalk_vma *vma)
{
	const struct smaps *links = lines_of(j->shown, FIGURE_MAP_FILES);
	const struct smaps_vma *v;

	if (!links || !vma->raw_flags)
		return;
	if (!line_of_file(vma)) {
		put_mapping(j, FIGURE_MAP_FILES, false,
			    smaps_at(links, vma->start));
		return;
	}
	v = put_whole(j, FIGURE_MAP_FILES, links, vma);
	if (!v)
		return;
	compare_name(j, FIGURE_MAP_FILES, v);
	job_put_line(j, FIGURE_MAP_FILES, mapping_by[FIGURE_MAP_FILES], "links", 1,
		     times_listed(links, v));
}

/* The VMAs in the order of addresses. */
static void compare_each_vma(struct job *j)
{
	const struct counted *c = j->counted;
	const struct shown *s = j->shown;
	const struct ptwalk_vma *vma;
	const struct smaps_vma *v;
	const struct numa_vma *numa;

	for (size_t i = 0; i < c->nr; i++) {
		vma = &c->vmas[i];
		j->start = vma->start;
		j->last = vma->last;
		j->digest = c->each[i].digest;
		compare_mapping(j, FIGURE_MAPS, vma);
		compare_link(j, vma);
		v = compare_mapping(j, FIGURE_QUERY, vma);
		if (v)
			compare_page_size(j, FIGURE_QUERY, v, vma);
		v = compare_mapping(j, FIGURE_SMAPS, vma);
		if (v)
			compare_smaps_vma(j, v, vma, &c->each[i]);
		if (s->has & 1U << FIGURE_NUMA_MAPS) {
			numa = numa_maps_at(&s->numa, j->start);
			put_mapping(j, FIGURE_NUMA_MAPS, true, numa);
			if (numa)
				compare_numa_vma(j, numa, vma, &c->each[i]);
		}
	}
}

static bool has_counted_vma(const struct counted *c, uint64_t start)
{
	const size_t i = array_from(c->vmas, c->nr, start, start);

	return i < c->nr && c->vmas[i].start == start;
}

/* It is the last line of both files, or of none; on arm64 it is a mapping. */
static void compare_gate(struct job *j)
{
	static const enum figure_source files[] = { FIGURE_MAPS, FIGURE_SMAPS };
	const struct smaps_vma *gate = NULL, *v;
	const struct smaps *lines[2];

	for (int i = 0; i < 2; i++) {
		lines[i] = lines_of(j->shown, files[i]);
		if (!lines[i])
			return;
		v = lines[i]->nr ? &lines[i]->vma[lines[i]->nr - 1] : NULL;
		if (!gate && v && maps_is_gate(v->name))
			gate = v;
	}
	if (!gate || has_counted_vma(j->counted, gate->start))
		return;
	j->start = gate->start;
	j->last = gate->last;
	j->digest = 0;
	for (int i = 0; i < 2; i++)
		put_mapping(j, files[i], true, smaps_at(lines[i], gate->start));
}

/* Mappings that only the file has. */
static void compare_others(struct job *j, enum figure_source source)
{
	const struct smaps *lines = lines_of(j->shown, source);
	const struct smaps_vma *v;

	for (size_t i = 0; lines && i < lines->nr; i++) {
		v = &lines->vma[i];
		if (has_counted_vma(j->counted, v->start) || maps_is_gate(v->name))
			continue;
		j->start = v->start;
		j->last = v->last;
		j->digest = 0;
		put_mapping(j, source, false, true);
	}
}

static struct job job_of(const struct counted *counted, const struct shown *shown,
			 struct figures *figures)
{
	return (struct job){
		.counted = counted,
		.shown = shown,
		.info = counted->info,
		.figures = figures,
		.digest = counted->sum.digest,
	};
}

int reconcile_whole(const struct counted *counted, const struct shown *shown,
		    struct figures *figures)
{
	struct job j = job_of(counted, shown, figures);

	if (counted->part)
		return 0;
	if (shown->has & 1U << FIGURE_STATUS)
		compare_status(&j);
	if (shown->has & 1U << FIGURE_STATM)
		compare_statm(&j);
	if (shown->has & 1U << FIGURE_STAT)
		compare_stat(&j);
	if (shown->has & 1U << FIGURE_ROLLUP && shown->rollup.nr)
		compare_rollup(&j);
	return j.error;
}

int reconcile_mappings(const struct counted *counted, const struct shown *shown,
		       struct figures *figures)
{
	struct job j = job_of(counted, shown, figures);

	compare_each_vma(&j);
	if (!counted->part)
		compare_gate(&j);
	for (int i = 0; i < NR_FIGURE_SOURCES && !counted->part; i++)
		compare_others(&j, i);
	return j.error;
}

int reconcile(const struct counted *counted, const struct shown *shown,
	      struct figures *figures)
{
	int err;

	figures_restart(figures);
	err = reconcile_mappings(counted, shown, figures);
	return err ? err : reconcile_whole(counted, shown, figures);
}
