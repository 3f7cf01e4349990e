/* SPDX-License-Identifier: GPL-2.0 */
/* Ranges of frames as the kernel writes them, and what many frames are. Pure. */
#ifndef PTWALK_CMD_FRAME_SUM_H
#define PTWALK_CMD_FRAME_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/ptwalk.h"

/*
 * A range of frames in @first and @last, inclusive: PFN; FIRST-LAST; FIRST+NUMBER, or
 * +SIZE with a unit;
 * "[2ef00, 2f00a)", as of alloc_contig_range(), with a bracket for an end that belongs
 * to it and a parenthesis for one that doesn't; "phys:ADDR", "phys:ADDR-ADDR",
 * "phys:ADDR+LENGTH", and "[mem 0x100000000-0x13fffffff 64bit]" with or without the
 * brackets, in bytes. An end in bytes that begins a page isn't meant. Returns NULL or a
 * reason.
 */
const char *frame_range(const char *arg, unsigned int page_shift, uint64_t *first,
			uint64_t *last, bool *physical);

enum frame_kind {
	FRAME_UNKNOWN, FRAME_NO_PAGE, FRAME_FREE, FRAME_ANON, FRAME_FILE, FRAME_SHMEM,
	FRAME_HUGETLB, FRAME_SLAB, FRAME_TABLE, FRAME_RESERVED, FRAME_FAILED,
	FRAME_OFFLINE, FRAME_KERNEL, NR_FRAME_KINDS
};

/* By a word of /proc/kpageflags, if @has_flags. */
enum frame_kind frame_kind(uint64_t flags, bool has_flags);

/* Whether migration can take it away: free memory, or what is on the LRU and not pinned. */
bool frame_is_movable(enum frame_kind kind, const struct ptwalk_page *page);

/*
 * Why a frame can't be taken away: somebody pins it, or it is the kernel's. Nothing is in
 * the way that isn't known.
 */
enum frame_obstacle { FRAME_NO_OBSTACLE, FRAME_PINNED, FRAME_FIXED };

enum frame_obstacle frame_obstacle(enum frame_kind kind, const struct ptwalk_page *page);

/**
 * struct frame_sum - what frames are, by kind
 * @frames: How many there are of a kind; @mapped of them by processes, @pinned, as far
 *	as a mapping tells, and @movable.
 */
struct frame_sum {
	struct {
		uint64_t frames, mapped, pinned, movable;
	} of[NR_FRAME_KINDS];
};

/* One more; @page is all zero where no mapping tells of it. */
void frame_sum_add(struct frame_sum *sum, enum frame_kind kind, bool mapped,
		   const struct ptwalk_page *page);
void frame_sum_print(const struct frame_sum *sum);
void frame_sum_json(const struct frame_sum *sum);

#endif /* PTWALK_CMD_FRAME_SUM_H */
