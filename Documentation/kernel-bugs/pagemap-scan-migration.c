// SPDX-License-Identifier: GPL-2.0
/*
 * PAGEMAP_SCAN write-protects pages while they are migrated; see
 * pagemap-scan-migration.txt. As root, with two nodes (numa=fake=2). Exits with 1 if
 * it says of a page to which nobody wrote that it was written to.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGES		64
#define MPOL_MF_MOVE	2
#define SECONDS		30

static char *at;
static long size;

static void *migrate(void *unused)
{
	int node[PAGES], status[PAGES];
	void *page[PAGES];

	(void)unused;
	for (int i = 0; i < PAGES; i++)
		page[i] = at + i * size;
	for (int to = 0;; to = !to) {
		for (int i = 0; i < PAGES; i++)
			node[i] = to;
		if (syscall(SYS_move_pages, 0, PAGES, page, node, status, MPOL_MF_MOVE) < 0) {
			perror("move_pages");
			exit(2);
		}
	}
	return NULL;
}

static long scan(int fd, unsigned long flags)
{
	static struct page_region region[PAGES];
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.flags = flags,
		.start = (uintptr_t)at,
		.end = (uintptr_t)at + PAGES * size,
		.vec = (uintptr_t)region,
		.vec_len = PAGES,
		.category_mask = PAGE_IS_WRITTEN,
		.return_mask = PAGE_IS_WRITTEN,
	};
	long n = ioctl(fd, PAGEMAP_SCAN, &arg);

	if (n < 0) {
		perror("PAGEMAP_SCAN");
		exit(2);
	}
	return n;
}

int main(void)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_WP_ASYNC | UFFD_FEATURE_WP_UNPOPULATED,
	};
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	int fd = open("/proc/self/pagemap", O_RDONLY);
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_WP };
	time_t end = time(NULL) + SECONDS;
	pthread_t thread;
	long rounds, n;

	size = sysconf(_SC_PAGESIZE);
	at = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(at, PAGES * size, MADV_NOHUGEPAGE);
	memset(at, 1, PAGES * size);
	reg.range.start = (uintptr_t)at;
	reg.range.len = PAGES * size;
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg) ||
	    pthread_create(&thread, NULL, migrate, NULL)) {
		perror("userfaultfd");
		return 2;
	}
	for (rounds = 0; time(NULL) < end; rounds++) {
		memset(at, 1, PAGES * size);
		scan(fd, PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC);
		n = scan(fd, 0);
		if (n) {
			printf("round %ld: %ld regions were written to\n", rounds, n);
			return 1;
		}
	}
	printf("%ld rounds: nothing was written to\n", rounds);
	return 0;
}
