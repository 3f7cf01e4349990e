/* SPDX-License-Identifier: GPL-2.0 */
/* The findings of a process in the order in which they are told. Pure. */
#ifndef PTWALK_CHECK_FINDINGS_H
#define PTWALK_CHECK_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

struct found;
struct ptwalk_vma;
struct report_finding;

/* Whether what is behind @prev, in @vma or in none, is one finding with it. */
bool findings_go_on(const struct found *prev, const struct report_finding *next,
		    const struct ptwalk_vma *vma, unsigned int page_shift);

/*
 * Puts findings in ascending order, and what several ways of reading one
 * interface show alike into one, which names them, as what is explained and was found
 * piece by piece: of the @nr of @found, those that are to be told come first. Returns
 * how many.
 */
size_t findings_order(struct found *found, size_t nr, unsigned int page_shift);

/*
 * Whether both are figures of the same field of the same file that differ in the
 * same way, by however much: the same flags, or both too small. What is explained
 * is like nothing else.
 */
bool findings_differ_alike(const struct report_finding *a,
			   const struct report_finding *b);

/* Has each of @found told, in order, but what differs alike in a row. */
void findings_tell(struct found *found, size_t nr,
		   void (*tell)(const struct report_finding *finding));

#endif /* PTWALK_CHECK_FINDINGS_H */
