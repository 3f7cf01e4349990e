// SPDX-License-Identifier: GPL-2.0
/*
 * A swapped page that a userfaultfd protects, moved by UFFDIO_MOVE to where nothing
 * is protected; see uffd-move-swap.txt. As root, with
 *
 *	modprobe brd rd_nr=1 rd_size=65536; mkswap /dev/ram0; swapon /dev/ram0
 *
 * Exits with 1 if it is still marked as protected there.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MADV_PAGEOUT_	21
#define UFFD_WP		(1ULL << 57)

static uint64_t show(const char *when, const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (pread(fd, &entry, 8, (uintptr_t)at / sysconf(_SC_PAGESIZE) * 8) != 8)
		perror("pagemap");
	close(fd);
	printf("%s: pagemap %016llx%s\n", when, (unsigned long long)entry,
	       entry & UFFD_WP ? ", uffd-wp" : "");
	return entry;
}

int main(void)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_MOVE,
	};
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	long size = sysconf(_SC_PAGESIZE);
	char *from = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Never one VMA with the other */
	char *gap = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_range range = { (uintptr_t)from, size };
	struct uffdio_register wp = { .range = range, .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect protect = {
		.range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	struct uffdio_register missing = {
		.range = { (uintptr_t)to, size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_move move = {
		.dst = (uintptr_t)to, .src = (uintptr_t)from, .len = size,
	};
	uint64_t entry;

	memset(from, 1, size);
	if (gap == MAP_FAILED || ioctl(uffd, UFFDIO_API, &api) ||
	    ioctl(uffd, UFFDIO_REGISTER, &wp) || ioctl(uffd, UFFDIO_WRITEPROTECT, &protect) ||
	    ioctl(uffd, UFFDIO_REGISTER, &missing)) {
		perror("userfaultfd");
		return 2;
	}
	if (madvise(from, size, MADV_PAGEOUT_) || !(show("swapped", from) >> 62 & 1)) {
		fprintf(stderr, "it isn't swapped out\n");
		return 2;
	}
	if (ioctl(uffd, UFFDIO_MOVE, &move)) {
		perror("UFFDIO_MOVE");
		return 2;
	}
	show("moved", to);
	*(volatile char *)to = 2;
	entry = show("written to", to);
	return !!(entry & UFFD_WP);
}
