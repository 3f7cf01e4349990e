// SPDX-License-Identifier: GPL-2.0
/* Reads a recording of ptwalk rss, and says what is wrong with it. */
#include <errno.h>
#include <string.h>
#include "base/input.h"
#include "base/print.h"
#include "cmd/cmd.h"
#include "cmd/replay.h"

int replay_read(const char *path, struct rss_replay *replay)
{
	const char *name = input_name(path);
	struct lines lines;
	FILE *stream;
	int err;

	stream = input_open(path);
	if (!stream)
		return fail(EXIT_UNCHECKED, "%s: %s", name, strerror(errno));
	lines_begin(&lines, stream);
	err = rss_replay_read(&lines, replay);
	input_close(stream);
	if (err == -EINVAL || err == -ENODATA)
		return fail(err == -EINVAL ? EXIT_USAGE : EXIT_UNCHECKED,
			    "%s:%zu: %s", name, lines.number, lines.reason);
	return err ? fail(EXIT_UNCHECKED, "%s: %s", name, strerror(-err)) : 0;
}
