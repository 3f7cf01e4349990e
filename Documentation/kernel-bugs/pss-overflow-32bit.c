// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int main()
{
	char b[256], c[128];
	unsigned long M = 1 << 20;
	setvbuf(stdout, 0, _IONBF, 0);
	char *p = mmap(0, 6 * M, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p = (char *)(((unsigned long)p + 2 * M - 1) & ~(2 * M - 1));
	madvise(p, 4 * M, MADV_HUGEPAGE);
	memset(p, 1, 2 * M);
	sleep(1);
	snprintf(
		c, 128,
		"ptwalk rss %d; echo status $?; grep -h -A25 '^%lx' /proc/%d/smaps | head -0; grep -h -B8 'AnonHugePages:      2048' /proc/%d/smaps",
		getpid(), (unsigned long)p, getpid(), getpid());
	system(c);
	return 0;
}
