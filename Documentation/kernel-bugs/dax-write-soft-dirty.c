// SPDX-License-Identifier: GPL-2.0
/*
 * dax-write-soft-dirty FILE: a page of a file on a DAX file system that is read and
 * then written to isn't soft-dirty; see dax-write-soft-dirty.txt. As root. Exits
 * with 1 if that is so.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define SOFT_DIRTY	(1ULL << 55)

static uint64_t show(const char *when, const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry = 0;

	if (pread(fd, &entry, 8, (uintptr_t)at / sysconf(_SC_PAGESIZE) * 8) != 8)
		perror("pagemap");
	close(fd);
	printf("%s: pagemap %016llx%s\n", when, (unsigned long long)entry,
	       entry & SOFT_DIRTY ? ", soft-dirty" : "");
	return entry;
}

int main(int argc, char **argv)
{
	long size = sysconf(_SC_PAGESIZE);
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	int refs = open("/proc/self/clear_refs", O_WRONLY);
	char *at;

	if (fd < 0 || ftruncate(fd, size) || pwrite(fd, "x", 1, 0) != 1 || fsync(fd)) {
		perror("a file");
		return 2;
	}
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || write(refs, "4", 1) != 1) {
		perror("mmap, clear_refs");
		return 2;
	}
	(void)*(volatile char *)at;
	show("read", at);
	*(volatile char *)at = 'y';
	return !(show("written to", at) & SOFT_DIRTY);
}
