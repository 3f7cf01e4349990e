// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs that kernels have had, or could have, in what they tell about memory:
 * whatever kernel shows one, even with --known-bugs, it is a mismatch.
 */
#include "tests.h"

#define PAGE	PTWALK_FLAG_PAGE
#define ANON	PTWALK_FLAG_ANON
#define RAM	PTWALK_FLAG_RAM
#define ONCE	(PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_HEAD_EXCLUSIVE)
#define SD	PTWALK_FLAG_SOFT_DIRTY
#define WP	PTWALK_FLAG_UFFD_WP
#define LARGE	PTWALK_FLAG_LARGE
#define HUGE	(PTWALK_FLAG_HUGETLB | LARGE)
#define ZERO	PTWALK_FLAG_ZERO
#define PMD	PTWALK_LEVEL_PMD
#define PUD	PTWALK_LEVEL_PUD

static const struct ptwalk_vma plain = { .flags = PTWALK_VMA_FLAG_READ };
static const struct ptwalk_vma dirty = { .flags = PTWALK_VMA_FLAG_SOFTDIRTY };
static const struct ptwalk_vma uffd = { .flags = PTWALK_VMA_FLAG_UFFD_WP };
static const struct ptwalk_vma rwp = { .flags = PTWALK_VMA_FLAG_UFFD_RWP };
static const struct ptwalk_vma pfnmap = {
	.flags = PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_IO,
};
static const struct ptwalk_vma hugetlb = {
	.flags = PTWALK_VMA_FLAG_HUGETLB,
	.page_shift = 21,
};
static const struct ptwalk_vma gigantic = {
	.flags = PTWALK_VMA_FLAG_HUGETLB,
	.page_shift = 30,
};

