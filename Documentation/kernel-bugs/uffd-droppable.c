// SPDX-License-Identifier: GPL-2.0
/*
 * Droppable memory is registered with a userfaultfd, which protects a page of it; see
 * uffd-droppable.txt. As root. Exits with 1 if that is allowed.
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

#ifndef MAP_DROPPABLE
#define MAP_DROPPABLE	0x08
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif

static void show(const char *when, const char *at, size_t size)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (pread(fd, &entry, sizeof(entry), (uintptr_t)at / size * sizeof(entry)) !=
	    sizeof(entry))
		perror("pagemap");
	printf("%s: %s, %s\n", when, entry >> 63 ? "present" : "absent",
	       entry >> 57 & 1 ? "protected" : "not protected");
	close(fd);
}

int main(void)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_DROPPABLE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register range = {
		.range = { (uintptr_t)at, size },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect protect = {
		.range = { (uintptr_t)at, size },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (at == MAP_FAILED || ioctl(uffd, UFFDIO_API, &api)) {
		perror("MAP_DROPPABLE, userfaultfd");
		return 2;
	}
	*at = 1;
	if (ioctl(uffd, UFFDIO_REGISTER, &range)) {
		perror("registered: no");
		return 0;
	}
	puts("registered: yes");
	if (ioctl(uffd, UFFDIO_WRITEPROTECT, &protect))
		perror("UFFDIO_WRITEPROTECT");
	show("protected", at, size);
	madvise(at, size, MADV_PAGEOUT);
	show("reclaimed", at, size);
	*at = 2;
	puts("written to, of which the userfaultfd wasn't told");
	return 1;
}
