// SPDX-License-Identifier: GPL-2.0
/*
 * What pagemap must show, as numbers written by hand; and that a single bit
 * of them that is otherwise is a mismatch on every kernel.
 */
#include <errno.h>
#include "proc/pagemap_bits.h"
#include "tests.h"

#define PAGE	PTWALK_FLAG_PAGE
#define ANON	PTWALK_FLAG_ANON
#define ONCE	(PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_HEAD_EXCLUSIVE)
#define SD	PTWALK_FLAG_SOFT_DIRTY
#define WP	PTWALK_FLAG_UFFD_WP

static const struct ptwalk_vma plain = {
	.start = TEST_ADDR,
	.last = TEST_ADDR + 0x3fffff,
	.flags = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE,
};

static const struct ptwalk_vma dirty = {
	.start = TEST_ADDR,
	.last = TEST_ADDR + 0x3fffff,
	.flags = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_SOFTDIRTY,
};

static const struct {
	const char *name;
	unsigned int kind, level, aux;
	uint32_t flags;
	uint64_t value;
	const struct ptwalk_vma *vma;
	uint64_t seen, step;
} cases[] = {
	{ "nothing", PTWALK_KIND_NONE, 0, 0, 0, 0, &plain, 0, 0 },
	{ "nothing, VMA soft-dirty", PTWALK_KIND_NONE, 0, 0, 0, 0, &dirty,
	  0x0080000000000000, 0 },
	{ "no VMA", PTWALK_KIND_NO_VMA, 0, 0, 0, 0, NULL, 0, 0 },
	{ "bad", PTWALK_KIND_BAD, 1, 0, 0, 0, &plain, 0, 0 },
	{ "anonymous, mapped twice", PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON,
	  0x12345, &plain, 0x8000000000012345, 1 },
	{ "anonymous, mapped once", PTWALK_KIND_PRESENT, 0, 0,
	  PAGE | ANON | ONCE, 0x12345, &plain, 0x8100000000012345, 1 },
	{ "file, mapped once", PTWALK_KIND_PRESENT, 0, 0, PAGE | ONCE, 0x12345,
	  &plain, 0xa100000000012345, 1 },
	{ "file, mapped twice", PTWALK_KIND_PRESENT, 0, 0, PAGE, 0x12345,
	  &plain, 0xa000000000012345, 1 },
	{ "zero page", PTWALK_KIND_PRESENT, 0, 0,
	  PTWALK_FLAG_ZERO | PTWALK_FLAG_SPECIAL, 0x3000, &plain,
	  0x8000000000003000, 1 },
	{ "special", PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0,
	  &plain, 0x80000000000febc0, 1 },
	{ "soft-dirty entry", PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | SD, 1,
	  &plain, 0x8080000000000001, 1 },
	{ "soft-dirty VMA", PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON, 1, &dirty,
	  0x8080000000000001, 1 },
	{ "uffd-wp", PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | WP, 1, &plain,
	  0x8200000000000001, 1 },
	{ "PROT_NONE", PTWALK_KIND_PRESENT, 0, 0,
	  PAGE | ANON | PTWALK_FLAG_PROT_NONE, 1, &plain, 0x8000000000000001,
	  1 },
	{ "THP, mapped once", PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, 0,
	  PAGE | ANON | ONCE | PTWALK_FLAG_LARGE, 0x12200, &plain,
	  0x8100000000012200, 1 },
	{ "swapped", PTWALK_KIND_SWAP, 0, 3, 0, 6, &plain, 0x40000000000000c3,
	  32 },
	{ "swapped, soft-dirty and uffd-wp", PTWALK_KIND_SWAP, 0, 3, SD | WP,
	  6, &plain, 0x42800000000000c3, 32 },
	{ "swapped, exclusive", PTWALK_KIND_SWAP, 0, 3,
	  PTWALK_FLAG_SWAP_EXCLUSIVE, 6, &plain, 0x40000000000000c3, 32 },
	{ "migration, anonymous", PTWALK_KIND_MIGRATION, 0, 30,
	  PAGE | ANON | ONCE, 0x12345, &plain, 0x40000000002468be, 32 },
	{ "migration, file", PTWALK_KIND_MIGRATION, 0, 30, PAGE, 0x12345,
	  &plain, 0x60000000002468be, 32 },
	{ "migration of a THP", PTWALK_KIND_MIGRATION, PTWALK_LEVEL_PMD, 30,
	  PAGE | ANON, 0x12200, &plain, 0x400000000024401e, 32 },
	{ "hwpoison", PTWALK_KIND_HWPOISON, 0, 31, PAGE | ANON, 0x12345,
	  &plain, 0x40000000002468bf, 32 },
	{ "device-private", PTWALK_KIND_DEVICE_PRIVATE, 0, 28, PAGE | ANON,
	  0x12345, &plain, 0x40000000002468bc, 32 },
	{ "uffd-wp marker", PTWALK_KIND_MARKER, 0, 27, 0,
	  PTWALK_MARKER_UFFD_WP, &plain, 0x420000000000003b, 0 },
	{ "poisoned marker", PTWALK_KIND_MARKER, 0, 27, 0,
	  PTWALK_MARKER_POISONED, &plain, 0x400000000000005b, 0 },
	{ "unknown", PTWALK_KIND_UNKNOWN, 0, 29, 0, 6, &plain,
	  0x40000000000000dd, 0 },
};

