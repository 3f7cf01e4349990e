// SPDX-License-Identifier: GPL-2.0
/*
 * A huge page of shared memory, which PAGEMAP_SCAN write-protects, and a write to one page
 * of it; see scan-shmem-thp.txt. As root. Exits with 1 if the pages that nobody wrote to are
 * no longer protected.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE		(2UL << 20)
#define MADV_COLLAPSE_	25
#define WP_ASYNC	(1 << 15)
#define UFFD_WP		(1ULL << 57)

/* As struct pm_scan_arg. */
struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, any_of, wanted;
};

static int pagemap;

/* How many pages but the first one are protected. */
static int protected(const char *at, long page)
{
	uint64_t entry;
	int nr = 0;

	for (unsigned long i = page; i < SIZE; i += page)
		if (pread(pagemap, &entry, 8, ((uintptr_t)at + i) / page * 8) == 8)
			nr += !!(entry & UFFD_WP);
	return nr;
}

/* Whether the memory at AT is mapped by a huge entry. */
static int is_huge(const char *at)
{
	unsigned long start = 0, end = 0, a, b, kb = 0;
	FILE *smaps = fopen("/proc/self/smaps", "r");
	char line[512];
	int is = 0;

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
			start = a;
			end = b;
		} else if (sscanf(line, "ShmemPmdMapped: %lu", &kb) == 1) {
			is |= kb && (uintptr_t)at >= start && (uintptr_t)at < end;
		}
	}
	if (smaps)
		fclose(smaps);
	return is;
}

int main(void)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = (char *)(((uintptr_t)room + SIZE - 1) & ~(SIZE - 1));
	int fd = memfd_create("thp", 0), before, after;
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct uffdio_api api = { .api = UFFD_API, .features = WP_ASYNC };
	struct uffdio_register range = {
		.range = { (uintptr_t)at, SIZE },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct scan scan = {
		sizeof(scan), 3, (uintptr_t)at, (uintptr_t)at + SIZE, .mask = 2,
	};

	pagemap = open("/proc/self/pagemap", O_RDONLY);
	if (ftruncate(fd, SIZE) || mmap(at, SIZE, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_FIXED, fd, 0) != at) {
		perror("mmap");
		return 2;
	}
	memset(at, 1, SIZE);
	if (madvise(at, SIZE, MADV_COLLAPSE_) || (*(volatile char *)at = 1, !is_huge(at))) {
		fprintf(stderr, "there is no huge page of shared memory\n");
		return 2;
	}
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		return 2;
	}
	/* PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC, of what is PAGE_IS_WRITTEN */
	if (ioctl(pagemap, _IOWR('f', 16, struct scan), &scan)) {
		perror("PAGEMAP_SCAN");
		return 2;
	}
	before = protected(at, page);
	*(volatile char *)at = 2;
	after = protected(at, page);
	printf("protected, of all but the first page: %d; after a write to the first: %d\n", before,
	       after);
	return before != after;
}
