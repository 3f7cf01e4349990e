// SPDX-License-Identifier: GPL-2.0
/*
 * 32-bit arm with LPAE; see arm-pmd-prot-none.txt. It crashes the kernel. Exits with
 * 0 if it doesn't, and pagemap shows the page.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_SIZE	(2UL << 20)

static int show(const char *what, const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (pread(fd, &entry, 8, (off_t)((uintptr_t)at / getpagesize() * 8)) != 8)
		perror("pagemap");
	close(fd);
	printf("%s: pagemap %016llx\n", what, (unsigned long long)entry);
	return entry >> 63;
}

int main(void)
{
	char *at = mmap(NULL, 2 * HUGE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int shown;

	setvbuf(stdout, NULL, _IONBF, 0);
	at = (char *)(((uintptr_t)at + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	madvise(at, HUGE_SIZE, MADV_HUGEPAGE);
	memset(at, 1, HUGE_SIZE);
	show("written", at);
	mprotect(at, HUGE_SIZE, PROT_NONE);
	shown = show("PROT_NONE", at);
	mprotect(at, HUGE_SIZE, PROT_READ);
	show("PROT_READ", at);
	mprotect(at, HUGE_SIZE, PROT_NONE);
	munmap(at, HUGE_SIZE);
	printf("unmapped\n");
	return !shown;
}
