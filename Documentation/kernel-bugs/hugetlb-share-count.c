// SPDX-License-Identifier: GPL-2.0
/*
 * A hugetlb page of 1 GiB is taken for one in a shared page table, by chance:
 * see hugetlb-share-count.txt. x86-64 or arm64, with hugepagesz=1G hugepages=2.
 * Exits with 1 if that is seen.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIB		(1UL << 30)
#define ROUNDS		8
/* Where no process has a page table yet for the level of such pages. */
#define PLACE		((char *)0x100000000000UL)
#define EXCLUSIVE	(1ULL << 56)

static char *map_page(void)
{
	char *at = mmap(PLACE, GIB, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | 30 << MAP_HUGE_SHIFT |
			MAP_FIXED_NOREPLACE, -1, 0);

	if (at != PLACE) {
		perror("mmap");
		_exit(4);
	}
	*at = 'x';
	return at;
}

/*
 * Leaves free pages behind that were slabs: where their freelist was, a page
 * table would have its share count.
 */
static void soil(void)
{
	const size_t nr = 60000, page = getpagesize();
	char *at = mmap(NULL, nr * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	for (i = 0; i < nr; i += 2)
		mprotect(at + i * page, page, PROT_READ);
	munmap(at, nr * page);
	usleep(300000);
}

/* Bit 56 of a page that is mapped once, and what smaps says of it. */
static int look(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	char *at = map_page(), line[256];
	int lost = 0, found = 0;
	uint64_t entry;
	FILE *smaps;

	if (pread(fd, &entry, 8, (uintptr_t)at / 4096 * 8) != 8)
		return 4;
	lost |= !(entry & EXCLUSIVE);
	smaps = fopen("/proc/self/smaps", "r");
	while (fgets(line, sizeof(line), smaps)) {
		found |= !strncmp(line, "100000000000-", 13);
		if (found && !strncmp(line, "Shared_Hugetlb:", 15)) {
			lost |= atol(line + 15) ? 2 : 0;
			break;
		}
	}
	return lost;
}

/* What a child reads in private memory to which its parent wrote 'x'. */
static int inherit(void)
{
	char *at = map_page();
	int status;
	pid_t pid;

	soil();
	pid = fork();
	if (!pid)
		_exit(*(volatile char *)at == 'x' ? 0 : 1);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 2 : WEXITSTATUS(status);
}

static void rounds(int (*test)(void), int *count)
{
	int i, status;
	pid_t pid;

	memset(count, 0, 4 * sizeof(*count));
	for (i = 0; i < ROUNDS; i++) {
		soil();
		pid = fork();
		if (!pid)
			_exit(test());
		waitpid(pid, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) > 3)
			exit(4);
		count[WEXITSTATUS(status)]++;
	}
}

int main(void)
{
	int count[4], shown;

	setvbuf(stdout, NULL, _IONBF, 0);
	rounds(look, count);
	printf("pagemap without bit 56: %d of %d\n", count[1] + count[3], ROUNDS);
	printf("smaps says Shared_Hugetlb: %d of %d\n", count[2] + count[3], ROUNDS);
	shown = ROUNDS - count[0];
	rounds(inherit, count);
	printf("after fork, the child reads what was written: %d, zeros: %d, is killed: %d\n",
	       count[0], count[1], count[2]);
	return shown || count[1] || count[2];
}
