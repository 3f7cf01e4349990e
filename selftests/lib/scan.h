/* SPDX-License-Identifier: GPL-2.0 */
/* PAGEMAP_SCAN, of which older headers know nothing; names as in linux/fs.h. */
#ifndef PTWALK_TEST_SCAN_H
#define PTWALK_TEST_SCAN_H

#include <sys/ioctl.h>
#include "ptw.h"

#define IS_PRESENT	(1ULL << 3)	/* PAGE_IS_PRESENT */

struct scan_region {
	u64 start, end, categories;
};

/* As struct pm_scan_arg. */
struct scan {
	u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
	u64 inverted, mask, any_of, wanted;
};

#define SCAN	_IOWR('f', 16, struct scan)

#endif /* PTWALK_TEST_SCAN_H */
