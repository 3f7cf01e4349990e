// SPDX-License-Identifier: GPL-2.0
/* Pages that are not read as that can crash the kernel, and reads around them. */
#include "check/rules.h"
#include "sources/stride.h"
#include "tests.h"

#define SPECIAL	PTWALK_FLAG_SPECIAL
#define MIXED	PTWALK_VMA_FLAG_MIXEDMAP
#define PMD	PTWALK_LEVEL_PMD

/* The first can crash the kernel; each of the others is close to it, and cannot. */
static const struct {
	bool crashes;
	unsigned int major, minor, kind, level;
	uint32_t flags;
	uint64_t vma_flags;
} cases[] = {
	{ true, 6, 12, PTWALK_KIND_PRESENT, PMD, SPECIAL, MIXED },
	{ true, 7, 2, PTWALK_KIND_PRESENT, PMD, SPECIAL, MIXED },
	{ false, 6, 11, PTWALK_KIND_PRESENT, PMD, SPECIAL, MIXED },
	{ false, 7, 3, PTWALK_KIND_PRESENT, PMD, SPECIAL, MIXED },
	{ false, 7, 2, PTWALK_KIND_NONE, PMD, 0, MIXED },
	{ false, 7, 2, PTWALK_KIND_MIGRATION, PMD, 0, MIXED },
	{ false, 7, 2, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, SPECIAL, MIXED },
	/* That one the walker splits. */
	{ false, 7, 2, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PUD, SPECIAL, MIXED },
	{ false, 7, 2, PTWALK_KIND_PRESENT, PMD, PTWALK_FLAG_PAGE, MIXED },
	{ false, 7, 2, PTWALK_KIND_PRESENT, PMD, SPECIAL | PTWALK_FLAG_RAM, MIXED },
	{ false, 7, 2, PTWALK_KIND_PRESENT, PMD, SPECIAL | PTWALK_FLAG_ZERO, MIXED },
	{ false, 7, 2, PTWALK_KIND_PRESENT, PMD, SPECIAL, 0 },
	{ false, 7, 2, PTWALK_KIND_PRESENT, PMD, SPECIAL, PTWALK_VMA_FLAG_PFNMAP },
};

static void crash_rules(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptwalk_kernel kernel = test_kernel(cases[i].major,
							  cases[i].minor);
		struct env env = { .kernel = &kernel };
		struct ptwalk_vma vma = { .flags = cases[i].vma_flags };
		struct page_truth page = test_page(cases[i].kind, cases[i].level,
						   0, cases[i].flags, 0xfe000,
						   &vma);
		const struct rule *rule = rules_crash(&env, &page);

		if (!rule != !cases[i].crashes)
			fail_msg("case %zu: %s", i, rule ? rule->name : "no rule");
		if (rule)
			assert_string_equal(rule->name, "special-pmd-bug");
	}
}

/* Memory that went while it was mapped: on any kernel, by any entry. */
static void stale(void **state)
{
	static const struct {
		bool crashes;
		unsigned int kind, level;
		uint32_t flags;
	} cases[] = {
		{ true, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, PTWALK_FLAG_STALE },
		{ true, PTWALK_KIND_PRESENT, PMD,
		  PTWALK_FLAG_STALE | PTWALK_FLAG_DEVMAP },
		{ false, PTWALK_KIND_PRESENT, PMD, PTWALK_FLAG_DEVMAP },
		{ false, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, PTWALK_FLAG_PAGE },
		{ false, PTWALK_KIND_NONE, PTWALK_LEVEL_PTE, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned int minor = 0; minor < 20; minor++) {
			struct ptwalk_kernel kernel = test_kernel(6 + minor % 2, minor);
			struct env env = { .kernel = &kernel };
			struct ptwalk_vma vma = { .flags = 0 };
			struct page_truth page =
				test_page(cases[i].kind, cases[i].level, 0,
					  cases[i].flags, 0x20000, &vma);
			const struct rule *rule = rules_crash(&env, &page);

			assert_int_equal(!!rule, cases[i].crashes);
			if (rule) {
				assert_string_equal(rule->name, "stale-page-bug");
				assert_true(rule->sums);
			}
		}
}

/* Of kpageflags: what is likely to be made a huge page, unless it was named. */
static void compound(void **state)
{
	static const struct {
		bool skipped;
		unsigned int major, minor;
		uint32_t flags;
		bool named;
	} cases[] = {
		{ true, 6, 1, PTWALK_FLAG_LARGE },
		{ true, 5, 18, PTWALK_FLAG_LARGE },
		{ false, 6, 1, PTWALK_FLAG_LARGE, .named = true },
		{ false, 6, 1, PTWALK_FLAG_LARGE | PTWALK_FLAG_HUGETLB },
		{ false, 6, 1, 0 },
		{ false, 5, 17, PTWALK_FLAG_LARGE },
		{ false, 6, 2, PTWALK_FLAG_LARGE },
	};
	const struct rule *rule = rule_find("kpageflags-compound-bug");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptwalk_kernel kernel = test_kernel(cases[i].major,
							  cases[i].minor);
		struct env env = { .kernel = &kernel, .careful = !cases[i].named };
		struct ptwalk_vma vma = { .flags = 0 };
		struct page_truth page =
			test_page(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, 0,
				  PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM | cases[i].flags,
				  0x20000, &vma);

		assert_int_equal(grain_kpageflags(&env, &page) == SOURCE_SKIPS,
				 cases[i].skipped);
		assert_int_not_equal(grain_kpagecount(&env, &page), SOURCE_SKIPS);
		/* It is no difference that is explained, nor passed over. */
		assert_false(rules_for(&env, &test_kpageflags, &page) &
			     1ULL << (rule - rules));
		assert_ptr_not_equal(rules_bug_of(&env, &test_kpageflags), rule);
	}
}

