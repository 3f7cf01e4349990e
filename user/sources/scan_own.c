// SPDX-License-Identifier: GPL-2.0
/*
 * Scans of memory that ptwalk makes for them. The kernel gathers as many regions as
 * a table has entries, stores them, and goes on with what it has been asked: here
 * each page is a region, and there are more of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include "sources/scan_way.h"

#define GATHERED	512	/* at once, where pages have 4 KiB */
#define PAGES		(2 * GATHERED + 32)
#define SHORT_VECTOR	(GATHERED + 8)
#define FEW		4	/* pages, where nothing needs more */

/**
 * struct own - the memory
 * @fd: Our pagemap.
 * @start: Of the memory, of which every other page was read and is the zero page.
 * @page_size: Of the base page.
 * @pages: How many of it are scanned.
 * @categories: All that the kernel knows.
 * @region: What a scan tells, and room for one that it may not tell.
 * @nr: How many, or less than 0; @told: the pages in all of them.
 * @value: The same by page; @plain as one for all categories says.
 * @fault: The first one.
 */
struct own {
	int fd;
	uint64_t start, page_size;
	int pages;
	uint64_t categories;
	struct page_region region[PAGES + 1];
	int nr;
	uint64_t told;
	uint64_t value[PAGES], plain[PAGES];
	struct source_fault *fault;
};

static void scan_own_pages(struct own *own, const struct way *way)
{
	struct pm_scan_arg arg = way_arg(way, own->start, own->region);
	const size_t pages = own->pages;
	uint64_t first, last;

	arg.end = own->start + pages * own->page_size;
	memset(own->region, 0, (pages + 1) * sizeof(own->region[0]));
	own->nr = ioctl(own->fd, PAGEMAP_SCAN, &arg);
	own->told = 0;
	memset(own->value, 0, pages * sizeof(own->value[0]));
	for (int i = 0; i < own->nr && i <= own->pages; i++) {
		first = (own->region[i].start - own->start) / own->page_size;
		last = (own->region[i].end - own->start) / own->page_size;
		own->told += last - first;
		for (; first < last && last <= pages; first++)
			own->value[first] = own->region[i].categories | SCAN_REPORTED;
	}
}

/* Whether there is a plain scan of the first @pages from @start on, as it was before. */
static bool scan_plainly(struct own *own, uint64_t start, int pages)
{
	const struct way plain = { .regions = pages, .wanted = own->categories };
	const size_t size = pages * sizeof(own->value[0]);
	bool same;

	own->start = start;
	own->pages = pages;
	scan_own_pages(own, &plain);
	same = own->nr >= 0 && !memcmp(own->plain, own->value, size);
	memcpy(own->plain, own->value, size);
	return same;
}

/* Whether it tells what it must, as far as there is room, of what the plain one tells. */
static bool heeds(struct own *own, const struct way *way)
{
	uint64_t left = way->max_pages ? way->max_pages : UINT64_MAX, latest = 0, value;
	uint64_t told = 0;
	size_t regions = 0;

	scan_own_pages(own, way);
	if (own->nr < 0)
		return errno == ENOMEM || errno == EINTR;
	for (int i = 0; i < own->pages; i++, left -= !!value, told += !!value, latest = value) {
		value = left ? way_filtered(way, own->plain[i]) : 0;
		if (value && value != latest && regions++ == way->regions) {
			value = 0;
			left = 0;
		}
		if (own->value[i] != value)
			return false;
	}
	return own->told == told && (size_t)own->nr <= way->regions && !own->region[own->nr].end;
}

static void try_way(struct own *own, const struct way *way)
{
	char with[WAY_TEXT];
	bool refused;

	if (*own->fault->does || heeds(own, way))
		return;
	refused = own->nr < 0;
	/* It may have changed, as others can have it reclaimed. */
	if (!scan_plainly(own, own->start, own->pages))
		return;
	*own->fault = (struct source_fault){
		.must = "the pages that match, up to the limits, and of their categories those in return_mask",
	};
	way_text(way, with, sizeof(with));
	snprintf(own->fault->does, sizeof(own->fault->does),
		 "of %d pages of ptwalk's own, %s with %s", own->pages,
		 refused ? "all are refused" : "others are told", with);
}

/* Around as many pages, and regions, as are gathered, and by filters behind them. */
static void try_many(struct own *own)
{
	const uint64_t all = own->categories;
	const struct way ways[] = {
		{ .regions = PAGES, .max_pages = GATHERED - 1 },
		{ .regions = PAGES, .max_pages = GATHERED },
		{ .regions = PAGES, .max_pages = GATHERED + 1 },
		{ .regions = PAGES, .max_pages = GATHERED + 2, .wanted = all },
		{ .regions = SHORT_VECTOR, .wanted = all },
		{ .regions = PAGES, .required = SCAN_PRESENT, .wanted = SCAN_PRESENT },
		{ .regions = PAGES, .required = SCAN_PRESENT, .inverted = SCAN_PRESENT,
		  .wanted = all },
		{ .regions = PAGES, .any_of = SCAN_PRESENT, .wanted = all },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		try_way(own, &ways[i]);
}

/*
 * By two categories, of which the first page has both or is asked not to have them, or
 * has one. By one alone also of the opposite, so that there is something to be left out;
 * and it isn't asked for, as what is not asked for needs not be looked up but for a filter.
 */
static void try_pair(struct own *own, uint64_t one, uint64_t two)
{
	const uint64_t both = one | two, all = own->categories, others = all & ~both;
	const struct way ways[] = {
		{ .required = both, .inverted = both & ~own->plain[0], .wanted = all },
		{ .any_of = both, .wanted = others },
		/* One alone. */
		{ .required = both, .wanted = others },
		{ .required = both, .inverted = both, .wanted = others },
		{ .any_of = both, .inverted = both, .wanted = others },
		{ .wanted = both },
	};
	struct way way;

	for (size_t i = 0; i < (one == two ? sizeof(ways) / sizeof(ways[0]) : 2); i++) {
		way = ways[i];
		way.regions = FEW;
		try_way(own, &way);
	}
}

static void try_pairs(struct own *own)
{
	for (uint64_t one = own->categories; one; one &= one - 1)
		for (uint64_t two = one; two; two &= two - 1)
			try_pair(own, one & -one, two & -two);
}

/* The vDSO has a page that isn't anonymous, and is neither reclaimed nor moved. */
static void try_file(struct own *own)
{
	const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);

	if (!vdso)
		return;
	(void)*(const volatile char *)(uintptr_t)vdso;
	scan_plainly(own, vdso, 1);
	if (own->plain[0] & SCAN_FILE)
		try_pair(own, SCAN_FILE, SCAN_FILE);
}

void scan_own(uint64_t categories, struct source_fault *fault)
{
	const size_t page = sysconf(_SC_PAGESIZE), size = PAGES * page;
	struct own *own = calloc(1, sizeof(*own));
	volatile char *memory;

	if (!own)
		return;
	own->fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	own->page_size = page;
	own->categories = categories;
	own->fault = fault;
	memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	if (own->fd >= 0 && (void *)memory != MAP_FAILED) {
		madvise((void *)memory, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < PAGES; i += 2)
			(void)memory[i * page];
		scan_plainly(own, (uintptr_t)memory, PAGES);
		try_many(own);
		scan_plainly(own, (uintptr_t)memory, FEW);
		try_pairs(own);
		try_file(own);
	}
	if ((void *)memory != MAP_FAILED)
		munmap((void *)memory, size);
	if (own->fd >= 0)
		close(own->fd);
	free(own);
}
