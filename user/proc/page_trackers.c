// SPDX-License-Identifier: GPL-2.0
/* Three interfaces that say whether pages were written to. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "proc/page_trackers.h"
#include "proc/pagemap_bits.h"
#include "proc/processes.h"

int page_trackers_open(struct page_trackers *t, pid_t pid)
{
	struct pm_scan_arg arg = { .size = sizeof(arg), .return_mask = SCAN_WRITTEN };

	*t = (struct page_trackers){
		.fd = procs_open(pid, "pagemap"), .is_own = pid == getpid(),
		.page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE)),
	};
	if (t->fd < 0)
		return t->fd;
	/* Of no pages at all. */
	t->has_scan = !ioctl(t->fd, PAGEMAP_SCAN, &arg);
	return 0;
}

static int read_pagemap(struct page_trackers *t, uint64_t addr, size_t nr,
			unsigned char *tracked)
{
	uint64_t entry[TRACKED_PAGES];
	ssize_t got = pread(t->fd, entry, nr * sizeof(*entry),
			    (addr >> t->page_shift) * sizeof(*entry));

	if (got < 0)
		return -errno;
	for (size_t i = 0; i < got / sizeof(*entry); i++) {
		if (entry[i] & PM_SOFT_DIRTY)
			tracked[i] |= TRACKED_SOFT_DIRTY;
		if (entry[i] & PM_UFFD_WP)
			tracked[i] |= TRACKED_UFFD_WP;
	}
	return 0;
}

/* The pages that are called written; nothing else is asked for, or done. */
static int read_scan(struct page_trackers *t, uint64_t addr, size_t nr,
		     unsigned char *tracked)
{
	struct page_region region[TRACKED_PAGES];
	struct pm_scan_arg arg = {
		.size = sizeof(arg), .start = addr,
		.end = addr + ((uint64_t)nr << t->page_shift),
		.vec = (uintptr_t)region, .vec_len = TRACKED_PAGES,
		.category_mask = SCAN_WRITTEN, .return_mask = SCAN_WRITTEN,
	};
	int got = ioctl(t->fd, PAGEMAP_SCAN, &arg);

	if (got < 0)
		return -errno;
	for (int r = 0; r < got; r++)
		for (uint64_t at = region[r].start; at < region[r].end;
		     at += 1ULL << t->page_shift)
			if ((at - addr) >> t->page_shift < nr)
				tracked[(at - addr) >> t->page_shift] |= TRACKED_WRITTEN;
	return 0;
}

static void read_mincore(struct page_trackers *t, uint64_t addr, size_t nr,
			 unsigned char *tracked)
{
	unsigned char in_core[TRACKED_PAGES];

	if (mincore((void *)(uintptr_t)addr, nr << t->page_shift, in_core))
		return;
	for (size_t i = 0; i < nr; i++)
		tracked[i] |= in_core[i] & 1 ? TRACKED_IN_CORE : 0;
}

int page_trackers_read(struct page_trackers *t, uint64_t addr, size_t nr,
		       unsigned char *tracked)
{
	int err;

	memset(tracked, 0, nr);
	err = read_pagemap(t, addr, nr, tracked);
	if (!err && t->has_scan)
		err = read_scan(t, addr, nr, tracked);
	if (!err && t->is_own)
		read_mincore(t, addr, nr, tracked);
	return err;
}

void page_trackers_close(struct page_trackers *t)
{
	if (t->fd >= 0)
		close(t->fd);
}
