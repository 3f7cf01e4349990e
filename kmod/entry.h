/* SPDX-License-Identifier: GPL-2.0 */
/* Decodes page-table entries into records. */
#ifndef PTWALK_ENTRY_H
#define PTWALK_ENTRY_H

#include "page.h"
#include "record.h"
#include "walk.h"

struct ptwalk_search;

/**
 * struct ptwalk_known - what is known of the present entries of a VMA
 * @prot: Bits of the last PTE outside of PTWALK_PTE_PFN_BITS.
 * @plain: Whether the kernel counts PTEs with the bits @prot as mappings, and
 *	they hold their PFN in PTWALK_PTE_PFN_BITS unchanged.
 * @prot_bits: As @bits of struct ptwalk_run, for PTEs with the bits @prot;
 *	without the flags of the page.
 * @large_prot: Bits of the last leaf above the PTE level outside of its PFN.
 * @large_bits: As @prot_bits, for leaves with the bits @large_prot; or 0.
 *
 * What the bits of an entry mean is a matter of the VMA, too. All 0: nothing.
 */
struct ptwalk_known {
	u64 prot;
	bool plain;
	u64 prot_bits;
	u64 large_prot;
	u64 large_bits;
};

/**
 * struct ptwalk_reader - a walk that turns entries into runs
 * @walk: The walk.
 * @sink: Receives the runs.
 * @online: Cache of ptwalk_online(), for one hold of the mmap lock.
 * @page: Receives the page behind the last entry, or NULL. @sink's runs carry
 *	it if it is the sink's page, too.
 * @cgroup: Receives what that page is charged to, see ptwalk_page_cgroup_ino(),
 *	or NULL. Only with @page.
 * @uncounted: Whether the kernel counts no entry here as a mapping, so that none
 *	keeps its page from being freed.
 * @search: What is looked for, or NULL. Only without @page.
 * @large: The large folio that @page was filled for last.
 * @known: Of the VMA that is read.
 * @same_run: The run that the last one of PTEs with the bits @known.prot was, or
 *	NULL: pages which are the @same as the page of that are told by the same words.
 * @same: See @same_run.
 * @alike: What the page behind the last PTE with these bits had that a fast path took,
 * @alike_bits: and @bits of a run of it; 0 if there was none.
 * @swap: Bits of the last PTE that was swapped out beside its offset.
 * @swap_bits: As @known.prot_bits, for PTEs with the bits @swap; or 0.
 * @numbered: Whether @present and @swapped are the numbers of @alike_bits and
 *	@swap_bits, as ptwalk_sink_number() has them.
 * @present: See @numbered.
 * @swapped: See @numbered.
 */
struct ptwalk_reader {
	struct ptwalk_walk walk;
	struct ptwalk_sink *sink;
	struct ptwalk_online *online;
	struct ptwalk_page *page;
	u64 *cgroup;
	bool uncounted;
	const struct ptwalk_search *search;
	struct ptwalk_large large;
	struct ptwalk_known known;
	const struct ptwalk_run *same_run;
	struct ptwalk_same same;
	struct ptwalk_alike alike;
	u64 alike_bits;
	u64 swap;
	u64 swap_bits;
	bool numbered;
	u64 present;
	u64 swapped;
};

static inline struct ptwalk_reader *to_ptwalk_reader(struct ptwalk_walk *walk)
{
	return container_of(walk, struct ptwalk_reader, walk);
}

void ptwalk_reader_init(struct ptwalk_reader *reader, struct vm_area_struct *vma,
			unsigned long addr, unsigned long end,
			struct ptwalk_sink *sink, struct ptwalk_online *online,
			const struct ptwalk_search *search);
void ptwalk_reader_move(struct ptwalk_reader *reader, struct vm_area_struct *vma,
			unsigned long addr, unsigned long end);
int ptwalk_reader_run(struct ptwalk_reader *reader);
bool ptwalk_reader_add(struct ptwalk_reader *reader, u64 value, u64 pages, u64 bits);

u32 ptwalk_entry_flags_known(void);
u32 ptwalk_entry_kinds_known(void);
enum ptwalk_kind ptwalk_swap_type_kind(unsigned int type);

#endif /* PTWALK_ENTRY_H */
