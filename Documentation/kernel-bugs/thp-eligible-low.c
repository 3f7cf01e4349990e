// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings of one page, which has no room for a huge page, below the size of one
 * and above it; see thp-eligible-low.txt. As root, as vm.mmap_min_addr may be
 * changed. Exits with 1 if one is eligible.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* THPeligible of the mapping at @at, or -1. */
static int eligible(const void *at)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	unsigned long start, end;
	bool found = false;
	char line[512];
	int value = -1;

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			found = start == (uintptr_t)at;
		if (found)
			sscanf(line, "THPeligible: %d", &value);
	}
	if (smaps)
		fclose(smaps);
	return value;
}

int main(void)
{
	void *const place[] = { (void *)0x10000, (void *)0x70000000 };
	long size = sysconf(_SC_PAGESIZE);
	int status = 0, value;
	void *at;

	for (int i = 0; i < 2; i++) {
		at = mmap(place[i], size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (at != place[i] || madvise(at, size, MADV_HUGEPAGE)) {
			perror("a page with huge pages advised");
			return 2;
		}
		value = eligible(at);
		printf("%p-%p: THPeligible: %d\n", at, (void *)((uintptr_t)at + size), value);
		if (value < 0)
			return 2;
		if (value)
			status = 1;
	}
	return status;
}
