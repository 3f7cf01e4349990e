/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's own page tables, as extents.
 *
 * What flows through: kernel/arch.h knows where the tables begin and what an entry
 * means, walk.c reads them without a lock and joins entries to extents, main.c
 * prints these into the file kernel_page_tables of debugfs, in the folder ptwalk. A
 * process has read a line of it, or it hasn't: nothing is kept between two opens.
 * What an extent belongs to, and whether that is right, is for user space, which has
 * the kernel's lists of it in /proc.
 *
 * No lock keeps these tables: init_mm, and with it its locks, isn't exported. So a
 * table is read only in memory that pfn_to_online_page() knows, with
 * copy_from_kernel_nofault(), as a whole; then all entries that led to it are read
 * again, and unless they still do, it is read anew. One that was freed meanwhile is read
 * as what it has become, and thrown away: what led to it was cleared before. Only if it
 * was freed, used, and put back at the same place in between, it is taken for what it
 * was then: whoever finds something wrong looks again. No more than addresses of it is
 * shown. No lock is held but that of RCU, while entries of one table are copied, and
 * memory that goes offline waits for that.
 */
#ifndef PTWALK_KERNEL_WALK_H
#define PTWALK_KERNEL_WALK_H

#include <linux/pgtable.h>
#include <linux/types.h>

#define KTABLE_MAX_LEVELS	5
/* On s390, tables above those of PTEs are larger. */
#ifdef CONFIG_S390
#define KTABLE_MAX_ENTRIES	_CRST_ENTRIES
#else
#define KTABLE_MAX_ENTRIES	PTRS_PER_PTE
#endif

/**
 * enum ktable_extent_kind - what stands at addresses
 * @KTABLE_MAPPED: Leaves, of consecutive physical addresses.
 * @KTABLE_SAME_TABLE: The same table as at the addresses before, time and again, as
 *	the shadow of KASAN has. @phys is that of the table, not read again.
 * @KTABLE_UNREADABLE: A table that isn't in memory that can be read; @phys is its.
 * @KTABLE_CHANGING: A table that was replaced each time that it was read.
 */
enum ktable_extent_kind {
	KTABLE_MAPPED,
	KTABLE_SAME_TABLE,
	KTABLE_UNREADABLE,
	KTABLE_CHANGING,
};

/**
 * struct ktable_rights - what entries allow
 * @write: To write.
 * @exec: To the kernel, to execute.
 * @user: To processes, whatever it is.
 */
struct ktable_rights {
	bool write, exec, user;
};

/**
 * struct ktable_extent - addresses that are mapped alike
 * @kind: What stands there.
 * @level: Of the entries: 1 is that of PTEs.
 * @rights: What these and all tables on the way to them allow.
 * @memtype: Index of the memory type.
 * @start: First address.
 * @bytes: Length.
 * @phys: Where the first byte is.
 */
struct ktable_extent {
	enum ktable_extent_kind kind;
	unsigned int level;
	struct ktable_rights rights;
	u32 memtype;
	u64 start, bytes, phys;
};

/**
 * struct ktable_walk - a walk from the first address to the last
 * @next: The address behind the last entry that was taken.
 * @end: The address behind the last one; 0 if that is the last of all.
 * @done: All was taken.
 * @tables: Tables that were read to their ends, each counted once.
 * @again: Those that had been replaced meanwhile, and were read anew.
 * @level: Of the entries below.
 * @at: The entry that comes next.
 * @nr: How many there are; one with a kind other than KTABLE_MAPPED stands alone.
 * @kind: Of these entries.
 * @rights: What the tables on the way to them allow.
 * @entries: Copied from one table, the first is that of @next.
 */
struct ktable_walk {
	u64 next, end;
	bool done;
	u64 tables, again;
	unsigned int level, at, nr;
	enum ktable_extent_kind kind;
	struct ktable_rights rights;
	u64 entries[KTABLE_MAX_ENTRIES];
};

void ktable_walk_begin(struct ktable_walk *walk);
int ktable_walk_next(struct ktable_walk *walk, struct ktable_extent *extent);

#endif /* PTWALK_KERNEL_WALK_H */
