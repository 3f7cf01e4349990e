// SPDX-License-Identifier: GPL-2.0
/*
 * What /proc/kpageflags says of a frame without a struct page, that of the I/O APIC
 * of a PC; see kpageflags-nopage.txt. As root, with memory above 4 GiB. Exits with 1
 * if it doesn't say KPF_NOPAGE.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define IOAPIC		0xfec00000ULL
#define KPF_NOPAGE	(1ULL << 20)

int main(void)
{
	int fd = open("/proc/kpageflags", O_RDONLY);
	uint64_t flags;

	if (pread(fd, &flags, sizeof(flags), IOAPIC / sysconf(_SC_PAGESIZE) * sizeof(flags)) !=
	    sizeof(flags)) {
		fprintf(stderr, "no memory is above 4 GiB\n");
		return 2;
	}
	printf("flags %#llx\n", (unsigned long long)flags);
	return !(flags & KPF_NOPAGE);
}
