// SPDX-License-Identifier: GPL-2.0
/* The names in a folder; an error is not taken for its end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/folder.h"

static int take_entries(DIR *dir, int (*take)(const char *name, void *arg), void *arg)
{
	struct dirent *entry;
	int ret = 0;

	while (!ret) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return -errno;
		ret = take(entry->d_name, arg);
	}
	return ret;
}

int folder_each_of(int fd, int (*take)(const char *name, void *arg), void *arg)
{
	DIR *dir = fdopendir(fd);
	int ret;

	if (!dir) {
		ret = -errno;
		close(fd);
		return ret;
	}
	ret = take_entries(dir, take, arg);
	closedir(dir);
	return ret;
}

int folder_each(const char *path, int (*take)(const char *name, void *arg), void *arg)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : folder_each_of(fd, take, arg);
}
