// SPDX-License-Identifier: GPL-2.0
/* Mappings of which few processes have one, and kernels fewer tests. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "build_huge.h"

#define PAGES	16

/* What was written to after all was declared clean is so in the entries alone. */
static void write_anew(struct mapping *m, char *at, size_t pages)
{
	if (!(m->info.features & PTWALK_FEATURE_SOFT_DIRTY))
		return mapping_lacks(m, "the kernel has no soft-dirty bits");
	if (proc_write("/proc/self/clear_refs", "4"))
		return mapping_broken(m, "clear_refs can't be written");
	mapping_write(m, at, pages);
}

BUILDER(soft_dirty_shmem)
{
	char *at = mapping_shared(m, PAGES);

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	write_anew(m, at, PAGES / 2);
}

BUILDER(soft_dirty_thp)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (at)
		write_anew(m, at, 1);
}

BUILDER(soft_dirty_mthp)
{
	build_mthp_64k(m);
	if (m->pages && !m->lacks[0])
		write_anew(m, (char *)(uintptr_t)m->start + m->page_size, 3);
}

/* A huge page whose next write is to be noticed. */
BUILDER(tracked_thp)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (at)
		write_anew(m, at, 0);
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
	char *at = mapping_small(m, PAGES);

	if (!at)
		return;
	mapping_write(m, at, PAGES);
	if (target_start(&m->target, fork_again, NULL))
		mapping_broken(m, "no second process");
}

BUILDER(other_node)
{
	char *at = mapping_small(m, PAGES);
	unsigned long nodes = 2;

	if (!at)
		return;
	/* MPOL_BIND */
	if (syscall(SYS_mbind, at, PAGES * m->page_size, 2, &nodes, 3, 0))
		return mapping_lacks(m, "mbind: %s", strerror(errno));
	mapping_write(m, at, PAGES);
}

/* A file that has memory from 5 GiB on. */
BUILDER(file_far)
{
	const off_t far = 5LL << 30;
	char *at = mapping_shared(m, PAGES);

	if (!at)
		return;
	m->fd = memfd_create("ptwalk", MFD_CLOEXEC);
	if (m->fd < 0 || ftruncate(m->fd, far + PAGES * m->page_size) ||
	    mmap(at, PAGES * m->page_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, m->fd, far) == MAP_FAILED)
		return mapping_broken(m, "memfd: %s", strerror(errno));
	mapping_write(m, at, PAGES);
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
