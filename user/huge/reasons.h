/* SPDX-License-Identifier: GPL-2.0 */
/* Why the kernel maps memory by small pages. Pure. */
#ifndef PTWALK_HUGE_REASONS_H
#define PTWALK_HUGE_REASONS_H

/**
 * enum huge_reason - why a window isn't mapped by a huge leaf
 *
 * In the order of what would have to be changed first, and the first one that holds
 * is given: whether there is anything to map; what the memory is; how large the
 * VMA is; what settings, the mount, the process and madvise() say; where the VMA
 * lies; then what khugepaged meets in the entries.
 */
enum huge_reason {
	HUGE_EMPTY,
	HUGE_HUGETLB,
	HUGE_NO_THP,
	HUGE_SPECIAL,
	HUGE_TOO_SMALL,
	HUGE_SHMEM,
	HUGE_NEVER,
	HUGE_PRCTL,
	HUGE_NOHUGEPAGE,
	HUGE_MADVISE,
	HUGE_EDGE,
	HUGE_FILE_OFFSET,
	HUGE_FILE,
	HUGE_PARTIAL,
	HUGE_MAX_NONE,
	HUGE_MAX_SWAP,
	HUGE_MAX_SHARED,
	HUGE_USERFAULTFD,
	HUGE_NO_PAGE,
	HUGE_NOT_ANON,
	HUGE_PINNED,
	HUGE_READ_ONLY,
	HUGE_IDLE,
	HUGE_COPIES,
	HUGE_PTE_MAPPED,
	HUGE_NOT_YET,
	NR_HUGE_REASONS
};

/**
 * struct huge_reason_text - a reason for people
 * @name: In short.
 * @text: What it means.
 * @decided: What in the kernel decides so: @by since Linux @since, as KERNEL(6, 12) or 0, the
 *	newest first.
 */
struct huge_reason_text {
	const char *name, *text;
	struct {
		unsigned int since;
		const char *by;
	} decided[4];
};

extern const struct huge_reason_text huge_reasons[NR_HUGE_REASONS];

/* What decides on Linux @version, as KERNEL(6, 12). */
const char *huge_decided_by(enum huge_reason reason, unsigned int version);

#define HUGE_DECIDED_BY	250

/* The same on all that there are. Returns @buf. */
const char *huge_decided_by_all(enum huge_reason reason, char buf[HUGE_DECIDED_BY]);

#endif /* PTWALK_HUGE_REASONS_H */
