// SPDX-License-Identifier: GPL-2.0
/*
 * Two hugetlb pages, which were written to, and a scan that may protect less than one of
 * them; see scan-hugetlb-limit.txt. Takes two hugetlb pages (vm.nr_hugepages). Exits with 1
 * if the scan says that it came past the first page, which it neither told nor protected.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE		(2UL << 20)
#define WP_ASYNC	(1 << 15)
#define UFFD_WP		(1ULL << 57)

/* As struct page_region and struct pm_scan_arg. */
struct region {
	uint64_t start, end, categories;
};

struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, any_of, wanted;
};

int main(void)
{
	char *p = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 21 << MAP_HUGE_SHIFT, -1, 0);
	const int pagemap = open("/proc/self/pagemap", O_RDONLY);
	const int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API, .features = WP_ASYNC };
	struct uffdio_register range = { .range = { (uintptr_t)p, 2 * SIZE },
					 .mode = UFFDIO_REGISTER_MODE_WP };
	struct region region[8];
	/* PM_SCAN_WP_MATCHING, PM_SCAN_CHECK_WPASYNC; PAGE_IS_WRITTEN */
	struct scan scan = { .size = sizeof(scan), .flags = 3, .start = (uintptr_t)p,
			     .end = (uintptr_t)p + 2 * SIZE, .vec = (uintptr_t)region,
			     .vec_len = 8, .max_pages = 2, .mask = 2, .wanted = 2 };
	uint64_t entry = 0;
	long nr;

	if (p == MAP_FAILED || pagemap < 0 || uffd < 0 || ioctl(uffd, UFFDIO_API, &api) ||
	    ioctl(uffd, UFFDIO_REGISTER, &range)) {
		perror("can't be tried");
		return 2;
	}
	p[0] = p[SIZE] = 1;
	nr = ioctl(pagemap, _IOWR('f', 16, struct scan), &scan);
	if (nr < 0) {
		perror("PAGEMAP_SCAN");
		return 2;
	}
	if (pread(pagemap, &entry, 8, (uintptr_t)p / sysconf(_SC_PAGESIZE) * 8) != 8)
		return 2;
	printf("%ld regions are told; walk_end is byte %#llx of %#lx; the first page is %sprotected\n",
	       nr, (unsigned long long)(scan.walk_end - (uintptr_t)p), 2 * SIZE,
	       entry & UFFD_WP ? "" : "not ");
	return !nr && scan.walk_end > (uintptr_t)p && !(entry & UFFD_WP);
}
