// SPDX-License-Identifier: GPL-2.0
/* Entries that userfaultfd has write-protected or poisoned. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "build_huge.h"
#include "build_swap.h"
#include "mapping.h"
#include "userfaultfd.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

/*
 * Opens a userfaultfd for the memory at @at; false, with mapping_lacks() called,
 * if there is none that can do what @features say.
 */
static bool uffd_register(struct mapping *m, char *at, u64 features)
{
	bool poison = features & UFFD_FEATURE_POISON;
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register reg = {
		.range = { .start = PTR(at), .len = m->pages * m->page_size },
		.mode = poison ? UFFDIO_REGISTER_MODE_MISSING :
				 UFFDIO_REGISTER_MODE_WP,
	};

	m->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (m->fd < 0) {
		mapping_lacks(m, "userfaultfd: %s", strerror(errno));
		return false;
	}
	if (ioctl(m->fd, UFFDIO_API, &api) || (api.features & features) != features) {
		mapping_lacks(m, "userfaultfd here can't do that to such memory");
		return false;
	}
	if (ioctl(m->fd, UFFDIO_REGISTER, &reg) ||
	    (!poison && !(reg.ioctls & 1ULL << _UFFDIO_WRITEPROTECT))) {
		mapping_lacks(m, "userfaultfd doesn't register such memory: %s",
			      strerror(errno));
		return false;
	}
	return true;
}

static bool uffd_protect(struct mapping *m, char *at, size_t pages)
{
	struct uffdio_writeprotect wp = {
		.range = { .start = PTR(at), .len = pages * m->page_size },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	if (!ioctl(m->fd, UFFDIO_WRITEPROTECT, &wp))
		return true;
	mapping_broken(m, "UFFDIO_WRITEPROTECT: %s", strerror(errno));
	return false;
}

/* What write protection makes of pages that were written to. */
static void expect_protected(struct expect *e)
{
	e->set &= ~PTWALK_FLAG_WRITE;
	e->set |= PTWALK_FLAG_UFFD_WP;
	e->clear &= ~PTWALK_FLAG_UFFD_WP;
	e->clear |= PTWALK_FLAG_WRITE;
	e->vma_set |= PTWALK_VMA_FLAG_UFFD_WP;
	e->pagemap_set |= PM_UFFD_WP;
	e->pagemap_clear &= ~PM_UFFD_WP;
}

#define WP_ANON		UFFD_FEATURE_PAGEFAULT_FLAG_WP
#define WP_ANY		(UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM)

/* UFFD_FEATURE_WP_UNPOPULATED and UFFD_FEATURE_WP_ASYNC, Linux 6.4 and 6.7. */
#define WP_ASYNC	(WP_ANON | 1 << 13 | 1 << 15)

BUILDER(uffd_wp)
{
	char *at = mapping_written(m, PAGES);
	struct expect *e;

	if (!at)
		return;
	if (!uffd_register(m, at, WP_ANON) ||
	    !uffd_protect(m, at, PAGES / 2))
		return;
	e = mapping_expect(m, expect_anon(m, at, PAGES / 2));
	expect_protected(e);
	e = mapping_expect(m, expect_anon(m, at + PAGES / 2 * m->page_size, PAGES / 2));
	e->vma_set |= PTWALK_VMA_FLAG_UFFD_WP;
}

BUILDER(uffd_wp_zero)
{
	char *at = mapping_small(m, PAGES);

	if (!at)
		return;
	mapping_read(m, at, PAGES);
	if (uffd_register(m, at, WP_ANON))
		uffd_protect(m, at, PAGES / 2);
}

/* Who writes doesn't wait for anybody, and PAGE_IS_WPALLOWED says so. */
BUILDER(uffd_wp_async)
{
	char *at = mapping_written(m, PAGES);

	if (!at)
		return;
	if (uffd_register(m, at, WP_ASYNC))
		uffd_protect(m, at, PAGES / 2);
}

/* Shared memory that nobody touched keeps the protection in a marker. */
BUILDER(uffd_wp_marker)
{
	char *at = mapping_shared(m, PAGES);
	struct expect *e;

	if (!at)
		return;
	if (!uffd_register(m, at, WP_ANY) || !uffd_protect(m, at, PAGES))
		return;
	e = mapping_expect(m, expect_marker(at, PAGES, PTWALK_MARKER_UFFD_WP));
	e->set = PTWALK_FLAG_UFFD_WP;
	e->vma_set = PTWALK_VMA_FLAG_UFFD_WP;
	e->pagemap_set = PM_SWAP | PM_UFFD_WP;
	e->pagemap_clear = PM_PRESENT | PM_GUARD;
}

/* The first half is protected, the second is not. */
BUILDER(uffd_wp_shmem)
{
	char *at = mapping_shared(m, PAGES);
	struct expect e = {
		.addr = PTR(at),
		.pages = PAGES / 2,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PTE,
		.set = PTWALK_FLAG_USER | PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM,
		.clear = PTWALK_FLAG_ANON | PTWALK_FLAG_SPECIAL,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_SHMEM | PTWALK_VMA_FLAG_SHARED,
		.pagemap_set = PM_PRESENT | PM_FILE,
		.pagemap_clear = PM_SWAP,
		.distinct = true,
	};

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (!uffd_register(m, at, WP_ANY) || !uffd_protect(m, at, PAGES / 2))
		return;
	expect_protected(&e);
	mapping_expect(m, e);
	e.addr += PAGES / 2 * m->page_size;
	e.set &= ~PTWALK_FLAG_UFFD_WP;
	e.set |= PTWALK_FLAG_WRITE;
	e.clear &= ~PTWALK_FLAG_WRITE;
	e.clear |= PTWALK_FLAG_UFFD_WP;
	e.pagemap_set &= ~PM_UFFD_WP;
	e.pagemap_clear |= PM_UFFD_WP;
	mapping_expect(m, e);
}

BUILDER(uffd_wp_thp)
{
	size_t size;
	char *at = thp_write(m, &size);
	struct expect *e;

	if (!at || !uffd_register(m, at, WP_ANON) ||
	    !uffd_protect(m, at, size / m->page_size))
		return;
	e = mapping_expect(m, expect_thp(m, at, size / m->page_size));
	expect_protected(e);
}

/* Room for a huge page in small entries, of which half are protected. */
BUILDER(uffd_wp_pieces)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (at && uffd_register(m, at, WP_ANON))
		uffd_protect(m, at, size / m->page_size / 2);
}

