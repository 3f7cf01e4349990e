/* SPDX-License-Identifier: GPL-2.0 */
/* Which accesses to a page would fault, by its entry and its VMA. Pure. */
#ifndef PTWALK_DIRTY_FAULTS_H
#define PTWALK_DIRTY_FAULTS_H

#include "module/truth.h"

/* Of those that the VMA allows. */
enum fault_access { FAULT_NO, FAULT_WRITE, FAULT_ANY, NR_FAULT_ACCESSES };

extern const char *const fault_access_name[NR_FAULT_ACCESSES];

/**
 * struct fault_verdict - which access would fault
 * @why: What the entry is, and what the fault would do.
 */
struct fault_verdict {
	enum fault_access access;
	const char *why;
};

/*
 * As the entry stands; that the accessed bit isn't set, for which some processors
 * fault, is not looked at. @behind: behind the end of the file, as file_end() says.
 */
struct fault_verdict fault_of(const struct ptwalk_vma *vma, uint64_t bits, bool behind);

#endif /* PTWALK_DIRTY_FAULTS_H */
