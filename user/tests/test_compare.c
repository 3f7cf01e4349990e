// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "check/rules.h"
#include "proc/pagemap_bits.h"
#include "tests.h"

#define MAX_RUNS	16

struct runs {
	struct outcome run[MAX_RUNS];
	size_t nr;
};

/* Joins neighbours that are alike, as pages that differ come one by one. */
static void collect(const struct outcome *run, void *arg)
{
	struct runs *runs = arg;
	struct outcome *last = runs->nr ? &runs->run[runs->nr - 1] : NULL;

	if (last)
		assert_int_equal(run->first, last->first + last->pages);
	if (last && last->verdict == run->verdict && last->rules == run->rules) {
		last->pages += run->pages;
		return;
	}
	assert_in_range(runs->nr, 0, MAX_RUNS - 1);
	runs->run[runs->nr++] = *run;
}

static const struct ptwalk_vma plain = { .flags = PTWALK_VMA_FLAG_READ };
static const struct ptwalk_vma pfnmap = { .flags = PTWALK_VMA_FLAG_PFNMAP };

static struct runs compared(const struct page_truth *first,
			    const uint64_t *seen, uint64_t pages,
			    uint64_t nr_seen)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct runs runs = { .nr = 0 };

	test_compare_pages(&env, &test_pagemap, first, pages, NULL, seen, nr_seen, collect,
			   &runs);
	return runs;
}

static void assert_run(const struct outcome *run, uint64_t first, uint64_t pages,
		       enum verdict verdict)
{
	assert_int_equal(run->first, first);
	assert_int_equal(run->pages, pages);
	assert_int_equal(run->verdict, verdict);
}

static void folded(void **state)
{
	struct page_truth first = test_page(PTWALK_KIND_PRESENT, 0, 0,
					    PTWALK_FLAG_PAGE, 0x100, &plain);
	uint64_t seen[10];
	struct runs runs;
	int i;

	for (i = 0; i < 10; i++)
		seen[i] = 0xa000000000000100 + i;
	runs = compared(&first, seen, 10, 10);
	assert_int_equal(runs.nr, 1);
	assert_run(&runs.run[0], 0, 10, VERDICT_MATCH);

	seen[3]++;
	seen[4] = 0;
	seen[9] ^= 1ULL << 63;
	runs = compared(&first, seen, 10, 10);
	assert_int_equal(runs.nr, 4);
	assert_run(&runs.run[0], 0, 3, VERDICT_MATCH);
	assert_run(&runs.run[1], 3, 2, VERDICT_MISMATCH);
	assert_run(&runs.run[2], 5, 4, VERDICT_MATCH);
	assert_run(&runs.run[3], 9, 1, VERDICT_MISMATCH);
}

/* Entries at the wrong index, as pagemap once had them behind a hole. */
static void shifted(void **state)
{
	struct page_truth first = test_page(PTWALK_KIND_PRESENT, 0, 0,
					    PTWALK_FLAG_PAGE, 0x100, &plain);
	uint64_t seen[4] = { 0xa000000000000101, 0xa000000000000102,
			     0xa000000000000103, 0xa000000000000104 };
	struct runs runs = compared(&first, seen, 4, 4);

	assert_int_equal(runs.nr, 1);
	assert_run(&runs.run[0], 0, 4, VERDICT_MISMATCH);
}

/* Every page of a huge page with the first one's PFN, as once was. */
static void stuck(void **state)
{
	struct page_truth first = test_page(PTWALK_KIND_PRESENT,
					    PTWALK_LEVEL_PMD, 0,
					    PTWALK_FLAG_PAGE, 0x200, &plain);
	uint64_t seen[4] = { 0xa000000000000200, 0xa000000000000200,
			     0xa000000000000200, 0xa000000000000200 };
	struct runs runs = compared(&first, seen, 4, 4);

	assert_int_equal(runs.nr, 2);
	assert_run(&runs.run[0], 0, 1, VERDICT_MATCH);
	assert_run(&runs.run[1], 1, 3, VERDICT_MISMATCH);
}

