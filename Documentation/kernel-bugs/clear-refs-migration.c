// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are written to after clear_refs, while they are migrated, and aren't
 * soft-dirty; see clear-refs-migration.txt. As root, with two nodes (numa=fake=2).
 * Exits with 1 if one is found.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGES		64
#define MPOL_MF_MOVE	2
#define SECONDS		30
#define SOFT_DIRTY	(1ULL << 55)

static char *at;
static long size;

static void *migrate(void *unused)
{
	int node[PAGES], status[PAGES];
	void *page[PAGES];

	(void)unused;
	for (int i = 0; i < PAGES; i++)
		page[i] = at + i * size;
	for (int to = 0;; to = !to) {
		for (int i = 0; i < PAGES; i++)
			node[i] = to;
		if (syscall(SYS_move_pages, 0, PAGES, page, node, status, MPOL_MF_MOVE) < 0) {
			perror("move_pages");
			exit(2);
		}
	}
	return NULL;
}

int main(void)
{
	int refs = open("/proc/self/clear_refs", O_WRONLY);
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	time_t end = time(NULL) + SECONDS;
	uint64_t entry[PAGES];
	pthread_t thread;
	long rounds = 0;

	size = sysconf(_SC_PAGESIZE);
	at = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(at, PAGES * size, MADV_NOHUGEPAGE);
	memset(at, 1, PAGES * size);
	if (pthread_create(&thread, NULL, migrate, NULL))
		return 2;
	for (; time(NULL) < end; rounds++) {
		if (write(refs, "4", 1) != 1)
			return 2;
		for (int i = 0; i < PAGES; i++)
			at[i * size]++;
		if (pread(pagemap, entry, sizeof(entry), (uintptr_t)at / size * 8) !=
		    sizeof(entry))
			return 2;
		for (int i = 0; i < PAGES; i++) {
			if (entry[i] & SOFT_DIRTY)
				continue;
			printf("round %ld, page %d: written to, pagemap %016llx\n", rounds, i,
			       (unsigned long long)entry[i]);
			return 1;
		}
	}
	printf("%ld rounds: all soft-dirty\n", rounds);
	return 0;
}
