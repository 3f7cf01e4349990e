// SPDX-License-Identifier: GPL-2.0
/*
 * pagemap of a huge page that is mapped and not counted, with the module of the
 * folder pagemap-special-pmd; see pagemap-special-pmd.txt. Exits with 1 if it says
 * that the page is a file's.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_SIZE	(2UL << 20)
#define PM_FILE		(1ULL << 61)

int main(void)
{
	int fd = open("/dev/special_pmd", O_RDWR);
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;
	char *at;

	at = mmap(NULL, 2 * HUGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	at = (char *)(((uintptr_t)at + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	at = mmap(at, HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	if (at == MAP_FAILED) {
		perror("/dev/special_pmd");
		return 2;
	}
	(void)*(volatile uint32_t *)(at + 0x80);
	if (pread(pagemap, &entry, 8, (uintptr_t)at / getpagesize() * 8) != 8) {
		perror("pagemap");
		return 2;
	}
	printf("pagemap 0x%016llx: %s\n", (unsigned long long)entry,
	       entry & PM_FILE ? "PM_FILE, and no page is counted" : "right");
	return !!(entry & PM_FILE);
}
