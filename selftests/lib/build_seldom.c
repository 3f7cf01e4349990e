// SPDX-License-Identifier: GPL-2.0
/* Mappings of which few processes have one, and kernels fewer tests. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "build_huge.h"
#include "build_swap.h"

#define PAGES	16

BUILDER(soft_dirty_shmem)
{
	char *at = mapping_shared(m, PAGES);

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	mapping_write_anew(m, at, PAGES / 2);
}

BUILDER(soft_dirty_thp)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (at)
		mapping_write_anew(m, at, 1);
}

BUILDER(soft_dirty_mthp)
{
	build_mthp_64k(m);
	if (m->pages && !m->lacks[0])
		mapping_write_anew(m, (char *)(uintptr_t)m->start + m->page_size, 3);
}

/* A huge page whose next write is to be noticed. */
BUILDER(tracked_thp)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (at)
		mapping_write_anew(m, at, 0);
}

/* Written to again, it may not be taken back. */
BUILDER(lazy_free_thp_written)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (!at)
		return;
	if (madvise(at, size, MADV_FREE))
		return mapping_lacks(m, "MADV_FREE: %s", strerror(errno));
	mapping_write(m, at, size / m->page_size);
}

BUILDER(locked_thp)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (at && mlock(at, size))
		mapping_broken(m, "mlock: %s", strerror(errno));
}

static void hold_still(void *arg, int nr)
{
}

static void fork_again(void *arg, int nr)
{
	static struct target third;

	target_start(&third, hold_still, NULL);
}

BUILDER(forked_twice)
{
	if (mapping_written(m, PAGES) && target_start(&m->target, fork_again, NULL))
		mapping_broken(m, "no second process");
}

static void written_by_policy(struct mapping *m, int policy, unsigned long nodes)
{
	char *at = mapping_small(m, PAGES);

	if (!at)
		return;
	if (syscall(SYS_mbind, at, PAGES * m->page_size, policy, &nodes, 3, 0))
		return mapping_lacks(m, "mbind: %s", strerror(errno));
	mapping_write(m, at, PAGES);
}

BUILDER(other_node)
{
	written_by_policy(m, 2 /* MPOL_BIND */, 2);
}

static void written_file(struct mapping *m, const char *name, off_t from)
{
	char *at = mapping_shared(m, PAGES);

	if (!at)
		return;
	m->fd = memfd_create(name, MFD_CLOEXEC);
	if (m->fd < 0 || ftruncate(m->fd, from + PAGES * m->page_size) ||
	    mmap(at, PAGES * m->page_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, m->fd, from) == MAP_FAILED)
		return mapping_broken(m, "memfd: %s", strerror(errno));
	mapping_write(m, at, PAGES);
}

/* A file that has memory from 5 GiB on. */
BUILDER(file_far)
{
	written_file(m, "ptwalk", 5LL << 30);
}

/* Of a file that was opened for reading only. */
BUILDER(file_read_only)
{
	int fd = memfd_create("ptwalk", MFD_CLOEXEC);
	char path[32], *at;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	m->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (m->fd < 0 || ftruncate(fd, PAGES * m->page_size))
		return mapping_broken(m, "memfd: %s", strerror(errno));
	close(fd);
	at = mapping_place(m, PAGES * m->page_size, 0, PROT_READ, MAP_SHARED, m->fd);
	if (at)
		mapping_read(m, at, PAGES);
}

BUILDER(soft_dirty_hugetlb)
{
	char *at = hugetlb_write(m, MAP_PRIVATE);

	if (!at)
		return;
	mapping_write_anew(m, at, 1);
}

BUILDER(locked_on_fault)
{
	char *at = mapping_written(m, PAGES);

	/* MLOCK_ONFAULT */
	if (at && syscall(SYS_mlock2, at, PAGES * m->page_size, 1))
		mapping_broken(m, "mlock2: %s", strerror(errno));
}

BUILDER(read_at_random)
{
	char *at = mapping_written(m, PAGES);

	if (at && madvise(at, PAGES * m->page_size, MADV_RANDOM))
		mapping_broken(m, "MADV_RANDOM: %s", strerror(errno));
}

BUILDER(interleaved)
{
	written_by_policy(m, 3 /* MPOL_INTERLEAVE */, 3);
}

/* A page of the THP that @arg is about; the entry becomes one of a table. */
static void drop_fifth(void *arg, int nr)
{
	struct mapping *m = arg;

	madvise((char *)(uintptr_t)m->start + 5 * m->page_size, m->page_size,
		MADV_DONTNEED);
}

static void drop_first(void *arg, int nr)
{
	struct mapping *m = arg;

	madvise((char *)(uintptr_t)m->start, m->page_size, MADV_DONTNEED);
}

/* As a whole here, and page by page in another process. */
BUILDER(thp_parted_by_child)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (at && target_start(&m->target, drop_fifth, m))
		mapping_broken(m, "no second process");
}

/* Page by page in both, and the first one here alone. */
BUILDER(thp_less_in_child)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (!at)
		return;
	madvise(at, size, MADV_NOHUGEPAGE);
	drop_fifth(m, 0);
	if (target_start(&m->target, drop_first, m))
		mapping_broken(m, "no second process");
}

/* The same page, again and again. */
static void map_often(struct mapping *m, size_t often)
{
	char *at = NULL;

	m->fd = memfd_create("ptwalk", MFD_CLOEXEC);
	if (m->fd < 0 || ftruncate(m->fd, m->page_size))
		return mapping_broken(m, "memfd: %s", strerror(errno));
	for (size_t i = 0; i < often; i++) {
		at = mmap(NULL, m->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  m->fd, 0);
		if (at == MAP_FAILED)
			return mapping_broken(m, "mmap: %s", strerror(errno));
		mapping_write(m, at, 1);
	}
	m->start = (uintptr_t)at;
	m->pages = 1;
}

/* More than a byte can count. */
BUILDER(mapped_often)
{
	map_often(m, 300);
}

/* More links in map_files than one getdents64(2) of the C library reads. */
BUILDER(files_many)
{
	map_often(m, 1500);
}

BUILDER(named)
{
	char *at = mapping_written(m, PAGES);

	/* PR_SET_VMA, PR_SET_VMA_ANON_NAME */
	if (at && prctl(0x53564d41, 0, at, PAGES * m->page_size, "ptwalk"))
		mapping_lacks(m, "PR_SET_VMA_ANON_NAME: %s", strerror(errno));
}

BUILDER(file_with_blank)
{
	written_file(m, "pt walk", 0);
}

/* Present, and in the cache of swap: another process has entries of it. */
BUILDER(read_from_swap)
{
	char *at = swap_on(m) ? mapping_small(m, PAGES) : NULL;

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (!push_out(m, at, false))
		return;
	if (target_start(&m->target, hold_still, NULL))
		return mapping_broken(m, "no second process");
	mapping_read(m, at, PAGES);
}
