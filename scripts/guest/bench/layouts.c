// SPDX-License-Identifier: GPL-2.0
/* The memory that is read. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>
#include "bench.h"

#define MiB	((size_t)1 << 20)
#define GiB	((size_t)1 << 30)
#define HUGE	(2 * MiB)

#define HUGE_PAGES	"/proc/sys/vm/nr_hugepages"
#define ZRAM_CONTROL	"/sys/class/zram-control/"

/* What this machine had, or -1 while nothing of it is changed. */
static int huge_pages_before = -1;
/* The swap device that was added. */
static int zram = -1;

static int read_number(const char *path)
{
	char text[24] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -1;
	close(fd);
	return atoi(text);
}

static void write_number(const char *path, size_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", number);
	write_file(path, text);
}

static size_t available(void)
{
	FILE *meminfo = fopen("/proc/meminfo", "r");
	char line[80];
	size_t kib = 0;

	while (meminfo && fgets(line, sizeof(line), meminfo))
		if (sscanf(line, "MemAvailable: %zu", &kib) == 1)
			break;
	if (meminfo)
		fclose(meminfo);
	return kib * 1024;
}

/* Without huge pages, unless they are advised; aligned for them. */
char *map_pages(size_t size, int protection, int flags)
{
	char *at = mmap(NULL, size + HUGE, protection,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	at = (char *)(((uintptr_t)at + HUGE - 1) & ~(HUGE - 1));
	if (!(flags & MAP_HUGETLB) && madvise(at, size, MADV_NOHUGEPAGE))
		fail("madvise");
	return at;
}

static char *touched(size_t size, size_t step)
{
	char *at = map_pages(size, PROT_READ | PROT_WRITE, 0);

	for (size_t i = 0; i < size; i += step)
		at[i] = 1;
	return at;
}

static char *make_contiguous(size_t size)
{
	return touched(size, page_size);
}

/* The same order on every run: a linear congruential generator. */
static char *make_scattered(size_t size)
{
	size_t pages = size / page_size;
	uint32_t *order = malloc(pages * sizeof(*order));
	char *at = map_pages(size, PROT_READ | PROT_WRITE, 0);
	uint32_t random = 1;

	if (size + size / 4 > available())
		cannot("there is too little memory");
	if (!order)
		fail("malloc");
	for (size_t i = 0; i < pages; i++)
		order[i] = i;
	for (size_t i = pages - 1; i > 0; i--) {
		uint32_t swap = order[i];
		size_t j;

		random = random * 1664525u + 1013904223u;
		j = random % (i + 1);
		order[i] = order[j];
		order[j] = swap;
	}
	for (size_t i = 0; i < pages; i++)
		at[order[i] * page_size] = 1;
	free(order);
	return at;
}

static char *make_huge(size_t size)
{
	char *at = map_pages(size, PROT_READ | PROT_WRITE, 0);

	if (!system("grep -qF '[never]' /sys/kernel/mm/transparent_hugepage/enabled"))
		cannot("transparent huge pages are off");
	if (madvise(at, size, MADV_HUGEPAGE))
		fail("madvise");
	for (size_t i = 0; i < size; i += page_size)
		at[i] = 1;
	return at;
}

void layout_huge_pages(size_t nr)
{
	huge_pages_before = read_number(HUGE_PAGES);
	write_number(HUGE_PAGES, huge_pages_before + nr);
	if (read_number(HUGE_PAGES) < huge_pages_before + (int)nr)
		cannot("there is no room for its huge pages");
}

static char *make_hugetlb(size_t size)
{
	char *at;

	layout_huge_pages(size / HUGE + 1);
	at = map_pages(size, PROT_READ | PROT_WRITE, MAP_HUGETLB);
	for (size_t i = 0; i < size; i += HUGE)
		at[i] = 1;
	return at;
}

static char *make_sparse(size_t size)
{
	return touched(size, 512 * page_size);
}

static char *make_reserved(size_t size)
{
	return touched(size, size / 1000 / page_size * page_size + page_size);
}

void layout_swap(size_t size)
{
	char *page = calloc(1, page_size);
	uint32_t *header = (uint32_t *)(page + 1024);
	char name[32], path[64];
	int fd;

	/* Others may have a use for those that there are. */
	if (!system("modprobe -q zram"))
		zram = read_number(ZRAM_CONTROL "hot_add");
	if (zram < 0)
		cannot("there is no zram to swap to");
	snprintf(name, sizeof(name), "/dev/zram%d", zram);
	snprintf(path, sizeof(path), "/sys/block/zram%d/disksize", zram);
	write_number(path, size);
	header[0] = 1;
	header[1] = size / page_size - 1;
	memcpy(page + page_size - 10, "SWAPSPACE2", 10);
	fd = open(name, O_WRONLY);
	if (fd < 0 || write(fd, page, page_size) != (ssize_t)page_size || fsync(fd))
		fail(name);
	close(fd);
	free(page);
	if (swapon(name, SWAP_FLAG_PREFER | SWAP_FLAG_PRIO_MASK))
		fail("swapon");
}

static void swap_off(void)
{
	const int number = zram;
	char name[32], path[64];

	snprintf(name, sizeof(name), "/dev/zram%d", number);
	snprintf(path, sizeof(path), "/sys/block/zram%d/reset", number);
	zram = -1;
	swapoff(name);
	write_number(path, 1);
	write_number(ZRAM_CONTROL "hot_remove", number);
}

void layout_restore(void)
{
	if (zram >= 0)
		swap_off();
	if (huge_pages_before >= 0)
		write_number(HUGE_PAGES, huge_pages_before);
	huge_pages_before = -1;
}

/* Every second page is swapped out. */
static char *make_swapped(size_t size)
{
	char *at = make_scattered(size);

	layout_swap(2 * size);
	for (size_t i = 0; i < size; i += 2 * page_size)
		if (madvise(at + i, page_size, MADV_PAGEOUT))
			fail("MADV_PAGEOUT");
	return at;
}

/* A VMA for each page. */
static char *make_vmas(size_t size)
{
	char *at = touched(size, page_size);

	for (size_t i = 0; i < size; i += 2 * page_size)
		if (mprotect(at + i, page_size, PROT_READ))
			fail("mprotect");
	return at;
}

/* What many processes map at a time. */
static char *make_shared(size_t size)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

/* It makes its own. */
static char *make_none(size_t size __attribute__((unused)))
{
	return NULL;
}

#define ALL	(SET_BULK | SET_CHECK | SET_HOLDS)

const struct layout layouts[] = {
	{ "contiguous", 256 * MiB, make_contiguous, ALL },
	{ "scattered", 256 * MiB, make_scattered,
	  ALL | SET_LINES | SET_SOURCES | SET_TRANSLATE | SET_CURVES },
	{ "huge", 256 * MiB, make_huge, ALL },
	{ "hugetlb", 256 * MiB, make_hugetlb, ALL },
	{ "sparse", 4 * GiB, make_sparse, ALL },
	{ "swapped", 256 * MiB, make_swapped, ALL },
	{ "scattered-4g", 4 * GiB, make_scattered, ALL | SET_MEMORY },
	{ "reserved", 1024 * GiB, make_reserved, ALL | SET_MEMORY },
	{ "vmas", 65000 * 4096, make_vmas, SET_MEMORY | SET_CURVES },
	{ "processes", 64 * MiB, make_shared, SET_PROCESSES },
	{ "commands", 64 * 4096, make_contiguous, SET_WHOLE },
	{ "drawn", 32 * MiB, make_none, SET_DRAWN },
	{ NULL },
};

uint64_t frame_of(const char *page)
{
	off_t offset = (uintptr_t)page / page_size * sizeof(uint64_t);
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;

	if (fd < 0 || pread(fd, &entry, sizeof(entry), offset) != sizeof(entry))
		fail("/proc/self/pagemap");
	close(fd);
	return entry & ((1ull << 55) - 1);
}
