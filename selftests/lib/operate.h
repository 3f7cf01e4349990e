/* SPDX-License-Identifier: GPL-2.0 */
/* For operations.c and the files that have what it needs a userfaultfd or a daemon for. */
#ifndef PTWALK_TEST_OPERATE_H
#define PTWALK_TEST_OPERATE_H

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include "operations.h"

static inline char *at(const struct cell *c, size_t page)
{
	return (char *)(uintptr_t)(c->m.start + page * c->m.page_size);
}

static inline size_t size(const struct cell *c)
{
	return c->m.pages * c->m.page_size;
}

static inline bool refused(struct cell *c, bool failed)
{
	if (failed && !c->err)
		c->err = -errno;
	return failed;
}

static inline void lacks(struct cell *c, const char *what)
{
	snprintf(c->lacks, sizeof(c->lacks), "%s", what);
}

static inline int prot_of(const struct cell *c)
{
	u64 vma = c->before.page[0].vma;

	return (vma & PTWALK_VMA_FLAG_READ ? PROT_READ : 0) |
	       (vma & PTWALK_VMA_FLAG_WRITE ? PROT_WRITE : 0) |
	       (vma & PTWALK_VMA_FLAG_EXEC ? PROT_EXEC : 0);
}

/* A place for as many pages, as aligned to huge pages as the old one, or NULL. */
char *place(struct cell *c, size_t bytes, const char *like);

/* Every @step-th page, to the other one of two nodes. */
void migrate_every(struct cell *c, size_t step);

/* operate_uffd.c */
void uffd_wp_on(struct cell *c);
void uffd_wp_off(struct cell *c);
void scan_wp(struct cell *c);
void uffd_move(struct cell *c);
void uffd_poison(struct cell *c);

/* operate_daemons.c */
void ksm_merge(struct cell *c);
void khugepaged_collapse(struct cell *c);
void numa_hints(struct cell *c);

#endif /* PTWALK_TEST_OPERATE_H */
