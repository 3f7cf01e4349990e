// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings at whose edges a kernel may go wrong: with more entries than a table,
 * a read or a vector has room for, and of two kinds side by side.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "mapping.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

/* Of pagemap, 160 KiB. */
BUILDER(large_written)
{
	char *at = mapping_small(m, 20480);

	if (at)
		mapping_write(m, at, m->pages);
}

BUILDER(large_untouched)
{
	mapping_small(m, 20480);
}

/* Each page is a region of PAGEMAP_SCAN. */
BUILDER(large_every_other)
{
	if (mapping_many_records(m, 8192))
		mapping_read_every_other(m);
}

/* The upper half was there when soft-dirty was cleared. */
BUILDER(soft_dirty_below)
{
	char *at = mapping_small(m, 2 * PAGES);

	if (!at)
		return;
	if (!(m->info.features & PTWALK_FEATURE_SOFT_DIRTY))
		return mapping_lacks(m, "the kernel has no soft-dirty bits");
	mapping_write(m, at, 2 * PAGES);
	if (proc_write("/proc/self/clear_refs", "4"))
		return mapping_broken(m, "clear_refs can't be written");
	/* Other rights, lest the two become one mapping. */
	if (mmap(at, PAGES * m->page_size, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return mapping_broken(m, "mmap: %s", strerror(errno));
	madvise(at, PAGES * m->page_size, MADV_NOHUGEPAGE);
	mapping_write(m, at, PAGES);
}
