// SPDX-License-Identifier: GPL-2.0
/* Pages that are not read as that can crash the kernel, and reads around them. */
#include "check/rules.h"
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

SUITE(suite_crash_risk,
      cmocka_unit_test(crash_rules), cmocka_unit_test(stale),
      cmocka_unit_test(compound));
