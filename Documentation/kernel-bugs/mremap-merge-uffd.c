// SPDX-License-Identifier: GPL-2.0
/*
 * A page of memory that is registered with a userfaultfd is moved to where the rest of it
 * ends; see mremap-merge-uffd.txt. As root. Exits with 1 if the rest, which nobody
 * touched, is no longer registered.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_registered(const char *at)
{
	unsigned long start = 0, end = 0, a, b;
	FILE *smaps = fopen("/proc/self/smaps", "r");
	char line[512];
	int is = 0;

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &a, &b) == 2) {
			start = a;
			end = b;
		} else if (!strncmp(line, "VmFlags:", 8) && (uintptr_t)at >= start &&
			   (uintptr_t)at < end) {
			is = !!strstr(line, " um");
		}
	}
	if (smaps)
		fclose(smaps);
	return is;
}

int main(void)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, 6 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = room + size, *to = at + 2 * size;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)at, 2 * size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK), is;

	if (room == MAP_FAILED ||
	    mmap(at, 2 * size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at ||
	    ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		return 2;
	}
	printf("registered: %d %d\n", is_registered(at), is_registered(at + size));
	if (mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to) {
		perror("mremap");
		return 2;
	}
	is = is_registered(at + size);
	printf("the first page moved behind the second one, which is %sregistered\n",
	       is ? "" : "no longer ");
	return !is;
}
