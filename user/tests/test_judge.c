// SPDX-License-Identifier: GPL-2.0
#include "base/random.h"
#include "check/judge.h"
#include "check/rules.h"
#include "claims/claims.h"
#include "proc/pagemap_bits.h"
#include "sources/source.h"
#include "tests.h"

static const struct ptwalk_vma plain = { .flags = PTWALK_VMA_FLAG_READ };
static const struct ptwalk_vma pfnmap = { .flags = PTWALK_VMA_FLAG_PFNMAP };

#define RIGHT	0xa000000000000100ULL	/* what must be shown for page() */
#define WRONG	0xa000000000000101ULL
#define PM_NONE	1ULL			/* stands for all of 0 */

static struct page_truth page(uint64_t pfn)
{
	return test_page(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_PAGE, pfn,
			 &plain);
}

static bool slept = true;	/* all the time */

static void rounds(struct judge *judge, uint64_t before, uint64_t seen,
		   uint64_t after)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth a = page(before), b = page(after);

	judge_round(judge, &env, &test_pagemap, &a, seen, true, &b, slept);
}

/* As often as that may be without a verdict. */
static void almost(struct judge *judge)
{
	int i;

	for (i = 1; i < JUDGE_PAGE_ROUNDS; i++)
		rounds(judge, 0x100, WRONG, 0x100);
}

static void wrong_each_time(void **state)
{
	struct judge judge;

	judge_init(&judge);
	almost(&judge);
	assert_false(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_UNSTABLE);
	rounds(&judge, 0x100, WRONG, 0x100);
	assert_true(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_MISMATCH);
	assert_true(judge.seen == WRONG);
	assert_int_equal(judge.truth.value, 0x100);
	assert_ptr_equal(judge.truth.vma, &judge.vma);
	/* Decided is decided. */
	rounds(&judge, 0x100, RIGHT, 0x100);
	assert_int_equal(judge.verdict, VERDICT_MISMATCH);
}

/* One that runs may be in step with us: it takes more. */
static void wrong_while_it_runs(void **state)
{
	struct judge judge;
	int i;

	slept = false;
	judge_init(&judge);
	almost(&judge);
	assert_false(streak_insists(&judge.streak));
	for (i = JUDGE_PAGE_ROUNDS; i < JUDGE_RUNNING_ROUNDS; i++) {
		rounds(&judge, 0x100, WRONG, 0x100);
		assert_true(streak_insists(&judge.streak));
		assert_false(judge.decided);
	}
	rounds(&judge, 0x100, WRONG, 0x100);
	assert_true(judge.decided);
	assert_false(streak_insists(&judge.streak));
	assert_int_equal(judge.verdict, VERDICT_MISMATCH);

	/* An agreement in between, and all begins anew. */
	judge_init(&judge);
	for (i = 1; i < JUDGE_RUNNING_ROUNDS; i++)
		rounds(&judge, 0x100, WRONG, 0x100);
	rounds(&judge, 0x100, RIGHT, 0x100);
	assert_false(streak_insists(&judge.streak));
	rounds(&judge, 0x100, WRONG, 0x100);
	assert_false(judge.decided);
	slept = true;
}

/* A difference while the truth stood still isn't forgotten for an agreement. */
static void right_at_last(void **state)
{
	struct judge judge;

	judge_init(&judge);
	rounds(&judge, 0x100, WRONG, 0x100);
	rounds(&judge, 0x100, WRONG, 0x100);
	for (int i = 1; i < JUDGE_PAGE_ROUNDS; i++) {
		rounds(&judge, 0x100, RIGHT, 0x100);
		assert_false(judge.decided);
	}
	rounds(&judge, 0x100, RIGHT, 0x100);
	assert_true(judge.decided);
	assert_true(judge_is_open(&judge));
}

/* What becomes of it: who could have changed the page is what counts. */
static void concluded(struct judge *judge, bool slept, bool lately)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };

	judge_conclude(judge, &env, &test_pagemap, slept, lately);
}