static const struct {
	const char *bug;
	const struct source *source;
	unsigned int kind, level, aux;
	uint32_t flags;
	uint64_t value;
	const struct ptwalk_vma *vma;
	uint64_t seen;
} bugs[] = {
	{ "a hole isn't soft-dirty where its VMA is", &test_pagemap,
	  PTWALK_KIND_NONE, PMD, 0, 0, 0, &dirty, 0 },
	{ "a hole is soft-dirty where its VMA isn't", &test_pagemap,
	  PTWALK_KIND_NONE, 0, 0, 0, 0, &plain, 0x0080000000000000 },
	{ "a page isn't soft-dirty where its VMA is", &test_pagemap,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | ONCE, 1, &dirty,
	  0x8100000000000001 },
	{ "soft-dirty of a THP is lost", &test_pagemap,
	  PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | LARGE | SD,
	  0x12200, &plain, 0x8100000000012200 },
	{ "soft-dirty of a swapped page is lost", &test_pagemap,
	  PTWALK_KIND_SWAP, 0, 3, SD, 6, &plain, 0x40000000000000c3 },
	{ "the upper half is lost on 32 bits", &test_pagemap,
	  PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | LARGE, 0x12200,
	  &plain, 0x12200 },
	{ "all of a THP has the frame of its first page", &test_pagemap,
	  PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | LARGE, 0x12205,
	  &plain, 0x8100000000012200 },
	{ "the frame of a THP is counted from the read's start", &test_pagemap,
	  PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | LARGE, 0x12200,
	  &plain, 0x8100000000012205 },
	{ "a THP of a file has no PM_FILE", &test_pagemap,
	  PTWALK_KIND_PRESENT, PMD, 0, PAGE | ONCE | LARGE, 0x12200, &plain,
	  0x8100000000012200 },
	{ "an anonymous page has PM_FILE", &test_pagemap,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | ONCE, 1, &plain,
	  0xa100000000000001 },
	{ "a page that is mapped twice is exclusive", &test_pagemap,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON, 1, &plain,
	  0x8100000000000001 },
	{ "a migrating page is exclusive", &test_pagemap,
	  PTWALK_KIND_MIGRATION, 0, 30, PAGE | ANON | ONCE, 0x12345, &plain,
	  0x41000000002468be },
	{ "a migrating THP is exclusive", &test_pagemap,
	  PTWALK_KIND_MIGRATION, PMD, 30, PAGE | ANON | ONCE | LARGE, 0x12200,
	  &plain, 0x410000000024401e },
	{ "a swap offset keeps the accessed and dirty bits", &test_pagemap,
	  PTWALK_KIND_MIGRATION, 0, 30, PAGE | ANON, 0x12345, &plain,
	  0x400c0000002468be },
	{ "the offset of a migrating THP is of its first page", &test_pagemap,
	  PTWALK_KIND_MIGRATION, PMD, 30, PAGE | ANON | LARGE, 0x12205,
	  &plain, 0x400000000024401e },
	{ "a swap type is lost", &test_pagemap,
	  PTWALK_KIND_SWAP, 0, 3, 0, 6, &plain, 0x40000000000000c0 },
	{ "a migrating hugetlb page shows an offset without a type",
	  &test_pagemap, PTWALK_KIND_MIGRATION, PMD, 30, PAGE | HUGE, 0x12200,
	  &hugetlb, 0x4000000000244000 },
	{ "a migrating hugetlb page shows the frame", &test_pagemap,
	  PTWALK_KIND_MIGRATION, PMD, 30, PAGE | HUGE, 0x12200, &hugetlb,
	  0x0000000000012200 },
	{ "a hugetlb page of 1 GiB repeats the first 2 MiB", &test_pagemap,
	  PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | ONCE | HUGE, 0x40200,
	  &gigantic, 0x8100000000040000 },
	{ "a uffd-wp marker is lost", &test_pagemap,
	  PTWALK_KIND_MARKER, 0, 27, WP, PTWALK_MARKER_UFFD_WP, &uffd, 0 },
	{ "a uffd-wp marker is a swapped page", &test_pagemap,
	  PTWALK_KIND_MARKER, 0, 27, WP, PTWALK_MARKER_UFFD_WP, &uffd,
	  0x400000000000003b },
	{ "uffd-wp of a THP is lost", &test_pagemap,
	  PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | LARGE | WP,
	  0x12200, &uffd, 0x8100000000012200 },
	{ "a poisoned page is a guard", &test_pagemap,
	  PTWALK_KIND_MARKER, 0, 27, 0, PTWALK_MARKER_POISONED, &plain,
	  0x440000000000005b },
	{ "a hole is a guard", &test_pagemap,
	  PTWALK_KIND_NONE, 0, 0, 0, 0, &plain, 0x0400000000000000 },
	{ "PROT_NONE shows nothing", &test_pagemap,
	  PTWALK_KIND_PRESENT, 0, 0,
	  PAGE | ANON | ONCE | PTWALK_FLAG_PROT_NONE, 1, &plain, 0 },
	{ "PROT_NONE shows the inverted frame", &test_pagemap,
	  PTWALK_KIND_PRESENT, 0, 0,
	  PAGE | ANON | ONCE | PTWALK_FLAG_PROT_NONE, 1, &plain,
	  0x8100fffffffffffe },
	{ "a driver's mapping shows a frame, and the wrong one",
	  &test_pagemap, PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL,
	  0xfebc0, &pfnmap, 0x80000000000febc1 },
	{ "frames are shown to those who may not see them",
	  &test_pagemap_hidden, PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | ONCE,
	  0x12345, &plain, 0x8100000000012345 },
	{ "swap offsets are shown to those who may not see them",
	  &test_pagemap_hidden, PTWALK_KIND_SWAP, 0, 3, 0, 6, &plain,
	  0x40000000000000c3 },

	{ "a protected page is written", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM | WP, 1, &uffd,
	  0x800a },
	{ "a protected swapped page is written", &test_scan,
	  PTWALK_KIND_SWAP, 0, 3, WP, 6, &uffd, 0x8012 },
	{ "a protected THP is written", &test_scan,
	  PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | RAM | LARGE | WP, 0x12200,
	  &uffd, 0x804a },
	{ "a page that was written isn't", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &uffd, 0x8008 },
	{ "a swapped page is written for one scan alone", &test_scan,
	  PTWALK_KIND_SWAP, 0, 3, WP, 6, &uffd, 0x8010 | 0x8002ULL << 16 },
	{ "a page nobody protects is accessed", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain, 0x8208 },
	{ "a protected page is accessed", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM | WP, 1, &rwp, 0x8208 },
	{ "a hole is accessed", &test_scan,
	  PTWALK_KIND_NONE, 0, 0, 0, 0, &rwp, 0x8200 },
	{ "a page in a hole is present", &test_scan,
	  PTWALK_KIND_NONE, 0, 0, 0, 0, &plain, 0x8008 },
	{ "a page isn't reported", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain, 0 },
	{ "a small page is huge", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain, 0x8048 },
	{ "the zero page isn't known", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, ZERO | RAM, 0x3000, &plain, 0x8008 },
	{ "a page of a file isn't", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | RAM, 1, &plain, 0x8008 },
	{ "a driver's mapping is reported", &test_scan,
	  PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap,
	  0x8080 },

	{ "a page of a file is KSM", &test_kpageflags,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | RAM, 1, &plain, 0x200800 },
	{ "a mapped page isn't mapped", &test_kpageflags,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain, 0x1000 },
	{ "a mapped page is free", &test_kpageflags,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain, 0x1c00 },
	{ "memory that is there has no page", &test_kpageflags,
	  PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain,
	  0x100000 },
};

