// SPDX-License-Identifier: GPL-2.0
/* Writes a file beside the one that is meant, and renames it into place. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/replace.h"

static int failed(const char *path)
{
	return error_set(-errno, "%s: %s", path, strerror(errno));
}

/* Opens a new file; @name receives its name, to be freed, if there is one. */
static int open_beside(const char *path, char **name)
{
	int fd;

	if (asprintf(name, "%s.XXXXXX", path) < 0) {
		*name = NULL;
		return error_no_memory();
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	free(*name);
	*name = NULL;
	return failed(path);
}

int replace_try(const char *path)
{
	struct stat st;
	char *name;
	int fd;

	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return error_set(-EINVAL, "%s: not a regular file, which would be replaced",
				 path);
	fd = open_beside(path, &name);
	if (fd < 0)
		return fd;
	close(fd);
	unlink(name);
	free(name);
	return 0;
}

/* Others may read it, as if it weren't a temporary file. */
static int write_all(int fd, const char *text, size_t size)
{
	mode_t mask = umask(077);
	ssize_t n;

	umask(mask);
	if (fchmod(fd, 0666 & ~mask))
		return -1;
	for (; size; text += n, size -= n) {
		n = write(fd, text, size);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			return -1;
	}
	return fsync(fd);
}

int replace_file(const char *path, const char *text, size_t size)
{
	int err = 0, fd;
	char *name;

	fd = open_beside(path, &name);
	if (fd < 0)
		return fd;
	if (write_all(fd, text, size))
		err = failed(path);
	if (close(fd) && !err)
		err = failed(path);
	if (!err && rename(name, path))
		err = failed(path);
	if (err)
		unlink(name);
	free(name);
	return err;
}
