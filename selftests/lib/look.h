/* SPDX-License-Identifier: GPL-2.0 */
/* Pages of a process at one moment: entries, pages behind them, contents, sums. */
#ifndef PTWALK_TEST_LOOK_H
#define PTWALK_TEST_LOOK_H

#include "proc.h"

#define LOOK_PAGES	512

/**
 * struct look_page - a page
 * @bits: Its entry, as in struct ptwalk_translation.
 * @value: Likewise.
 * @vma: Flags of its VMA, enum ptwalk_vma_flag; 0 without one.
 * @page: What the entry maps.
 * @read: The contents were read, and
 * @sum: are these; see look_sum().
 * @touched_bits: Its entry after that, if reading was to make it present.
 * @touched: What it maps then.
 * @protected_bits: Its entry after its VMA couldn't be written to for a moment:
 *	mprotect() makes entries writable again of which the kernel says that
 *	nobody else has the page.
 */
struct look_page {
	u64 bits, value, vma;
	struct ptwalk_page page;
	bool read;
	u64 sum;
	u64 touched_bits;
	struct ptwalk_page touched;
	u64 protected_bits;
};

/**
 * struct look - pages in a row
 * @page_size: Size of each.
 * @nr: How many.
 * @page: They.
 * @summed: smaps has VMAs of exactly these pages, and its fields are here.
 * @rss: Rss, in bytes.
 * @swap: Swap, in bytes.
 */
struct look {
	u64 page_size;
	size_t nr;
	struct look_page page[LOOK_PAGES];
	bool summed;
	u64 rss, swap;
};

/**
 * look_take() - look at pages
 * @look: Filled.
 * @ptw: A socket that wants pages.
 * @pid: The process, which holds still.
 * @start: Address of the first page.
 * @nr: How many, LOOK_PAGES at most.
 * @touch: Read contents of pages that aren't present, too, after all else.
 *
 * Return: 0 or a negative errno.
 */
int look_take(struct look *look, struct ptw *ptw, pid_t pid, u64 start, size_t nr,
	      bool touch);

/* Takes @protected_bits of the pages in @look, which are at @start now. */
int look_protected(struct look *look, struct ptw *ptw, pid_t pid, u64 start);

/* Stands for the contents of a page. */
u64 look_sum(const void *page, u64 size);

/* That of a page of zeros. */
u64 look_sum_of_zeros(u64 size);

#endif /* PTWALK_TEST_LOOK_H */
