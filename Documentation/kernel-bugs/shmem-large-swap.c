// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>
int main()
{
	unsigned long M = 1 << 20;
	char c[900];
	setvbuf(stdout, 0, _IONBF, 0);
	int fd = memfd_create("big", 0);
	ftruncate(fd, 4 * M);
	char *r = mmap(0, 16 * M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	r = (char *)(((unsigned long)r + 2 * M - 1) & ~(2 * M - 1));
	char *p = mmap(r, 4 * M, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	char *q = mmap(r + 4 * M, 4 * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
	madvise(p, 4 * M, MADV_HUGEPAGE);
	memset(p, 1, 4 * M);
	madvise(q, 4 * M, MADV_NOHUGEPAGE);
	q[0] = 2;
	q[2 * M] = 2; /* page tables for the private mapping */
	snprintf(c, 900, "grep -A16 '^%lx' /proc/%d/smaps | grep -E 'Rss|Shmem'", (long)p,
		 getpid());
	system(c);
	if (madvise(p, 4 * M, 21))
		perror("pageout");
	snprintf(
		c, 900,
		"cat /proc/swaps; ptwalk rss %d | grep -v ' match$'; echo rss; grep -A22 '^%lx' /proc/%d/smaps | grep -E 'Size|Rss|^Swap'; grep -A22 '^%lx' /proc/%d/smaps | grep -E 'Size|Rss|^Swap'",
		getpid(), (long)p, getpid(), (long)q, getpid());
	system(c);
	return 0;
}
