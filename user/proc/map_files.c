// SPDX-License-Identifier: GPL-2.0
/* The links of map_files in the words of maps. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/escape.h"
#include "base/folder.h"
#include "base/lines.h"
#include "proc/map_files.h"
#include "proc/processes.h"

/* A link that went away meanwhile is left out: its mapping has, too. */
static int print_link(int dir, const char *name, FILE *stream)
{
	char target[PATH_MAX + 1];
	uint64_t start, end;
	ssize_t n;

	if (sscanf(name, "%" SCNx64 "-%" SCNx64, &start, &end) != 2)
		return 0;
	n = readlinkat(dir, name, target, PATH_MAX);
	/* do_proc_readlink() has no room for longer names. */
	if (n < 0 && errno == ENAMETOOLONG) {
		target[0] = '?';
		n = 1;
	}
	if (n < 0)
		return errno == ENOENT ? 0 : -errno;
	fprintf(stream, "%" PRIx64 "-%" PRIx64 " ---p 0 0:0 0 ", start, end);
	target[n] = '\0';
	escape_newlines(stream, target);
	fputc('\n', stream);
	return 0;
}

/**
 * struct links - a folder of links being read
 * @dir: The folder.
 * @stream: Where they are printed.
 */
struct links {
	int dir;
	FILE *stream;
};

static int take_map_file(const char *name, void *arg)
{
	const struct links *links = arg;

	return print_link(links->dir, name, links->stream);
}

FILE *map_files_fopen(pid_t pid, int *err)
{
	int fd = procs_open(pid, "map_files");
	FILE *stream = fd < 0 ? NULL : lines_scratch();
	struct links links = { fd, stream };

	*err = fd < 0 ? fd : stream ? folder_each_of(fd, take_map_file, &links) : -errno;
	if (fd >= 0 && !stream)
		close(fd);
	return lines_scratch_end(stream, err);
}

int map_files_open(pid_t pid, uint64_t start, uint64_t last)
{
	int dir = procs_open(pid, "map_files"), fd;
	char name[48];

	if (dir < 0)
		return dir;
	snprintf(name, sizeof(name), "%" PRIx64 "-%" PRIx64, start, last + 1);
	fd = openat(dir, name, O_PATH | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}
