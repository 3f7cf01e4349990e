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
 * @first: Index of the first process with the mapping; @vma is its VMA, and
 *	@mapping its number among those of that process.
 * @frames: The frames of the processes; SHARE_NO_FRAME where there is none.
 */
struct share_segment {
	uint64_t start, pages;
	enum share_class class;
	unsigned int holders;
	unsigned int first;
	const struct ptwalk_vma *vma;
	uint64_t mapping;
	const uint64_t *frames;
};

#define SHARE_NO_FRAME	UINT64_MAX

/**
 * struct share_process - a process, the extents of which come in order
 * @next: Gives some more of them, all in one VMA. Returns 1, 0 if there are no
 *	more, or a negative errno.
 * @extents: These, @nr of them.
 * @vma: Their VMA; @mapping another number for each.
 * @arg: For @next.
 */
struct share_process {
	int (*next)(struct share_process *process);
	const struct ptwalk_extent *extents;
	size_t nr;
	const struct ptwalk_vma *vma;
	uint64_t mapping;
	void *arg;
};

/*
 * Goes through @nr processes side by side and calls @each with
 * the segments in ascending order. Two mappings at the same address are
 * compared only if they are of the same file, or both of none. Returns 0,
 * -ENOMEM, or what @each or @next returned if that isn't 0.
 */
int share_walk(struct share_process *processes, unsigned int nr,
	       unsigned int page_shift,
	       int (*each)(const struct share_segment *segment, void *arg),
	       void *arg);

/**
 * struct share_group - the frames of a process's mappings of one name
 * @process: Its index.
 * @name: The name.
 * @pieces: Frames in a row, as share.c packs them: eight bytes for each piece.
 * @frames: Of those that other processes have, too, wherever, the frames for
 *	which this is the first process; of them @all that all have.
 */
struct share_group {
	unsigned int process;
	const char *name;
	uint64_t *pieces;
	size_t nr, max;
	uint64_t frames, all;
};

/**
 * struct share_groups - all of them; all zero is valid
 * @group: In the order in which they came.
 */
struct share_groups {
	struct share_group **group;
	size_t nr, max;
	void *tree;
};

/* That of @name, which must stay, in @process. NULL without memory. */
struct share_group *share_group(struct share_groups *groups,
				unsigned int process, const char *name);

/* Notes the frames of an extent, but for zero pages. Returns 0 or -ENOMEM. */
int share_note(struct share_group *group, const struct ptwalk_extent *extent);

/* Counts what more than one of @nr processes map. Returns 0 or -ENOMEM. */
int share_count(struct share_groups *groups, unsigned int nr);
void share_groups_free(struct share_groups *groups);

#endif /* PTWALK_RMAP_SHARE_H */
