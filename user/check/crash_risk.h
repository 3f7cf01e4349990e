/* SPDX-License-Identifier: GPL-2.0 */
/* Entries that may crash the kernel when its interfaces show them. */
#ifndef PTWALK_CHECK_CRASH_RISK_H
#define PTWALK_CHECK_CRASH_RISK_H

#include "module/client.h"

/*
 * Looks for such entries in [@start, @last] of a process; call it before
 * reading /proc/PID/pagemap, or with @sums before reading smaps and numa_maps,
 * which cover all of the process. Returns 0; -EPERM with its message if
 * there are any; or what truth_runs() returns. Without the module (@client is
 * NULL) that is unknown: 0.
 */
int crash_risk_refuse(struct ptwalk *client, pid_t pid, uint64_t start,
		      uint64_t last, bool sums);

/*
 * The same of what one message of a walk told. Returns 0 or -EPERM with its
 * message.
 */
int crash_risk_in(const struct ptwalk_kernel *kernel, pid_t pid,
		  const struct ptwalk_runs *runs, bool sums);

#endif /* PTWALK_CHECK_CRASH_RISK_H */
