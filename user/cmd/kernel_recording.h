/* SPDX-License-Identifier: GPL-2.0 */
/* Recordings of the kernel's own tables, for the commands that take one. */
#ifndef PTWALK_CMD_KERNEL_RECORDING_H
#define PTWALK_CMD_KERNEL_RECORDING_H

#include "kernel/recording.h"

/* Reads what `ptwalk kernel --record` wrote. Returns 0 or an exit status, after a line. */
int kernel_recording_read(const char *path, struct kernel_recorded *kernel,
			  struct kernel_facts *facts);

/* Who reads this kernel, now. */
void kernel_recorded_now(struct kernel_recorded *kernel);

/*
 * Whether @before, called @name, and @now, called @other, are of one boot of a kernel.
 * Returns 0 or EXIT_USAGE, after a line.
 */
int kernel_recording_fits(const char *name, const struct kernel_recorded *before,
			  const struct kernel_tables *tables, const char *other,
			  const struct kernel_recorded *now, const struct kernel_tables *these);

void kernel_facts_free(struct kernel_facts *facts);

#endif /* PTWALK_CMD_KERNEL_RECORDING_H */
