// SPDX-License-Identifier: GPL-2.0
/*
 * pagemap-special-pmd REGION: maps a region of /dev/ptwalk_fixture and reads
 * its pagemap; see pagemap-special-pmd.txt. It may crash the kernel.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_SIZE	(2UL << 20)
#define PM_FILE		(1ULL << 61)

int main(int argc, char **argv)
{
	FILE *list = fopen("/dev/ptwalk_fixture", "r");
	int fd = open("/dev/ptwalk_fixture", O_RDWR);
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	unsigned long long offset = 0;
	char line[512], name[64];
	uint64_t entry;
	char *at;

	if (argc != 2 || !list || fd < 0 || pagemap < 0) {
		fprintf(stderr, "usage: pagemap-special-pmd REGION, with ptwalk_fixture loaded\n");
		return 2;
	}
	while (!offset && fgets(line, sizeof(line), list))
		if (sscanf(line, "%63s %llx", name, &offset) != 2 || strcmp(name, argv[1]))
			offset = 0;
	if (!offset) {
		fprintf(stderr, "%s: not to be had here\n", argv[1]);
		return 2;
	}
	at = mmap(NULL, 2 * HUGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	at = (char *)(((uintptr_t)at + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	at = mmap(at, HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset);
	if (at == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	(void)*(volatile uint32_t *)(at + 0x80);
	if (pread(pagemap, &entry, 8, (off_t)((uintptr_t)at / getpagesize() * 8)) != 8) {
		perror("pagemap");
		return 1;
	}
	printf("pagemap 0x%016llx: %s\n", (unsigned long long)entry,
	       entry & PM_FILE ? "PM_FILE, and no page is counted" : "right");
	return 0;
}
