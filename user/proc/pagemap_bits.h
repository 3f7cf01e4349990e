/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bits of the kernel's interfaces to memory that its headers don't have,
 * defined here and nowhere else in the command.
 */
#ifndef PTWALK_PROC_PAGEMAP_BITS_H
#define PTWALK_PROC_PAGEMAP_BITS_H

/*
 * /proc/PID/pagemap since Linux 4.2 (soft-dirty: 3.11, exclusive: 4.2,
 * uffd-wp: 5.14, guard: 6.15). Bits 59 and 60 must be zero; so must 56 to 58
 * before the kernel knew them.
 */
#define PM_PFN_BITS		55
#define PM_PFN_MASK		((1ULL << PM_PFN_BITS) - 1)	/* present */
#define PM_SWAP_TYPE_BITS	5				/* swapped */
#define PM_SWAP_TYPE_MASK	((1ULL << PM_SWAP_TYPE_BITS) - 1)
#define PM_SOFT_DIRTY		(1ULL << 55)
#define PM_EXCLUSIVE		(1ULL << 56)
#define PM_UFFD_WP		(1ULL << 57)
#define PM_GUARD		(1ULL << 58)
#define PM_MUST_BE_ZERO		(3ULL << 59)
#define PM_FILE			(1ULL << 61)
#define PM_SWAP			(1ULL << 62)
#define PM_PRESENT		(1ULL << 63)

/* The same before Linux 4.2: bits 55 to 60 hold log2 of the page size. */
#define PM_OLD_SHIFT_SHIFT	55
#define PM_OLD_SHIFT_MASK	0x3fULL

/*
 * PAGEMAP_SCAN, an ioctl of /proc/PID/pagemap since Linux 6.7, of which older
 * headers know nothing; guard: 6.15, accessed: 7.3.
 */
#include <linux/fs.h>
#include <linux/kernel-page-flags.h>
#include <linux/types.h>
#include <sys/ioctl.h>

#ifndef PAGEMAP_SCAN
struct page_region {
	__u64 start;
	__u64 end;
	__u64 categories;
};

struct pm_scan_arg {
	__u64 size;
	__u64 flags;
	__u64 start;
	__u64 end;
	__u64 walk_end;
	__u64 vec;
	__u64 vec_len;
	__u64 max_pages;
	__u64 category_inverted;
	__u64 category_mask;
	__u64 category_anyof_mask;
	__u64 return_mask;
};

#define PAGEMAP_SCAN		_IOWR('f', 16, struct pm_scan_arg)
#endif

#define SCAN_WPALLOWED		(1ULL << 0)
#define SCAN_WRITTEN		(1ULL << 1)
#define SCAN_FILE		(1ULL << 2)
#define SCAN_PRESENT		(1ULL << 3)
#define SCAN_SWAPPED		(1ULL << 4)
#define SCAN_PFNZERO		(1ULL << 5)
#define SCAN_HUGE		(1ULL << 6)
#define SCAN_SOFT_DIRTY		(1ULL << 7)
#define SCAN_GUARD		(1ULL << 8)
#define SCAN_ACCESSED		(1ULL << 9)

/* Those of Linux 6.7. */
#define SCAN_OLDEST		0xffULL

/*
 * How a page is kept as one value: the categories of one scan and whether it
 * was reported at all; above them, in the same places, what another scan said
 * otherwise; and above these, which isn't compared, what filter that one had.
 */
#define SCAN_REPORTED		(1ULL << 15)
#define SCAN_OTHER_SHIFT	16
#define SCAN_VALUE_MASK		0xffffULL
#define SCAN_FILTER_SHIFT	32
#define SCAN_COMPARED		((1ULL << SCAN_FILTER_SHIFT) - 1)

/* /proc/kpageflags, by bit number; from 32 on those of the kernel alone. */
#define KPF_RESERVED		32
#define KPF_MLOCKED		33
#define KPF_OWNER_2		34
#define KPF_PRIVATE		35
#define KPF_PRIVATE_2		36
#define KPF_OWNER_PRIVATE	37
#define KPF_ARCH		38
#define KPF_SOFTDIRTY		40
#define KPF_ARCH_2		41
#define KPF_ARCH_3		42
#define KPF_BIT(name)		(1ULL << KPF_##name)

/* A file indexed by frame number ends before this frame. */
#define KPAGE_END		UINT64_MAX

/*
 * How /proc/kpagecgroup is kept: the inode's number, which is not compared,
 * and what is said of it.
 */
#define KPAGE_CHARGED		(1ULL << 63)	/* to any cgroup */
#define KPAGE_INODE_MASK	((1ULL << 62) - 1)
#define KPAGE_CGROUP_ENDS	(1ULL << 62)	/* in KPAGE_END alone */

#endif /* PTWALK_PROC_PAGEMAP_BITS_H */
