/* SPDX-License-Identifier: GPL-2.0 */
/* Counts what the page tables hold, to compare with smaps and status. Pure. */
#ifndef PTWALK_SUMS_TOTALS_H
#define PTWALK_SUMS_TOTALS_H

#include <stdbool.h>
#include "module/truth.h"
#include "proc/smaps.h"

/* What stands behind an entry that the kernel counts as a mapping. */
enum totals_class { CLASS_ANON, CLASS_FILE, CLASS_SHMEM, NR_CLASSES };

/**
 * struct totals - pages of a VMA, or of many, in base pages
 * @vmas: Number of VMAs; @size their pages, of which the kernel counts some as
 *	@exec, @stack or @data.
 * @digest: Of what stands where, but for the accessed bit: another one if a
 *	page has moved.
 * @none: Empty entries.
 * @present: Present pages with a struct page that the kernel counts as mapped,
 *	without hugetlb, by class.
 * @absent: Not present, but with such a page: @migration, @device_private,
 *	@device_exclusive and @hwpoison, by class. Which class a page that is no
 *	anonymous one has is only known from the VMA.
 * @swap: Swapped out; @swap_exclusive of them by nobody else.
 * @shmem_size: Pages of shmem mappings; @shmem_seen those of them that have a
 *	page of the file or a private copy: see totals_swap_unseen().
 * @shmem_kept: Private copies, in memory or swapped, in shmem mappings that may
 *	not be written to any more.
 * @marker: Entries that carry facts but no page.
 * @zero: The zero page; @huge_zero the huge one.
 * @special: Present without a struct page that counts: PFNMAP and its like.
 * @hugetlb: Present hugetlb pages; @hugetlb_shared those that others may map,
 *	@hugetlb_pmd_shared those in a shared table, @hugetlb_other_tables those that
 *	nobody else maps in tables of another level than the PMD's.
 * @hugetlb_absent: Migrating or poisoned hugetlb pages.
 * @hugetlb_poisoned: Of these the poisoned ones.
 * @other: Entries of unknown types, and bad ones.
 * @exclusive: Of @present, mapped by this process alone and once; where the
 *	kernel doesn't count by page, by this process alone.
 * @ksm: KSM pages, present or not.
 * @pmd: Pages of PMD leaves, present or not, by class; @pmd_prot_none those of
 *	present ones that allow nothing.
 * @locked: As @present and @absent, in VM_LOCKED mappings.
 * @locked_size: Pages of such mappings.
 */
struct totals {
	uint64_t vmas, size;
	uint64_t exec, stack, data;
	uint64_t digest;
	uint64_t none;
	uint64_t present[NR_CLASSES];
	uint64_t absent[NR_CLASSES];
	uint64_t migration, device_private, device_exclusive, hwpoison;
	uint64_t poisoned[NR_CLASSES];
	uint64_t swap, swap_exclusive, shmem_size, shmem_seen, shmem_kept;
	uint64_t marker;
	uint64_t zero, huge_zero;
	uint64_t special;
	uint64_t hugetlb, hugetlb_shared, hugetlb_pmd_shared, hugetlb_other_tables;
	uint64_t hugetlb_absent, hugetlb_poisoned;
	uint64_t other;
	uint64_t exclusive;
	uint64_t ksm;
	uint64_t pmd[NR_CLASSES], pmd_prot_none;
	uint64_t locked, locked_size;

	/*
	 * From here on what totals_pages() was told, of present pages. The PSS
	 * is in bytes << TOTALS_PSS_SHIFT, as the kernel adds it up.
	 */
	uint64_t detailed;
	uint64_t detailed_class[NR_CLASSES];
	uint64_t detailed_pmd[NR_CLASSES];
	uint64_t pss, pss_class[NR_CLASSES], pss_dirty, pss_locked;
	/* Of these, what whole huge pages add that are referenced once. */
	uint64_t whole, whole_class[NR_CLASSES], whole_dirty, whole_locked;
	uint64_t split[2][2];	/* private, dirty */
	uint64_t referenced;
	uint64_t lazyfree;
	uint64_t numa_pages, numa_anon, numa_dirty, numa_swapcache;
	uint64_t numa_active, numa_writeback, numa_mapmax;
	struct numa_node *nodes;
	size_t nr_nodes;
};

#define TOTALS_PSS_SHIFT	12

/* A table that a level has room for is counted once. */
struct totals_tables {
	uint64_t tables[PTWALK_LEVELS];
	uint64_t latest[PTWALK_LEVELS];		/* its number, plus 1 */
	uint64_t deposited;	/* pages of leaves with a table held back */
};

/* A VMA begins. */
void totals_vma(struct totals *t, const struct ptwalk_vma *vma,
		unsigned int page_shift);

/* An extent, all of it in @vma. */
void totals_extent(struct totals *t, const struct ptwalk_kernel *info,
		   const struct ptwalk_vma *vma, const struct ptwalk_extent *extent);

/* Whether an entry is one that totals_pages() is to be told of. */
bool totals_has_page(uint64_t bits);

/*
 * @nr pages from @addr on whose entries and pages are alike, as in an extent of
 * a walk with pages; of a hugetlb page the first one counts for all. Called for
 * all pages of totals_has_page(). Returns 0 or -ENOMEM.
 */
int totals_pages(struct totals *t, const struct ptwalk_kernel *info,
		 const struct ptwalk_vma *vma, uint64_t addr, uint64_t nr,
		 uint64_t bits, const struct ptwalk_page *page);

/* Adds @from to @to. Returns 0 or -ENOMEM. */
int totals_add(struct totals *to, const struct totals *from);
void totals_free(struct totals *t);
void totals_free_all(struct totals *each, size_t nr);

/* All present pages that have a struct page; totals_pages() was told of all? */
uint64_t totals_present(const struct totals *t);
uint64_t totals_absent(const struct totals *t);
bool totals_all_detailed(const struct totals *t);

/* Pages of shmem mappings that may be in swap without a trace in the tables. */
uint64_t totals_swap_unseen(const struct totals *t);

/* Extents in ascending order, of all VMAs. */
void totals_tables_extent(struct totals_tables *t,
			  const struct ptwalk_kernel *info,
			  const struct ptwalk_vma *vma,
			  const struct ptwalk_extent *extent);

/*
 * All of the above for the runs of a message from address @from on, with the page
 * behind the first entry of each.
 */
int totals_take(struct totals *t, struct totals_tables *tables,
		const struct ptwalk_kernel *info, const struct ptwalk_runs *runs,
		const struct ptwalk_page *pages, uint64_t from);

/*
 * Tables at @level as the kernel counts them for VmPTE, and their bytes: not
 * the topmost one, and nothing above the PUD.
 */
uint64_t totals_tables_count(const struct totals_tables *t,
			     const struct ptwalk_kernel *info, uint32_t levels,
			     unsigned int level);
uint64_t totals_tables_bytes(const struct totals_tables *t,
			     const struct ptwalk_kernel *info, uint32_t levels);

#endif /* PTWALK_SUMS_TOTALS_H */