static char *uffd_hugetlb(struct mapping *m, bool written)
{
	char *at = written ? hugetlb_write(m, MAP_SHARED) : hugetlb_usual(m, MAP_SHARED);

	return at && uffd_register(m, at, WP_ANY) && uffd_protect(m, at, m->pages) ? at : NULL;
}

BUILDER(uffd_wp_hugetlb)
{
	char *at = uffd_hugetlb(m, true);
	struct expect *e;

	if (!at)
		return;
	e = mapping_expect(m, hugetlb_expect(m, at, m->pages * m->page_size, true));
	expect_protected(e);
}

/* The kernel's interface shows of such markers the one bit. */
BUILDER(uffd_wp_hugetlb_marker)
{
	char *at = uffd_hugetlb(m, false);
	struct expect *e;

	if (!at)
		return;
	e = mapping_expect(m, expect_marker(at, m->pages, PTWALK_MARKER_UFFD_WP));
	e->level = ANY_LEVEL;
	e->set = PTWALK_FLAG_UFFD_WP;
	e->vma_set = PTWALK_VMA_FLAG_UFFD_WP | PTWALK_VMA_FLAG_HUGETLB;
	e->pagemap_set = PM_UFFD_WP;
	e->pagemap_clear = PM_PRESENT | PM_SWAP;
}

BUILDER(uffd_wp_swapped)
{
	struct expect *e;
	char *at;

	if (!swap_on(m))
		return;
	at = mapping_small(m, PAGES);
	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (!uffd_register(m, at, WP_ANON) || !uffd_protect(m, at, PAGES / 2) ||
	    !push_out(m, at, false))
		return;
	e = mapping_expect(m, expect_swapped(at, PAGES / 2));
	e->set |= PTWALK_FLAG_UFFD_WP;
	e->clear &= ~PTWALK_FLAG_UFFD_WP;
	e->pagemap_set |= PM_UFFD_WP;
	e->pagemap_clear &= ~PM_UFFD_WP;
	mapping_expect(m, expect_swapped(at + PAGES / 2 * m->page_size, PAGES / 2));
}

static bool uffd_poison(struct mapping *m, char *at, u64 size)
{
	struct uffdio_poison poison = {
		.range = { .start = PTR(at), .len = size },
	};

	if (!uffd_register(m, at, UFFD_FEATURE_POISON))
		return false;
	if (!ioctl(m->fd, UFFDIO_POISON, &poison))
		return true;
	mapping_broken(m, "UFFDIO_POISON: %s", strerror(errno));
	return false;
}

/* Memory that failed on another machine, before it came to this one. */
BUILDER(uffd_poison)
{
	char *at = mapping_small(m, PAGES);
	struct expect *e;

	if (!at || !uffd_poison(m, at, PAGES * m->page_size))
		return;
	e = mapping_expect(m, expect_marker(at, PAGES, PTWALK_MARKER_POISONED));
	e->vma_set = PTWALK_VMA_FLAG_UFFD_MISSING;
	e->pagemap_clear |= PM_GUARD;
}

/* By a userfaultfd that nobody has any more. */
BUILDER(poisoned)
{
	build_uffd_poison(m);
	close(m->fd);
	m->fd = -1;
}

BUILDER(uffd_poison_hugetlb)
{
	struct expect *e;
	char *at;

#ifdef __arm__
	/* Documentation/kernel-bugs/arm-hugetlb-nonpresent.txt */
	return mapping_lacks(m, "to 32-bit arm such a page is present, of any frame");
#endif
	at = hugetlb_usual(m, MAP_SHARED);
	if (!at || !uffd_poison(m, at, m->pages * m->page_size))
		return;
	e = mapping_expect(m, expect_marker(at, m->pages, PTWALK_MARKER_POISONED));
	e->level = ANY_LEVEL;
	e->vma_set = PTWALK_VMA_FLAG_UFFD_MISSING | PTWALK_VMA_FLAG_HUGETLB;
	e->pagemap_set = 0;
	e->pagemap_clear = ~PM_SOFT_DIRTY;
}
