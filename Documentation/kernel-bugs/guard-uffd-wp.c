// SPDX-License-Identifier: GPL-2.0
/*
 * MADV_GUARD_INSTALL of shared memory that a userfaultfd protects; see
 * guard-uffd-wp.txt. Exits with 1 if it doesn't end.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL	102
#endif

static void still(int signal)
{
	static const char text[] = "it doesn't end\n";

	(void)signal;
	_exit(write(1, text, sizeof(text) - 1) > 0);
}

int main(void)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
	};
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	long size = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct uffdio_range range = { (uintptr_t)p, size };
	struct uffdio_register reg = { .range = range, .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect wp = { .range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP };

	*p = 1;
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg) ||
	    ioctl(uffd, UFFDIO_WRITEPROTECT, &wp)) {
		perror("userfaultfd");
		return 2;
	}
	signal(SIGALRM, still);
	alarm(10);
	if (madvise(p, size, MADV_GUARD_INSTALL)) {
		perror("MADV_GUARD_INSTALL");
		return 2;
	}
	puts("it has ended");
	return 0;
}