static void steps(void **state)
{
	struct page_truth first = test_page(PTWALK_KIND_MIGRATION,
					    PTWALK_LEVEL_PMD, 30,
					    PTWALK_FLAG_PAGE |
					    PTWALK_FLAG_ANON, 0x200, &plain);
	uint64_t seen[3] = { 0x400000000000401e, 0x400000000000403e,
			     0x400000000000405e };
	struct runs runs = compared(&first, seen, 3, 3);

	assert_int_equal(runs.nr, 1);
	assert_run(&runs.run[0], 0, 3, VERDICT_MATCH);
	/* The offset that did not move on (2018). */
	seen[1] = seen[2] = seen[0];
	runs = compared(&first, seen, 3, 3);
	assert_int_equal(runs.nr, 2);
	assert_run(&runs.run[1], 1, 2, VERDICT_MISMATCH);

	first = test_page(PTWALK_KIND_MARKER, 0, 27, 0, PTWALK_MARKER_UFFD_WP,
			  &plain);
	seen[0] = seen[1] = seen[2] = 0x420000000000003b;
	runs = compared(&first, seen, 3, 3);
	assert_int_equal(runs.nr, 1);
	assert_run(&runs.run[0], 0, 3, VERDICT_MATCH);
}

/* What is known of a page tells of others like it, and of any wrong bit. */
static void like_others(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0,
					   PTWALK_FLAG_PAGE, 0x100, &plain);
	struct expected_of known = { .vma = NULL };
	uint64_t seen[3] = { 0xa000000000000300, 0xa000000000000301, 0xa000000000000302 };

	expect_like(&env, &test_pagemap, &page, &known);
	assert_true(known.plain);
	assert_true(expect_shown(&known, 0x300, 3, seen));
	assert_false(expect_shown(&known, 0x301, 3, seen));
	for (int i = 0; i < 3; i++)
		for (int bit = 0; bit < 64; bit++) {
			seen[i] ^= 1ULL << bit;
			assert_false(expect_shown(&known, 0x300, 3, seen));
			seen[i] ^= 1ULL << bit;
		}
	page.value = 0x80;
	expect_like(&env, &test_pagemap, &page, &known);
	assert_true(expect_shown(&known, 0x300, 3, seen));

	/* Where a rule tells more, it isn't enough. */
	page = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 0x100, &pfnmap);
	expect_like(&env, &test_pagemap, &page, &known);
	assert_false(known.plain);
}

/* What the rule says of all of them is wrong of one, and so is what the documentation says. */
static void explained_between(void **state)
{
	struct page_truth first = test_page(PTWALK_KIND_PRESENT, 0, 0, 0,
					    0x100, &pfnmap);
	uint64_t seen[6] = { 0, 0, 0x8000000000000102, 0, 0x8000000000000103,
			     0 };
	struct runs runs = compared(&first, seen, 6, 6);

	assert_int_equal(runs.nr, 5);
	assert_run(&runs.run[0], 0, 2, VERDICT_EXPLAINED);
	assert_run(&runs.run[1], 2, 1, VERDICT_MISMATCH);
	assert_run(&runs.run[2], 3, 1, VERDICT_EXPLAINED);
	assert_run(&runs.run[3], 4, 1, VERDICT_MISMATCH);
	assert_run(&runs.run[4], 5, 1, VERDICT_EXPLAINED);
}

static void short_read(void **state)
{
	struct page_truth first = test_page(PTWALK_KIND_PRESENT, 0, 0,
					    PTWALK_FLAG_PAGE, 0x100, &plain);
	uint64_t seen[4] = { 0xa000000000000100, 0xa000000000000101 };
	struct runs runs = compared(&first, seen, 4, 2);

	assert_int_equal(runs.nr, 2);
	assert_run(&runs.run[0], 0, 2, VERDICT_MATCH);
	assert_run(&runs.run[1], 2, 2, VERDICT_MISMATCH);
	runs = compared(&first, seen, 4, 0);
	assert_int_equal(runs.nr, 1);
	assert_run(&runs.run[0], 0, 4, VERDICT_MISMATCH);
}

/* A page where there is no VMA: soft-dirty over holes (2014), and worse. */
static void holes(void **state)
{
	struct page_truth hole = test_page(PTWALK_KIND_NO_VMA, 0, 0, 0, 0,
					   NULL);
	uint64_t seen[3] = { 0, 0x0080000000000000, 0x8000000000000001 };
	struct runs runs = compared(&hole, seen, 3, 3);

	assert_int_equal(runs.nr, 2);
	assert_run(&runs.run[0], 0, 1, VERDICT_MATCH);
	assert_run(&runs.run[1], 1, 2, VERDICT_MISMATCH);
	/* That an interface ends where nothing is mapped is no contradiction. */
	runs = compared(&hole, seen, 3, 0);
	assert_int_equal(runs.nr, 1);
	assert_run(&runs.run[0], 0, 3, VERDICT_MATCH);
}

