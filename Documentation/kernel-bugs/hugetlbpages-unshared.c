// SPDX-License-Identifier: GPL-2.0
/*
 * HugetlbPages of a process that faulted pages in through a shared PMD table, after
 * munmap; see hugetlbpages-unshared.txt. As root, with nr_hugepages=6. Exits with 1
 * if it isn't 0.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIB		(1UL << 30)
#define HUGE_SIZE	(2UL << 20)

static long hugetlb_pages(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (kb < 0 && fgets(line, sizeof(line), status))
		sscanf(line, "HugetlbPages: %ld", &kb);
	fclose(status);
	return kb;
}

int main(void)
{
	int fd = memfd_create("shared", MFD_HUGETLB), status;
	long mapped, left;
	pid_t child;
	char *at;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (fd < 0 || ftruncate(fd, 2 * GIB))
		return 2;
	at = mmap(NULL, 4 * GIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	at = (char *)(((uintptr_t)at + GIB - 1) & ~(GIB - 1));
	at = mmap(at, 2 * GIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
		  fd, 0);
	if (at == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	at[0] = 1;
	child = fork();
	if (!child) {
		at[HUGE_SIZE] = 1;
		at[2 * HUGE_SIZE] = 1;
		mapped = hugetlb_pages();
		munmap(at, 2 * GIB);
		left = hugetlb_pages();
		printf("HugetlbPages: %ld kB, after munmap %ld kB\n", mapped, left);
		_exit(mapped <= 0 ? 2 : left != 0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
