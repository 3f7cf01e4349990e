// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "sources/claims_file.h"
#include "tests.h"

/* Opens a text of claims, and reads at most @most of it; see claims_next(). */
static int parse(const char *text, size_t len, size_t most,
		 struct claims *claims)
{
	FILE *stream = len ? fmemopen((void *)text, len, "r") :
			     fopen("/dev/null", "r");

	assert_non_null(stream);
	assert_int_equal(claims_open(claims, stream, "text", most), 0);
	return claims_next(claims);
}

static void good_claims(void **state)
{
	static const char text[] =
		"# made by hand\n\n"
		"7f0000001008 0x12345008\n"
		"\t0x7f0000000000   abcde000\t# with a comment\r\n"
		"7f0000002000 -\n"
		"ffffffffffffffff ffffffffffffffff\n";
	struct claims claims;

	assert_int_equal(parse(text, sizeof(text) - 1, 100, &claims), 0);
	assert_int_equal(claims.nr, 4);
	assert_true(claims.last);
	assert_int_equal(claims.claim[0].vaddr, 0x7f0000000000);
	assert_int_equal(claims.claim[0].paddr, 0xabcde000);
	assert_int_equal(claims.claim[0].line, 4);
	assert_int_equal(claims.claim[1].paddr, 0x12345008);
	assert_true(claims.claim[1].mapped);
	assert_false(claims.claim[2].mapped);
	assert_true(claims.claim[3].paddr == UINT64_MAX);
	claims_close(&claims);
}

/* A file may be longer than memory: only so much of it is kept at a time. */
static void many_claims(void **state)
{
	static const char text[] = "3000 1\n1000 2\n# none\n2000 3\n5000 -\n";
	struct claims claims;

	assert_int_equal(parse(text, sizeof(text) - 1, 2, &claims), 0);
	assert_int_equal(claims.nr, 2);
	assert_int_equal(claims.claim[0].vaddr, 0x1000);
	assert_false(claims.last);
	assert_int_equal(claims_next(&claims), 0);
	assert_int_equal(claims.nr, 2);
	assert_int_equal(claims.claim[0].vaddr, 0x2000);
	assert_int_equal(claims.claim[1].line, 5);
	assert_int_equal(claims_next(&claims), 0);
	assert_int_equal(claims.nr, 0);
	assert_true(claims.last);
	claims_close(&claims);
}

static void tell(const struct claim *claim, const struct claim *first, void *arg)
{
	size_t (*told)[2] = arg;

	while ((*told)[0])
		told++;
	(*told)[0] = claim->line;
	(*told)[1] = first->line;
}

/* Each line that is about the address of an earlier one, and which that is. */
static void repeated_claims(void **state)
{
	static const char text[] =
		"2000 1\n1000 2\n2000 1\n2008 1\n1000 -\n2000 3\n3000 1\n";
	size_t told[8][2] = { 0 };
	struct claims claims;

	assert_int_equal(parse(text, sizeof(text) - 1, 100, &claims), 0);
	claims_repeats(&claims, tell, told);
	assert_int_equal(told[0][0], 5);
	assert_int_equal(told[0][1], 2);
	assert_int_equal(told[1][0], 3);
	assert_int_equal(told[1][1], 1);
	assert_int_equal(told[2][0], 6);
	assert_int_equal(told[2][1], 1);
	assert_int_equal(told[3][0], 0);
	claims_close(&claims);
}

/* Lines that never end, of what may stand there and of what may not. */
static void endless_line(void **state)
{
	static const char *const reasons[] = { "a NUL byte",
					       "the line is too long" };
	const size_t size = 1 << 20;
	char *text = calloc(1, size);
	struct claims claims;

	assert_non_null(text);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(parse(text, size, 100, &claims), -EINVAL);
		assert_string_equal(claims.lines.reason, reasons[i]);
		assert_int_equal(claims.lines.number, 1);
		claims_close(&claims);
		memset(text, '0', size);
	}
	free(text);
}

#define FORM	": give VADDR PADDR, or - for nothing"

