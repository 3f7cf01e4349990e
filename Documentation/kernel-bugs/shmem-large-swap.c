// SPDX-License-Identifier: GPL-2.0
/*
 * Swap in smaps of a private mapping of shared memory whose THPs are swapped out;
 * see shmem-large-swap.txt. As root, with
 *
 *	modprobe brd rd_nr=1 rd_size=65536; mkswap /dev/ram0; swapon /dev/ram0
 *	echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled
 *
 * Exits with 1 if it is more than the mapping has.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_SIZE	(2UL << 20)
#define SIZE		(2 * HUGE_SIZE)
#define MADV_PAGEOUT_	21

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
	return kb;
}

int main(void)
{
	int fd = memfd_create("shared", 0);
	char *at = mmap(NULL, 3 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared, *private;
	long of_shared, of_private;

	at = (char *)(((uintptr_t)at + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	if (fd < 0 || ftruncate(fd, SIZE))
		return 2;
	shared = mmap(at, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	private = mmap(at + SIZE, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
	madvise(shared, SIZE, MADV_HUGEPAGE);
	memset(shared, 1, SIZE);
	madvise(private, SIZE, MADV_NOHUGEPAGE);
	/* Page tables, whose holes smaps looks up */
	private[0] = 2;
	private[HUGE_SIZE] = 2;
	/* What is on its way to an LRU list stays for now. */
	for (int i = 0; i < 10 && swap(shared) != SIZE >> 10; i++)
		if (madvise(shared, SIZE, MADV_PAGEOUT_))
			perror("MADV_PAGEOUT");
	of_shared = swap(shared);
	of_private = swap(private);
	printf("%lu kB shared: Swap %ld kB; private: Swap %ld kB\n", SIZE >> 10, of_shared,
	       of_private);
	if (of_shared != SIZE >> 10)
		return 2;
	return of_private > (long)(SIZE >> 10);
}