#define NR_CASES	(sizeof(cases) / sizeof(cases[0]))

static const unsigned int versions[][2] = {
	{ 6, 1 }, { 6, 12 }, { 6, 14 }, { 6, 18 }, { 7, 2 }, { 7, 3 },
};

#define NR_VERSIONS	(sizeof(versions) / sizeof(versions[0]))

static struct page_truth page_of(size_t i)
{
	return test_page(cases[i].kind, cases[i].level, cases[i].aux,
			 cases[i].flags, cases[i].value, cases[i].vma);
}

static void documented(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct expectation e;
	struct page_truth page;
	size_t i;

	for (i = 0; i < NR_CASES; i++) {
		page = page_of(i);
		expect_pagemap(&env, &page, &e);
		if (e.value != cases[i].seen || e.step != cases[i].step)
			fail_msg("%s: 0x%llx step %llu", cases[i].name,
				 (unsigned long long)e.value,
				 (unsigned long long)e.step);
		assert_true(e.mask == UINT64_MAX);
		assert_false(e.no_data);
	}
}

static void guards(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(7, 2);
	struct env env = { .kernel = &kernel };
	struct page_truth page = test_page(PTWALK_KIND_MARKER, 0, 27, 0,
					   PTWALK_MARKER_GUARD, &plain);
	struct expectation e;

	expect_pagemap(&env, &page, &e);
	assert_true(e.value == 0x440000000000009b);
}

/* Every page of the table, every kernel, every bit: nothing goes unseen. */
static void every_bit(void **state)
{
	struct ptwalk_kernel kernel;
	struct env env = { .kernel = &kernel };
	struct page_truth page;
	struct outcome run;
	size_t i, v;
	int bit;

	for (v = 0; v < NR_VERSIONS; v++) {
		kernel = test_kernel(versions[v][0], versions[v][1]);
		for (i = 0; i < NR_CASES; i++) {
			page = page_of(i);
			run = compare_page(&env, &test_pagemap, &page,
					   cases[i].seen, true);
			assert_int_equal(run.verdict, VERDICT_MATCH);
			for (bit = 0; bit < 64; bit++) {
				run = compare_page(&env, &test_pagemap, &page,
						   cases[i].seen ^ 1ULL << bit,
						   true);
				if (run.verdict != VERDICT_MISMATCH)
					fail_msg("%s on %u.%u: bit %d",
						 cases[i].name, kernel.major,
						 kernel.minor, bit);
			}
		}
	}
}