static void assert_stride(struct stride s, uint64_t first, size_t nr, size_t skip)
{
	assert_int_equal(s.first, first);
	assert_int_equal(s.nr, nr);
	assert_int_equal(s.skip, skip);
}

/* 61 entries each, which begin at 7, 68, 129... */
static void strides(void **state)
{
	const uint64_t all = UINT64_MAX >> 12;

	assert_stride(stride_at(68, 61, 7, 0, all), 68, 61, 0);
	assert_stride(stride_at(100, 61, 7, 0, all), 68, 61, 32);
	assert_stride(stride_at(128, 61, 7, 0, all), 68, 61, 60);
	assert_stride(stride_at(3, 61, 7, 0, all), 0, 61, 3);
	assert_stride(stride_at(1234, 1, 0, 0, all), 1234, 1, 0);
	assert_stride(stride_at(all, 512, 0, 0, all), all - 511, 512, 511);
	/* Nothing before @low, and the end stays where it is. */
	assert_stride(stride_at(100, 61, 7, 90, all), 90, 39, 10);
	assert_stride(stride_at(100, 61, 7, 100, all), 100, 29, 0);
	assert_stride(stride_at(100, 61, 7, 68, all), 68, 61, 32);
	/* Nothing behind @high. */
	assert_stride(stride_at(100, 61, 7, 0, 110), 68, 43, 32);
	assert_stride(stride_at(100, 61, 7, 0, 100), 68, 33, 32);
	assert_stride(stride_at(100, 61, 7, 0, 128), 68, 61, 32);
	assert_stride(stride_at(100, 61, 7, 0, 127), 68, 60, 32);
	assert_stride(stride_at(100, 61, 7, 100, 100), 100, 1, 0);
}

/* What is read for the wanted entry, in pieces that begin at 7, 68... 495, 556. */
static void assert_at_border(uint64_t wanted, uint64_t low, uint64_t high,
			     uint64_t first, uint64_t last)
{
	struct stride s = stride_at(wanted, 61, 7, low, high);

	assert_stride(stride_at_border(s, 512, low), first, last - first + 1, wanted - first);
}

static void borders(void **state)
{
	const uint64_t all = UINT64_MAX >> 12;
	struct stride s;

	assert_at_border(494, 0, all, 434, 494);
	assert_at_border(495, 0, all, 495, 512);
	assert_at_border(512, 0, all, 495, 512);
	assert_at_border(513, 0, all, 511, 515);
	assert_at_border(515, 0, all, 511, 515);
	assert_at_border(516, 0, all, 516, 555);
	assert_at_border(555, 0, all, 516, 555);
	assert_at_border(556, 0, all, 556, 616);
	/* No more than may be read. */
	assert_at_border(500, 499, 505, 499, 505);
	assert_at_border(512, 512, all, 512, 512);
	assert_at_border(513, 513, all, 513, 555);
	assert_at_border(513, 0, 514, 511, 514);
	assert_at_border(516, 514, 520, 514, 520);
	assert_at_border(0, 0, all, 0, 60);
	/* Wherever pieces begin, and the same again for each of its entries. */
	for (uint64_t border = 512; border < 512 * 200; border += 512) {
		s = stride_at_border(stride_at(border, 61, 7, 0, all), 512, 0);
		assert_true(s.first <= border - 2 && s.first + s.nr == border + 1);
		s = stride_at_border(stride_at(border + 8, 61, 7, 0, all), 512, 0);
		assert_true(s.first > border && s.first + s.nr < border + 512);
	}
}

