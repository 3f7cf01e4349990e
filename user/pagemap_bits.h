/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bits of the kernel's interfaces to memory, defined here and nowhere
 * else in the command.
 */
#ifndef PTWALK_PAGEMAP_BITS_H
#define PTWALK_PAGEMAP_BITS_H

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

#endif /* PTWALK_PAGEMAP_BITS_H */
