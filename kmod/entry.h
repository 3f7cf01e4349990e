/* SPDX-License-Identifier: GPL-2.0 */
/* Decodes page-table entries into records. */
#ifndef PTWALK_ENTRY_H
#define PTWALK_ENTRY_H

#include "page.h"
#include "record.h"
#include "walk.h"

/**
 * struct ptwalk_reader - a walk that makes records of what it finds
 * @walk: The walk.
 * @sink: Where the records go.
 * @online: Frames that are known to be online memory.
 * @page: If not NULL, receives what is told of the page behind the entry that
 *	was read last; for walks of a single page.
 * @prot: Bits of the last present PTE besides its PFN.
 * @plain: Whether PTEs with these bits map memory that the kernel counts as
 *	mapped, with the PFN in PTWALK_PTE_PFN_BITS as it is.
 * @prot_bits: The word bits that belongs to @prot, without facts of the page.
 */
struct ptwalk_reader {
	struct ptwalk_walk walk;
	struct ptwalk_sink *sink;
	struct ptwalk_online online;
	struct ptwalk_page *page;
	u64 prot;
	bool plain;
	u64 prot_bits;
};

void ptwalk_reader_init(struct ptwalk_reader *reader, struct vm_area_struct *vma,
			unsigned long addr, unsigned long end,
			struct ptwalk_sink *sink);
int ptwalk_reader_run(struct ptwalk_reader *reader);

u32 ptwalk_entry_flags_known(void);
u32 ptwalk_entry_kinds_known(void);
enum ptwalk_kind ptwalk_swap_type_kind(unsigned int type);

#endif /* PTWALK_ENTRY_H */
