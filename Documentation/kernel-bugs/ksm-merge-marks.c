// SPDX-License-Identifier: GPL-2.0
/*
 * Three pages with the same contents, marked in both ways, before and after KSM; see
 * ksm-merge-marks.txt. As root. Exits with 1 if marks are lost.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KSM	"/sys/kernel/mm/ksm/"
#define PAGES	3

static void set(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

static uint64_t word(const char *path, uint64_t index)
{
	uint64_t value = 0;
	int fd = open(path, O_RDONLY);

	if (pread(fd, &value, sizeof(value), index * sizeof(value)) < 0)
		perror(path);
	close(fd);
	return value;
}

static long number(const char *path)
{
	FILE *f = fopen(path, "r");
	long n = -1;

	if (!f || fscanf(f, "%ld", &n) != 1)
		perror(path);
	if (f)
		fclose(f);
	return n;
}

static int print(const char *when, const char *p, long size)
{
	int lost = 0;

	for (int i = 0; i < PAGES; i++) {
		uint64_t e = word("/proc/self/pagemap", (uintptr_t)p / size + i);
		int dirty = e >> 55 & 1, wp = e >> 57 & 1;

		printf("%s, page %d: frame %#llx%s%s\n", when, i,
		       (unsigned long long)(e & ((1ULL << 55) - 1)),
		       dirty ? " soft-dirty" : "", wp ? " uffd-wp" : "");
		lost += !dirty || !wp;
	}
	return lost;
}

int main(void)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	long size = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_range range = { (uintptr_t)p, PAGES * size };
	struct uffdio_register reg = { .range = range, .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect wp = { .range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP };

	memset(p, 0, PAGES * size);
	set("/proc/self/clear_refs", "4");	/* the bit of the VMA would hide it */
	memset(p, 0x5a, PAGES * size);
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg) ||
	    ioctl(uffd, UFFDIO_WRITEPROTECT, &wp)) {
		perror("userfaultfd");
		return 2;
	}
	print("before", p, size);
	madvise(p, PAGES * size, MADV_MERGEABLE);
	set(KSM "sleep_millisecs", "10");
	set(KSM "pages_to_scan", "1000");
	set(KSM "run", "1");
	while (number(KSM "pages_sharing") < PAGES - 1)
		usleep(100000);
	set(KSM "run", "0");
	return !!print("after", p, size);
}
