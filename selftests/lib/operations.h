/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel does to pages of a process, whatever they are. */
#ifndef PTWALK_TEST_OPERATIONS_H
#define PTWALK_TEST_OPERATIONS_H

#include "laws.h"
#include "mapping.h"

/**
 * struct written - what was written to a page
 * @sum: Of its contents then.
 * @is: It was written to.
 */
struct written {
	u64 sum;
	bool is;
};

/**
 * struct cell - an operation on one kind of pages; shared with their process
 * @m: The pages.
 * @extra: What else the operation needs: swap, or a hugetlb page.
 * @operation: It.
 * @before: The pages before.
 * @after: And after.
 * @other_after: The same of the other process.
 * @start: Where the pages are after the operation.
 * @other: The process that the operation has made, which ends with the first.
 * @err: The operation was refused: a negative errno.
 * @lacks: What is missing for the operation.
 * @built: What the builder wrote, by page.
 * @wrote: What the operation wrote.
 * @other_wrote: What the other process wrote.
 * @on_disk: What the operation has found of it on the disk.
 * @part: The operation is done to @parts pages from this one on,
 * @parts: or to all if this is 0.
 * @done: Nothing more is to be done but to release the pages.
 */
struct cell {
	struct mapping m, extra;
	const struct operation *operation;
	struct look before, after, other_after;
	u64 start;
	pid_t other;
	int err;
	char lacks[96];
	struct written built[LOOK_PAGES], wrote[LOOK_PAGES], other_wrote[LOOK_PAGES];
	struct written on_disk[LOOK_PAGES];
	size_t part, parts;
	bool done;
};

/**
 * struct operation - something that the kernel does to pages
 * @name: Its name.
 * @operate: Does it, in the process whose pages they are, to @m.start and @m.pages
 *	of the cell.
 * @may: What it may do to pages, MAY_MOVE and so on.
 * @other_may: The same of the process that it makes, compared with the first
 *	one before.
 * @vma_may: Which flags of the VMA it may change, and those of the other process.
 * @needs_swap: There must be a swap area.
 * @source: Why that is by design, if it may do anything.
 */
struct operation {
	const char *name;
	void (*operate)(struct cell *c);
	u32 may, other_may;
	u64 vma_may;
	bool needs_swap;
	const char *source;
};

#define OPERATIONS(X)		\
	X(mprotect_read)	\
	X(mprotect_none)	\
	X(mprotect_back)	\
	X(mremap_move)		\
	X(mremap_dontunmap)	\
	X(fork)			\
	X(write)		\
	X(fork_child_writes)	\
	X(migrate)		\
	X(pageout)		\
	X(swap_in)		\
	X(cold)			\
	X(cold_part)		\
	X(mprotect_part)	\
	X(munmap_part)		\
	X(mremap_part)		\
	X(collapse)		\
	X(khugepaged)		\
	X(ksm_merge)		\
	X(numa_hints)		\
	X(populate_read)	\
	X(populate_write)	\
	X(exec)			\
	X(msync)		\
	X(msync_drop)		\
	X(truncate)		\
	X(clear_refs)		\
	X(free)			\
	X(dontneed)		\
	X(unmerge)		\
	X(uffd_wp_on)		\
	X(uffd_wp_off)		\
	X(scan_wp)		\
	X(uffd_move)		\
	X(uffd_poison)

#define OPERATION_INDEX(name)	OPERATION_##name,
enum { OPERATIONS(OPERATION_INDEX) NR_OPERATIONS };

extern const struct operation operations[NR_OPERATIONS];

/* What mapping_write() writes is noted from now on: the contents of each page. */
void cell_note(struct cell *c, struct written *written);

#endif /* PTWALK_TEST_OPERATIONS_H */
