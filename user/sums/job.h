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
 * @lost: By how much figures may be too low by thp-prot-none-bug.
 */
struct job {
	const struct counted *counted;
	const struct shown *shown;
	const struct ptwalk_kernel *info;
	struct figures *figures;
	uint64_t start, last;
	uint64_t digest;
	uint64_t lost;
	int error;
};

/* Judges a figure, all but its mapping and its verdict, and adds it. */
void job_put(struct job *j, struct figure figure);

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

/* Whether a file is mapped. */
bool line_of_file(const struct ptwalk_vma *vma);

#endif /* PTWALK_SUMS_JOB_H */