/* A page that an interface lost, one that it invented, one of its neighbour. */
static void whole_pages(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth page;
	struct outcome run;
	size_t i, j;

	for (i = 0; i < NR_CASES; i++) {
		page = page_of(i);
		for (j = 0; j < NR_CASES; j++) {
			if (cases[j].seen == cases[i].seen)
				continue;
			run = compare_page(&env, &test_pagemap, &page,
					   cases[j].seen, true);
			assert_int_equal(run.verdict, VERDICT_MISMATCH);
		}
		if (!cases[i].vma)
			continue;
		run = compare_page(&env, &test_pagemap, &page, 0, false);
		assert_int_equal(run.verdict, VERDICT_MISMATCH);
		if (!cases[i].step)
			continue;
		/* Off by one page. */
		run = compare_page(&env, &test_pagemap, &page,
				   cases[i].seen + cases[i].step, true);
		assert_int_equal(run.verdict, VERDICT_MISMATCH);
		run = compare_page(&env, &test_pagemap, &page,
				   cases[i].seen - cases[i].step, true);
		assert_int_equal(run.verdict, VERDICT_MISMATCH);
	}
}

/* Without the privilege frames read as zero, and anything else is wrong. */
static void hidden(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel, .pfn_hidden = true };
	struct page_truth page;
	struct outcome run;
	size_t i;

	for (i = 0; i < NR_CASES; i++) {
		page = page_of(i);
		run = compare_page(&env, &test_pagemap, &page,
				   cases[i].seen & ~((1ULL << 55) - 1), true);
		assert_int_equal(run.verdict, VERDICT_MATCH);
		if (!(cases[i].seen & ((1ULL << 55) - 1)))
			continue;
		run = compare_page(&env, &test_pagemap, &page, cases[i].seen,
				   true);
		assert_int_equal(run.verdict, VERDICT_MISMATCH);
	}
}

/* A page that failed has the flag, those of a hugetlb page may. */
static void poisoned(void **state)
{
	const struct ptwalk_vma huge = {
		.flags = PTWALK_VMA_FLAG_HUGETLB, .page_shift = 21,
	};
	const struct ptwalk_vma small = { .page_shift = 12 };
	const struct ptwalk_vma *const vmas[] = { NULL, &small, &huge };
	struct ptwalk_kernel kernel = test_kernel(6, 1);
	struct env env = { .kernel = &kernel };

	for (int i = 0; i < 3; i++) {
		struct page_truth page = test_page(PTWALK_KIND_HWPOISON,
			vmas[i] == &huge ? PTWALK_LEVEL_PMD : PTWALK_LEVEL_PTE, 31,
			PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM, 0x200, vmas[i]);
		struct outcome run = compare_page(&env, &test_kpageflags, &page, 0,
						  true);

		assert_int_equal(run.verdict, vmas[i] == &huge ? VERDICT_MATCH :
							     VERDICT_MISMATCH);
	}
}

/*
 * Of a hugetlb page that failed the module doesn't say whether it is anonymous: a private
 * one is taken for that, and PAGE_IS_FILE is wrong of it.
 */
static void failed_hugetlb_in_scans(void **state)
{
	const struct ptwalk_vma vmas[] = {
		{ .flags = PTWALK_VMA_FLAG_HUGETLB, .page_shift = 21 },
		{ .flags = PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_SHARED, .page_shift = 21 },
	};
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel, .scan_categories = UINT64_MAX };

	for (int shared = 0; shared < 2; shared++) {
		struct page_truth page = test_page(PTWALK_KIND_HWPOISON, PTWALK_LEVEL_PMD,
			31, PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM, 0x200, &vmas[shared]);
		struct expectation e;

		expect_scan(&env, &page, &e);
		assert_int_equal(!!(e.value & SCAN_FILE), shared);
		assert_int_equal(compare_page(&env, &test_scan, &page, e.value & ~SCAN_FILE,
					      true).verdict,
				 shared ? VERDICT_EXPLAINED : VERDICT_MATCH);
		assert_int_equal(compare_page(&env, &test_scan, &page, e.value | SCAN_FILE,
					      true).verdict, VERDICT_MISMATCH);
	}
}

