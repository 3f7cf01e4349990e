// SPDX-License-Identifier: GPL-2.0
/*
 * A private hugetlb page that a userfaultfd protects, and a child that writes to it; see
 * hugetlb-fork-wp.txt. Takes two hugetlb pages (vm.nr_hugepages). Exits with 1 if that takes
 * the child for ever.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE	(2UL << 20)
#define FEATURES (UFFD_FEATURE_PAGEFAULT_FLAG_WP | 1 << 12)	/* UFFD_FEATURE_WP_HUGETLBFS_SHMEM */

int main(void)
{
	char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 21 << MAP_HUGE_SHIFT, -1, 0);
	const int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API, .features = FEATURES };
	struct uffdio_register range = { .range = { (uintptr_t)p, SIZE },
					 .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect protect = { .range = { (uintptr_t)p, SIZE },
					       .mode = UFFDIO_WRITEPROTECT_MODE_WP };
	int status = 0;
	pid_t child;

	if (p == MAP_FAILED || uffd < 0 || ioctl(uffd, UFFDIO_API, &api) ||
	    ioctl(uffd, UFFDIO_REGISTER, &range)) {
		perror("can't be tried");
		return 2;
	}
	p[0] = 1;
	if (ioctl(uffd, UFFDIO_WRITEPROTECT, &protect)) {
		perror("can't be tried");
		return 2;
	}
	child = fork();
	if (!child) {
		alarm(5);
		p[0] = 2;
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("the child's write %s\n", WIFSIGNALED(status) ? "hadn't ended after 5 s" : "ended");
	return WIFSIGNALED(status);
}
