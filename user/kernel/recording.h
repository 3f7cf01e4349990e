/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's tables and areas as lines of text, to be looked at elsewhere. Pure. */
#ifndef PTWALK_KERNEL_RECORDING_H
#define PTWALK_KERNEL_RECORDING_H

#include "base/lines.h"
#include "kernel/compare.h"

/**
 * struct kernel_recorded - of which kernel a recording is
 * @release: As in uname -r.
 * @machine: As in uname -m.
 * @boot: As in /proc/sys/kernel/random/boot_id; "" if that isn't known, as of recordings
 *	of earlier versions.
 */
struct kernel_recorded {
	char release[65], machine[65], boot[37];
};

/* Whether both are known to be of different boots. */
bool kernel_other_boot(const struct kernel_recorded *a, const struct kernel_recorded *b);

/* Writes the tables and areas of @facts, and the end mark. Returns 0 or a negative errno. */
int kernel_record(FILE *stream, const struct kernel_recorded *kernel,
		  const struct kernel_facts *facts);

/*
 * Reads all of @lines. Returns 0; -EINVAL for a line that makes no sense, -ENODATA for
 * a file without an end mark, each with the reason in @lines; or another errno.
 */
int kernel_replay(struct lines *lines, struct kernel_recorded *kernel,
		  struct kernel_facts *facts);

#endif /* PTWALK_KERNEL_RECORDING_H */
