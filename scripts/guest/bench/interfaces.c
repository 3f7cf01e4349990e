// SPDX-License-Identifier: GPL-2.0
/* What the kernel's own interfaces cost: the bases of the goals. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <ptwalk.h>
#include "bench.h"

#define BUFFER	(1 << 20)
#define WORDS	(BUFFER / sizeof(uint64_t))

/* Addresses that are asked for one by one. */
#define ALONE	4096

/* Headers of the C library may be older than the kernel: PAGEMAP_SCAN of 6.7. */
struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

struct scan_region {
	uint64_t start, end, categories;
};

#define SCAN		_IOWR('f', 16, struct scan_arg)
#define SCAN_WRITTEN	2
#define SCAN_ALL	0x7f

static uint64_t buffer[WORDS];

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		fail(path);
	return fd;
}

static off_t offset_of(size_t page)
{
	return ((uintptr_t)memory / page_size + page) * sizeof(uint64_t);
}

static uint64_t read_words(int fd, off_t from, size_t nr, size_t at_once)
{
	uint64_t begin = now();

	for (size_t i = 0; i < nr; i += at_once) {
		size_t bytes = (nr - i < at_once ? nr - i : at_once) * sizeof(uint64_t);

		if (pread(fd, buffer, bytes, from + i * sizeof(uint64_t)) < 0)
			fail("pread");
	}
	return now() - begin;
}

/* Of each page @categories, of those that are in all of @mask. */
static void bench_scan(const char *what, uint64_t mask, uint64_t categories)
{
	static struct scan_region regions[4096];
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = (uintptr_t)memory,
		.end = (uintptr_t)memory + layout->size,
		.vec = (uintptr_t)regions,
		.vec_len = 4096,
		.category_mask = mask,
		.return_mask = categories,
	};
	int fd = open_file("/proc/self/pagemap");
	uint64_t begin = now();

	while (arg.start < arg.end) {
		if (ioctl(fd, SCAN, &arg) < 0)
			fail("PAGEMAP_SCAN");
		arg.start = arg.walk_end;
	}
	result(what, now() - begin);
	close(fd);
}

/* One read of all of a file that is made anew for each reader. */
static void bench_text(const char *what, const char *path)
{
	int fd = open_file(path);
	uint64_t begin = now();

	while (read(fd, buffer, BUFFER) > 0)
		;
	result(what, now() - begin);
	close(fd);
}

/* The words of all frames from the lowest to the highest that the memory has. */
static void bench_frames(const char *what, const char *path)
{
	uint64_t low = UINT64_MAX, high = 0;
	int fd = open_file("/proc/self/pagemap");

	for (size_t i = 0; i < layout->size / page_size; i += WORDS) {
		ssize_t got = pread(fd, buffer, BUFFER, offset_of(i));

		for (ssize_t j = 0; j < got / 8 && i + j < layout->size / page_size; j++) {
			uint64_t pfn = buffer[j] & ((1ull << 55) - 1);

			if (!(buffer[j] >> 63))
				continue;
			low = pfn < low ? pfn : low;
			high = pfn > high ? pfn : high;
		}
	}
	close(fd);
	fd = open_file(path);
	result(what, read_words(fd, low * sizeof(uint64_t), high - low + 1, WORDS));
	close(fd);
}

static void bench_move_pages(size_t pages)
{
	static void *at[4096];
	static int node[4096];
	uint64_t begin = now();

	for (size_t i = 0; i < pages; i += 4096) {
		for (size_t j = 0; j < 4096; j++)
			at[j] = memory + (i + j) * page_size;
		if (syscall(SYS_move_pages, getpid(), 4096L, at, NULL, node, 0))
			fail("move_pages");
	}
	result("move_pages", now() - begin);
}

void bench_interfaces(void)
{
	const size_t pages = layout->size / page_size;
	int fd = open_file("/proc/self/pagemap");

	/* The pages of the buffer. */
	memset(buffer, 1, BUFFER);
	/* Nobody reads the pagemap of a terabyte. */
	if (pages <= 1 << 20)
		result("pagemap", read_words(fd, offset_of(0), pages, WORDS));
	close(fd);
	bench_scan("scan", 0, SCAN_ALL);
	bench_text("smaps", "/proc/self/smaps");
	bench_text("numa_maps", "/proc/self/numa_maps");
	bench_text("status", "/proc/self/status");
	if (!(layout->sets & SET_SOURCES))
		return;
	bench_scan("scan-written", SCAN_WRITTEN, SCAN_WRITTEN);
	fd = open_file("/proc/self/pagemap");
	result("pagemap-single", read_words(fd, offset_of(0), pages, 1));
	result("pagemap-4k", read_words(fd, offset_of(0), pages, 512));
	close(fd);
	bench_move_pages(pages);
	bench_frames("kpageflags", "/proc/kpageflags");
	bench_frames("kpagecount", "/proc/kpagecount");
	bench_frames("kpagecgroup", "/proc/kpagecgroup");
}

static uint64_t translate_each(struct ptwalk *p)
{
	struct ptwalk_entry entry;
	uint64_t begin = now();

	for (size_t i = 0; i < ALONE; i++)
		if (ptwalk_translate(p, getpid(), (uintptr_t)memory + i * page_size,
				     &entry))
			fail("ptwalk_translate");
	return now() - begin;
}

/* One at a time, and a thousand with one command. */
void bench_translate(void)
{
	static char lines[1000 * 20];
	const char *argv[ARGUMENTS] = { "ptwalk", "translate", NULL, "-" };
	struct ptwalk *p = ptwalk_open();
	int fd = open_file("/proc/self/pagemap");
	uint64_t start;
	char pid[16];
	size_t len = 0;

	if (!p)
		fail("ptwalk_open");
	result("pread", read_words(fd, offset_of(0), ALONE, 1) / ALONE);
	translate_each(p);
	result("translate", translate_each(p) / ALONE);
	ptwalk_close(p);
	close(fd);

	snprintf(pid, sizeof(pid), "%d", getpid());
	argv[2] = pid;
	len = snprintf(lines, sizeof(lines), "%lx\n", (unsigned long)memory);
	start = command_cost(argv, lines);
	for (size_t i = 1; i < 1000; i++)
		len += snprintf(lines + len, sizeof(lines) - len, "%lx\n",
				(unsigned long)(memory + i * 61 % 4096 * page_size));
	result("addresses", 1000);
	result("translate-batch", command_cost(argv, lines) - start);
}
