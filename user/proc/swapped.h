/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of shared memory that are in swap. A process that maps them has empty entries
 * there, as if nothing had ever been written: it is the file that remembers.
 */
#ifndef PTWALK_PROC_SWAPPED_H
#define PTWALK_PROC_SWAPPED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "proc/maps.h"

/**
 * struct swapped - a mapping whose file is asked; all zero is none
 * @pid: Its process; @start and @last its ends, @offset where in the file it begins,
 *	in bytes.
 * @fd: The file plus one; 0 if it is no tmpfs, or can't be opened.
 */
struct swapped {
	pid_t pid;
	uint64_t start, last, offset;
	int fd;
};

/*
 * Opens the file of a mapping by map_files, if it is in a tmpfs: memfds, System V
 * shared memory and anonymous memory that is mapped shared are in the kernel's own.
 * It takes what CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE allows. Returns whether it is
 * open. A mapping that is open already is left as it is.
 */
bool swapped_open(struct swapped *swapped, pid_t pid, uint64_t start, uint64_t last,
		  uint64_t offset);

/* The same of a line of maps. */
bool swapped_open_map(struct swapped *swapped, pid_t pid, const struct map *map);

/* Of @bytes from @addr on, how many pages the file has in swap. */
uint64_t swapped_pages(const struct swapped *swapped, uint64_t addr, uint64_t bytes);

void swapped_close(struct swapped *swapped);

#endif /* PTWALK_PROC_SWAPPED_H */
