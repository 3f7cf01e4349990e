/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The records that the binary attributes of the ptwalk family carry.
 *
 * ptwalk.h beside this file is generated from the YNL specification, which
 * can name an array of u64 words but not the words; they are named here.
 * All words are in host byte order. An attribute's payload is aligned to four
 * bytes only: copy records out of a message before using them.
 */
#ifndef _UAPI_LINUX_PTWALK_RECORD_H
#define _UAPI_LINUX_PTWALK_RECORD_H

#include <linux/types.h>
#include "ptwalk.h"

/**
 * struct ptwalk_extent - pages in a row that are mapped alike
 * @addr: Virtual address of the first page.
 * @value: What the first page maps, by kind (enum ptwalk_kind): a PFN, the
 *	offset in a swap area in pages, marker bits, or 0. A PFN and a swap
 *	offset ascend by one with each page of the extent; the rest stay.
 * @pages: Number of pages, in units of the base page size (1 << page-shift),
 *	whatever the level.
 * @bits: Kind, level, aux and flags, equal for all pages of the extent; see
 *	the functions below.
 *
 * Extents of a dump ascend, don't overlap, and lie inside one VMA each.
 */
struct ptwalk_extent {
	__u64 addr;
	__u64 value;
	__u64 pages;
	__u64 bits;
};

/**
 * struct ptwalk_translation - one address, level by level
 * @addr: The address as asked for, with tag bits removed where the
 *	architecture has them.
 * @value: As in struct ptwalk_extent, for the very page of @addr.
 * @bits: As in struct ptwalk_extent. The level is the one where the descent
 *	ended.
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

#define PTWALK_LEVELS	5

/* enum ptwalk_kind */
static inline __u32 ptwalk_bits_kind(__u64 bits)
{
	return (bits >> PTWALK_BITS_KIND_SHIFT) & 0xff;
}

/* enum ptwalk_level */
static inline __u32 ptwalk_bits_level(__u64 bits)
{
	return (bits >> PTWALK_BITS_LEVEL_SHIFT) & 0xff;
}

/* Of a present entry its memory type index, otherwise its swap type. */
static inline __u32 ptwalk_bits_aux(__u64 bits)
{
	return (bits >> PTWALK_BITS_AUX_SHIFT) & 0xffff;
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

#endif /* _UAPI_LINUX_PTWALK_RECORD_H */
