// SPDX-License-Identifier: GPL-2.0
/* What a process has open: links of /proc/PID/fd. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/folder.h"
#include "proc/descriptors.h"
#include "proc/processes.h"

/* A folder of links being read. */
struct links {
	int dir;
	int (*take)(int fd, const char *target, void *arg);
	void *arg;
};

static int take_link(const char *name, void *arg)
{
	const struct links *l = arg;
	char target[64];
	ssize_t n = readlinkat(l->dir, name, target, sizeof(target));

	if (n < 0 && errno == EACCES)
		return -EACCES;
	if (n <= 0 || n == sizeof(target))
		return 0;
	target[n] = '\0';
	return l->take(atoi(name), target, l->arg);
}

int descriptors_each(pid_t pid, int (*take)(int fd, const char *target, void *arg), void *arg)
{
	struct links l = { .dir = procs_open(pid, "fd"), .take = take, .arg = arg };

	return l.dir < 0 ? l.dir : folder_each_of(l.dir, take_link, &l);
}
