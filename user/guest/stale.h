/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The second stage of a virtual machine against the page tables of its process: what
 * the guest reaches and the process hasn't there any more. Pure.
 */
#ifndef PTWALK_GUEST_STALE_H
#define PTWALK_GUEST_STALE_H

#include <stdbool.h>
#include "module/truth.h"
#include "pins/doubts.h"
#include "proc/second_stage.h"

#define SECOND_STAGE_STALE	"second-stage-stale"

/**
 * struct stale_page - a page that differs
 * @gpa: Its address in the guest.
 * @hva: Its address in the process; that in the guest if it is @slotless.
 * @frame: What the second stage has.
 * @value: What the process has, as in struct ptwalk_extent, with @bits.
 * @write: The guest can write to it; @read_only: its slot says that it can't.
 * @moved: It differed otherwise before, or isn't proven to differ.
 */
struct stale_page {
	uint64_t gpa, hva, frame, value, bits;
	bool write, read_only, slotless, moved;
};

/* All zero is a valid empty one. They ascend; @pages counts all that were compared. */
struct stale {
	struct stale_page *page;
	size_t nr, max;
	uint64_t pages;
};

/*
 * Compares all of @stage with @truth, which has all memory that it is of. Returns 0 or
 * -ENOMEM.
 */
int stale_find(struct stale *out, const struct second_stage *stage,
	       const struct truth *truth);

/* Keeps of @now the pages that differed in @before, too; those otherwise have @moved. */
void stale_both(struct stale *now, const struct stale *before);

/* Notes those of a look that didn't move. Returns 0 or -ENOMEM. */
int stale_doubt(const struct stale *stale, struct doubts *wrong, unsigned int page_shift);

/* Those that aren't proven have @moved, and no others. */
void stale_settle(struct stale *stale, const struct doubts *doubts, unsigned int page_shift);

/* How many pages from number @at on are in a row, and alike. */
size_t stale_stretch(const struct stale *stale, size_t at, unsigned int page_shift);

#endif /* PTWALK_GUEST_STALE_H */
