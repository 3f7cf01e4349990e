// SPDX-License-Identifier: GPL-2.0
/*
 * pagemap's exclusive bit of a THP whose second half a child has unmapped; see
 * pagemap-thp-exclusive.txt. Exits with 1 if the second half hasn't got it, or the
 * first has.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HUGE_SIZE	(2UL << 20)
#define HALF		(HUGE_SIZE / 2)
#define EXCLUSIVE	(1ULL << 56)

static int exclusive(const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY), nr = 0;
	long size = sysconf(_SC_PAGESIZE);
	uint64_t entry;

	for (size_t i = 0; i < HALF / size; i++) {
		if (pread(fd, &entry, sizeof(entry), ((uintptr_t)at / size + i) * 8) != 8)
			perror("pagemap");
		nr += !!(entry & EXCLUSIVE);
	}
	close(fd);
	return nr;
}

int main(void)
{
	char *at = mmap(NULL, 2 * HUGE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ready[2], first, second;
	pid_t child;
	char c;

	at = (char *)(((uintptr_t)at + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	if (madvise(at, HUGE_SIZE, MADV_HUGEPAGE) || pipe(ready)) {
		perror("MADV_HUGEPAGE");
		return 2;
	}
	memset(at, 1, HUGE_SIZE);
	child = fork();
	if (!child) {
		munmap(at + HALF, HALF);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	if (read(ready[0], &c, 1) != 1)
		return 2;
	first = exclusive(at);
	second = exclusive(at + HALF);
	printf("exclusive of the first half: %d, of the second: %d\n", first, second);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return first || !second;
}
