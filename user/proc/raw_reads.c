// SPDX-License-Identifier: GPL-2.0
/* Reads of a file of /proc as they are. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "proc/raw_reads.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

ssize_t raw_pread(int fd, void *buf, size_t size, uint64_t at)
{
	ssize_t n = pread(fd, buf, size, at);

	return n < 0 ? -errno : n;
}

ssize_t raw_read(int fd, void *buf, size_t size, uint64_t at, int64_t *moved)
{
	ssize_t n;

	if (lseek(fd, at, SEEK_SET) < 0)
		return -errno;
	n = read(fd, buf, size);
	if (n < 0)
		return -errno;
	*moved = lseek(fd, 0, SEEK_CUR) - at;
	return n;
}

/* Nothing that is there is replaced, nor does a page or a table come to be. */
bool raw_maps(uint64_t addr)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	void *wanted = (void *)(uintptr_t)addr, *got;

	/* What comes behind the last address would be the first. */
	if (!addr || addr > UINTPTR_MAX)
		return false;
	got = mmap(wanted, size, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (got == MAP_FAILED)
		return errno == EEXIST;
	munmap(got, size);
	return got == wanted;
}
