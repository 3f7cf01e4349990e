// SPDX-License-Identifier: GPL-2.0
/*
 * A page of shared memory that is mapped after clear_refs, so that all of it is
 * soft-dirty, is read, and merged with what was mapped before; see merge-soft-dirty.txt.
 * As root. Exits with 1 if the next write to it isn't noticed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOFT_DIRTY	(1ULL << 55)
#define RW		(PROT_READ | PROT_WRITE)

static bool is_soft_dirty(const char *what, const volatile char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (pread(fd, &entry, 8, (uintptr_t)at / sysconf(_SC_PAGESIZE) * 8) != 8)
		perror("pagemap");
	close(fd);
	printf("%s: pagemap %016llx%s\n", what, (unsigned long long)entry,
	       entry & SOFT_DIRTY ? ", soft-dirty" : "");
	return entry & SOFT_DIRTY;
}

static bool clear_refs(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY);
	bool done = write(fd, "4", 1) == 1;

	close(fd);
	return done;
}

/* Two VMAs of the same userfaultfd, and of pages in a row, become one. */
static bool register_page(int uffd, const volatile char *at, long size)
{
	struct uffdio_register reg = {
		.range = { (uintptr_t)at, size }, .mode = UFFDIO_REGISTER_MODE_WP,
	};

	return !ioctl(uffd, UFFDIO_REGISTER, &reg);
}

int main(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_WP_HUGETLBFS_SHMEM };
	long size = sysconf(_SC_PAGESIZE);
	int fd = memfd_create("pages", 0), uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	volatile char *p, *q;

	if (ftruncate(fd, 2 * size) || ioctl(uffd, UFFDIO_API, &api)) {
		perror("userfaultfd");
		return 2;
	}
	p = mmap(NULL, 2 * size, RW, MAP_SHARED, fd, 0);
	q = p + size;
	if (munmap((void *)q, size) || !register_page(uffd, p, size) || !clear_refs())
		return 2;
	if (mmap((void *)q, size, RW, MAP_SHARED | MAP_FIXED, fd, size) != q)
		return 2;
	(void)*q;
	/* A kernel without soft-dirty says so of nothing. */
	if (!is_soft_dirty("mapped since and read", q) || !register_page(uffd, q, size))
		return 2;
	is_soft_dirty("merged", q);
	*q = 2;
	return !is_soft_dirty("written to", q);
}
