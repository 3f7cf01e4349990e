// SPDX-License-Identifier: GPL-2.0
/*
 * A page of locked memory is moved away with MREMAP_DONTUNMAP; see
 * mremap-dontunmap-locked.txt. As root. Exits with 1 if the pages beside it are no
 * longer locked, or VmLck counts others than those that are.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES	4

/* The locked memory of all mappings, in kB, and whether that at AT is. */
static long locked(const char *at, int *is)
{
	unsigned long start = 0, end = 0, a, b;
	FILE *smaps = fopen("/proc/self/smaps", "r");
	char line[512];
	long sum = 0;

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
			start = a;
			end = b;
		} else if (!strncmp(line, "VmFlags:", 8) && strstr(line, " lo")) {
			sum += (end - start) >> 10;
			*is |= (uintptr_t)at >= start && (uintptr_t)at < end;
		}
	}
	if (smaps)
		fclose(smaps);
	return sum;
}

static long counted(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmLck: %ld", &kb) == 1)
			break;
	if (status)
		fclose(status);
	return kb;
}

int main(void)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, 4 * PAGES * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = room + size, *to = room + 3 * PAGES * size;
	long sum, kb;
	int is = 0;

	if (room == MAP_FAILED ||
	    mmap(at, PAGES * size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at ||
	    mlock(at, PAGES * size)) {
		perror("mlock");
		return 2;
	}
	/* MREMAP_DONTUNMAP */
	if (mremap(at + size, size, size, MREMAP_MAYMOVE | MREMAP_FIXED | 4, to) != to) {
		perror("mremap");
		return 2;
	}
	sum = locked(at, &is);
	kb = counted();
	printf("the page before the one that was moved is %slocked\n", is ? "" : "not ");
	printf("VmLck: %ld kB; the mappings that are locked: %ld kB\n", kb, sum);
	return !is || kb != sum;
}
