// SPDX-License-Identifier: GPL-2.0
/* The mounts of tmpfs, in /proc/PID/mountinfo. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/array.h"
#include "base/error.h"
#include "base/lines.h"
#include "proc/processes.h"
#include "proc/tmpfs.h"

/* The last one of the options @list, "rw,size=1024k,huge=always". */
static enum thp_mode huge_in(char *list)
{
	enum thp_mode huge = THP_NEVER;
	char *word, *rest = list;

	while ((word = strsep(&rest, ",")))
		if (!strncmp(word, "huge=", 5))
			huge = thp_mode_parse(word + 5);
	return huge;
}

/* Or one by another name. A rootfs may be a ramfs, but that has no VMA of shared memory. */
static bool is_tmpfs(const char *type)
{
	static const char *const types[] = { "tmpfs ", "rootfs ", "devtmpfs " };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strncmp(type, types[i], strlen(types[i])))
			return true;
	return false;
}

/* "36 35 0:42 / /tmp rw,noatime shared:1 - tmpfs tmpfs rw,huge=always" */
static int take_tmpfs_line(char *line, void *arg)
{
	struct tmpfs_mounts *m = arg;
	unsigned int dev_major, dev_minor;
	char options[256];
	const char *type;

	type = strstr(line, " - ");
	if (!type || !is_tmpfs(type + 3) ||
	    sscanf(line, "%*u %*u %u:%u ", &dev_major, &dev_minor) != 2)
		return 0;
	if (sscanf(type + 3, "%*s %*s %255s", options) != 1)
		*options = '\0';
	return array_add(m->mount, m->nr, m->max, (struct tmpfs_mount){
		dev_major, dev_minor, huge_in(options)
	}) ? 0 : -ENOMEM;
}

int tmpfs_parse(FILE *mountinfo, struct tmpfs_mounts *mounts)
{
	return lines_each(mountinfo, take_tmpfs_line, mounts, NULL);
}

static void learn_own(struct tmpfs_mounts *mounts)
{
	int fd = memfd_create("ptwalk", MFD_CLOEXEC);
	struct stat st;

	mounts->has_own = fd >= 0 && !fstat(fd, &st);
	if (mounts->has_own) {
		mounts->dev_major = major(st.st_dev);
		mounts->dev_minor = minor(st.st_dev);
	}
	if (fd >= 0)
		close(fd);
}

int tmpfs_read(pid_t pid, struct tmpfs_mounts *mounts)
{
	FILE *stream;
	int err;

	learn_own(mounts);
	stream = procs_fopen(pid, "mountinfo", &err);
	if (stream) {
		err = tmpfs_parse(stream, mounts);
		fclose(stream);
	}
	return err == -ESRCH || err == -EINVAL ? 0 : error_unless_missing(err, "mountinfo");
}

void tmpfs_free(struct tmpfs_mounts *mounts)
{
	free(mounts->mount);
	*mounts = (struct tmpfs_mounts){ 0 };
}

enum thp_mode tmpfs_mode(const struct tmpfs_mounts *mounts,
			 const struct thp_settings *settings,
			 unsigned int dev_major, unsigned int dev_minor)
{
	if (settings->shmem == THP_DENY || settings->shmem == THP_FORCE)
		return settings->shmem;
	if (!mounts)
		return THP_UNKNOWN;
	if (mounts->has_own && mounts->dev_major == dev_major &&
	    mounts->dev_minor == dev_minor)
		return settings->shmem_size;
	for (size_t i = 0; i < mounts->nr; i++)
		if (mounts->mount[i].dev_major == dev_major &&
		    mounts->mount[i].dev_minor == dev_minor)
			return mounts->mount[i].huge;
	return THP_UNKNOWN;
}
