/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compares counted pages with what smaps, status and the like show: what each
 * field must show, by how much it may be off, and why. Pure.
 */
#ifndef PTWALK_SUMS_RECONCILE_H
#define PTWALK_SUMS_RECONCILE_H

#include "sums/figures.h"
#include "sums/totals.h"

/**
 * struct counted - the truth, counted
 * @info: What the module says of the kernel.
 * @levels: Of the process's tables, as in struct truth.
 * @vmas: The VMAs, with their totals in @each; @nr of both.
 * @sum: Of all of them, of which the first begins at @start, and the last one ends
 *	at @last; these may be more than @vmas has.
 * @tables: The page tables themselves.
 * @part: These aren't all VMAs of the process, and only figures of VMAs can be
 *	compared.
 */
struct counted {
	const struct ptwalk_kernel *info;
	uint32_t levels;
	const struct ptwalk_vma *vmas;
	const struct totals *each;
	size_t nr;
	struct totals sum;
	uint64_t start, last;
	struct totals_tables tables;
	bool part;
};

/*
 * Compares all fields of all files that were read; a figure each, always in
 * the same order. That a file has a mapping is one, too. Returns 0 or -ENOMEM.
 */
int reconcile(const struct counted *counted, const struct shown *shown,
	      struct figures *figures);

/*
 * The two parts of that, which add to @figures: those of the process, by
 * @counted->sum; and of the mappings that @counted and @shown have.
 */
int reconcile_whole(const struct counted *counted, const struct shown *shown,
		    struct figures *figures);
int reconcile_mappings(const struct counted *counted, const struct shown *shown,
		       struct figures *figures);

#endif /* PTWALK_SUMS_RECONCILE_H */
