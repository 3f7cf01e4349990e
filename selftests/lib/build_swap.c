// SPDX-License-Identifier: GPL-2.0
/* Pages that were swapped out. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>
#include "build_huge.h"
#include "build_swap.h"
#include "mapping.h"
#include "swap.h"

#define PTR(p)	((u64)(uintptr_t)(p))
#define PAGES	16

static void swap_off(struct mapping *m)
{
	munmap((void *)(uintptr_t)m->start, m->pages * m->page_size);
	swapoff(m->saved);
}

/* Swap on a RAM disk of the kernel: zram, or brd. */
bool swap_on(struct mapping *m)
{
	const char *lacks = NULL, *device = swap_area_on(&lacks);

	stay_on_cpu();
	if (!device) {
		mapping_lacks(m, "%s", lacks);
		return false;
	}
	strcpy(m->saved, device);
	m->release = swap_off;
	return true;
}

bool push_out(struct mapping *m, char *at, bool shmem)
{
	size_t size = m->pages * m->page_size;
	struct proc_vma vma;
	int tries;

	for (tries = 0; tries < 500; tries++) {
		madvise(at, size, MADV_PAGEOUT);
		if (!proc_vma(m->pid, PTR(at), &vma) && !vma.rss &&
		    (shmem || vma.swap == size))
			return true;
		usleep(20000);
	}
	mapping_lacks(m, "the kernel didn't swap the pages out");
	return false;
}

/* The same of all pages of a file in memory, which is mapped shared there. */
static bool push_out_file(struct mapping *m, char *at)
{
	const size_t size = PAGES * m->page_size;
	struct proc_vma vma;
	int tries;

	for (tries = 0; tries < 500; tries++) {
		madvise(at, size, MADV_PAGEOUT);
		if (!proc_vma(m->pid, PTR(at), &vma) && !vma.rss && vma.swap == size)
			return true;
		usleep(20000);
	}
	mapping_lacks(m, "the kernel didn't swap the file's pages out");
	return false;
}

struct expect expect_swapped(const char *at, u64 pages)
{
	return (struct expect) {
		.addr = PTR(at),
		.pages = pages,
		.kinds = KIND(SWAP),
		.level = PTWALK_LEVEL_PTE,
		.clear = PTWALK_FLAG_PAGE | PTWALK_FLAG_UFFD_WP,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_ANONYMOUS,
		.pagemap_set = PM_SWAP,
		.pagemap_clear = PM_PRESENT | PM_FILE | PM_EXCLUSIVE | PM_UFFD_WP,
		.distinct = true,
	};
}

/* Small pages that were written to and then pushed out, or NULL; swap is on. */
static char *push_small(struct mapping *m)
{
	char *at = mapping_written(m, PAGES);

	return at && push_out(m, at, false) ? at : NULL;
}

/* The same with swap switched on for them. */
static char *swap_small(struct mapping *m)
{
	return swap_on(m) ? push_small(m) : NULL;
}

BUILDER(swapped)
{
	char *at = swap_small(m);

	if (!at)
		return;
	mapping_expect(m, expect_swapped(at, PAGES));
}

/* The page cache knows where such pages are, and the tables don't. */
BUILDER(swapped_shmem)
{
	char *at;

	if (!swap_on(m))
		return;
	at = mapping_shared(m, PAGES);
	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (!push_out(m, at, true))
		return;
	mapping_expect(m, expect_empty(at, PAGES))->vma_set = PTWALK_VMA_FLAG_SHMEM;
}

/*
 * A private mapping of shmem, half of which was written to before it was made
 * read-only; the page cache has all of the pages in swap.
 */
