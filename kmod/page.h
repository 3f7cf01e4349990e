/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of the page behind an entry. */
#ifndef PTWALK_PAGE_H
#define PTWALK_PAGE_H

#include <linux/mm.h>
#include "uapi/linux/ptwalk_record.h"

/**
 * struct ptwalk_frame - the frame that an entry maps, and how
 * @vma: The VMA that the entry belongs to.
 * @addr: The virtual address of the page in question.
 * @pfn: Its PFN.
 * @level: Where the entry stands.
 * @special: Whether the entry is marked special.
 * @entry: Place of a PMD or PUD entry; NULL for PTEs.
 */
struct ptwalk_frame {
	struct vm_area_struct *vma;
	unsigned long addr;
	unsigned long pfn;
	enum ptwalk_level level;
	bool special;
	void *entry;
};

/*
 * Sparse memory comes and goes in units of this size or larger; of so many of
 * them in a row, and so many such rows, it is remembered that they are online.
 */
#define PTWALK_UNIT_SHIFT	(21 - PAGE_SHIFT)
#define PTWALK_UNITS		BITS_PER_LONG
#define PTWALK_ROW_SHIFT	(PTWALK_UNIT_SHIFT + ilog2(PTWALK_UNITS))
#define PTWALK_ROWS		16

/**
 * struct ptwalk_online - memory that is known to be online
 * @row: For each row: which one it is, plus one (0 when unused), and a mask
 *	of its units that are known to be online.
 *
 * pfn_to_online_page() is a long way for a question asked of each page. What
 * is kept here is kept for one piece of work. Memory doesn't go offline while
 * a page of it is mapped in a way that lets us look at its struct page.
 */
struct ptwalk_online {
	struct {
		unsigned long nr;
		unsigned long units;
	} row[PTWALK_ROWS];
};

u32 ptwalk_page_facts(const struct ptwalk_frame *frame,
		      struct ptwalk_online *online);
unsigned int ptwalk_page_run(const struct ptwalk_frame *frame, u32 facts,
			     unsigned int nr);
u32 ptwalk_page_facts_absent(unsigned long pfn);
bool ptwalk_page_facts_vary(u32 facts, unsigned long pfn);
u32 ptwalk_page_exclusive(unsigned long pfn);

#endif /* PTWALK_PAGE_H */