/* What the module says of a folio is what kpageflags shows of its pages. */
static void own_flags(void **state)
{
	/* uptodate, swapcache, swapbacked, mlocked */
	static const int bits[] = { 3, 13, 14, 33 };
	const uint64_t head = 1 << 11 | 1 << 12 | 1 << 15 | 1 << 22;
	const uint64_t own = 1 << 3 | 1 << 13 | 1 << 14 | 1ULL << 33;
	uint64_t shown;
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct ptwalk_page facts = {
		.flags = PTWALK_PAGE_FLAG_UPTODATE | PTWALK_PAGE_FLAG_SWAPBACKED |
			 PTWALK_PAGE_FLAG_MLOCKED | PTWALK_PAGE_FLAG_SWAPCACHE,
		.place = 9,
	};
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0,
		PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_LARGE |
		PTWALK_FLAG_ANON, 0x200, NULL);

	page.facts = &facts;
	for (int tail = 0; tail < 2; tail++) {
		shown = head | own;
		if (tail) {
			shown ^= 1 << 15 | 1 << 16;
			facts.place |= 1ULL << 32;
		}
		assert_int_equal(compare_page(&env, &test_kpageflags, &page, shown,
					      true).verdict, VERDICT_MATCH);
		for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
			assert_int_equal(compare_page(&env, &test_kpageflags, &page,
						      shown ^ 1ULL << bits[i],
						      true).verdict, VERDICT_MISMATCH);
	}
	/* In older kernels a tail has flags of its own. */
	kernel.minor = 9;
	shown &= ~own;
	assert_int_equal(compare_page(&env, &test_kpageflags, &page, shown,
				      true).verdict, VERDICT_MATCH);
}

/* Which page of a folio is the first one, an entry may tell without facts. */
static void places(void **state)
{
	const uint64_t head = 1 << 15, tail = 1 << 16;
	const uint64_t thp = 1 << 11 | 1 << 12 | 1 << 22, hugetlb = 1 << 11 | 1 << 17;
	const struct ptwalk_vma huge = { .page_shift = 21 };
	const uint32_t flags = PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_LARGE;
	const struct {
		unsigned int level;
		uint32_t flags;
		uint64_t value, shown;
		bool told;
		uint64_t stretch;
	} pages[] = {
		{ PTWALK_LEVEL_PMD, PTWALK_FLAG_ANON, 0x200, thp | head, true, 1 },
		{ PTWALK_LEVEL_PMD, PTWALK_FLAG_ANON, 0x201, thp | tail, true, 511 },
		{ PTWALK_LEVEL_PMD, PTWALK_FLAG_ANON, 0x3ff, thp | tail, true, 1 },
		{ PTWALK_LEVEL_PTE, PTWALK_FLAG_HUGETLB, 0x400, hugetlb | head, true, 1 },
		{ PTWALK_LEVEL_PTE, PTWALK_FLAG_HUGETLB, 0x410, hugetlb | tail, true, 496 },
		{ PTWALK_LEVEL_PTE, PTWALK_FLAG_ANON, 0x210, thp | tail, false, UINT64_MAX },
	};
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth page;
	enum verdict other;

	kernel.level_shift[PTWALK_LEVEL_PMD] = 21;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		page = test_page(PTWALK_KIND_PRESENT, pages[i].level, 0,
				 flags | pages[i].flags, pages[i].value, &huge);
		assert_int_equal(stretch_kpageflags(&env, &page), pages[i].stretch);
		assert_int_equal(compare_page(&env, &test_kpageflags, &page,
					      pages[i].shown, true).verdict, VERDICT_MATCH);
		other = compare_page(&env, &test_kpageflags, &page,
				     pages[i].shown ^ (head | tail), true).verdict;
		assert_int_equal(other, pages[i].told ? VERDICT_MISMATCH : VERDICT_MATCH);
		assert_int_equal(compare_page(&env, &test_kpageflags, &page,
					      pages[i].shown ^ 1 << 11, true).verdict,
				 VERDICT_MISMATCH);
	}
}

