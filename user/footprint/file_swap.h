/* SPDX-License-Identifier: GPL-2.0 */
/* What a process has in swap without a trace in its page tables: shared memory. */
#ifndef PTWALK_FOOTPRINT_FILE_SWAP_H
#define PTWALK_FOOTPRINT_FILE_SWAP_H

#include "module/truth.h"
#include "proc/maps.h"

/*
 * Of @map of process @pid: pages that are empty there, and that its file, in a tmpfs,
 * has in swap. smaps adds them to Swap; VmSwap doesn't have them. *@pages is 0 of
 * another file, and where it can't be asked. Returns 0 or a negative errno, see
 * base/error.h.
 */
int file_swap_pages(struct ptwalk *client, pid_t pid, const struct map *map,
		    uint64_t *pages);

#endif /* PTWALK_FOOTPRINT_FILE_SWAP_H */
