// SPDX-License-Identifier: GPL-2.0
/*
 * A page of shared memory whose next write is to make it soft-dirty, while a
 * userfaultfd protects it and lets go of it; see uffd-wp-soft-dirty.txt. As root.
 * Exits with 1 if that write isn't noticed.
 */
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

static uint64_t entry_of(const volatile char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (pread(fd, &entry, 8, (uintptr_t)at / sysconf(_SC_PAGESIZE) * 8) != 8)
		perror("pagemap");
	close(fd);
	return entry;
}

static bool clear_refs(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY);
	bool done = write(fd, "4", 1) == 1;

	close(fd);
	return done;
}

/* What is done to a page between clear_refs and the write. */
enum step { NOTHING, REGISTER, PROTECT, PROTECT_AND_RESOLVE };

static bool by_userfaultfd(void *p, long size, enum step step)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
	};
	struct uffdio_range range = { (uintptr_t)p, size };
	struct uffdio_register reg = { .range = range, .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect on = { .range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP };
	struct uffdio_writeprotect off = { .range = range };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	bool done = !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &reg) &&
		    (step < PROTECT || !ioctl(fd, UFFDIO_WRITEPROTECT, &on)) &&
		    (step < PROTECT_AND_RESOLVE || !ioctl(fd, UFFDIO_WRITEPROTECT, &off)) &&
		    !ioctl(fd, UFFDIO_UNREGISTER, &range);

	if (!done)
		perror("userfaultfd");
	close(fd);
	return done;
}

/* Whether the write is noticed, or -1. */
static int noticed(enum step step)
{
	static const char *const what[] = {
		"no userfaultfd", "registered, unregistered",
		"registered, protected, unregistered",
		"registered, protected, no longer protected, unregistered",
	};
	long size = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t entry;

	*p = 1;
	if (!clear_refs()) {
		perror("clear_refs");
		return -1;
	}
	if (step && !by_userfaultfd((void *)p, size, step))
		return -1;
	*p = 2;
	entry = entry_of(p);
	printf("%s: written to, pagemap %016llx%s\n", what[step], (unsigned long long)entry,
	       entry & SOFT_DIRTY ? ", soft-dirty" : "");
	return !!(entry & SOFT_DIRTY);
}

int main(void)
{
	int status = 0, this;

	for (enum step step = NOTHING; step <= PROTECT_AND_RESOLVE; step++) {
		this = noticed(step);
		/* A kernel without soft-dirty notices none. */
		if (this < 0 || (!this && step == NOTHING))
			return 2;
		if (!this)
			status = 1;
	}
	return status;
}
