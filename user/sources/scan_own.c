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
#include "sources/scan_own.h"
#include "sources/scan_way.h"

#define GATHERED	512	/* at once, where pages have 4 KiB */
#define PAGES		(2 * GATHERED + 32)
#define SHORT_VECTOR	(GATHERED + 8)
#define FEW		4	/* pages, where nothing needs more */
#define CATEGORIES	15	/* at the most: there is no other below SCAN_REPORTED */

/**
 * struct own - the memory
 * @fd: Our pagemap.
 * @start: Of the memory, of which every other page was read and is the zero page.
 * @page_size: Of the base page.
 * @pages: How many of it are scanned.
 * @region: What a scan tells, and room for one that it may not tell.
 * @nr: How many, or less than 0.
 * @value: The same by page.
 */
struct own {
	int fd;
	uint64_t start, page_size;
	int pages;
	struct page_region region[PAGES + 1];
	int nr;
	uint64_t value[PAGES];
};

static void scan_own_pages(struct own *own, const struct way *way)
{
	struct pm_scan_arg arg = way_arg(way, own->start, own->region);
	const size_t pages = own->pages;
	uint64_t first, last;

	arg.end = own->start + pages * own->page_size;
	memset(own->region, 0, (pages + 1) * sizeof(own->region[0]));
	own->nr = ioctl(own->fd, PAGEMAP_SCAN, &arg);
	memset(own->value, 0, pages * sizeof(own->value[0]));
	for (int i = 0; i < own->nr && i <= own->pages; i++) {
		first = (own->region[i].start - own->start) / own->page_size;
		last = (own->region[i].end - own->start) / own->page_size;
		for (; first < last && last <= pages; first++)
			own->value[first] = own->region[i].categories | SCAN_REPORTED;
	}
}

static uint64_t told(const struct own *own)
{
	uint64_t pages = 0;

	for (int i = 0; i < own->pages; i++)
		pages += !!own->value[i];
	return pages;
}

/* Without a filter all pages of a mapping are told, be they there or not. */
static void try_limit(struct own *own, const struct way *way, struct source_fault *fault)
{
	scan_own_pages(own, way);
	if (own->nr < 0 || told(own) == way->max_pages)
		return;
	*fault = (struct source_fault){ .must = "as many as there are, up to max_pages" };
	snprintf(fault->does, sizeof(fault->does),
		 "of %d of ptwalk's own pages, max_pages %" PRIu64 " tells another number%s",
		 PAGES, way->max_pages, way->wanted ? ", each in a region" : "");
}

static void try_limits(struct own *own, uint64_t categories, struct source_fault *fault)
{
	struct way way = { .regions = PAGES };

	for (way.max_pages = GATHERED - 1; !*fault->does && way.max_pages <= GATHERED + 1;
	     way.max_pages++)
		try_limit(own, &way, fault);
	way.wanted = categories;
	if (!*fault->does)
		try_limit(own, &way, fault);
}

/* Room for fewer regions than there are. */
static void try_vector(struct own *own, uint64_t categories, struct source_fault *fault)
{
	const struct way way = { .regions = SHORT_VECTOR, .wanted = categories };

	scan_own_pages(own, &way);
	if (own->nr <= SHORT_VECTOR && !own->region[SHORT_VECTOR].end)
		return;
	*fault = (struct source_fault){ .must = "no more regions than the vector has room for" };
	snprintf(fault->does, sizeof(fault->does),
		 "of %d regions of ptwalk's own, a vector of %d is told more", PAGES,
		 SHORT_VECTOR);
}

/* Whether it tells what it must of pages that one without a filter calls so. */
static bool heeds(struct own *own, const struct way *way, const uint64_t *all)
{
	scan_own_pages(own, way);
	if (own->nr < 0)
		return errno == ENOMEM || errno == EINTR;
	for (int i = 0; i < own->pages; i++)
		if (own->value[i] != way_filtered(way, all[i]))
			return false;
	return own->nr <= own->pages;
}

static void try_ways(struct own *own, uint64_t categories, const struct way *ways,
		     size_t nr, struct source_fault *fault)
{
	const struct way plain = { .regions = own->pages, .wanted = categories };
	const size_t size = own->pages * sizeof(own->value[0]);
	uint64_t all[PAGES];
	char masks[WAY_MASKS];
	bool refused;

	scan_own_pages(own, &plain);
	if (own->nr < 0)
		return;
	memcpy(all, own->value, size);
	for (size_t i = 0; i < nr; i++) {
		if (heeds(own, &ways[i], all))
			continue;
		refused = own->nr < 0;
		/* It may have changed, as others can have it reclaimed. */
		scan_own_pages(own, &plain);
		if (own->nr < 0 || memcmp(all, own->value, size))
			return;
		*fault = (struct source_fault){
			.must = "the pages that match, and of their categories those in return_mask",
		};
		way_masks(&ways[i], masks, sizeof(masks));
		snprintf(fault->does, sizeof(fault->does),
			 "of %d pages of ptwalk's own, %s with %s", own->pages,
			 refused ? "all are refused" : "others are told", masks);
		return;
	}
}

