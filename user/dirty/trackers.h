/* SPDX-License-Identifier: GPL-2.0 */
/* What each tracker of writes says of a page, and why. Pure. */
#ifndef PTWALK_DIRTY_TRACKERS_H
#define PTWALK_DIRTY_TRACKERS_H

#include "module/truth.h"
#include "proc/page_trackers.h"

/**
 * enum tracker - who is asked whether a page was written to
 * @TRACKER_SOFT_DIRTY: Bit 55 of pagemap: since clear_refs.
 * @TRACKER_UFFD_WP: Bit 57: whether it is write-protected by userfaultfd.
 * @TRACKER_WRITTEN: PAGE_IS_WRITTEN of PAGEMAP_SCAN.
 * @TRACKER_DIRTY: The dirty bit of the entry.
 * @TRACKER_IN_CORE: mincore(), which says where a page is.
 */
enum tracker {
	TRACKER_SOFT_DIRTY, TRACKER_UFFD_WP, TRACKER_WRITTEN, TRACKER_DIRTY,
	TRACKER_IN_CORE, NR_TRACKERS
};

extern const char *const tracker_name[NR_TRACKERS];

/* What each says, for people. */
extern const char *const tracker_what[NR_TRACKERS];

enum tracker_answer { TRACKER_NO, TRACKER_YES, TRACKER_NOTHING, NR_TRACKER_ANSWERS };

extern const char *const tracker_answer_name[NR_TRACKER_ANSWERS];

/* Why; for people in tracker_reasons[]. */
enum tracker_reason {
	/* The page was written to, or not. */
	REASON_WRITTEN, REASON_CLEAN, REASON_PROTECTED, REASON_UNPROTECTED,
	REASON_DIRTY_BIT, REASON_NO_DIRTY_BIT, REASON_IN_CORE, REASON_NOT_IN_CORE,
	/* Something else decides. */
	REASON_VMA_SOFT_DIRTY, REASON_HUGETLB_SOFT_DIRTY, REASON_HUGETLB_DIRTY,
	REASON_PFNMAP, REASON_ZERO_PAGE, REASON_ZERO_UNPROTECTED, REASON_UNREGISTERED,
	REASON_EMPTY, REASON_NO_TABLE, REASON_EMPTY_UNPROTECTED, REASON_ABSENT,
	REASON_NOT_ASKED,
	/* There is no such tracker. */
	REASON_NO_SOFT_DIRTY, REASON_NO_UFFD_WP, REASON_NO_SCAN, REASON_OTHERS_CORE,
	NR_TRACKER_REASONS
};

struct tracker_reason_text {
	const char *name, *text;
};

extern const struct tracker_reason_text tracker_reasons[NR_TRACKER_REASONS];

/**
 * struct tracked_page - a page, and what was read of it
 * @tracked: Mask of TRACKED_*.
 */
struct tracked_page {
	const struct ptwalk_kernel *kernel;
	const struct ptwalk_vma *vma;
	const struct page_trackers *trackers;
	uint64_t bits;
	unsigned int tracked;
};

/**
 * struct tracker_verdict - what a tracker says
 */
struct tracker_verdict {
	enum tracker_answer answer;
	enum tracker_reason reason;
};

struct tracker_verdict tracker_ask(enum tracker tracker, const struct tracked_page *page);

#endif /* PTWALK_DIRTY_TRACKERS_H */