static char *readonly_shmem(struct mapping *m)
{
	const size_t size = PAGES * m->page_size;
	char *file, *at = NULL;
	int fd;

	if (!swap_on(m))
		return NULL;
	fd = memfd_create("readonly", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, size)) {
		mapping_lacks(m, "there are no files in memory");
		goto out;
	}
	file = mapping_place(m, size, 0, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	if (!file)
		goto out;
	mapping_write(m, file, PAGES);
	at = mapping_place(m, size, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	if (!at)
		goto out;
	mapping_write(m, at, PAGES / 2);
	if (mprotect(at, size, PROT_READ)) {
		mapping_broken(m, "mprotect: %s", strerror(errno));
		at = NULL;
	} else if (!push_out_file(m, file)) {
		at = NULL;
	}
	munmap(file, size);
	/* Documentation/kernel-bugs/shmem-readonly-swap.txt */
	m->bug = "shmem-readonly-swap";
out:
	if (fd >= 0)
		close(fd);
	return at;
}

/* The second half of it is empty. */
static void expect_second_half(struct mapping *m, char *at)
{
	struct expect *e = mapping_expect(m, expect_empty(at + PAGES / 2 * m->page_size,
							  PAGES / 2));

	e->vma_set = PTWALK_VMA_FLAG_SHMEM;
	e->vma_clear = PTWALK_VMA_FLAG_WRITE | PTWALK_VMA_FLAG_SHARED;
}

/* smaps counts the pages below the copies, which the process can't see. */
BUILDER(swapped_readonly)
{
	char *at = readonly_shmem(m);
	struct expect *e;

	if (!at)
		return;
	e = mapping_expect(m, expect_anon(m, at, PAGES / 2));
	e->set &= ~PTWALK_FLAG_WRITE;
	e->clear |= PTWALK_FLAG_WRITE;
	e->vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_SHMEM;
	e->vma_clear |= PTWALK_VMA_FLAG_WRITE;
	expect_second_half(m, at);
}

/* And those below copies that are in swap themselves, twice. */
BUILDER(swapped_readonly_copied)
{
	char *at = readonly_shmem(m);
	struct expect *e;

	if (!at || !push_out(m, at, true))
		return;
	e = mapping_expect(m, expect_swapped(at, PAGES / 2));
	e->vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_SHMEM;
	e->vma_clear = PTWALK_VMA_FLAG_WRITE | PTWALK_VMA_FLAG_SHARED;
	expect_second_half(m, at);
}

/* A huge page goes out in one piece or in several, and comes to small entries. */
BUILDER(swapped_thp)
{
	size_t size;
	char *at;

	if (!swap_on(m))
		return;
	at = thp_write(m, &size);
	if (!at)
		return;
	if (size > SWAP_SIZE / 2)
		return mapping_lacks(m, "a huge page of %zu kB is too large", size >> 10);
	if (!push_out(m, at, false))
		return;
	mapping_expect(m, expect_swapped(at, size / m->page_size));
}

static void read_all(void *arg, int nr)
{
	struct mapping *m = arg;

	if (nr)
		mapping_read(m, (char *)(uintptr_t)m->start, m->pages);
}

/* Another process has read the pages in again: they lie in the swap cache. */
BUILDER(swapped_cached)
{
	char *at = swap_small(m);

	if (!at)
		return;
	if (target_start(&m->target, read_all, m) || target_step(&m->target))
		return mapping_broken(m, "no second process");
	mapping_expect(m, expect_swapped(at, PAGES));
}

/* Half of the pages was written to after all of them were declared clean. */
BUILDER(swapped_soft_dirty)
{
	struct expect *e;
	char *at;

	if (!swap_on(m))
		return;
	at = mapping_written(m, PAGES);
	if (!at || !mapping_write_anew(m, at, PAGES / 2) || !push_out(m, at, false))
		return;
	e = mapping_expect(m, expect_swapped(at, PAGES / 2));
	e->set |= PTWALK_FLAG_SOFT_DIRTY;
	e->pagemap_set |= PM_SOFT_DIRTY;
	e = mapping_expect(m, expect_swapped(at + PAGES / 2 * m->page_size, PAGES / 2));
	e->pagemap_clear |= PM_SOFT_DIRTY;
}

/* Every second page is back: no page is told with the one before it. */
BUILDER(swapped_turns)
{
	char *at = swap_small(m);

	if (!at)
		return;
	for (char *page = at; page < at + PAGES * m->page_size; page += 2 * m->page_size) {
		mapping_write(m, page, 1);
		mapping_expect(m, expect_anon(m, page, 1));
		mapping_expect(m, expect_swapped(page + m->page_size, 1));
	}
}

/* A second area is on brd, and the kernel goes there first. */
static void swap_off_both(struct mapping *m)
{
	swap_off(m);
	swapoff(BRD);
}

/* Whether the page is in another area than the first one. */
static bool is_in_second(struct mapping *m, const char *at)
{
	u64 entry = 0;

	return proc_pagemap(m->pid, PTR(at), &entry, 1) == 1 && entry & PM_SWAP &&
	       entry & ((1 << m->info.swap_type_bits) - 1);
}

BUILDER(swapped_second)
{
	char *at;

	if (!swap_on(m))
		return;
	if (!strcmp(m->saved, BRD))
		return mapping_lacks(m, "there is no zram beside brd");
	m->release = swap_off_both;
	if (!has_brd())
		return mapping_lacks(m, "there is no brd");
	/* On swapoff() kernels give back what they keep of the first area. */
	if (!write_swap_header(BRD, m->page_size) || swapon(BRD, 0) ||
	    swapoff(BRD) ||
	    swapon(BRD, SWAP_FLAG_PREFER | SWAP_FLAG_PRIO_MASK))
		return mapping_broken(m, "swap on %s: %s", BRD, strerror(errno));
	at = push_small(m);
	if (!at)
		return;
	for (u64 i = 0; i < PAGES; i++)
		if (!is_in_second(m, at + i * m->page_size))
			return mapping_lacks(m, "the kernel took the first area");
	mapping_expect(m, expect_swapped(at, PAGES));
}

#define ZSWAP	"/sys/module/zswap/parameters/enabled"

static void zswap_off(struct mapping *m)
{
	proc_write(ZSWAP, "N");
	swap_off(m);
}

/* The kernel keeps the pages itself, compressed; entries don't tell. */
BUILDER(swapped_zswap)
{
	char *at;

	if (access(ZSWAP, W_OK))
		return mapping_lacks(m, "the kernel has no zswap");
	if (!swap_on(m))
		return;
	if (proc_write(ZSWAP, "Y"))
		return mapping_lacks(m, "zswap can't be enabled");
	m->release = zswap_off;
	at = push_small(m);
	if (!at)
		return;
	if (proc_field("/proc/meminfo", "Zswapped") <= 0)
		return mapping_lacks(m, "the pages didn't go to zswap");
	mapping_expect(m, expect_swapped(at, PAGES));
}