static void differed_once(void **state)
{
	static const struct {
		uint64_t seen;
		bool lately;
		enum verdict verdict;
	} cases[] = {
		{ WRONG, true, VERDICT_MISMATCH },
		{ WRONG, false, VERDICT_UNSTABLE },
		/* It was tried to be migrated; another type is none of those. */
		{ PM_SWAP | PM_FILE | 0x100 << 5 | 30, true, VERDICT_UNSTABLE },
		{ PM_SWAP | PM_FILE | 0x101 << 5 | 30, true, VERDICT_MISMATCH },
		/* Somebody else had mapped the file's page, too. */
		{ RIGHT | PM_EXCLUSIVE, true, VERDICT_UNSTABLE },
		{ RIGHT | PM_SOFT_DIRTY, true, VERDICT_MISMATCH },
		{ 0, true, VERDICT_MISMATCH },
		{ RIGHT | 1ULL << 60, true, VERDICT_MISMATCH },
	};
	struct judge judge;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		judge_init(&judge);
		rounds(&judge, 0x100, cases[i].seen, 0x100);
		for (int j = 0; j < JUDGE_PAGE_ROUNDS; j++)
			rounds(&judge, 0x100, RIGHT, 0x100);
		concluded(&judge, false, cases[i].lately);
		if (judge.verdict != cases[i].verdict)
			fail_msg("case %zu: %s", i, verdict_name[judge.verdict]);
		assert_true(judge.seen == cases[i].seen);
	}

	/* The truth was seen to move: the page may have been that. */
	judge_init(&judge);
	rounds(&judge, 0x100, WRONG, 0x100);
	rounds(&judge, 0x100, RIGHT, 0x101);
	for (int j = 0; j < JUDGE_PAGE_ROUNDS; j++)
		rounds(&judge, 0x100, RIGHT, 0x100);
	assert_false(judge_is_open(&judge));
	concluded(&judge, true, true);
	assert_int_equal(judge.verdict, VERDICT_MATCH);
	assert_true(judge.seen == RIGHT);

	/* Now and then, but never as often in a row as it takes. */
	judge_init(&judge);
	for (int j = 0; j < 12; j++)
		rounds(&judge, 0x100, j % 2 ? RIGHT : WRONG, 0x100);
	assert_false(judge.decided);
	concluded(&judge, true, true);
	assert_int_equal(judge.verdict, VERDICT_MISMATCH);
	assert_true(judge.seen == WRONG);
}

/* Of an anonymous page that is mapped once nobody else changes the count. */
static void differed_once_anonymous(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	static const struct {
		uint32_t flags;
		uint64_t right, wrong;
		enum verdict verdict;
	} cases[] = {
		{ PTWALK_FLAG_EXCLUSIVE, PM_EXCLUSIVE, 0, VERDICT_MISMATCH },
		{ PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_KSM, PM_EXCLUSIVE, 0,
		  VERDICT_UNSTABLE },
		{ 0, 0, PM_EXCLUSIVE, VERDICT_UNSTABLE },
		{ 0, 0, PM_FILE, VERDICT_MISMATCH },
		/* Reclaimed, and taken back by another's access. */
		{ PTWALK_FLAG_EXCLUSIVE, PM_EXCLUSIVE, PM_SWAP,
		  VERDICT_UNSTABLE },
		{ PTWALK_FLAG_EXCLUSIVE, PM_EXCLUSIVE, PM_NONE,
		  VERDICT_MISMATCH },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct page_truth a = test_page(PTWALK_KIND_PRESENT, 0, 0,
			PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | cases[i].flags,
			0x100, &plain);
		uint64_t right = PM_PRESENT | 0x100 | cases[i].right;
		uint64_t wrong = cases[i].wrong == PM_NONE ? 0 :
			cases[i].wrong & PM_SWAP ? PM_SWAP | 0x2000 :
			PM_PRESENT | 0x100 | cases[i].wrong;
		struct judge judge;

		judge_init(&judge);
		for (int j = 0; j < 12; j++)
			judge_round(&judge, &env, &test_pagemap, &a,
				    j == 3 ? wrong : right, true, &a, true);
		/* Before there was any doubt, one agreement was enough. */
		assert_true(judge.decided);
		judge_init(&judge);
		for (int j = 0; j < 12; j++)
			judge_round(&judge, &env, &test_pagemap, &a,
				    j == 0 ? wrong : right, true, &a, true);
		judge_conclude(&judge, &env, &test_pagemap, true, true);
		if (judge.verdict != cases[i].verdict)
			fail_msg("case %zu: %s", i, verdict_name[judge.verdict]);
	}
}

