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

u32 ptwalk_page_facts(const struct ptwalk_frame *frame);
u32 ptwalk_page_facts_absent(unsigned long pfn);
bool ptwalk_page_facts_vary(u32 facts, unsigned long pfn);
u32 ptwalk_page_exclusive(unsigned long pfn);

#endif /* PTWALK_PAGE_H */
