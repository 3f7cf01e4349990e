/* SPDX-License-Identifier: GPL-2.0 */
/* What pagemap, PAGEMAP_SCAN and mincore() say of whether pages were written to. */
#ifndef PTWALK_PROC_PAGE_TRACKERS_H
#define PTWALK_PROC_PAGE_TRACKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Of a page. */
#define TRACKED_SOFT_DIRTY	1U	/* pagemap */
#define TRACKED_UFFD_WP		2U	/* pagemap */
#define TRACKED_WRITTEN		4U	/* PAGE_IS_WRITTEN */
#define TRACKED_IN_CORE		8U	/* mincore() */
#define TRACKED_NOTHING		16U	/* none of these was asked */

#define TRACKED_PAGES		4096	/* most that are read at once */

/**
 * struct page_trackers - a process whose pages are asked about
 * @fd: Its pagemap.
 * @has_scan: The kernel has PAGEMAP_SCAN (from Linux 6.7 on).
 * @is_own: It is ourselves, whom mincore() tells, too.
 */
struct page_trackers {
	int fd;
	unsigned int page_shift;
	bool has_scan, is_own;
};

/* Returns 0 or a negative errno. */
int page_trackers_open(struct page_trackers *t, pid_t pid);

/*
 * Fills @tracked with a mask for each of @nr pages from @addr on, TRACKED_PAGES at
 * most. Returns 0 or a negative errno.
 */
int page_trackers_read(struct page_trackers *t, uint64_t addr, size_t nr,
		       unsigned char *tracked);
void page_trackers_close(struct page_trackers *t);

#endif /* PTWALK_PROC_PAGE_TRACKERS_H */
