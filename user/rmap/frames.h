/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the mappings of given frames in a stream of runs. Pure. */
#ifndef PTWALK_RMAP_FRAMES_H
#define PTWALK_RMAP_FRAMES_H

#include <stdbool.h>
#include "module/truth.h"

/**
 * struct frame_vma - a VMA in which frames were found
 * @pid: The process.
 * @addr: Where the first of them was.
 * @vma: It.
 * @name: Filled by the caller, freed with the frames.
 */
struct frame_vma {
	pid_t pid;
	uint64_t addr;
	struct ptwalk_vma vma;
	char *name;
};

/**
 * struct frame_mapping - entries in a row that hold the same frame
 * @pid: The process.
 * @vma: Where they lie, an index into the VMAs of struct frames.
 * @addr: Virtual address of the first; @pages of them follow each other (the
 *	zero page is mapped so).
 * @bits: As in struct ptwalk_run, without the list bit.
 */
struct frame_mapping {
	pid_t pid;
	uint32_t vma;
	uint64_t addr, pages;
	uint64_t bits;
};

/**
 * struct frame - a frame that is looked for
 * @pfn: It.
 * @mapping: Where it was found; @nr of those kept, at most FRAME_MAPPINGS.
 * @entries: All entries that hold it, kept or not.
 * @present: Those that map it, or count as if they did.
 * @counted: Those of them that the kernel counts as mappings of a page.
 * @processes: Number of processes with such an entry.
 * @own: Those of @entries that are of the process @self of struct frames, and
 *	@own_counted those of @counted.
 * @as_number: Somebody gave the number, and not an address in it; @alone: and nothing
 *	but this frame, not a range.
 */
struct frame {
	uint64_t pfn;
	struct frame_mapping *mapping;
	size_t nr;
	uint64_t entries, present, counted, processes, own, own_counted;
	pid_t latest;
	bool as_number, alone;
};

#define FRAME_MAPPINGS	10000

/**
 * struct frames - frames; from frames_sort() on in ascending order, each once
 * @vma: Where they were found; those of a process follow each other.
 * @self: The process that asks, whose entries are counted apart; or 0.
 */
struct frames {
	struct frame *frame;
	size_t nr, max;
	struct frame_vma *vma;
	size_t nr_vmas, max_vmas;
	pid_t self;
};

/* Adds a frame that nothing is known of yet. Returns 0 or -ENOMEM. */
int frames_add(struct frames *frames, const struct frame *frame);

/* Wanted behind the last that is added. */
void frames_sort(struct frames *frames);
void frames_free(struct frames *frames);

/*
 * Notes what @runs of process @pid have of the frames. Returns 0 or -ENOMEM.
 */
int frames_take(struct frames *frames, pid_t pid, unsigned int page_shift,
		const struct ptwalk_runs *runs);

#endif /* PTWALK_RMAP_FRAMES_H */
