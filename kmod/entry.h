/* SPDX-License-Identifier: GPL-2.0 */
/* Decodes page-table entries into records. */
#ifndef PTWALK_ENTRY_H
#define PTWALK_ENTRY_H

#include "page.h"
#include "record.h"
#include "walk.h"

struct ptwalk_search;

/**
 * struct ptwalk_known - what is known of the PTEs of a VMA that are alike
 * @flip: What is taken out of a PTE by XOR. All have 0 then
 * @mask: in these bits, and the value in the others,
 * @shift: from this bit on,
 * @base: to which this is added.
 * @step: How much is added to one of them to have that of the next page.
 * @has_page: They map pages with @key, in online memory.
 * @ahead: How far the value of a page is ahead of the one before if it follows from that;
 *	U64_MAX: none does.
 * @bits: As @bits of struct ptwalk_run.
 * @number: See ptwalk_sink_number().
 * @key: What their pages have in common if @has_page.
 */
struct ptwalk_known {
	u64 flip;
	u64 mask;
	u64 base;
	u64 step;
	u64 ahead;
	u64 bits;
	u64 number;
	u8 shift;
	bool has_page;
	struct ptwalk_key key;
};

#define PTWALK_KNOWN	4U

/**
 * struct ptwalk_reader - a walk that turns entries into runs
 * @walk: The walk.
 * @sink: Receives the runs.
 * @online: Cache of ptwalk_online(), for one hold of the mmap lock.
 * @page: Receives the page behind the last entry, or NULL. @sink's runs carry
 *	it if it is the sink's page, too.
 * @cgroup: Receives what that page is charged to, see ptwalk_page_cgroup_ino(),
 *	or NULL. Only with @page.
 * @facts: Facts of pages are reported, see ptwalk_page_facts().
 * @uncounted: Whether the kernel counts no entry here as a mapping, so that none
 *	keeps its page from being freed.
 * @search: What is looked for, or NULL. Only without @page.
 * @large: The large folio that @page was filled for last.
 * @nr_known: How many of @known there are.
 * @decoded: How many were decoded.
 * @large_prot: Of the leaf above the PTE level that was decoded last, all but the PFN,
 * @large_bits: and its bits; 0 without one.
 * @last_known: That of the PTEs that were added last, or NULL.
 * @known: What was decoded of the VMA that is read, the last PTWALK_KNOWN.
 */
struct ptwalk_reader {
	struct ptwalk_walk walk;
	struct ptwalk_sink *sink;
	struct ptwalk_online *online;
	struct ptwalk_page *page;
	u64 *cgroup;
	bool facts;
	bool uncounted;
	const struct ptwalk_search *search;
	struct ptwalk_large large;
	unsigned int nr_known;
	unsigned int decoded;
	u64 large_prot;
	u64 large_bits;
	const struct ptwalk_known *last_known;
	struct ptwalk_known known[PTWALK_KNOWN];
};

static inline struct ptwalk_reader *to_ptwalk_reader(struct ptwalk_walk *walk)
{
	return container_of(walk, struct ptwalk_reader, walk);
}

void ptwalk_reader_init(struct ptwalk_reader *reader, struct mm_struct *mm,
			struct ptwalk_sink *sink, struct ptwalk_online *online,
			const struct ptwalk_search *search);
void ptwalk_reader_move(struct ptwalk_reader *reader, struct vm_area_struct *vma,
			unsigned long addr, unsigned long end);

u32 ptwalk_entry_flags_known(void);
u32 ptwalk_entry_kinds_known(void);
enum ptwalk_kind ptwalk_swap_type_kind(unsigned int type);

#endif /* PTWALK_ENTRY_H */
