/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc/kpageflags says of the frames that areas of vmalloc() and its like map. */
#ifndef PTWALK_PROC_AREA_FRAMES_H
#define PTWALK_PROC_AREA_FRAMES_H

#include "proc/iomem.h"
#include "proc/kernel_tables.h"
#include "proc/vmallocinfo.h"

/**
 * struct frame_run - pages of one area, whose frames are alike
 * @start: First address.
 * @bytes: Length.
 * @phys: Where the first byte is; the others need not be in a row.
 * @flags: Of each frame, by kpageflags, whether it is free, a page table, offline or
 *	reserved; and FRAME_RAM.
 */
struct frame_run {
	uint64_t start, bytes, phys, flags;
};

/*
 * It is "System RAM" in /proc/iomem. kpageflags doesn't tell this on all kernels: of what
 * has no struct page, some show no flag.
 */
#define FRAME_RAM	(1ULL << 63)

/**
 * struct area_frames - of all areas; all zero is a valid empty one
 * @run: Ascending, with @nr.
 * @why_not: Why nothing is known, or NULL.
 */
struct area_frames {
	struct frame_run *run;
	size_t nr, max;
	const char *why_not;
};

/* Reads them. Never fails: @frames->why_not tells what was missing. */
void area_frames_read(struct area_frames *frames, const struct kernel_tables *tables,
		      const struct vmallocinfo *areas, const struct iomem *iomem);
void area_frames_free(struct area_frames *frames);

#endif /* PTWALK_PROC_AREA_FRAMES_H */