static void a_million(void **state)
{
	const uint64_t pages = 1000000;
	struct page_truth first = test_page(PTWALK_KIND_PRESENT, 0, 0,
					    PTWALK_FLAG_PAGE, 0x100, &plain);
	uint64_t *seen = malloc(pages * sizeof(*seen)), i;
	struct runs runs;

	for (i = 0; i < pages; i++)
		seen[i] = 0xa000000000000100 + i;
	runs = compared(&first, seen, pages, pages);
	assert_int_equal(runs.nr, 1);
	assert_run(&runs.run[0], 0, pages, VERDICT_MATCH);
	seen[pages - 1]--;
	runs = compared(&first, seen, pages, pages);
	assert_int_equal(runs.nr, 2);
	assert_run(&runs.run[1], pages - 1, 1, VERDICT_MISMATCH);
	free(seen);
}

static void pages_of_extents(void **state)
{
	struct page_truth first = test_page(PTWALK_KIND_PRESENT, 0, 0, 0,
					    0x100, &plain);
	struct page_truth page = page_at(&first, 3, 12);

	assert_true(page.addr == TEST_ADDR + 0x3000);
	assert_int_equal(page.value, 0x103);
	first = test_page(PTWALK_KIND_MARKER, 0, 27, 0, 1, &plain);
	page = page_at(&first, 3, 14);
	assert_true(page.addr == TEST_ADDR + 0xc000);
	assert_int_equal(page.value, 1);
}

static void kinds_with_a_frame(void **state)
{
	unsigned int kind;

	for (kind = PTWALK_KIND_NONE; kind <= PTWALK_KIND_NO_VMA; kind++)
		switch (kind) {
		case PTWALK_KIND_PRESENT:
		case PTWALK_KIND_MIGRATION:
		case PTWALK_KIND_HWPOISON:
		case PTWALK_KIND_DEVICE_PRIVATE:
		case PTWALK_KIND_DEVICE_EXCLUSIVE:
			assert_true(kind_has_frame(kind));
			break;
		default:
			assert_false(kind_has_frame(kind));
		}
}

/* Whatever anything is expected by makes another truth of it; where it is, doesn't. */
/* Where a rule is right about most pages, others among them are still seen. */
static void most_by_rule(void **state)
{
	const uint32_t flags = PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_RAM;
	const struct page_truth first = test_page(PTWALK_KIND_PRESENT, 0, 0, flags,
						  0x100, &plain);
	const uint64_t right = 1 << 3 | 1 << 11 | 1 << 12, ksm = 1 << 21;
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel, .known_bugs = true };
	struct runs runs = { .nr = 0 };
	uint64_t seen[40];

	for (int i = 0; i < 40; i++)
		seen[i] = right | ksm;
	seen[19] = right;
	seen[30] ^= 1 << 15;
	test_compare_pages(&env, &test_kpageflags, &first, 40, NULL, seen, 40, collect,
			   &runs);
	assert_int_equal(runs.nr, 5);
	assert_run(&runs.run[0], 0, 19, VERDICT_EXPLAINED);
	assert_run(&runs.run[1], 19, 1, VERDICT_MATCH);
	assert_run(&runs.run[2], 20, 10, VERDICT_EXPLAINED);
	assert_run(&runs.run[3], 30, 1, VERDICT_MISMATCH);
	assert_run(&runs.run[4], 31, 9, VERDICT_EXPLAINED);
}

