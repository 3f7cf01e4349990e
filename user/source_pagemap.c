// SPDX-License-Identifier: GPL-2.0
/* /proc/PID/pagemap, one u64 a page. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "decode.h"
#include "pagemap_bits.h"
#include "source.h"

struct source_file {
	int fd;
	unsigned int page_shift;
};

static unsigned int page_shift(void)
{
	return __builtin_ctzl(sysconf(_SC_PAGESIZE));
}

static int pagemap_open(pid_t pid, struct source_file **out)
{
	struct source_file *file;
	char path[32];

	file = malloc(sizeof(*file));
	if (!file)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0) {
		int err = -errno;

		free(file);
		return err;
	}
	file->page_shift = page_shift();
	*out = file;
	return 0;
}

/*
 * A read may end early: at the end of the process's address space, or where a
 * signal came. Only one that gets nothing is the end.
 */
static ssize_t pagemap_read(struct source_file *file,
			    const struct truth *truth, uint64_t addr,
			    size_t pages, uint64_t *values)
{
	uint64_t index = addr >> file->page_shift;
	size_t size = pages * sizeof(*values), done = 0;
	ssize_t n;

	while (done < size) {
		n = pread(file->fd, (char *)values + done, size - done,
			  index * sizeof(*values) + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done / sizeof(*values);
}

static void pagemap_close(struct source_file *file)
{
	close(file->fd);
	free(file);
}

static const char *pagemap_probe(void)
{
	if (access("/proc/self/pagemap", R_OK))
		return errno == ENOENT ? "no /proc/PID/pagemap (CONFIG_PROC_PAGE_MONITOR)" :
					 strerror(errno);
	return NULL;
}

/*
 * Who opens pagemap without CAP_SYS_ADMIN in the initial user namespace sees
 * zero for all frames. Whether that is so is tried on a page of our own, for
 * frame 0 belongs to no process.
 */
static const char *pagemap_limit(struct env *env)
{
	struct source_file *file;
	uint64_t value = 0;
	volatile char here = 1;
	ssize_t n;

	if (pagemap_open(getpid(), &file))
		return NULL;
	n = pagemap_read(file, NULL, (uintptr_t)&here, 1, &value);
	pagemap_close(file);
	env->pfn_hidden = n == 1 && (value & PM_PRESENT) &&
			  !(value & PM_PFN_MASK);
	return env->pfn_hidden ?
	       "PFNs and swap offsets are hidden: CAP_SYS_ADMIN in the initial user namespace is missing" :
	       NULL;
}

static void pagemap_text(const struct env *env, uint64_t addr, uint64_t value,
			 char *buf, size_t size)
{
	struct decoded d;

	decode(value, DECODE_NEW, &d);
	decode_text(&d, buf, size);
}

static json_t *pagemap_json(const struct env *env, uint64_t addr,
			    uint64_t value)
{
	struct decoded d;

	decode(value, DECODE_NEW, &d);
	return decode_json(&d);
}

const struct source source_pagemap = {
	.name = "pagemap",
	.help = "/proc/PID/pagemap, all of its bits",
	.probe = pagemap_probe,
	.open = pagemap_open,
	.read = pagemap_read,
	.close = pagemap_close,
	.limit = pagemap_limit,
	.expect = expect_pagemap,
	.text = pagemap_text,
	.json = pagemap_json,
};