static void unexcused(void **state)
{
	static const unsigned int versions[][2] = {
		{ 6, 1 }, { 6, 6 }, { 6, 7 }, { 6, 12 }, { 6, 14 }, { 6, 18 },
		{ 7, 2 }, { 7, 3 },
	};
	struct ptwalk_kernel kernel;
	struct env env = {
		.kernel = &kernel,
		.scan_categories = 0x3ff,
		.known_bugs = true,
		.memcg = true,
	};
	struct page_truth page;
	struct outcome run;
	size_t i, v;

	for (v = 0; v < sizeof(versions) / sizeof(versions[0]); v++) {
		kernel = test_kernel(versions[v][0], versions[v][1]);
		for (i = 0; i < sizeof(bugs) / sizeof(bugs[0]); i++) {
			page = test_page(bugs[i].kind, bugs[i].level,
					 bugs[i].aux, bugs[i].flags,
					 bugs[i].value, bugs[i].vma);
			run = compare_page(&env, bugs[i].source, &page,
					   bugs[i].seen, true);
			if (run.verdict != VERDICT_MISMATCH)
				fail_msg("%u.%u: %s: %s", kernel.major,
					 kernel.minor, bugs[i].bug,
					 verdict_name[run.verdict]);
		}
	}
}

/* A page that may be accessed where others aren't: right only so. */
static void accessed(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(7, 3);
	struct env env = { .kernel = &kernel, .scan_categories = 0x3ff };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0,
					   PAGE | ANON | RAM, 1, &rwp);

	assert_int_equal(compare_page(&env, &test_scan, &page, 0x8208,
				      true).verdict, VERDICT_MATCH);
	assert_int_equal(compare_page(&env, &test_scan, &page, 0x8008,
				      true).verdict, VERDICT_MISMATCH);
	/* A kernel that doesn't know it can't tell. */
	env.scan_categories = 0x1ff;
	assert_int_equal(compare_page(&env, &test_scan, &page, 0x8008,
				      true).verdict, VERDICT_MATCH);
}

SUITE(suite_oldbugs, cmocka_unit_test(unexcused), cmocka_unit_test(accessed));