/* Without map counts for each page kpagecount shows the folio's, rounded. */
static void average_counts(void **state)
{
	static const struct {
		uint32_t all, entire;
		uint64_t shown;
	} folios[] = {
		{ 0, 0, 0 }, { 1, 0, 1 }, { 255, 0, 1 }, { 767, 0, 1 },
		{ 768, 0, 2 }, { 1, 1, 1 }, { 256, 1, 1 }, { 257, 1, 2 },
		{ 3, 3, 3 }, { 515, 3, 4 },
	};
	struct ptwalk_kernel kernel = test_kernel(7, 3);
	struct env env = { .kernel = &kernel };
	struct ptwalk_page facts = { .place = 9 };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0,
		PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_LARGE, 0x200,
		NULL);

	kernel.features &= ~PTWALK_FEATURE_PAGE_MAPCOUNT;
	page.facts = &facts;
	for (size_t i = 0; i < sizeof(folios) / sizeof(folios[0]); i++) {
		facts.folio_counts = folios[i].all |
				     (uint64_t)folios[i].entire << 32;
		for (uint64_t seen = 0; seen < 6; seen++)
			assert_int_equal(compare_page(&env, &test_kpagecount,
						      &page, seen, true).verdict,
					 seen == folios[i].shown ?
					 VERDICT_MATCH : VERDICT_MISMATCH);
	}
}

/* The inode of a page's cgroup, and of a tail's before Linux 6.4 none. */
static void cgroups(void **state)
{
	const struct {
		unsigned int minor;
		uint64_t cgroup, seen;
		bool tail, well;
	} cases[] = {
		{ 12, 5, KPAGE_CHARGED | 5, false, true },
		{ 12, 5, KPAGE_CHARGED | 5, true, true },
		{ 12, 5, KPAGE_CHARGED | 4, false, false },
		{ 12, 5, 0, true, false }, { 12, 5, 0, false, false }, { 12, 0, 0, true, true },
		{ 12, 0, KPAGE_CHARGED | 5, false, false },
		{ 1, 5, 0, true, true }, { 1, 5, 0, false, false },
		{ 1, 5, KPAGE_CHARGED | 5, true, true },
		{ 1, 5, KPAGE_CHARGED | 4, true, false },
		{ 1, 5, KPAGE_CHARGED | 5, false, true },
		{ 1, 0, 0, true, true },
	};
	struct ptwalk_kernel kernel;
	struct env env = { .kernel = &kernel, .memcg = true };
	struct ptwalk_page facts;
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0,
		PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_LARGE, 0x200,
		NULL);
	enum verdict verdict;

	page.facts = &facts;
	page.has_cgroup = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kernel = test_kernel(6, cases[i].minor);
		facts = (struct ptwalk_page){
			.place = 4 | (uint64_t)cases[i].tail << 32,
		};
		page.cgroup = cases[i].cgroup;
		verdict = compare_page(&env, &test_kpagecgroup, &page,
				       cases[i].seen, true).verdict;
		assert_int_equal(verdict == VERDICT_MISMATCH, !cases[i].well);
	}
}