/* What only the first look saw, a while before the next reading of the truth. */
static void first_sighting(void **state)
{
	static const struct {
		uint64_t then, seen;
		bool slept;
		enum verdict verdict;
	} cases[] = {
		{ 0x100, WRONG, true, VERDICT_MISMATCH },
		{ 0x100, WRONG, false, VERDICT_MATCH },
		{ 0x101, WRONG, true, VERDICT_MATCH },
		{ 0x100, RIGHT | PM_EXCLUSIVE, true, VERDICT_MATCH },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sighting first = {
			.truth = page(cases[i].then),
			.seen = cases[i].seen,
			.has_data = true,
		};
		struct page_truth now = page(0x100);
		struct judge judge;

		judge_init(&judge);
		judge_sighting(&judge, &test_pagemap, &first, &now);
		for (int j = 0; j < JUDGE_PAGE_ROUNDS; j++)
			rounds(&judge, 0x100, RIGHT, 0x100);
		assert_true(judge.decided);
		concluded(&judge, cases[i].slept, true);
		if (judge.verdict != cases[i].verdict)
			fail_msg("case %zu: %s", i, verdict_name[judge.verdict]);
	}
}

static void moving(void **state)
{
	struct judge judge;
	int i;

	judge_init(&judge);
	for (i = 0; i < 20; i++)
		rounds(&judge, 0x200 + i, WRONG, 0x300 + i);
	assert_false(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_UNSTABLE);
}

/* A move between two rounds that differ starts the count again. */
static void consecutive(void **state)
{
	struct judge judge;

	judge_init(&judge);
	almost(&judge);
	rounds(&judge, 0x100, WRONG, 0x222);
	almost(&judge);
	assert_false(judge.decided);
	/* Nor does a round count in which it came to where it stays. */
	rounds(&judge, 0x222, WRONG, 0x100);
	almost(&judge);
	assert_false(judge.decided);
	rounds(&judge, 0x100, WRONG, 0x100);
	assert_true(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_MISMATCH);
}

/* Back and forth: the same before and after, but another one each time. */
static void moving_to_and_fro(void **state)
{
	struct judge judge;
	int i;

	judge_init(&judge);
	for (i = 0; i < 4 * JUDGE_PAGE_ROUNDS; i++)
		rounds(&judge, 0x200 + i / 2, WRONG, 0x200 + i / 2);
	assert_false(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_UNSTABLE);
	for (i = 0; i < JUDGE_PAGE_ROUNDS; i++)
		rounds(&judge, 0x100, WRONG, 0x100);
	assert_true(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_MISMATCH);
}

/* What is shown of a frame says nothing of the next one that the page has. */
static void another_frame(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth a, b;
	struct judge judge;
	int i;

	a = test_page(PTWALK_KIND_PRESENT, 0, 0,
		      PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM, 0x100, &plain);
	b = a;
	assert_true(truth_held(&env, &test_kpageflags, &a, &b));
	b.value++;
	assert_false(truth_held(&env, &test_kpageflags, &a, &b));
	assert_false(truth_held(&env, &test_scan, &a, &b));
	judge_init(&judge);
	for (i = 0; i < 2 * JUDGE_PAGE_ROUNDS; i++)
		judge_round(&judge, &env, &test_kpageflags, &a, 0, true, &b, true);
	assert_false(judge.decided);
	for (i = 0; i < JUDGE_PAGE_ROUNDS; i++)
		judge_round(&judge, &env, &test_kpageflags, &a, 0, true, &a, true);
	assert_true(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_MISMATCH);

	/* Nor is it right because the next one would have it so. */
	a.bits |= (uint64_t)PTWALK_FLAG_ANON << PTWALK_BITS_FLAGS_SHIFT;
	judge_init(&judge);
	judge_round(&judge, &env, &test_kpageflags, &a, KPF_BIT(MMAP), true, &b, true);
	assert_false(judge.decided);
	judge_round(&judge, &env, &test_kpageflags, &b, KPF_BIT(MMAP), true, &b, true);
	assert_int_equal(judge.verdict, VERDICT_MATCH);
}

/* Swapped out, or unmapped: there is no frame to be told of any more. */
static void without_a_frame(void **state)
{
	static const unsigned int kinds[] = { PTWALK_KIND_SWAP, PTWALK_KIND_NONE };
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth here, gone;
	struct judge judge;
	size_t i;
	int j;

	here = test_page(PTWALK_KIND_PRESENT, 0, 0,
			 PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM, 0, &plain);
	for (i = 0; i < 2; i++) {
		gone = test_page(kinds[i], 0, 0, 0, 0, &plain);
		judge_init(&judge);
		judge_round(&judge, &env, &test_kpageflags, &gone, 0, false, &gone, true);
		assert_true(judge.decided);
		assert_int_equal(judge.verdict, VERDICT_MATCH);
		/* It goes while it is looked at. */
		judge_init(&judge);
		for (j = 0; j < 2 * JUDGE_PAGE_ROUNDS; j++)
			judge_round(&judge, &env, &test_kpageflags, &here, 0,
				    true, &gone, true);
		assert_false(judge.decided);
	}
}

