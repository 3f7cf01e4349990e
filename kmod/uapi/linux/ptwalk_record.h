/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The records in the binary attributes of the ptwalk family.
 *
 * ptwalk.h beside this file is generated from the YNL specification, which
 * can name an array of u64 words but not the words; they are named here.
 * All words are in host byte order. Netlink aligns the payload of an attribute
 * to four bytes only. The arrays of a dump begin at a multiple of eight bytes
 * from the start of the buffer if the reader receives into sizes that are such
 * multiples; those of a reply may not. So test the alignment before you use
 * records in place, or copy them.
 *
 * Words may be added to the end of a record (of a run, before its values). The
 * attribute beside an array (PTWALK_A_WALK_RUN_BYTES...) has the size of its
 * records: step by that size and not by sizeof(), and ignore unknown words.
 */
#ifndef _UAPI_LINUX_PTWALK_RECORD_H
#define _UAPI_LINUX_PTWALK_RECORD_H

#include <linux/types.h>
#include "ptwalk.h"

/**
 * struct ptwalk_run - consecutive pages whose entries are alike
 * @bits: Kind, level, list bit, aux, protection key and flags, equal for all
 *	pages of the run; see the functions below.
 * @pages: Number of pages, in units of the base page size (1 << page-shift),
 *	whatever the level.
 * @value: By kind (enum ptwalk_kind) a PFN, the offset in a swap area in pages,
 *	marker bits, or 0. If the list bit is set, there is one for each page.
 *	Otherwise there is one, that of the first page; for kinds with a PFN or
 *	a swap offset, it ascends by one with each further page, and for other
 *	kinds it is the same.
 *
 * In a mixed list (PTWALK_KIND_MIXED), which comes only with PTWALK_A_WALK_WANT_MIXED,
 * the pages may be of different kinds. The high bits of a page's value are an index
 * into the words of PTWALK_A_WALK_MIXED, which has the bits of the page; see
 * ptwalk_mixed_number(). @bits has the kind only.
 *
 * The runs of a message follow each other without a gap, from the address in
 * PTWALK_A_WALK_START on, inside one VMA. Empty entries have runs, too
 * (PTWALK_KIND_NONE).
 */
struct ptwalk_run {
	__u64 bits;
	__u64 pages;
	__u64 value[];
};

/**
 * struct ptwalk_translation - one address, level by level
 * @addr: The address as asked for, with tag bits removed where the
 *	architecture has them.
 * @value: As in struct ptwalk_run, for the very page of @addr.
 * @bits: As in struct ptwalk_run, never with the list bit. The level is the
 *	one where the descent ended.
 * @entry: The raw entry at each level (enum ptwalk_level), as the tables hold
 *	it; 0 below the level where the descent ended, at levels that the
 *	process doesn't have, and for PTWALK_KIND_NO_VMA.
 */
struct ptwalk_translation {
	__u64 addr;
	__u64 value;
	__u64 bits;
	__u64 entry[5];
};

/**
 * struct ptwalk_page - the page behind an entry, at the moment of the walk
 * @flags: Mask of enum ptwalk_page_flag.
 * @counts: Reference count of the folio, and in the high half the map count of
 *	the page itself: the number of page-table entries that map it in any
 *	process. Without PTWALK_FEATURE_PAGE_MAPCOUNT, the map count of the
 *	folio.
 * @folio_counts: The number of entries that map any part of the folio, and in
 *	the high half the number of those that map all of it.
 * @place: Order of the folio in bits 0 to 7, NUMA node in bits 8 to 31, offset
 *	of the page in its folio, in pages, in bits 32 to 63.
 *
 * All zero if the entry maps no page with a map count: an empty entry, a special
 * mapping, the zero page.
 *
 * The operation frames describes them whether or not they are mapped. A frame without
 * references is all zero, such as free memory, and all but the first page of an
 * allocation that isn't compound. But a free page in a CPU's list, which
 * /proc/kpageflags doesn't show, has PTWALK_PAGE_FLAG_FREE and its node, if it is found
 * within the 65536 links that are followed for the first request of a sendmsg(); for
 * further ones, none are. PTWALK_PAGE_FLAG_TRUNCATED is of frames only, too: on the LRU
 * or pinned and of hugetlb, with no mapping, as of a file that was truncated, and not in
 * the swap cache.
 * A page that is neither on the LRU, nor of a file, anonymous or hugetlb, is read without
 * a reference to it. If it belongs to a large folio or a slab, @flags has at most
 * PTWALK_PAGE_FLAG_LARGE, and @folio_counts is 0; slabs have no map count.
 */
struct ptwalk_page {
	__u64 flags;
	__u64 counts;
	__u64 folio_counts;
	__u64 place;
};

