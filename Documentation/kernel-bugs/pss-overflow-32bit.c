// SPDX-License-Identifier: GPL-2.0
/*
 * Rss and Pss of a THP on 32 bits; see pss-overflow-32bit.txt. Exits with 1 if they
 * differ.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_SIZE	(2UL << 20)

int main(void)
{
	char *at = mmap(NULL, 2 * HUGE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long rss = -1, pss = -1, huge = -1;
	unsigned long start;
	char line[256], dash;
	int found = 0;
	FILE *smaps;

	at = (char *)(((uintptr_t)at + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	madvise(at, HUGE_SIZE, MADV_HUGEPAGE);
	memset(at, 1, HUGE_SIZE);
	smaps = fopen("/proc/self/smaps", "r");
	while (huge < 0 && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx%c", &start, &dash) == 2 && dash == '-') {
			found = start == (uintptr_t)at;
		} else if (found) {
			sscanf(line, "Rss: %ld", &rss);
			sscanf(line, "Pss: %ld", &pss);
			sscanf(line, "AnonHugePages: %ld", &huge);
		}
	}
	printf("Rss %ld kB, Pss %ld kB, AnonHugePages %ld kB\n", rss, pss, huge);
	return huge <= 0 ? 2 : pss != rss;
}