static void try_filters(struct own *own, uint64_t categories, struct source_fault *fault)
{
	const struct way ways[] = {
		{ .regions = PAGES, .required = SCAN_PRESENT, .wanted = SCAN_PRESENT },
		{ .regions = PAGES, .required = SCAN_PRESENT, .inverted = SCAN_PRESENT,
		  .wanted = categories },
		{ .regions = PAGES, .any_of = SCAN_PRESENT, .wanted = categories },
	};

	try_ways(own, categories, ways, sizeof(ways) / sizeof(ways[0]), fault);
}

/*
 * By one category, of which the opposite is tried as well, so that there is something
 * to be left out; and which isn't asked for, as what is not asked for needs not be
 * looked up but for a filter.
 */
static void try_category(struct own *own, uint64_t categories, uint64_t one,
			 struct source_fault *fault)
{
	const uint64_t others = categories & ~one;
	const struct way ways[] = {
		{ .regions = FEW, .required = one, .wanted = others },
		{ .regions = FEW, .required = one, .inverted = one, .wanted = others },
		{ .regions = FEW, .any_of = one, .wanted = others },
		{ .regions = FEW, .any_of = one, .inverted = one, .wanted = others },
		{ .regions = FEW, .wanted = one },
	};

	try_ways(own, categories, ways, sizeof(ways) / sizeof(ways[0]), fault);
}

/*
 * By two categories of which the first page, called @first without a filter, has both
 * or is asked not to have them; or has one.
 */
static void try_pairs(struct own *own, uint64_t categories, uint64_t one, uint64_t first,
		      struct source_fault *fault)
{
	struct way ways[2 * CATEGORIES];
	size_t nr = 0;
	uint64_t two;

	for (uint64_t left = categories & ~(2 * one - 1); left; left &= left - 1) {
		two = one | (left & -left);
		ways[nr++] = (struct way){
			.regions = FEW, .required = two, .inverted = two & ~first,
			.wanted = categories,
		};
		ways[nr++] = (struct way){
			.regions = FEW, .any_of = two, .wanted = categories & ~two,
		};
	}
	try_ways(own, categories, ways, nr, fault);
}

/* Whether the page at which @own starts is one of a file, once it has been read. */
static bool is_of_a_file(struct own *own)
{
	const struct way way = { .regions = 1, .wanted = SCAN_FILE };

	*(const volatile char *)(uintptr_t)own->start;
	scan_own_pages(own, &way);
	return own->nr == 1 && own->value[0] & SCAN_FILE;
}

/*
 * Where each of them is tried alone, a page of the memory is read or not. The vDSO has
 * one that isn't anonymous, and is neither reclaimed nor moved.
 */
static void try_categories(struct own *own, uint64_t categories, struct source_fault *fault)
{
	const uint64_t start = own->start, vdso = getauxval(AT_SYSINFO_EHDR);
	const struct way plain = { .regions = FEW, .wanted = categories };
	uint64_t left, first;

	own->pages = FEW;
	for (left = categories; left && !*fault->does; left &= left - 1)
		try_category(own, categories, left & -left, fault);
	scan_own_pages(own, &plain);
	first = own->value[0];
	for (left = categories; left && !*fault->does; left &= left - 1)
		try_pairs(own, categories, left & -left, first, fault);
	if (vdso && !*fault->does) {
		own->start = vdso;
		own->pages = 1;
		if (is_of_a_file(own))
			try_category(own, categories, SCAN_FILE, fault);
	}
	own->start = start;
	own->pages = PAGES;
}

static void try_all(struct own *own, uint64_t categories, struct source_fault *fault)
{
	try_limits(own, categories, fault);
	if (!*fault->does)
		try_filters(own, categories, fault);
	if (!*fault->does)
		try_categories(own, categories, fault);
	if (!*fault->does)
		try_vector(own, categories, fault);
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
	own->pages = PAGES;
	memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	own->start = (uintptr_t)memory;
	if (own->fd >= 0 && (void *)memory != MAP_FAILED) {
		madvise((void *)memory, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < PAGES; i += 2)
			(void)memory[i * page];
		try_all(own, categories, fault);
	}
	if ((void *)memory != MAP_FAILED)
		munmap((void *)memory, size);
	if (own->fd >= 0)
		close(own->fd);
	free(own);
}
