/* SPDX-License-Identifier: GPL-2.0 */
/* Where the memory of processes goes: by mapping, and by frame. */
#ifndef PTWALK_FOOTPRINT_FOOTPRINT_H
#define PTWALK_FOOTPRINT_FOOTPRINT_H

#include <signal.h>
#include "proc/kcore.h"
#include "proc/maps.h"
#include "rmap/distinct.h"
#include "sums/rss.h"

/**
 * enum footprint_column - what is told of each mapping, in kB
 * @FOOTPRINT_SIZE: Of the mapping.
 * @FOOTPRINT_RSS: What is mapped of it, as Rss of smaps: without hugetlb.
 * @FOOTPRINT_PSS: Pss of smaps.
 * @FOOTPRINT_PRIVATE: Of Rss, what nobody else maps.
 * @FOOTPRINT_SHARED: The rest of it.
 * @FOOTPRINT_SWAP: Swap of smaps: with what the file has in swap of shared memory.
 * @FOOTPRINT_HUGE: In huge leaves; hugetlb, which isn't in Rss, among it.
 * @FOOTPRINT_ZEROS: Mapped pages of zeros only, if they were looked for.
 */
enum footprint_column {
	FOOTPRINT_SIZE, FOOTPRINT_RSS, FOOTPRINT_PSS, FOOTPRINT_PRIVATE,
	FOOTPRINT_SHARED, FOOTPRINT_SWAP, FOOTPRINT_HUGE, FOOTPRINT_ZEROS,
	NR_FOOTPRINT_COLUMNS
};

/* What a mapping is. */
enum footprint_kind {
	FOOTPRINT_HEAP, FOOTPRINT_STACK, FOOTPRINT_ANON, FOOTPRINT_FILE,
	FOOTPRINT_SHMEM, FOOTPRINT_HUGETLB, FOOTPRINT_DEVICE, FOOTPRINT_OTHER,
	NR_FOOTPRINT_KINDS
};

/* What a frame is: its memory, or that of a device. */
enum footprint_class {
	FRAMES_ANON, FRAMES_FILE, FRAMES_SHMEM, FRAMES_KSM, FRAMES_HUGETLB,
	FRAMES_SPECIAL, FRAMES_DEVICE, NR_FRAMES_CLASSES
};

extern const char *const footprint_kind_name[NR_FOOTPRINT_KINDS];
extern const char *const footprint_class_name[NR_FRAMES_CLASSES];

/**
 * struct footprint_row - a mapping
 * @name: Freed with the row.
 * @mapped: What decides of its place: Rss and hugetlb.
 */
struct footprint_row {
	pid_t pid;
	uint64_t start, last;
	enum footprint_kind kind;
	char *name;
	uint64_t mapped, kb[NR_FOOTPRINT_COLUMNS];
};

/**
 * struct footprint - the memory of one process or of several
 * @kcore: Where frames are read to find zeros, or NULL.
 * @stop: Once this isn't 0, gathering ends with -EINTR; NULL: it doesn't.
 * @row: The mappings.
 * @frames: By class, each frame once; without zero pages.
 * @zeros: Those of RAM with nothing but zeros; @unread those that couldn't be read.
 * @mapped: Entries that map any of these.
 */
struct footprint {
	const struct kcore *kcore;
	const volatile sig_atomic_t *stop;
	struct footprint_row *row;
	size_t nr, max;
	struct distinct frames[NR_FRAMES_CLASSES], zeros;
	uint64_t mapped, unread;
};

/*
 * Adds the mappings of @pid, of which @rss was read with @keep, or, if @rss is NULL,
 * its frames only. Returns 0 or a negative errno, see base/error.h.
 */
int footprint_add(struct footprint *f, struct ptwalk *client, pid_t pid,
		  const struct rss *rss, const struct maps *maps);

/* Puts the rows in order: what has most mapped first. */
void footprint_sort(struct footprint *f);
void footprint_free(struct footprint *f);

#endif /* PTWALK_FOOTPRINT_FOOTPRINT_H */
