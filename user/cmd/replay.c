// SPDX-License-Identifier: GPL-2.0
/* Reads a recording of ptwalk rss, and says what is wrong with it. */
#include <string.h>
#include "base/error.h"
#include "base/format.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/replay.h"
#include "recording/head.h"

int replay_read(const char *path, struct rss_replay *replay)
{
	struct lines lines;
	int err = recording_open(&lines, path);

	if (!err)
		err = recording_close(&lines, path, rss_replay_read(&lines, replay));
	return error_status(err);
}

int replay_same_kernel(const char *name_a, const struct ptwalk_kernel *a,
		       const char *name_b, const struct ptwalk_kernel *b)
{
	char size[2][FORMAT_SIZE];

	if (strcmp(a->release, b->release))
		return fail(EXIT_USAGE, "%s is of Linux %s, %s of %s: give two recordings of one kernel",
			    name_a, a->release, name_b, b->release);
	if (a->page_shift != b->page_shift)
		return fail(EXIT_USAGE, "%s has pages of %s, %s of %s: give two recordings of one kernel",
			    name_a, format_size(1ULL << a->page_shift, size[0]),
			    name_b, format_size(1ULL << b->page_shift, size[1]));
	if (a->levels != b->levels ||
	    memcmp(a->level_shift, b->level_shift, sizeof(a->level_shift)))
		return fail(EXIT_USAGE, "%s and %s have page tables of different levels: give two recordings of one kernel",
			    name_a, name_b);
	return 0;
}
