/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of reconcile() share. */
#ifndef PTWALK_SUMS_JOB_H
#define PTWALK_SUMS_JOB_H

#include "sums/reconcile.h"

/**
 * struct job - a comparison under way
 * @error: -ENOMEM once there was no memory.
 * @start: The VMA that figures are about now, to @last; @digest is of its
 *	pages, 0 for one that only a file has.
 * @source: Of the files like smaps, the one that figures are of now, and its @line.
 * @lost: By how much figures may be too low by thp-prot-none-bug.
 */
struct job {
	const struct counted *counted;
	const struct shown *shown;
	const struct ptwalk_kernel *info;
	struct figures *figures;
	uint64_t start, last;
	uint64_t digest;
	enum figure_source source;
	const struct smaps_vma *line;
	uint64_t lost;
	int error;
};

/* Why a figure has bounds: elements of slacks. */
enum {
	SPLIT_RSS,
	PERCPU_BATCH,
	SHMEM_SWAP,
	NOT_TOLD,
	ABSENT_PAGES,
	YOUNG_PAGES,
	SWAP_COUNT,
	HUGETLB_PMD_SHARE,
	LOCKED_VM,
	PEAK,
	CODE,
	AS_IT_STANDS,
	SILENT_FLAGS,
	PREALLOCATED,
	OWN_LEVELS,
};

/* Elements of kernel_bugs. */
enum {
	HUGETLB_UNSHARED,
	PSS_OVERFLOW,
	SHMEM_SWAP_ORDER,
	SHMEM_READONLY_SWAP,
	HUGETLB_SHARE_COUNT,
	THP_PROT_NONE,
	THP_ELIGIBLE_LOW,
	NUMA_BALANCING_POLICY,
};

/**
 * struct bounds - between what an expected figure lies
 */
struct bounds {
	uint64_t low, high;
	unsigned int why;
	const struct slack *bug;
	uint64_t bug_low, bug_high;
};

static inline struct bounds exactly(uint64_t value)
{
	return (struct bounds){ value, value, 0 };
}

/* Pages as kB. */
static inline uint64_t job_kb(const struct job *j, uint64_t pages)
{
	return pages << (j->info->page_shift - 10);
}

/* PAE and LPAE: what isn't 64-bit and has huge pages. */
static inline bool job_is_32_bit(const struct job *j)
{
	return j->info->levels & 1U << PTWALK_LEVEL_PMD &&
	       j->info->level_entries[PTWALK_LEVEL_PGD] == 4;
}

/* Whether a figure is between its bounds and needn't be put together to be counted. */
static inline bool job_matches(struct job *j, enum figure_source source, struct bounds b,
			       uint64_t seen)
{
	return seen >= b.low && seen <= b.high && figures_count(j->figures, source, j->last);
}

/* Judges a figure, all but its mapping and its verdict, and adds it. */
void job_put(struct job *j, struct figure figure);

/* A figure without a unit and without bounds. */
void job_put_line(struct job *j, enum figure_source source, const char *where,
		  const char *field, uint64_t counted, uint64_t seen);

/*
 * What the line of a mapping has beside its ends in maps, smaps and
 * PROCMAP_QUERY: permissions, offset, device, inode and name.
 */
void compare_line(struct job *j, enum figure_source source,
		  const struct smaps_vma *v, const struct ptwalk_vma *vma);

/*
 * All files print the name that maps does; "?" is one too long for the ioctl,
 * or for a link.
 */
void compare_name(struct job *j, enum figure_source source,
		  const struct smaps_vma *v);

/* The counters of the whole process. */
void compare_status(struct job *j);
void compare_statm(struct job *j);
void compare_stat(struct job *j);

/* All fields of smaps that a mapping has. */
void compare_smaps_vma(struct job *j, const struct smaps_vma *v,
		       const struct ptwalk_vma *vma, const struct totals *t);
/* KernelPageSize, as smaps and PROCMAP_QUERY have it. */
void compare_page_size(struct job *j, enum figure_source source,
		       const struct smaps_vma *v, const struct ptwalk_vma *vma);
/* The rollup, which goes from the first mapping to the last one. */
void compare_rollup(struct job *j);
void compare_numa_vma(struct job *j, const struct numa_vma *v,
		      const struct ptwalk_vma *vma, const struct totals *t);

/* Whether a file is mapped. */
bool line_of_file(const struct ptwalk_vma *vma);

#endif /* PTWALK_SUMS_JOB_H */