static void bad_claims(void **state)
{
	static const struct {
		const char *text;
		size_t line;
		const char *reason;
	} cases[] = {
		{ "1000 2000\n3000\n", 2, "no physical address" FORM },
		{ "1000 2000\n3000 40", 2,
		  "the last line doesn't end; is the file cut off?" },
		{ "1000 2000\n3000", 2,
		  "the last line doesn't end; is the file cut off?" },
		{ "hello world\n", 1, "'hello': not a hexadecimal number" FORM },
		{ "1000 2000x\n", 1, "'2000x': trailing garbage" FORM },
		{ "1000 2000 3000\n", 1, "more than two fields" FORM },
		{ "1000 -1\n", 1, "'-1': a sign does not belong there" FORM },
		{ "- 1000\n", 1, "'-': a sign does not belong there" FORM },
		{ "1000 10000000000000000\n", 1,
		  "'10000000000000000': more than 64 bits" FORM },
		{ "1000 #2000\n", 1, "no physical address" FORM },
		{ "\n# nothing\n", 0, "no claims in it" },
		{ "", 0, "no claims in it" },
	};
	struct claims claims;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text, strlen(cases[i].text),
				       100, &claims), -EINVAL);
		assert_int_equal(claims.lines.number, cases[i].line);
		assert_string_equal(claims.lines.reason, cases[i].reason);
		claims_close(&claims);
	}
	assert_int_equal(parse("1000 2\0000\n", 11, 100, &claims), -EINVAL);
	assert_string_equal(claims.lines.reason, "a NUL byte");
	claims_close(&claims);
}

/* A claim off by a page, by a byte, or about presence, is a mismatch. */
static void judged_claims(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct ptwalk_vma vma = { 0 };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0, 0,
					   0x1234, &vma);
	const struct source claims = {
		.name = "claims",
		.expect = expect_claims,
	};
	struct run run;
	int bit;

	run = compare_page(&env, &claims, &page, 0x1234000, true);
	assert_int_equal(run.verdict, VERDICT_MATCH);
	for (bit = 0; bit < 64; bit++) {
		run = compare_page(&env, &claims, &page,
				   0x1234000 ^ 1ULL << bit, true);
		assert_int_equal(run.verdict, VERDICT_MISMATCH);
	}
	run = compare_page(&env, &claims, &page, CLAIM_UNMAPPED, true);
	assert_int_equal(run.verdict, VERDICT_MISMATCH);

	/* Nothing else is mapped, though it may name a frame. */
	for (unsigned int kind = 0; kind <= PTWALK_KIND_NO_VMA; kind++) {
		if (kind == PTWALK_KIND_PRESENT)
			continue;
		page = test_page(kind, 0, 1, 0, 0x1234, &vma);
		run = compare_page(&env, &claims, &page, 0x1234000, true);
		assert_int_equal(run.verdict, VERDICT_MISMATCH);
		run = compare_page(&env, &claims, &page, CLAIM_UNMAPPED, true);
		assert_int_equal(run.verdict, VERDICT_MATCH);
	}
	page = test_page(PTWALK_KIND_NO_VMA, 0, 0, 0, 0, NULL);
	run = compare_page(&env, &claims, &page, 0, true);
	assert_int_equal(run.verdict, VERDICT_MISMATCH);
	/* No address is "not mapped", wherever in its page it is claimed. */
	for (uint64_t in = 0; in < 4096; in++) {
		const uint64_t paddrs[] = { 0, in - 1, in, UINT64_MAX, INT64_MAX,
					    INT64_MAX + in };

		for (size_t i = 0; i < sizeof(paddrs) / sizeof(paddrs[0]); i++) {
			run = compare_page(&env, &claims, &page,
					   claim_value(TEST_ADDR + in,
						       paddrs[i], 12), true);
			assert_int_equal(run.verdict, VERDICT_MISMATCH);
		}
	}

	/* No rule of pagemap excuses a claim. */
	vma.flags = PTWALK_VMA_FLAG_PFNMAP;
	page = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 0x1234, &vma);
	run = compare_page(&env, &claims, &page, CLAIM_UNMAPPED, true);
	assert_int_equal(run.verdict, VERDICT_MISMATCH);
	run = compare_page(&env, &claims, &page, 0, true);
	assert_int_equal(run.verdict, VERDICT_MISMATCH);
}

SUITE(suite_claims,
      cmocka_unit_test(good_claims), cmocka_unit_test(bad_claims),
      cmocka_unit_test(many_claims), cmocka_unit_test(repeated_claims), cmocka_unit_test(endless_line),
      cmocka_unit_test(judged_claims));
