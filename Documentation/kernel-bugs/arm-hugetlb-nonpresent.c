// SPDX-License-Identifier: GPL-2.0
/*
 * What pagemap shows of a hugetlb page with a marker of UFFDIO_POISON, which is
 * not present; see arm-hugetlb-nonpresent.txt. As root, with a page in
 * /proc/sys/vm/nr_hugepages.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/userfaultfd.h>

int main(void)
{
	const size_t size = 2 << 20;
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_POISON };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_poison poison = { 0 };
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;
	char *at;

	at = mmap(NULL, size, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	reg.range.start = (uintptr_t)at;
	reg.range.len = size;
	poison.range = reg.range;
	if (at == MAP_FAILED || uffd < 0 || ioctl(uffd, UFFDIO_API, &api) ||
	    ioctl(uffd, UFFDIO_REGISTER, &reg) ||
	    ioctl(uffd, UFFDIO_POISON, &poison) ||
	    pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)at / 4096 * 8)) != sizeof(entry)) {
		perror("no poisoned hugetlb page");
		return 2;
	}
	printf("pagemap %016llx\n", (unsigned long long)entry);
	return entry >> 63;
}
