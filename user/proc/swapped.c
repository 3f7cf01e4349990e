// SPDX-License-Identifier: GPL-2.0
/* Pages of shared memory that are in swap. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "proc/map_files.h"
#include "proc/swapped.h"

/* The same on all architectures, from Linux 6.5 on. */
#ifndef SYS_cachestat
#define SYS_cachestat	451
#endif

#define TMPFS		0x01021994	/* TMPFS_MAGIC of linux/magic.h */
#define CHUNK_PAGES	4096

/* linux/mman.h has them under these names. */
struct stat_range {
	uint64_t off, len;
};

struct stat_pages {
	uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

static int open_tmpfs(pid_t pid, uint64_t start, uint64_t last)
{
	int path_fd = map_files_open(pid, start, last), fd = -1;
	struct statfs fs;
	struct stat st;
	char path[96];

	if (path_fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	if (!fstatfs(path_fd, &fs) && fs.f_type == TMPFS && !fstat(path_fd, &st) &&
	    S_ISREG(st.st_mode))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	close(path_fd);
	return fd;
}

bool swapped_open(struct swapped *s, pid_t pid, uint64_t start, uint64_t last,
		  uint64_t offset)
{
	if (s->pid == pid && s->start == start && s->last == last && s->offset == offset)
		return s->fd;
	swapped_close(s);
	*s = (struct swapped){ pid, start, last, offset,
			       open_tmpfs(pid, start, last) + 1 };
	return s->fd;
}

bool swapped_open_map(struct swapped *s, pid_t pid, const struct map *map)
{
	/* A tmpfs is on no device; that of System V has a file with the inode 0. */
	if (map->dev_major || (!map->inode && *map->name != '/'))
		return false;
	return swapped_open(s, pid, map->start, map->last, map->offset);
}

/*
 * What of shared memory isn't in the page cache is in swap: "evicted" counts it.
 * Returns 0 or a negative errno.
 */
static int by_cachestat(int fd, uint64_t offset, uint64_t bytes, uint64_t *pages)
{
	struct stat_range range = { offset, bytes };
	struct stat_pages stat;

	if (syscall(SYS_cachestat, fd, &range, &stat, 0))
		return -errno;
	*pages = stat.evicted;
	return 0;
}

/* Whether there is data at @offset; *@end is where that changes, or @end as it was. */
static bool has_data(int fd, off_t offset, off_t *end)
{
	off_t next = lseek(fd, offset, SEEK_DATA);
	const bool data = next == offset;

	if (data)
		next = lseek(fd, offset, SEEK_HOLE);
	if (next > offset && next < *end)
		*end = next;
	return data;
}

/*
 * Before Linux 6.5: what is data of the file without being in memory. While it is
 * being written out it is in both, and counts as in memory.
 */
static uint64_t by_mincore(int fd, uint64_t offset, size_t bytes)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	unsigned char in_memory[CHUNK_PAGES];
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, offset);
	const off_t last = offset + bytes;
	uint64_t pages = 0;
	off_t at, end;

	if (map == MAP_FAILED)
		return 0;
	for (at = offset; !mincore(map, bytes, in_memory) && at < last; at = end) {
		end = last;
		if (!has_data(fd, at, &end))
			continue;
		/* A file may end within a page, which it has all the same. */
		end = (end + page - 1) & ~(off_t)(page - 1);
		for (off_t i = at; i < end && i < last; i += page)
			pages += !(in_memory[(i - offset) / page] & 1);
	}
	munmap(map, bytes);
	return pages;
}

uint64_t swapped_pages(const struct swapped *s, uint64_t addr, uint64_t bytes)
{
	const uint64_t chunk = (uint64_t)CHUNK_PAGES * sysconf(_SC_PAGESIZE);
	uint64_t offset = s->offset + (addr - s->start), pages = 0, part;

	if (!s->fd || !bytes || !by_cachestat(s->fd - 1, offset, bytes, &pages))
		return pages;
	for (; bytes; offset += part, bytes -= part) {
		part = bytes < chunk ? bytes : chunk;
		pages += by_mincore(s->fd - 1, offset, part);
	}
	return pages;
}

void swapped_close(struct swapped *s)
{
	if (s->fd)
		close(s->fd - 1);
	*s = (struct swapped){ 0 };
}