/* The page changed; the interface saw it before, or after. */
static void either_side(void **state)
{
	struct judge judge;

	judge_init(&judge);
	rounds(&judge, 0x100, RIGHT, 0x200);
	assert_true(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_MATCH);
	judge_init(&judge);
	rounds(&judge, 0x200, RIGHT, 0x100);
	assert_true(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_MATCH);
}

/* Facts that only a rule looks at count as a change, too. */
static void held(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 1);
	struct env env = { .kernel = &kernel };
	struct page_truth a, b;

	a = test_page(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, 0,
		      PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON, 0x200, &plain);
	b = a;
	assert_true(truth_held(&env, &test_pagemap, &a, &b));
	b = test_page(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, 0,
		      PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON |
		      PTWALK_FLAG_HEAD_EXCLUSIVE, 0x200, &plain);
	assert_false(truth_held(&env, &test_pagemap, &a, &b));
	/* What pagemap can't show doesn't: accessed, for one. */
	b = test_page(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, 0,
		      PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON |
		      PTWALK_FLAG_YOUNG, 0x200, &plain);
	assert_true(truth_held(&env, &test_pagemap, &a, &b));
	b = a;
	b.vma = &pfnmap;
	assert_false(truth_held(&env, &test_pagemap, &a, &b));
}

static void becomes_explained(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth a = page(0x100);
	struct judge judge;

	a.vma = &pfnmap;
	judge_init(&judge);
	judge_round(&judge, &env, &test_pagemap, &a, WRONG, true, &a, true);
	assert_false(judge.decided);
	for (int i = 0; i < JUDGE_PAGE_ROUNDS; i++)
		judge_round(&judge, &env, &test_pagemap, &a, 0, true, &a, true);
	assert_true(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_EXPLAINED);
	assert_int_equal(__builtin_popcountll(judge.rules), 1);
}

static void found_as_before(void **state)
{
	unsigned int same = 0, i;

	/* What was before the first round is nothing. */
	same = judge_same(same, true, true);
	assert_int_equal(same, 1);
	for (i = 2; i < JUDGE_ROUNDS; i++)
		same = judge_same(same, true, true);
	assert_true(same < JUDGE_ROUNDS);
	same = judge_same(same, true, false);
	assert_int_equal(same, 1);
	for (i = 1; i < JUDGE_ROUNDS; i++)
		same = judge_same(same, true, true);
	assert_int_equal(same, JUDGE_ROUNDS);
	assert_int_equal(judge_same(0, false, false), JUDGE_ROUNDS);
	assert_int_equal(judge_same(1, false, true), JUDGE_ROUNDS);
}

static const struct source test_claims = {
	.name = "claims",
	.trait.at_rest = true,
	.expect = expect_claims,
};

static struct page_truth entry_at(unsigned int kind,
				  const struct ptwalk_vma *vma)
{
	return test_page(kind, 0, 0, PTWALK_FLAG_PAGE,
			 kind == PTWALK_KIND_NONE ? 0 : 0x100, vma);
}

static void entries(struct judge *judge, const struct source *source,
		    unsigned int before, unsigned int after,
		    const struct ptwalk_vma *vma, uint64_t seen)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth a = entry_at(before, vma), b = entry_at(after, vma);

	judge_round(judge, &env, source, &a, seen, true, &b, true);
}

static void entry(struct judge *judge, const struct source *source,
		  unsigned int kind, const struct ptwalk_vma *vma, uint64_t seen)
{
	entries(judge, source, kind, kind, vma, seen);
}

