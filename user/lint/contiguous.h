/* SPDX-License-Identifier: GPL-2.0 */
/* Entries that the TLB may keep as one: arm64's contiguous bit, riscv's Svnapot. Pure. */
#ifndef PTWALK_LINT_CONTIGUOUS_H
#define PTWALK_LINT_CONTIGUOUS_H

#include <stdbool.h>
#include "module/truth.h"

#define CONTIGUOUS_TEXT	128

/**
 * struct contiguous - an aligned block of entries at one level, seen from its start on
 * @start: Its address.
 * @seen: Pages of it that are present; @end: the address behind the last of these.
 * @first: The first of these, with its frame.
 * @marked: An entry that the processor uses is marked as part of a block.
 * @other: Address of the first page that differs from @first; @how: in what.
 */
struct contiguous {
	uint64_t start, seen, end;
	struct ptwalk_extent first;
	bool marked;
	uint64_t other;
	const char *how;
};

/* Entries in a block at this level; 0: there are no blocks. */
unsigned int contiguous_entries(const struct ptwalk_kernel *kernel, enum ptwalk_level level);
/* Adds present pages at one level, all in one block, of which none was added behind them. */
void contiguous_add(struct contiguous *block, const struct ptwalk_kernel *kernel,
		    const struct ptwalk_extent *e);
/* Whether entries are marked that must not be, and why; @text is left alone otherwise. */
bool contiguous_broken(const struct contiguous *block, const struct ptwalk_kernel *kernel,
		       char text[CONTIGUOUS_TEXT]);

#endif /* PTWALK_LINT_CONTIGUOUS_H */