/* Without facts, a tail may be of nobody before Linux 6.4. */
static void cgroups_in_bulk(void **state)
{
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, 0,
		PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | PTWALK_FLAG_LARGE |
		PTWALK_FLAG_ANON, 0x200, NULL);
	struct ptwalk_kernel kernel;
	struct env env = { .kernel = &kernel, .memcg = true };

	for (unsigned int minor = 1; minor <= 12; minor += 11) {
		kernel = test_kernel(6, minor);
		assert_int_equal(compare_page(&env, &test_kpagecgroup, &page,
					      KPAGE_CHARGED | 5, true).verdict, VERDICT_MATCH);
		assert_int_equal(compare_page(&env, &test_kpagecgroup, &page, 0, true).verdict,
				 minor < 4 ? VERDICT_MATCH : VERDICT_MISMATCH);
	}
}

/* No kpage file may end before a page that is mapped, whatever it shows of that. */
static void ends_before(void **state)
{
	static const struct source *const files[] = {
		&test_kpageflags, &test_kpagecount, &test_kpagecgroup,
	};
	static const uint32_t kinds[] = {
		PTWALK_FLAG_ANON, 0, PTWALK_FLAG_HUGETLB | PTWALK_FLAG_LARGE,
		PTWALK_FLAG_ANON | PTWALK_FLAG_LARGE,
	};
	struct ptwalk_page facts = { .counts = 1ULL << 32 };
	struct ptwalk_kernel kernel;
	struct env env = { .kernel = &kernel };
	struct page_truth page;

	for (size_t i = 0; i < 2 * 2 * 2 * 4 * 3; i++) {
		kernel = test_kernel(6, i & 1 ? 12 : 1);
		env.memcg = i & 2;
		page = test_page(PTWALK_KIND_PRESENT, 0, 0,
				 PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | kinds[i / 8 % 4],
				 0x200, NULL);
		page.facts = i & 4 ? &facts : NULL;
		assert_int_equal(compare_page(&env, files[i / 32], &page, KPAGE_END,
					      true).verdict, VERDICT_MISMATCH);
	}
}

/* What is mapped is in core, and what may be elsewhere isn't compared. */
static void in_core(void **state)
{
	static const struct ptwalk_vma anon = { .flags = PTWALK_VMA_FLAG_ANONYMOUS };
	static const struct ptwalk_vma zero = {
		.flags = PTWALK_VMA_FLAG_ANONYMOUS, .dev_minor = 6, .inode = 5,
	};
	static const struct ptwalk_vma vdso;
	static const struct {
		uint32_t kind;
		const struct ptwalk_vma *vma;
		int64_t seen;
		bool skipped;
	} cases[] = {
		{ PTWALK_KIND_PRESENT, &anon, 1 }, { PTWALK_KIND_PRESENT, &vdso, 1 },
		{ PTWALK_KIND_MIGRATION, &anon, 1 },
		{ PTWALK_KIND_HWPOISON, &anon, 1 }, { PTWALK_KIND_NONE, &anon, 0 },
		{ PTWALK_KIND_NONE, &zero, 0, true },
		{ PTWALK_KIND_NONE, &vdso, 0, true },
		{ PTWALK_KIND_SWAP, &anon, 0, true },
		{ PTWALK_KIND_MARKER, &anon, 0, true },
		{ PTWALK_KIND_NO_VMA, NULL, -ENOMEM },
	};
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct page_truth page = test_page(cases[i].kind, 0, 0, 0, 0x200,
						   cases[i].vma);

		assert_int_equal(grain_mincore(&env, &page),
				 cases[i].skipped ? SOURCE_SKIPS : SOURCE_RUN);
		for (int64_t seen = -ENOMEM; seen < 3 && !cases[i].skipped; seen++)
			assert_int_equal(compare_page(&env, &test_mincore, &page,
						      seen, true).verdict,
					 seen == cases[i].seen ?
					 VERDICT_MATCH : VERDICT_MISMATCH);
	}
}