/* Nothing is mapped while a page migrates, but where it is then is asked. */
static void claims_in_migration(void **state)
{
	static const uint64_t claim[] = { CLAIM_UNMAPPED, 0x101000, 0x100000 };
	struct judge judge;

	for (int i = 0; i < 3; i++) {
		judge_init(&judge);
		for (int round = 0; round < 2 * JUDGE_PAGE_ROUNDS; round++)
			entry(&judge, &test_claims, PTWALK_KIND_MIGRATION,
			      &plain, claim[i]);
		assert_false(judge.decided);
		assert_int_equal(judge.verdict, VERDICT_UNSTABLE);
		assert_int_equal(judge.truth.addr, TEST_ADDR);
		for (int round = 0; round < JUDGE_PAGE_ROUNDS; round++)
			entry(&judge, &test_claims, PTWALK_KIND_PRESENT,
			      &plain, claim[i]);
		assert_int_equal(judge.verdict, claim[i] == 0x100000 ?
				 VERDICT_MATCH : VERDICT_MISMATCH);
	}
	/* Its migration begins between two looks. */
	judge_init(&judge);
	for (int round = 0; round < 2 * JUDGE_PAGE_ROUNDS; round++)
		entries(&judge, &test_claims, PTWALK_KIND_PRESENT,
			PTWALK_KIND_MIGRATION, &plain, CLAIM_UNMAPPED);
	assert_false(judge.decided);
	assert_int_equal(judge.verdict, VERDICT_UNSTABLE);
}

/* An entry of hugetlb is empty for a moment while it is changed. */
static void empty_for_a_moment(void **state)
{
	static const struct ptwalk_vma huge = {
		.flags = PTWALK_VMA_FLAG_HUGETLB,
	};
	static const struct {
		const struct source *source;
		uint64_t seen;
	} absent[] = { { &test_claims, CLAIM_UNMAPPED }, { &test_pagemap, 0 } };
	struct judge judge;

	for (int i = 0; i < 2; i++) {
		const struct source *source = absent[i].source;
		uint64_t seen = absent[i].seen;

		judge_init(&judge);
		entry(&judge, source, PTWALK_KIND_NONE, &huge, seen);
		assert_false(judge.decided);
		for (int round = 1; round < JUDGE_PAGE_ROUNDS; round++)
			entry(&judge, source, PTWALK_KIND_PRESENT, &huge, seen);
		assert_false(judge.decided);
		/* Once contradicted, it isn't enough that the last one agrees. */
		for (int round = 0; round < 2 * JUDGE_PAGE_ROUNDS; round++)
			entry(&judge, source, PTWALK_KIND_NONE, &huge, seen);
		assert_false(judge.decided);
		assert_int_equal(judge.verdict, VERDICT_UNSTABLE);
		for (int round = 0; round < JUDGE_PAGE_ROUNDS; round++)
			entry(&judge, source, PTWALK_KIND_PRESENT, &huge, seen);
		assert_true(judge.decided);
		assert_int_equal(judge.verdict, VERDICT_MISMATCH);

		/* What is empty all the time is empty. */
		judge_init(&judge);
		entry(&judge, source, PTWALK_KIND_NONE, &huge, seen);
		assert_int_equal(judge.verdict, VERDICT_MATCH);
		for (int round = 1; round < JUDGE_PAGE_ROUNDS; round++)
			entry(&judge, source, PTWALK_KIND_NONE, &huge, seen);
		assert_true(judge.decided);
		assert_int_equal(judge.verdict, VERDICT_MATCH);
	}
}

/* A round is known to be the last one, unless it insists. */
static void last_round(void **state)
{
	struct random random = { 1 };
	unsigned int by_total = 0;

	for (unsigned int retries = 0; retries < 4; retries++)
		for (unsigned int odds = 1; odds < 60; odds += 2) {
			struct rounds next, r = { .retries = retries };
			enum rounds_state came_to = ROUNDS_OPEN;

			while (rounds_next(&r, came_to)) {
				next = r;
				assert_int_equal(rounds_last(&r),
						 !rounds_next(&next, ROUNDS_OPEN));
				by_total += rounds_last(&r) && r.paused < r.retries;
				came_to = random_one_in(&random, odds) ? ROUNDS_OPEN :
									 ROUNDS_INSIST;
			}
		}
	assert_true(by_total);
}

SUITE(suite_judge,
      cmocka_unit_test(wrong_each_time),
      cmocka_unit_test(wrong_while_it_runs),
      cmocka_unit_test(right_at_last),
      cmocka_unit_test(differed_once),
      cmocka_unit_test(differed_once_anonymous),
      cmocka_unit_test(first_sighting),
      cmocka_unit_test(moving), cmocka_unit_test(consecutive),
      cmocka_unit_test(either_side), cmocka_unit_test(held),
      cmocka_unit_test(moving_to_and_fro), cmocka_unit_test(another_frame),
      cmocka_unit_test(without_a_frame),
      cmocka_unit_test(becomes_explained),
      cmocka_unit_test(found_as_before),
      cmocka_unit_test(claims_in_migration),
      cmocka_unit_test(empty_for_a_moment),
      cmocka_unit_test(last_round));
