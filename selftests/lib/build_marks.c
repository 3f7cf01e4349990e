// SPDX-License-Identifier: GPL-2.0
/* Marks on entries: soft-dirty, guards, and memory that has failed. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "build_huge.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

BUILDER(soft_dirty)
{
	char *at = mapping_written(m, PAGES);
	struct expect *e;

	if (!at || !mapping_write_anew(m, at + 4 * m->page_size, 2))
		return;
	e = mapping_expect(m, expect_anon(m, at, 4));
	e->set &= ~PTWALK_FLAG_WRITE;
	e->clear |= PTWALK_FLAG_SOFT_DIRTY;
	e->vma_clear |= PTWALK_VMA_FLAG_SOFTDIRTY;
	e->pagemap_clear |= PM_SOFT_DIRTY;
	e = mapping_expect(m, *e);
	e->addr += 6 * m->page_size;
	e->pages = PAGES - 6;
	e = mapping_expect(m, expect_anon(m, at + 4 * m->page_size, 2));
	e->set |= PTWALK_FLAG_SOFT_DIRTY;
	e->pagemap_set |= PM_SOFT_DIRTY;
}

BUILDER(guard)
{
	char *at = mapping_written(m, PAGES);

	if (!at)
		return;
	/* MADV_GUARD_INSTALL, Linux 6.13. */
	if (madvise(at + 2 * m->page_size, 3 * m->page_size, 102))
		return mapping_lacks(m, "the kernel has no guard regions");
	mapping_expect(m, expect_anon(m, at, 2));
	mapping_expect(m, expect_anon(m, at + 5 * m->page_size, PAGES - 5));
	/* Bit 58 came two versions later, with Linux 6.15. */
	mapping_expect(m, expect_marker(at + 2 * m->page_size, 3, PTWALK_MARKER_GUARD));
}

static void told_of_poison(int sig)
{
}

/* Has the memory of a page fail; the frame is lost to the guest. */
static bool fail(struct mapping *m, char *page)
{
	/* MADV_HWPOISON; a signal that can't be ignored tells us that the page is gone. */
	signal(SIGBUS, told_of_poison);
	if (!madvise(page, m->page_size, 100))
		return true;
	mapping_lacks(m, "MADV_HWPOISON: %s", strerror(errno));
	return false;
}

static void expect_failed(struct mapping *m, char *at)
{
	struct expect e = expect_marker(at, 1, ANY_PFN);

	e.kinds = KIND(HWPOISON);
	mapping_expect(m, e);
}

BUILDER(hwpoisoned)
{
	char *at = mapping_small(m, PAGES), *page;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	page = at + 3 * m->page_size;
	if (!fail(m, page))
		return;
	mapping_expect(m, expect_anon(m, at, 3));
	expect_failed(m, page);
	mapping_expect(m, expect_anon(m, page + m->page_size, PAGES - 4));
}

/* The same of a page that processes may share: it is out of them all. */
BUILDER(hwpoisoned_shmem)
{
	char *at = mapping_shared(m, PAGES), *page;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	page = at + 3 * m->page_size;
	if (fail(m, page))
		expect_failed(m, page);
}

/* A hugetlb page is lost as a whole, and pagemap tells nothing of it. */
static void hugetlb_that_fails(struct mapping *m, int flags, unsigned int page)
{
	char *at = hugetlb_write(m, flags);

	if (!at || !fail(m, at + page * m->page_size))
		return;
	mapping_expect(m, (struct expect) {
		.addr = PTR(at),
		.pages = m->pages,
		.kinds = KIND(HWPOISON),
		.level = ANY_LEVEL,
		.pfn = ANY_PFN,
		.value = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_HUGETLB,
		.pagemap_clear = ~PM_SOFT_DIRTY,
	});
}

BUILDER(hwpoisoned_hugetlb)
{
	hugetlb_that_fails(m, MAP_SHARED, 0);
}

/* One that no file holds is taken apart, and the frames that didn't fail are used. */
BUILDER(hwpoisoned_hugetlb_part)
{
	hugetlb_that_fails(m, MAP_PRIVATE, 5);
}

/* Guards over a file's pages, Linux 6.15: the pages stay in the page cache. */
BUILDER(guard_shmem)
{
	char *at = mapping_shared(m, PAGES);

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (madvise(at + 2 * m->page_size, 3 * m->page_size, 102))
		return mapping_lacks(m, "the kernel has no guard regions of shared memory");
	mapping_expect(m, expect_marker(at + 2 * m->page_size, 3, PTWALK_MARKER_GUARD))
		->pagemap_set |= PM_GUARD;
}