/* Nodes of pages, and the errors of what is no page, by kernel. */
static void nodes_of_pages(void **state)
{
	static const struct ptwalk_vma secret = {
		.start = TEST_ADDR, .last = TEST_ADDR + 0xfff,
		.flags = PTWALK_VMA_FLAG_LOCKED | PTWALK_VMA_FLAG_DONTDUMP,
	};
	enum { here = PAGE | PTWALK_FLAG_RAM, skipped = 1000 };
	static const struct {
		unsigned int kind, level;
		uint32_t flags;
		const struct ptwalk_vma *vma;
		int since_6_12, before;
	} pages[] = {
		{ PTWALK_KIND_PRESENT, 0, here, &plain, 3, 3 },
		{ PTWALK_KIND_PRESENT, 1, here | ANON, &plain, 3, 3 },
		{ PTWALK_KIND_PRESENT, 2, here | PTWALK_FLAG_HUGETLB, &plain, 3, 3 },
		{ PTWALK_KIND_PRESENT, 0, here | PTWALK_FLAG_PROT_NONE, &plain,
		  3, skipped },
		{ PTWALK_KIND_PRESENT, 0, here, &secret, 3, skipped },
		{ PTWALK_KIND_PRESENT, 0, PTWALK_FLAG_RAM | PTWALK_FLAG_ZERO,
		  &plain, -14, skipped },
		{ PTWALK_KIND_PRESENT, 0, PTWALK_FLAG_SPECIAL, &plain, -2, skipped },
		{ PTWALK_KIND_PRESENT, 2, PTWALK_FLAG_SPECIAL, &plain, skipped,
		  skipped },
		/* Device memory with a struct page. */
		{ PTWALK_KIND_PRESENT, 0, PAGE, &plain, -2, skipped },
		{ PTWALK_KIND_MIGRATION, 0, here, &plain, -2, skipped },
		{ PTWALK_KIND_SWAP, 0, 0, &plain, -2, skipped },
		{ PTWALK_KIND_NONE, 0, 0, &plain, -2, skipped },
		{ PTWALK_KIND_NO_VMA, 0, 0, NULL, -14, skipped },
	};
	const struct ptwalk_page facts = { .place = 5 << 8 };

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		for (int v = 0; v < 4; v++) {
			struct ptwalk_kernel kernel = v & 1 ?
				test_kernel(6, 12) : test_kernel(6, 1);
			struct env env = {
				.kernel = &kernel, .node = 3, .many_nodes = v & 2,
			};
			struct page_truth page = test_page(pages[i].kind,
				pages[i].level, 0, pages[i].flags, 0x200,
				pages[i].vma);
			int64_t want = v & 1 ? pages[i].since_6_12 :
					       pages[i].before;

			page.facts = env.many_nodes ? &facts : NULL;
			if (want == skipped) {
				assert_int_equal(grain_move_pages(&env, &page),
						 SOURCE_SKIPS);
				continue;
			}
			if (want == 3 && env.many_nodes)
				want = 5;
			assert_int_equal(grain_move_pages(&env, &page),
					 want == 5 ? SOURCE_FACTS : SOURCE_RUN);
			for (int64_t seen = -20; seen < 8; seen++)
				assert_int_equal(compare_page(&env,
					&test_move_pages, &page, seen,
					true).verdict, seen == want ?
					VERDICT_MATCH : VERDICT_MISMATCH);
		}
	}
}

SUITE(suite_expect,
      cmocka_unit_test(documented), cmocka_unit_test(guards),
      cmocka_unit_test(every_bit), cmocka_unit_test(whole_pages),
      cmocka_unit_test(hidden), cmocka_unit_test(poisoned),
      cmocka_unit_test(failed_hugetlb_in_scans), cmocka_unit_test(own_flags),
      cmocka_unit_test(places), cmocka_unit_test(average_counts), cmocka_unit_test(cgroups),
      cmocka_unit_test(cgroups_in_bulk), cmocka_unit_test(ends_before),
      cmocka_unit_test(in_core), cmocka_unit_test(nodes_of_pages));
