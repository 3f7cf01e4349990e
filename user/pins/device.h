/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a device of VFIO has mapped for DMA against the page tables of those who have the
 * device: what isn't in these any more, or elsewhere, has been replaced. Pure.
 */
#ifndef PTWALK_PINS_DEVICE_H
#define PTWALK_PINS_DEVICE_H

#include <stdbool.h>
#include "dma/busmap.h"
#include "module/truth.h"
#include "pins/doubts.h"

/**
 * enum part_state - what a bus address is for the processes that have the device
 * @PART_HELD: One of them has the frame; or it is the zero page, and is there.
 * @PART_UNKNOWN: None has, and it may be right: a file's page can come back.
 * @PART_MOVED: One has, at another address, and has mapped others before and behind it
 *	where the bus address is its own.
 * @PART_LOST: None has: anonymous memory in no table at all, or of which the process
 *	has another page now.
 * @PART_FREE: It is nobody's at all: free memory.
 */
enum part_state {
	PART_HELD,
	PART_UNKNOWN,
	PART_MOVED,
	PART_LOST,
	PART_FREE,
	NR_PART_STATES
};

/**
 * enum part_now - what stands at an address of a process
 * @NOW_UNKNOWN: The address itself isn't known.
 * @NOW_UNMAPPED: Nothing is mapped.
 * @NOW_ABSENT: No page.
 * @NOW_OTHER: Another page, physical address @now_phys of struct device_part.
 */
enum part_now {
	NOW_UNKNOWN,
	NOW_UNMAPPED,
	NOW_ABSENT,
	NOW_OTHER,
	NR_NOW
};

/**
 * struct device_part - bus addresses in a row that are alike
 * @state: Of all of them.
 * @bus: The first one; @phys is where it leads, @bytes how far it goes on so.
 * @holder: Number of the process that has the frames, or had.
 * @vaddr: Where that process has them, if they are PART_HELD. If they are others, where
 *	it had them, unless @now is NOW_UNKNOWN.
 * @now: What stands there; @now_phys is the page of NOW_OTHER.
 * @elsewhere: Where it has those that are PART_MOVED.
 */
struct device_part {
	enum part_state state;
	uint64_t bus, bytes, phys, vaddr, now_phys, elsewhere;
	size_t holder;
	enum part_now now;
};

/* All zero is a valid empty one. */
struct device_parts {
	struct device_part *part;
	size_t nr, max;
};

/**
 * struct device_tables - the page tables of those who have the device
 * @truth: Of each.
 * @nr: How many they are.
 * @frames: Asks what @nr frames from @pfn on are; returns 0, or what ends the work.
 * @stop: Asked at each step: returns 0, or what ends the work. NULL: nothing does.
 * @arg: For both.
 * @page_shift: Of pages.
 */
struct device_tables {
	const struct truth *truth;
	size_t nr;
	int (*frames)(void *arg, uint64_t pfn, size_t nr, struct ptwalk_page *pages);
	int (*stop)(void *arg);
	void *arg;
	unsigned int page_shift;
};

/*
 * Judges what @map has, which is in another order then: adds parts in ascending order of
 * the bus addresses. Returns 0, a negative errno, or what a function of @tables
 * returned.
 */
int device_parts_add(struct device_parts *out, struct busmap *map,
		     const struct device_tables *tables);
void device_parts_free(struct device_parts *parts);

/*
 * Leaves of the tables of a process that mapped nothing for the device, but has it, what
 * it shares: a frame that only its private memory has isn't that of who mapped it.
 */
void device_keep_shared(struct truth *truth);

static inline bool part_is_wrong(const struct device_part *part)
{
	return part->state >= PART_MOVED;
}

/* Notes what is wrong of a look. Returns 0 or -ENOMEM. */
int device_parts_doubt(const struct device_parts *parts, struct doubts *wrong,
			 unsigned int page_shift);

/*
 * Takes for unknown what is wrong, but isn't proven to be, and adds the pages of that to
 * *@unproven. Returns 0 or -ENOMEM.
 */
int device_parts_settle(struct device_parts *parts, const struct doubts *doubts,
			unsigned int page_shift, uint64_t *unproven);

#endif /* PTWALK_PINS_DEVICE_H */
