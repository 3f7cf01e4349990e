// SPDX-License-Identifier: GPL-2.0
/*
 * A child writes to hugetlb memory that is mapped read-only; see
 * hugetlb-fork-readonly.txt. With two pages in nr_hugepages. Exits with 1 if it can.
 */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define HUGE_SIZE	(2UL << 20)

int main(void)
{
	char *at = mmap(NULL, HUGE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	struct io_uring_params params = { 0 };
	struct iovec buffer = { at, 4096 };
	int ring = syscall(SYS_io_uring_setup, 1, &params), status;
	pid_t child;

	if (at == MAP_FAILED || ring < 0) {
		perror("hugetlb and io_uring");
		return 2;
	}
	*at = 1;
	/* Pins the page, so that fork() copies it. */
	if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1)) {
		perror("IORING_REGISTER_BUFFERS");
		return 2;
	}
	mprotect(at, HUGE_SIZE, PROT_READ);
	child = fork();
	if (!child) {
		*(volatile char *)at = 2;
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		perror("fork");
		return 2;
	}
	puts(WIFSIGNALED(status) ? "the child is refused, as it has to be" :
	     "the child wrote to memory that is mapped read-only");
	return !WIFSIGNALED(status);
}
