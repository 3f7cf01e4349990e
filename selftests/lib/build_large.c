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

/* 512 MiB of small pages, and in the middle of them the zero page. */
BUILDER(larger_written)
{
	const u64 pages = 131072, zero = 100001;
	char *at = mapping_small(m, pages);

	if (!at)
		return;
	mapping_write(m, at, zero);
	mapping_read(m, at + zero * m->page_size, 1);
	mapping_write(m, at + (zero + 1) * m->page_size, pages - zero - 1);
}

/* 128 MiB of huge pages. */
BUILDER(large_thps)
{
	const size_t huge = mapping_level_size(m, PTWALK_LEVEL_PMD);
	struct proc_vma vma;
	char *at;

	if (!(m->info.features & PTWALK_FEATURE_THP) || !huge)
		return mapping_lacks(m, "the kernel has no transparent huge pages");
	at = mapping_place(m, 64 * huge, huge, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!at)
		return;
	if (madvise(at, 64 * huge, MADV_HUGEPAGE))
		return mapping_lacks(m, "MADV_HUGEPAGE: %s", strerror(errno));
	mapping_write(m, at, m->pages);
	if (proc_vma(m->pid, PTR(at), &vma) || vma.anon_huge != 64 * huge)
		mapping_lacks(m, "the kernel gave fewer huge pages");
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
