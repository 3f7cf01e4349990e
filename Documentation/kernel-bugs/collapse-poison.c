// SPDX-License-Identifier: GPL-2.0
/*
 * MADV_COLLAPSE of shared memory with a page that UFFDIO_POISON poisoned; see
 * collapse-poison.txt. Exits with 1 if the page can be read afterwards.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HUGE_SIZE	(2UL << 20)

/* Headers before Linux 6.6 don't have it. */
struct poison {
	struct uffdio_range range;
	uint64_t mode;
	int64_t updated;
};
#define POISON		_IOWR(UFFDIO, 0x08, struct poison)
#define FEATURE_POISON	(1 << 14)

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

int main(void)
{
	struct uffdio_api api = {
		.api = UFFD_API, .features = FEATURE_POISON | UFFD_FEATURE_MINOR_SHMEM,
	};
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MINOR };
	int fd = memfd_create("shared", 0), uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	int mem = open("/proc/self/mem", O_RDONLY);
	long size = sysconf(_SC_PAGESIZE);
	struct poison poison = { 0 };
	int before, after;
	char *p, byte;

	p = mmap(NULL, 2 * HUGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p = (char *)(((uintptr_t)p + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	if (ftruncate(fd, HUGE_SIZE) ||
	    mmap(p, HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != p) {
		perror("memfd");
		return 2;
	}
	reg.range = (struct uffdio_range){ (uintptr_t)p, HUGE_SIZE };
	poison.range = (struct uffdio_range){ (uintptr_t)p, size };
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg) ||
	    ioctl(uffd, POISON, &poison)) {
		perror("userfaultfd");
		return 2;
	}
	p[size] = 1;
	before = pread(mem, &byte, 1, (uintptr_t)p) == 1;
	if (madvise(p, HUGE_SIZE, MADV_COLLAPSE)) {
		perror("MADV_COLLAPSE");
		/* It may refuse such memory, but not let the marker go. */
	}
	after = pread(mem, &byte, 1, (uintptr_t)p) == 1;
	printf("the poisoned page can%s be read, after MADV_COLLAPSE it can%s\n",
	       before ? "" : "not", after ? "" : "not");
	return before ? 2 : after;
}
