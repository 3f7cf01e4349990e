// SPDX-License-Identifier: GPL-2.0
/*
 * What /proc/kpageflags says of an anonymous page that was never given to KSM; see
 * kpageflags-ksm.txt. As root. Exits with 1 if it says KSM.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define KPF_KSM		(1ULL << 21)

static uint64_t word(const char *path, uint64_t index)
{
	uint64_t value = 0;
	int fd = open(path, O_RDONLY);

	if (pread(fd, &value, sizeof(value), index * sizeof(value)) != sizeof(value))
		perror(path);
	close(fd);
	return value;
}

int main(void)
{
	long size = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t frame, flags;

	*at = 1;
	frame = word("/proc/self/pagemap", (uintptr_t)at / size) & ((1ULL << 55) - 1);
	flags = word("/proc/kpageflags", frame);
	if (!frame || !flags)
		return 2;
	printf("frame %#llx: flags %#llx%s\n", (unsigned long long)frame,
	       (unsigned long long)flags, flags & KPF_KSM ? ", KPF_KSM" : "");
	return !!(flags & KPF_KSM);
}
