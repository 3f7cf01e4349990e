/* SPDX-License-Identifier: GPL-2.0 */
/* Entries that the kernel can't show without the risk of a crash. */
#ifndef PTWALK_CHECK_DEADLY_H
#define PTWALK_CHECK_DEADLY_H

#include "module/client.h"

/*
 * Looks for such entries in [@start, @last] of a process; ask this before
 * /proc/PID/pagemap is read, or with @sums before smaps and numa_maps are, which
 * take all of the process. Returns 0; EXIT_UNCHECKED after a line on stderr if
 * there are any; or what truth_runs() returns. Without the module (@client is
 * NULL) nothing can be said: 0.
 */
int deadly_refuse(struct ptwalk *client, pid_t pid, uint64_t start,
		  uint64_t last, bool sums);

#endif /* PTWALK_CHECK_DEADLY_H */
