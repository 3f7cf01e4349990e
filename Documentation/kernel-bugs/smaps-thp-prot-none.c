// SPDX-License-Identifier: GPL-2.0
/*
 * smaps of a THP that allows no access; see smaps-thp-prot-none.txt. Exits with 1
 * if it isn't counted.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_SIZE	(2UL << 20)

static long rss(const char *at)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	unsigned long start;
	char line[256], dash;
	int found = 0;
	long kb = -1;

	while (kb < 0 && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx%c", &start, &dash) == 2 && dash == '-')
			found = start == (uintptr_t)at;
		else if (found)
			sscanf(line, "Rss: %ld", &kb);
	}
	fclose(smaps);
	return kb;
}

int main(void)
{
	char *at = mmap(NULL, 2 * HUGE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before, after;

	at = (char *)(((uintptr_t)at + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	madvise(at, HUGE_SIZE, MADV_HUGEPAGE);
	memset(at, 1, HUGE_SIZE);
	before = rss(at);
	mprotect(at, HUGE_SIZE, PROT_NONE);
	after = rss(at);
	printf("Rss %ld kB, with PROT_NONE %ld kB\n", before, after);
	return before <= 0 ? 2 : after != before;
}
