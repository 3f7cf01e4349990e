// SPDX-License-Identifier: GPL-2.0
/* PAGEMAP_SCAN of 4096 pages of which every second is there, to their end. */
#include <stdio.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <unistd.h>

#define PAGES	4096
#define REGIONS	4096

int main(void)
{
	static struct page_region region[REGIONS];
	unsigned long size = sysconf(_SC_PAGESIZE), end;
	char *p = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = (uintptr_t)p,
		.end = (uintptr_t)p + PAGES * size,
		.vec = (uintptr_t)region,
		.vec_len = REGIONS,
		.category_mask = PAGE_IS_PRESENT,
		.return_mask = PAGE_IS_PRESENT,
	};
	int fd = open("/proc/self/pagemap", O_RDONLY);
	long n;

	madvise(p, PAGES * size, MADV_NOHUGEPAGE);
	for (long i = 1; i < PAGES; i += 2)
		p[i * size] = 1;
	n = ioctl(fd, PAGEMAP_SCAN, &arg);
	if (n <= 0) {
		perror("PAGEMAP_SCAN");
		return 2;
	}
	end = region[n - 1].end;
	printf("%ld regions, the last ends at page %lu; walk_end is page %lu of %d\n",
	       n, (end - (uintptr_t)p) / size,
	       ((uintptr_t)arg.walk_end - (uintptr_t)p) / size, PAGES);
	return arg.walk_end < end;
}
