// SPDX-License-Identifier: GPL-2.0
/* /proc/kpageflags and kpagecgroup of some frames. */
#include <fcntl.h>
#include <unistd.h>
#include "proc/kpageflags.h"

/* Documentation/admin-guide/mm/pagemap.rst; from 32 on include/linux/kernel-page-flags.h. */
static const char *const kpageflags[] = {
	"locked", "error", "referenced", "uptodate", "dirty", "lru", "active",
	"slab", "writeback", "reclaim", "buddy", "mmap", "anon", "swapcache",
	"swapbacked", "compound-head", "compound-tail", "huge", "unevictable",
	"hwpoison", "nopage", "ksm", "thp", "offline", "zero-page", "idle",
	"pgtable",
	[32] = "reserved", "mlocked", "owner-2", "private", "private-2",
	"owner-private", "arch", "uncached", "softdirty", "arch-2", "arch-3",
};

const struct names names_kpageflags = {
	kpageflags, sizeof(kpageflags) / sizeof(kpageflags[0])
};

/* Words from that of frame @pfn on, of a file that is kept open in *@fd. */
static size_t read_words(const char *path, int *fd, uint64_t pfn, uint64_t *words, size_t nr)
{
	ssize_t got;

	if (*fd == -2)
		*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0 || pfn > (uint64_t)INT64_MAX / sizeof(*words) - nr)
		return 0;
	got = pread(*fd, words, nr * sizeof(*words), pfn * sizeof(*words));
	return got < 0 ? 0 : got / sizeof(*words);
}

size_t frameflags_read(uint64_t pfn, uint64_t *flags, size_t nr)
{
	static int fd = -2;

	return read_words("/proc/kpageflags", &fd, pfn, flags, nr);
}

void frame_cgroup_read(uint64_t pfn, uint64_t *inode)
{
	static int fd = -2;

	if (!read_words("/proc/kpagecgroup", &fd, pfn, inode, 1))
		*inode = 0;
}