/**
 * struct ptwalk_page_run - a run of a dump with PTWALK_A_WALK_WANT_PAGES
 * @bits: As in struct ptwalk_run, with @pages and @value.
 * @page: The page behind the first entry of the run if it is present, else all
 *	zero. The pages behind the other entries have the same words, except
 *	that the offset in the folio ascends by one if the folio has an order
 *	above 0. If an entry above the PTE level maps one folio whose pages all
 *	have one map count, only the first page is read: RESERVED and HWPOISON
 *	are those of the first page.
 *
 * PTWALK_A_WALK_RUN_BYTES counts the words of @page, so that a reader that steps by
 * it reads both kinds of runs.
 */
struct ptwalk_page_run {
	__u64 bits;
	__u64 pages;
	struct ptwalk_page page;
	__u64 value[];
};

/* Instead of a mode: the policy isn't known. */
#define PTWALK_NO_POLICY	(~0ULL)

/**
 * struct ptwalk_policy - the NUMA policy of a VMA, or of the process if it has none
 * @mode: The mode, and the mode flags from bit 16 on, as in the kernel's mempolicy.h;
 *	of shared memory that of the object where the VMA begins. PTWALK_NO_POLICY
 *	without a VMA, of processes that share their memory, of what else has a policy
 *	of its own, and if a node above 63 is in it.
 * @nodes: Its nodes, as a mask.
 */
struct ptwalk_policy {
	__u64 mode;
	__u64 nodes;
};

/**
 * struct ptwalk_stretch - contiguous bus addresses of contiguous memory
 * @iova: The first bus address.
 * @bytes: The length in bytes.
 * @phys: The physical address of the first one.
 */
struct ptwalk_stretch {
	__u64 iova;
	__u64 bytes;
	__u64 phys;
};

#define PTWALK_LEVELS	5

/* enum ptwalk_kind */
static inline __u32 ptwalk_bits_kind(__u64 bits)
{
	return (bits >> PTWALK_BITS_KIND_SHIFT) & 0xff;
}

/* enum ptwalk_level */
static inline __u32 ptwalk_bits_level(__u64 bits)
{
	return (bits >> PTWALK_BITS_LEVEL_SHIFT) & 0x7f;
}

/* Whether a run has a value for each page. */
static inline __u32 ptwalk_bits_list(__u64 bits)
{
	return (bits >> PTWALK_BITS_LIST_SHIFT) & 1;
}

/* Of a present entry its memory type index, otherwise its swap type. */
static inline __u32 ptwalk_bits_aux(__u64 bits)
{
	return (bits >> PTWALK_BITS_AUX_SHIFT) & 0xff;
}

/* The protection key of a present entry, 0 without PTWALK_FEATURE_PKEYS. */
static inline __u32 ptwalk_bits_pkey(__u64 bits)
{
	return (bits >> PTWALK_BITS_PKEY_SHIFT) & 0xff;
}

/* enum ptwalk_flag */
static inline __u32 ptwalk_bits_flags(__u64 bits)
{
	return bits >> PTWALK_BITS_FLAGS_SHIFT;
}

static inline __u64 ptwalk_bits(__u32 kind, __u32 level, __u32 aux, __u32 flags)
{
	return (__u64)kind << PTWALK_BITS_KIND_SHIFT |
	       (__u64)level << PTWALK_BITS_LEVEL_SHIFT |
	       (__u64)aux << PTWALK_BITS_AUX_SHIFT |
	       (__u64)flags << PTWALK_BITS_FLAGS_SHIFT;
}

/* The order of the folio, 0 without a page. */
static inline __u32 ptwalk_page_order(const struct ptwalk_page *page)
{
	return page->place & 0xff;
}

/* Whether the value ascends by one with each page. */
static inline __u32 ptwalk_kind_ascends(__u32 kind)
{
	return kind >= PTWALK_KIND_PRESENT &&
	       kind <= PTWALK_KIND_DEVICE_EXCLUSIVE;
}

/* Of a value in a mixed list, the place of the page's bits in PTWALK_A_WALK_MIXED. */
static inline __u32 ptwalk_mixed_number(__u64 value)
{
	return value >> PTWALK_MIXED_SHIFT;
}

/* The rest of it, which is the value proper. */
static inline __u64 ptwalk_mixed_value(__u64 value)
{
	return value & (((__u64)1 << PTWALK_MIXED_SHIFT) - 1);
}

/* Number of u64 words that a run takes. */
static inline __u64 ptwalk_run_words(const struct ptwalk_run *run)
{
	return 2 + (ptwalk_bits_list(run->bits) ? run->pages : 1);
}

#endif /* _UAPI_LINUX_PTWALK_RECORD_H */
