// SPDX-License-Identifier: GPL-2.0
/*
 * Swap in smaps of a private mapping of shared memory that was written to and then
 * made read-only; see shmem-readonly-swap.txt. As root, with
 *
 *	modprobe brd rd_nr=1 rd_size=65536; mkswap /dev/ram0; swapon /dev/ram0
 *
 * Exits with 1 if it counts pages of the file that were replaced by copies.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES		16
#define MADV_PAGEOUT_	21

static long size, page;

static long swap(const char *at)
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
			sscanf(line, "Swap: %ld", &kb);
	}
	fclose(smaps);
	return kb << 10;
}

static int is_swapped(const char *at)
{
	uint64_t entry = 0;
	FILE *pagemap = fopen("/proc/self/pagemap", "r");

	if (fseek(pagemap, (uintptr_t)at / page * sizeof(entry), SEEK_SET) ||
	    fread(&entry, sizeof(entry), 1, pagemap) != 1)
		exit(2);
	fclose(pagemap);
	return entry >> 62 & 1;
}

static void write_to(char *at, int pages)
{
	for (int i = 0; i < pages; i++)
		*(volatile char *)(at + i * page) = 1;
}

/* Shows what is wrong with the mapping, of which @expected is in swap. */
static int wrong(const char *what, const char *at, long expected)
{
	long shown = swap(at);

	printf("%ld kB, half of it private copies, %s: Swap %ld kB, not %ld kB\n",
	       size >> 10, what, shown >> 10, expected >> 10);
	return shown > expected;
}

int main(void)
{
	int fd = memfd_create("shared", 0), bad, swapped = 0;
	char *shared, *private;

	page = sysconf(_SC_PAGESIZE);
	size = PAGES * page;
	if (fd < 0 || ftruncate(fd, size))
		return 2;
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	private = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	write_to(shared, PAGES);
	write_to(private, PAGES / 2);
	mprotect(private, size, PROT_READ);

	for (int i = 0; i < 500 && swap(shared) != size; i++) {
		madvise(shared, size, MADV_PAGEOUT_);
		usleep(10000);
	}
	if (swap(shared) != size || is_swapped(private))
		return 2;
	bad = wrong("which are present", private, size / 2);

	for (int i = 0; i < 500 && swapped != PAGES / 2; i++) {
		madvise(private, size, MADV_PAGEOUT_);
		usleep(10000);
		for (swapped = 0; swapped < PAGES / 2; swapped++)
			if (!is_swapped(private + swapped * page))
				break;
	}
	if (swap(shared) != size || swapped != PAGES / 2)
		return 2;
	return wrong("which are swapped, too", private, size) || bad;
}
