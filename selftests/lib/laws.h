/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What must survive an operation of the kernel on a process's memory, whatever
 * the memory is: Documentation/laws.md.
 */
#ifndef PTWALK_TEST_LAWS_H
#define PTWALK_TEST_LAWS_H

#include "look.h"

/* What an operation may do; the operations have the sources. */
#define MAY_MOVE		0x0001	/* to other frames */
#define MAY_DROP		0x0002	/* entries of pages that aren't anonymous */
#define MAY_SWAP		0x0004	/* anonymous pages to the swap area */
#define MAY_FAULT_IN		0x0008	/* pages that aren't present */
#define MAY_CLEAN		0x0010	/* pages that are written elsewhere first */
#define MAY_DISCARD		0x0020	/* contents, which then are zeros */
#define MAY_CLEAR_SOFT_DIRTY	0x0040
#define MAY_CLEAR_UFFD_WP	0x0080
#define MAY_SET_UFFD_WP		0x0100
#define MAY_SET_PKEY		0x0200
#define MAY_UNMAP		0x0400	/* some of the pages */
#define MAY_UNMERGE		0x0800	/* pages of KSM, by copies */
#define MAY_REMOVE		0x1000	/* pages of files, which then are zeros */
#define MAY_WRITE_BACK		0x2000	/* pages of files to the disk */
#define MAY_BAR			0x4000	/* pages, by guards or as poisoned */

/* What it does by a bug of the kernel, Documentation/kernel-bugs. */
#define MAY_LOSE_MARKS		0x10000	/* soft-dirty, uffd-wp of what KSM merges */
#define MAY_LEAVE_PROTECTED	0x20000	/* what no userfaultfd has any more */
#define MAY_UNTRACK		0x40000	/* shared memory: writes to it aren't noticed */
#define MAY_BY_BUG		0x70000

/* What it must do. */
#define MUST_SET_UFFD_WP	0x100000 /* of all that is present or swapped */
#define MUST_UNMAP		0x200000 /* all of the pages */
#define MUST_UNMERGE		0x400000 /* pages of KSM */
#define MUST_SET_UFFD_WP_ANYWHERE 0x800000 /* of what is empty, too; not hugetlb */

/* What it may do only to those pages that it is done to. */
#define MAY_HERE		(MAY_DISCARD | MAY_UNMAP | MAY_REMOVE | MAY_BAR)

/**
 * struct moments - a page before and after an operation
 * @info: The kernel.
 * @page_size: Size of the page.
 * @before: The page before.
 * @after: After.
 * @other: After, in another process, if there is one.
 * @may: What the operation may do.
 * @vma_may: Which flags of the VMA it may change.
 * @wrote: The operation has written to the page.
 * @stale: On the disk the file has other contents.
 * @known: What the contents must be is known:
 * @sum: These.
 */
struct moments {
	const struct ptw_info *info;
	u64 page_size;
	const struct look_page *before, *after, *other;
	u32 may;
	u64 vma_may;
	bool wrote, stale, known;
	u64 sum;
};

/**
 * struct law - what must hold of every page
 * @name: Its name, as it is printed.
 * @text: What it says.
 * @source: Who says so, or which functions of Linux keep it.
 * @holds: Whether it holds of a page.
 */
struct law {
	const char *name, *text, *source;
	bool (*holds)(const struct moments *m);
};

/* The last one is that of smaps, which is of all pages. */
extern const struct law laws[];
extern const size_t nr_laws;

/* Mask of those that don't hold of a page, in order of the table. */
u32 laws_broken(const struct moments *m);

/* The mask of the law about sums, if that doesn't hold; otherwise 0. */
u32 laws_broken_sums(const struct look *look);

#endif /* PTWALK_TEST_LAWS_H */