static void same_truth(void **state)
{
	struct ptwalk_vma vma = { .flags = PTWALK_VMA_FLAG_READ }, copy = vma;
	struct ptwalk_page facts = { .place = 1 }, other = facts;
	struct page_truth a = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 7, &vma);
	struct page_truth b;

	a.facts = &facts;
	b = a;
	b.vma = &copy;
	b.facts = &other;
	assert_true(truth_is_same(&a, &b));
	copy.raw_flags = 1;
	assert_false(truth_is_same(&a, &b));
	b.vma = NULL;
	assert_false(truth_is_same(&a, &b));
	b.vma = &vma;
	other.place = 2;
	assert_false(truth_is_same(&a, &b));
	b.facts = NULL;
	assert_false(truth_is_same(&a, &b));
	for (int i = 0; i < 6; i++) {
		b = a;
		b.addr += i == 0;
		b.value += i == 1;
		b.bits += i == 2;
		b.gate = i == 3;
		b.has_cgroup = i == 4;
		b.cgroup = i == 5;
		assert_false(truth_is_same(&a, &b));
	}
}

#define MANY	512

static void tell_each(const struct outcome *run, void *arg)
{
	struct outcome *told = arg;

	for (uint64_t i = run->first; i < run->first + run->pages; i++)
		told[i] = *run;
}

/* Of pages that are compared together the same is said as of each alone. */
static void as_if_alone(void **state)
{
	const struct ptwalk_vma vma = { .flags = PTWALK_VMA_FLAG_HUGETLB };
	const uint32_t flags = PTWALK_FLAG_PAGE | PTWALK_FLAG_SOFT_DIRTY;
	const struct page_truth first = test_page(PTWALK_KIND_PRESENT,
						  PTWALK_LEVEL_PUD, 0, flags,
						  0x100, &vma);
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	uint64_t seen[MANY], list[MANY], broken = 0, chance = 1, i;
	struct expected expected;
	struct page_truth page;
	struct outcome told[MANY], alone;
	unsigned int set;

	expect_all(&env, &test_pagemap, &first, &expected);
	assert_true(expected.nr > 1);
	for (i = 0; i < MANY; i++) {
		list[i] = i < MANY / 2 ? 0x100 + i : 0x5000 - i;
		chance = chance * 6364136223846793005ULL + 1;
		set = (chance >> 60) % (expected.nr + 1);
		seen[i] = set == expected.nr ? i :
			  expected.expectation[set].value + list[i] - 0x100;
		/* Some are alike. */
		if (chance >> 40 & 3 && i && i != MANY / 2)
			seen[i] = seen[i - 1] + list[i] - list[i - 1];
	}
	test_compare_pages(&env, &test_pagemap, &first, MANY, list, seen, MANY, tell_each,
			   told);
	for (i = 0; i < MANY; i++) {
		page = first;
		page.value = list[i];
		alone = compare_page(&env, &test_pagemap, &page, seen[i], true);
		assert_int_equal(told[i].verdict, alone.verdict);
		assert_int_equal(told[i].rules, alone.rules);
		broken += alone.verdict == VERDICT_MISMATCH && alone.rules;
	}
	assert_in_range(broken, 1, MANY - 1);
}

static void expect_difference(const struct page_truth *page, uint64_t seen,
			      uint64_t lacks, uint64_t excess)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct difference d;

	d = compare_difference(&env, &test_pagemap, page, seen);
	assert_true(d.lacks == lacks);
	assert_true(d.excess == excess);
}

/* From what is documented, or from what a rule says instead that must hold. */
static void differences(void **state)
{
	const uint64_t shown = PM_PRESENT | 0x100;
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_PAGE,
					   0x100, &plain);

	expect_difference(&page, shown, PM_FILE, 0);
	expect_difference(&page, shown | PM_FILE | PM_SWAP, 0, PM_SWAP);
	expect_difference(&page, PM_FILE | 0x90, shown & ~0x90, 0x90);
	page.vma = &pfnmap;
	expect_difference(&page, 0, 0, 0);
	expect_difference(&page, PM_SWAP, 0, PM_SWAP);
}

SUITE(suite_compare, cmocka_unit_test(same_truth),
      cmocka_unit_test(differences),
      cmocka_unit_test(as_if_alone),
      cmocka_unit_test(most_by_rule),
      cmocka_unit_test(folded), cmocka_unit_test(shifted),
      cmocka_unit_test(stuck), cmocka_unit_test(steps),
      cmocka_unit_test(like_others), cmocka_unit_test(explained_between), cmocka_unit_test(short_read),
      cmocka_unit_test(holes), cmocka_unit_test(a_million),
      cmocka_unit_test(pages_of_extents),
      cmocka_unit_test(kinds_with_a_frame));
