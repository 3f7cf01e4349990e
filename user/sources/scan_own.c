// SPDX-License-Identifier: GPL-2.0
/*
 * Scans of memory that ptwalk makes for them. The kernel gathers as many regions as
 * a table has entries, stores them, and goes on with what it has been asked: here
 * each page is a region, and there are more of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include "proc/pagemap_bits.h"
#include "sources/scan.h"

#define GATHERED	512	/* at once, where pages have 4 KiB */
#define PAGES		(2 * GATHERED + 32)
#define FEW		4	/* pages, where nothing needs more */

/**
 * struct own - the memory
 * @file: Our pagemap.
 * @pages: What is scanned of it.
 * @all: The categories that the kernel knows.
 * @plain: What is told of the pages without arguments; @value with them.
 * @fault: The first one.
 */
struct own {
	struct source_file *file;
	struct source_pages pages;
	uint64_t all, plain[PAGES], value[PAGES];
	struct source_fault *fault;
};

/*
 * Whether there is a plain scan of @nr pages from @start on, as it was before. One that is
 * wrong by itself is the fault.
 */
static bool scan_plainly(struct own *own, uint64_t start, size_t nr)
{
	const size_t size = nr * sizeof(*own->plain);
	const struct source_fault *found;
	ssize_t got;

	own->pages = (struct source_pages){ .addr = start, .nr = nr };
	memcpy(own->value, own->plain, size);
	scan_forget(own->file);
	got = source_scan.read(own->file, &own->pages, own->plain);
	found = source_scan.fault(own->file);
	if (found && !*own->fault->does) {
		own->fault->must = found->must;
		snprintf(own->fault->does, sizeof(own->fault->does),
			 "of ptwalk's own pages, %.200s", found->does);
	}
	return got == (ssize_t)nr && !found && !memcmp(own->plain, own->value, size);
}

static void try_args(struct own *own, const uint64_t *arg)
{
	uint64_t differs = 0;
	char with[SCAN_TEXT];
	ssize_t got;

	if (*own->fault->does)
		return;
	memcpy(own->pages.arg, arg, sizeof(own->pages.arg));
	memcpy(own->value, own->plain, own->pages.nr * sizeof(*own->plain));
	scan_forget(own->file);
	got = scan_again(own->file, &own->pages, own->value);
	for (size_t i = 0; i < own->pages.nr; i++)
		differs |= own->value[i] >> SCAN_OTHER_SHIFT;
	/* It may have changed, as others can have it reclaimed. */
	if (got == -ENOMEM || (got >= 0 && !differs && !source_scan.fault(own->file)) ||
	    !scan_plainly(own, own->pages.addr, own->pages.nr))
		return;
	own->fault->must = "the pages that match, up to the limits, and of their categories those in return_mask";
	scan_args_text(own->file, arg, with, sizeof(with));
	snprintf(own->fault->does, sizeof(own->fault->does),
		 "of %u pages of ptwalk's own, %s with %s", (unsigned int)own->pages.nr,
		 got < 0 ? "all are refused" : "others are told", with);
}

/* Around as many pages, and regions, as are gathered, and by filters behind them. */
static void try_many(struct own *own)
{
	const uint64_t all = own->all, there = SCAN_PRESENT;
	const uint64_t arg[][SOURCE_ARGS] = {
		{ PAGES, GATHERED - 1, [ARG_NOT_RETURNED] = all },
		{ PAGES, GATHERED, [ARG_NOT_RETURNED] = all },
		{ PAGES, GATHERED + 1, [ARG_NOT_RETURNED] = all },
		{ PAGES, GATHERED + 2 },
		{ GATHERED + 8 },
		{ PAGES, [ARG_MASK] = there, [ARG_NOT_RETURNED] = all & ~there },
		{ PAGES, [ARG_MASK] = there, [ARG_INVERTED] = there },
		{ PAGES, [ARG_ANY_OF] = there },
	};

	for (size_t i = 0; i < sizeof(arg) / sizeof(arg[0]); i++)
		try_args(own, arg[i]);
}

/*
 * By two categories, of which the first page has both or is asked not to have them, or
 * has one. By one alone also of the opposite, so that there is something to be left out;
 * and it isn't asked for, as what is not asked for needs not be looked up but for a filter.
 */
static void try_pair(struct own *own, uint64_t one, uint64_t two)
{
	const uint64_t both = one | two;
	const uint64_t arg[][SOURCE_ARGS] = {
		{ FEW, [ARG_MASK] = both, [ARG_INVERTED] = both & ~own->plain[0] },
		{ FEW, [ARG_ANY_OF] = both, [ARG_NOT_RETURNED] = both },
		/* One alone. */
		{ FEW, [ARG_MASK] = both, [ARG_NOT_RETURNED] = both },
		{ FEW, [ARG_MASK] = both, [ARG_INVERTED] = both, [ARG_NOT_RETURNED] = both },
		{ FEW, [ARG_ANY_OF] = both, [ARG_INVERTED] = both, [ARG_NOT_RETURNED] = both },
		{ FEW, [ARG_NOT_RETURNED] = own->all & ~both },
	};

	for (size_t i = 0; i < (one == two ? sizeof(arg) / sizeof(arg[0]) : 2); i++)
		try_args(own, arg[i]);
}

/* Of all pairs, every SCAN_OWN_PARTS - 1st from number @nr on. */
static void try_pairs(struct own *own, unsigned int nr)
{
	for (uint64_t one = own->all; one; one &= one - 1)
		for (uint64_t two = one; two; two &= two - 1, nr++)
			if (nr % (SCAN_OWN_PARTS - 1) == 0)
				try_pair(own, one & -one, two & -two);
}

/* The vDSO has a page that isn't anonymous, and is neither reclaimed nor moved. */
static void try_vdso(struct own *own)
{
	const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);

	if (!vdso)
		return;
	(void)*(const volatile char *)(uintptr_t)vdso;
	scan_plainly(own, vdso, 1);
	if (own->plain[0] & SCAN_FILE)
		try_pair(own, SCAN_FILE, SCAN_FILE);
}

/* Every other page was read and is the zero page. */
void scan_own(uint64_t categories, unsigned int part, struct source_fault *fault)
{
	const size_t page = sysconf(_SC_PAGESIZE), nr = part ? FEW : PAGES, size = nr * page;
	struct own *own = calloc(1, sizeof(*own));
	volatile char *memory;

	if (!own || scan_begin(getpid(), nr, true, &own->file)) {
		free(own);
		return;
	}
	own->all = categories;
	own->fault = fault;
	memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	if ((void *)memory != MAP_FAILED) {
		madvise((void *)memory, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < nr; i += 2)
			(void)memory[i * page];
		scan_plainly(own, (uintptr_t)memory, nr);
		if (part)
			try_pairs(own, part);
		else
			try_many(own);
		if (part == 1)
			try_vdso(own);
		munmap((void *)memory, size);
	}
	source_scan.close(own->file);
	free(own);
}
