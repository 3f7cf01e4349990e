// SPDX-License-Identifier: GPL-2.0
/* The fields of numa_maps. Pure. */
#include <string.h>
#include "module/version.h"
#include "sums/job.h"

static void put_numa(struct job *j, const char *field, uint64_t seen,
		     struct bounds b)
{
	job_put(j, (struct figure){
		.source = FIGURE_NUMA_MAPS, .field = field, .unit = "pages",
		.where = "gather_stats(), fs/proc/task_mmu.c",
		.low = b.low, .high = b.high, .seen = seen,
		.why = &slacks[b.why] });
}

static uint64_t pages_on(const struct numa_node *nodes, size_t nr, uint32_t node)
{
	for (size_t i = 0; i < nr; i++)
		if (nodes[i].node == node)
			return nodes[i].pages;
	return 0;
}

static void put_node(struct job *j, uint32_t node, uint64_t seen,
		     uint64_t counted)
{
	job_put(j, (struct figure){
		.source = FIGURE_NUMA_MAPS, .field = "N", .node = node,
		.unit = "pages", .where = "gather_stats(), fs/proc/task_mmu.c",
		.low = counted, .high = counted, .seen = seen });
}

/* Every node that either side has pages on. */
static void compare_nodes(struct job *j, const struct numa_vma *v,
			  const struct totals *t)
{
	uint32_t node;

	for (size_t i = 0; i < t->nr_nodes; i++) {
		node = t->nodes[i].node;
		put_node(j, node, pages_on(v->nodes, v->nr_nodes, node),
			 t->nodes[i].pages);
	}
	for (size_t i = 0; i < v->nr_nodes; i++) {
		node = v->nodes[i].node;
		if (!pages_on(t->nodes, t->nr_nodes, node))
			put_node(j, node, v->nodes[i].pages, 0);
	}
}

static void put_word(struct job *j, const char *field, uint64_t counted, uint64_t seen)
{
	job_put_line(j, FIGURE_NUMA_MAPS, "show_numa_map(), fs/proc/task_mmu.c", field,
		     counted, seen);
}

/* Of a policy @vma has: @counted, or 0 by a bug of older kernels. */
static void put_policy(struct job *j, const struct ptwalk_vma *vma,
		       const char *field, uint64_t counted, uint64_t seen)
{
	const bool lost = numa_policy_balances(vma->policy) &&
			  kernel_version(j->info) < KERNEL(6, 11);

	job_put(j, (struct figure){
		.source = FIGURE_NUMA_MAPS, .field = field, .unit = "",
		.where = "mpol_to_str(), mm/mempolicy.c",
		.low = counted, .high = counted, .seen = seen,
		.bug = lost ? &kernel_bugs[NUMA_BALANCING_POLICY] : NULL });
}

/* @name as maps has it, where no more than the ends of lines are in octal. */
static bool same_file(const char *file, const char *name)
{
	char octal[8];

	for (; *name; name++) {
		if (!strchr("\t= ", *name)) {
			if (*file++ != *name)
				return false;
			continue;
		}
		snprintf(octal, sizeof(octal), "\\%03o", *name);
		if (strncmp(file, octal, 4))
			return false;
		file += 4;
	}
	return !*file;
}

/* The words before the numbers. */
static void compare_words(struct job *j, const struct numa_vma *v,
			  const struct ptwalk_vma *vma)
{
	const struct smaps_vma *line = NULL;

	if (vma->has_policy) {
		put_policy(j, vma, "policy", vma->policy, v->policy);
		if (!v->cut)
			put_policy(j, vma, "nodes", vma->policy_nodes,
				   v->policy_nodes);
	}
	put_word(j, "huge", !!(vma->flags & PTWALK_VMA_FLAG_HUGETLB), v->huge);
	if (vma->raw_flags && j->info->vma_flags & PTWALK_VMA_FLAG_HEAP)
		put_word(j, "is",
			 line_of_file(vma) ? NUMA_FILE :
			 vma->flags & PTWALK_VMA_FLAG_HEAP ? NUMA_HEAP :
			 vma->flags & PTWALK_VMA_FLAG_STACK ? NUMA_STACK :
			 NUMA_NAMELESS, v->name);
	/* A name given by prctl() stands in the place of the file's. */
	if (v->file && j->shown->has & 1U << FIGURE_MAPS)
		line = smaps_at(&j->shown->maps, v->start);
	if (line && line->name[0] != '[')
		put_word(j, "name", true, same_file(v->file, line->name));
}

void compare_numa_vma(struct job *j, const struct numa_vma *v,
		      const struct ptwalk_vma *vma, const struct totals *t)
{
	bool huge = vma->flags & PTWALK_VMA_FLAG_HUGETLB;
	uint64_t all = 0, seen;
	bool absent;

	for (size_t i = 0; i < v->nr_nodes; i++)
		all += v->nodes[i].pages;

	compare_words(j, v, vma);
	compare_nodes(j, v, t);
	put_numa(j, "anon", v->value[NUMA_ANON], exactly(t->numa_anon));
	put_numa(j, "dirty", v->value[NUMA_DIRTY], exactly(t->numa_dirty));
	/* Left out where it would repeat another. */
	if (t->numa_pages != t->numa_anon && t->numa_pages != t->numa_dirty)
		put_numa(j, "mapped", v->value[NUMA_MAPPED],
			 exactly(t->numa_pages));
	else if (v->has & 1U << NUMA_MAPPED)
		put_numa(j, "mapped", v->value[NUMA_MAPPED], exactly(0));
	put_numa(j, "swapcache", v->value[NUMA_SWAPCACHE],
		 exactly(t->numa_swapcache));
	put_numa(j, "writeback", v->value[NUMA_WRITEBACK],
		 exactly(t->numa_writeback));
	if (!huge) {
		seen = v->has & 1U << NUMA_ACTIVE ? v->value[NUMA_ACTIVE] : all;
		put_numa(j, "active", seen, exactly(t->numa_active));
	}
	if (j->info->features & PTWALK_FEATURE_PAGE_MAPCOUNT)
		put_numa(j, "mapmax", v->value[NUMA_MAPMAX],
			 exactly(t->numa_mapmax > 1 ? t->numa_mapmax : 0));
	/* The last word of a line with pages, which come and go. */
	absent = !(v->has & 1U << NUMA_KERNEL_PAGE_SIZE);
	if (!absent || all)
		job_put(j, (struct figure){
			.source = FIGURE_NUMA_MAPS, .field = "kernelpagesize_kB",
			.unit = "kB", .where = "show_numa_map(), fs/proc/task_mmu.c",
			.low = 1ULL << vma->page_shift >> 10,
			.high = 1ULL << vma->page_shift >> 10,
			.seen = v->value[NUMA_KERNEL_PAGE_SIZE],
			.absent = absent });
}
