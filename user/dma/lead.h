/* SPDX-License-Identifier: GPL-2.0 */
/* What a bus address leads to that it shouldn't. Pure. */
#ifndef PTWALK_DMA_LEAD_H
#define PTWALK_DMA_LEAD_H

#include <stdbool.h>
#include "lib/ptwalk.h"

enum lead {
	LEAD_GOOD,		/* nothing speaks against it */
	LEAD_FREE,		/* the kernel gives it to the next who asks */
	LEAD_TABLE,		/* a page table */
	LEAD_SLAB,		/* kmalloc() memory, of a domain that user space fills */
	LEAD_UNPINNED,		/* a process has it, and nobody has pinned it */
	LEAD_GONE,		/* anonymous memory that no process has any more */
	NR_LEADS
};

/**
 * struct lead_text - a lead in words
 * @name: As findings have it.
 * @why: What is wrong.
 */
struct lead_text {
	const char *name, *why;
};

extern const struct lead_text lead_text[NR_LEADS];

/*
 * By the frame's word of /proc/kpageflags and by what the module tells of its page.
 * @managed: Of a domain that a driver such as VFIO fills by itself, for user space.
 */
enum lead lead_of(uint64_t kpageflags, const struct ptwalk_page *page, bool managed);

/* Whether it is wrong, whoever mapped it; the others are to be looked at. */
bool lead_is_wrong(enum lead lead, bool managed);

#endif /* PTWALK_DMA_LEAD_H */
