/* SPDX-License-Identifier: GPL-2.0 */
/* What all recordings of processes begin with, and how a file of any recording is read. */
#ifndef PTWALK_RECORDING_HEAD_H
#define PTWALK_RECORDING_HEAD_H

#include "base/lines.h"
#include "module/truth.h"

/*
 * The lines of a kernel; all numbers are hexadecimal:
 *
 *   kernel RELEASE PAGE-SHIFT FLAGS VMA-FLAGS FEATURES PHYS-BITS ...
 *   levels MASK OF-PROCESS SHIFT:ENTRIES:ENTRY-SIZE...
 *
 * The first one is written without its end: more may follow.
 */
void head_write_kernel(FILE *stream, const struct ptwalk_kernel *kernel);
void head_write_levels(FILE *stream, const struct ptwalk_kernel *kernel, uint32_t of_process);

/* Read what is behind the first word. Return 0, or -EINVAL for what no kernel has. */
int head_read_kernel(struct fields *fields, struct ptwalk_kernel *kernel);
int head_read_levels(struct fields *fields, struct ptwalk_kernel *kernel,
		     uint32_t *of_process);

/* By more, no number of a recording is shifted. */
#define MOST_SHIFT	63

/* What is said of a line "kernel" that only older versions of ptwalk check begin with. */
#define RECORDING_OLDER	"of an older `ptwalk check`, which isn't read any more: record it again"

/*
 * Opens the file @path, "-" for standard input, and closes it when reading it has come to
 * @err: 0 or a negative errno, of which -EINVAL and -ENODATA have the reason in @lines.
 * Returns 0 or a negative errno, see base/error.h.
 */
int recording_open(struct lines *lines, const char *path);
int recording_close(struct lines *lines, const char *path, int err);

#endif /* PTWALK_RECORDING_HEAD_H */