/* Margins of all sizes, the longer the fewer, and the same ones again. */
static void margins(void **state)
{
	enum { NR = 16 * 31 * 3 };
	unsigned int far = 0, across = 0, behind = 0, page = 0, beyond = 0;
	uint64_t entries = 0;
	struct margin m;

	for (uint64_t nr = 1; nr <= NR; nr++) {
		m = margin_of(nr);
		far += m.before >= 32;
		behind += m.behind > 0;
		page += m.behind >= 512;
		across += m.before > 512;
		beyond += m.before >= (128 << 10) / 8;
		entries += m.before + m.behind;
		assert_int_equal(margin_of(nr + NR).before, m.before);
		assert_int_equal(margin_of(nr + NR).behind, m.behind);
	}
	assert_true(far > NR / 3 && behind > NR / 3);
	assert_int_equal(page, 30);
	assert_int_equal(across, 30 + 3);
	assert_int_equal(beyond, 3);
	assert_true(entries / NR < 100);
}

/* One read of 66 KiB, whose end is wanted, and is the same entry when it is repeated. */
static void long_read(void **state)
{
	struct long_end end = { 0 };

	assert_false(long_end_among(&end, 0, UINT64_MAX));
	/* Before it there are too few. */
	long_end_choose(&end, 8446);
	assert_false(end.chosen);
	long_end_choose(&end, 16389);
	long_end_choose(&end, 20000);
	assert_int_equal(end.index, 16389);
	assert_int_equal(long_end_margin(&end, 16384), 8448 - 6);
	/* With others around it, or among others, or alone. */
	assert_true(long_end_among(&end, 16384, 16391));
	assert_true(long_end_among(&end, 16388, 20000));
	assert_true(long_end_among(&end, 16389, 16389));
	assert_false(long_end_among(&end, 16390, 20000));
	assert_false(long_end_among(&end, 16384, 16388));
	assert_int_equal(long_end_margin(&end, 16389), 8448 - 1);
	assert_int_equal(long_end_margin(&end, 6), 0);
}

/* As far as the nearest that is left out, on either side. */
static void keeping_off(void **state)
{
	static const struct {
		uint64_t first, last, low, high;
	} cases[] = {
		{ 0x10000, 0x1ffff, 0, 0x3fffff },
		{ 0x3ff000, 0x3fffff, 0, 0x3fffff },
		{ 0x600000, 0x600fff, 0x600000, 0x9fffff },
		{ 0x700000, 0x70ffff, 0x600000, 0x9fffff },
		{ 0x800000, 0x9fffff, 0x600000, 0x9fffff },
		{ 0xe00000, 0xe00fff, 0xe00000, UINT64_MAX },
	};
	struct range first = { 0, 0xfff };
	struct ranges none = { 0 }, ranges = { 0 };
	const struct ranges page = { .range = &first, .nr = 1 };
	uint64_t low = 0, high = UINT64_MAX;

	stride_keep_off(&page, 0x1000, 0x1fff, &low, &high);
	assert_int_equal(low, 0x1000);
	assert_true(high == UINT64_MAX);

	/* Two that follow each other, as they come. */
	assert_int_equal(ranges_add(&ranges, 0x400000, 0x5fffff), 0);
	assert_int_equal(ranges_add(&ranges, 0xa00000, 0xbfffff), 0);
	assert_int_equal(ranges_add(&ranges, 0xc00000, 0xdfffff), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		low = 0;
		high = UINT64_MAX;
		stride_keep_off(&ranges, cases[i].first, cases[i].last, &low, &high);
		assert_int_equal(low, cases[i].low);
		assert_int_equal(high, cases[i].high);
		/* What is narrower stays so. */
		low = cases[i].first;
		high = cases[i].last;
		stride_keep_off(&ranges, cases[i].first, cases[i].last, &low, &high);
		assert_int_equal(low, cases[i].first);
		assert_int_equal(high, cases[i].last);
		stride_keep_off(&none, cases[i].first, cases[i].last, &low, &high);
		assert_int_equal(low, cases[i].first);
		assert_int_equal(high, cases[i].last);
	}
	ranges_free(&ranges);
}

SUITE(suite_crash_risk,
      cmocka_unit_test(crash_rules), cmocka_unit_test(stale),
      cmocka_unit_test(compound),
      cmocka_unit_test(strides), cmocka_unit_test(borders),
      cmocka_unit_test(margins), cmocka_unit_test(long_read), cmocka_unit_test(keeping_off));
