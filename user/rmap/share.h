/* SPDX-License-Identifier: GPL-2.0 */
/* Which frames processes share, by address and at any address. Pure. */
#ifndef PTWALK_RMAP_SHARE_H
#define PTWALK_RMAP_SHARE_H

#include "module/truth.h"

/* What processes have at one address. */
enum share_class {
	SHARE_NOTHING,	/* no page, anywhere */
	SHARE_COW,	/* the same anonymous page: a write parts it */
	SHARE_FILE,	/* the same page of a file or of shared memory */
	SHARE_KSM,	/* the same page, merged by KSM */
	SHARE_ZERO,	/* the zero page, and nothing else */
	SHARE_SPECIAL,	/* the same frame of a device or its like */
	SHARE_PARTED,	/* different pages */
	SHARE_SINGLE,	/* only one of them has a page */
	SHARE_SWAP,	/* some of them have it swapped out */
	NR_SHARE_CLASSES
};

extern const char *const share_class_name[NR_SHARE_CLASSES];

/**
 * struct share_segment - addresses in a row with the same outcome
 * @start: First address.
 * @pages: Number of base pages.
 * @class: See there.
 * @holders: Number of processes that have the page that most of them have.
 * @first: Index of the first process with the mapping; @vma is its VMA.
 * @frames: The frames of the processes; SHARE_NO_FRAME where there is none.
 */
struct share_segment {
	uint64_t start, pages;
	enum share_class class;
	unsigned int holders;
	unsigned int first;
	const struct ptwalk_vma *vma;
	const uint64_t *frames;
};

#define SHARE_NO_FRAME	UINT64_MAX

/*
 * Goes through the truths of @nr processes side by side and calls @each with
 * the segments in ascending order. Two mappings at the same address are
 * compared only if they are of the same file, or both of none. Returns 0,
 * -ENOMEM, or what @each returned if that isn't 0.
 */
int share_walk(const struct truth *truths, unsigned int nr,
	       unsigned int page_shift,
	       int (*each)(const struct share_segment *segment, void *arg),
	       void *arg);

/**
 * struct share_frames - frames that more than one process maps, anywhere
 * @vma: The VMA of the first process that maps them, with its index @first.
 * @addr: Where that maps the first of them.
 * @pages: Number of frames in a row.
 * @holders: Number of processes that map them.
 */
struct share_frames {
	const struct ptwalk_vma *vma;
	unsigned int first;
	uint64_t addr;
	uint64_t pages;
	unsigned int holders;
};

/*
 * The same by frame, whatever the addresses; zero pages are left out. Frames
 * come in ascending order.
 */
int share_by_frame(const struct truth *truths, unsigned int nr,
		   unsigned int page_shift,
		   int (*each)(const struct share_frames *frames, void *arg),
		   void *arg);

#endif /* PTWALK_RMAP_SHARE_H */
