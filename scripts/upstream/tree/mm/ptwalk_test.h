/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PTWALK_TEST_H
#define __PTWALK_TEST_H

#include <linux/types.h>

/* The mmap lock is taken for each address, so several of them are no snapshot. */
#define PTWALK_TEST_WALK	_IOW('p', 0xf0, struct ptwalk_test)

enum {
	PTWALK_TEST_PGD,
	PTWALK_TEST_P4D,
	PTWALK_TEST_PUD,
	PTWALK_TEST_PMD,
	PTWALK_TEST_PTE,
	PTWALK_TEST_LEVELS
};

/* Of ptwalk_test_entry.flags. The others are 0 without PTWALK_TEST_VMA. */
#define PTWALK_TEST_VMA			0x01	/* There is a VMA. */
#define PTWALK_TEST_VMA_SOFT_DIRTY	0x02	/* It is VM_SOFTDIRTY. */
#define PTWALK_TEST_HUGETLB		0x04	/* It is VM_HUGETLB. */
/* What the last entry is; neither if it is none, bad, or a PUD not present. */
#define PTWALK_TEST_PRESENT		0x10
#define PTWALK_TEST_SWAP		0x20	/* Neither none nor present. */
#define PTWALK_TEST_SOFT_DIRTY		0x40
#define PTWALK_TEST_UFFD		0x80
#define PTWALK_TEST_GUARD		0x100

/**
 * struct ptwalk_test_entry - the entries that translate an address
 * @addr: In: the address.
 * @entry: Out: the raw entry of each level; 0 where it is none, and below the
 *	last one. A folded level has the entry of the level above.
 * @frame: Out: if the last entry is present, the PFN of the page at @addr;
 *	otherwise the swap type and, from bit 5 on, the swap offset of that page.
 * @level: Out: the level of the last entry, PTWALK_TEST_PGD to _PTE.
 * @flags: Out: PTWALK_TEST_*.
 */
struct ptwalk_test_entry {
	__u64 addr;
	__u64 entry[PTWALK_TEST_LEVELS];
	__u64 frame;
	__u32 level;
	__u32 flags;
};

/**
 * struct ptwalk_test - argument of PTWALK_TEST_WALK
 * @entries: Address of an array of struct ptwalk_test_entry.
 * @nr: How many there are.
 * @pidfd: The process.
 */
struct ptwalk_test {
	__u64 entries;
	__u32 nr;
	__s32 pidfd;
};

#endif /* __PTWALK_TEST_H */
