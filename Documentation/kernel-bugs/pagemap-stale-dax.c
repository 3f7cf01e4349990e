// SPDX-License-Identifier: GPL-2.0
/*
 * pagemap-stale-dax FILE: reads the pagemap and smaps of a file on a DAX file system
 * whose disk is unbound; see pagemap-stale-dax.txt. As root, on a machine with
 * memmap=128M!512M. It crashes the kernel.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNBIND		"/sys/bus/nd/drivers/nd_pmem/unbind"
#define HUGE_SIZE	(2UL << 20)

static void read_all(const char *path, off_t from, size_t size)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY);

	lseek(fd, from, SEEK_SET);
	while (size && read(fd, text, sizeof(text) < size ? sizeof(text) : size) > 0)
		size -= sizeof(text) < size ? sizeof(text) : size;
	close(fd);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	int unbind = open(UNBIND, O_WRONLY);
	char *at = mmap(NULL, 2 * HUGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long size = sysconf(_SC_PAGESIZE);

	if (fd < 0 || unbind < 0 || posix_fallocate(fd, 0, HUGE_SIZE)) {
		perror("a file and " UNBIND);
		return 2;
	}
	at = (char *)(((uintptr_t)at + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
	at = mmap(at, HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	if (at == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	memset(at, 1, HUGE_SIZE);
	if (write(unbind, "namespace0.0", 12) != 12) {
		perror(UNBIND);
		return 2;
	}
	read_all("/proc/self/pagemap", (uintptr_t)at / size * 8, HUGE_SIZE / size * 8);
	read_all("/proc/self/smaps", 0, 1 << 24);
	puts("pagemap and smaps are read");
	return 0;
}
