/* SPDX-License-Identifier: GPL-2.0 */
/* Whether the processor can forbid the execution of memory. */
#ifndef PTWALK_PROC_CPUINFO_H
#define PTWALK_PROC_CPUINFO_H

#include <stdbool.h>
#include <stdio.h>
#include "module/client.h"

/*
 * Whether entries without PTWALK_FLAG_EXEC are what the kernel makes of VMAs
 * that aren't executable: 1 or 0, or a negative errno. @cpuinfo is /proc/cpuinfo.
 */
int noexec_parse(const struct ptwalk_kernel *kernel, FILE *cpuinfo);

/* The same of this machine, in @denies; in doubt false. Returns 0 or a negative errno. */
int noexec_read(const struct ptwalk_kernel *kernel, bool *denies);

#endif /* PTWALK_PROC_CPUINFO_H */
