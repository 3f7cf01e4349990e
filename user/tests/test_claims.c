// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include "check/rules.h"
#include "claims/claims.h"
#include "claims/hint.h"
#include "claims/missing.h"
#include "proc/maps.h"
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
		  "'10000000000000000': more than 64 bits, or decimal" FORM },
		{ "1000 #2000\n", 1, "no physical address" FORM },
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
	/* Nothing is no mistake of the file's. */
	assert_int_equal(parse("\n# nothing\n", 11, 100, &claims), 0);
	assert_true(claims.last && !claims.all);
	claims_close(&claims);
	assert_int_equal(parse("", 0, 100, &claims), 0);
	assert_true(claims.last && !claims.all);
	claims_close(&claims);
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
	struct outcome run;
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

/* "first-last ..." of the page numbers. */
static const char *pages_text(const struct claims_pages *pages)
{
	static char text[256];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < pages->nr; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%llx-%llx", i ? " " : "",
				(unsigned long long)pages->run[i].start,
				(unsigned long long)pages->run[i].last);
	return text;
}

static void add_claims(struct claims_pages *pages, const char *text, size_t most)
{
	struct claims claims;

	assert_int_equal(parse(text, strlen(text), most, &claims), 0);
	assert_int_equal(claims_pages_add(pages, &claims, 12), 0);
	while (!claims.last) {
		assert_int_equal(claims_next(&claims), 0);
		assert_int_equal(claims_pages_add(pages, &claims, 12), 0);
	}
	claims_close(&claims);
}

/* The same set, in whatever order the claims come, and however many at a time. */
static void claimed_pages(void **state)
{
	static const char *const orders[] = {
		"1000 1\n2000 2\n2008 2\n4000 -\n5fff 3\nfffffffffffff000 1\n",
		"fffffffffffff000 1\n5fff 3\n4000 -\n2008 2\n2000 2\n1000 1\n",
		"4000 -\n1000 1\n5fff 3\n1000 1\n2000 2\nffffffffffffffff 1\n",
	};
	struct range run;

	for (size_t i = 0; i < 3; i++)
		for (size_t most = 1; most < 8; most++) {
			struct claims_pages pages = { 0 };

			add_claims(&pages, orders[i], most);
			assert_string_equal(pages_text(&pages),
					    "1-2 4-5 fffffffffffff-fffffffffffff");
			assert_true(claims_pages_next(&pages, 0, 9, true, &run));
			assert_true(run.start == 1 && run.last == 2);
			assert_true(claims_pages_next(&pages, 2, 2, true, &run));
			assert_true(run.start == 2 && run.last == 2);
			assert_false(claims_pages_next(&pages, 6, 9, true, &run));
			assert_true(claims_pages_next(&pages, 0, 9, false, &run));
			assert_true(run.start == 0 && run.last == 0);
			assert_true(claims_pages_next(&pages, 1, 9, false, &run));
			assert_true(run.start == 3 && run.last == 3);
			assert_true(claims_pages_next(&pages, 5, 9, false, &run));
			assert_true(run.start == 6 && run.last == 9);
			assert_false(claims_pages_next(&pages, 4, 5, false, &run));
			assert_false(claims_pages_next(&pages, 0xfffffffffffff,
						       0xfffffffffffff, false, &run));
			claims_pages_free(&pages);
		}
}

#define PAGES_TEXT	512

/* What missing_take() finds of @nr extents, as "addr+pages ..." */
static void find_missing(const char *claimed, const struct ptwalk_vma *vma,
			 const struct ptwalk_extent *extents, size_t nr,
			 const struct ranges *ranges, char text[PAGES_TEXT])
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct claims_pages pages = { 0 };
	struct missing m = { .env = &env, .claimed = &pages, .ranges = ranges };
	size_t len = 0;

	add_claims(&pages, claimed, 3);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(missing_take(vma, &extents[i], 1, &m), 0);
	text[0] = '\0';
	for (size_t i = 0; i < m.nr; i++)
		len += snprintf(text + len, PAGES_TEXT - len, "%s%llx+%llx:%llx%s%s",
				i ? " " : "", (unsigned long long)m.run[i].addr,
				(unsigned long long)m.run[i].pages,
				(unsigned long long)m.run[i].value,
				m.run[i].rules ? " hidden" : "",
				m.run[i].in_leaf ? " leaf" : "");
	missing_free(&m);
	claims_pages_free(&pages);
}

static uint64_t bits_of(unsigned int kind, unsigned int level)
{
	return ptwalk_bits(kind, level, 0, 0);
}

/* Which present pages have no claim: whatever their frames, in runs. */
static void missing_pages(void **state)
{
	struct ptwalk_vma vma = { .start = 0x200000, .last = 0x7fffff };
	const struct ptwalk_extent extents[] = {
		{ 0x200000, 0x77, 1, bits_of(PTWALK_KIND_PRESENT, 0) },
		{ 0x201000, 0x55, 2, bits_of(PTWALK_KIND_PRESENT, 0) },
		{ 0x203000, 0, 1, bits_of(PTWALK_KIND_NONE, 0) },
		{ 0x204000, 9, 1, bits_of(PTWALK_KIND_SWAP, 0) },
		{ 0x205000, 0x66, 1, bits_of(PTWALK_KIND_MIGRATION, 0) },
		{ 0x206000, 0x66, 1, bits_of(PTWALK_KIND_PRESENT, 0) },
		{ 0x400000, 0x800, 512, bits_of(PTWALK_KIND_PRESENT, 1) },
	};
	struct range all = { 0, UINT64_MAX };
	struct range some[] = { { 0x201000, 0x201fff }, { 0x206800, 0x400fff } };
	struct ranges ranges = { .range = &all, .nr = 1 };
	struct ranges two = { .range = some, .nr = 2 };
	char text[PAGES_TEXT];

	find_missing("", &vma, extents, 7, &ranges, text);
	assert_string_equal(text, "200000+3:77 205000+1:66 206000+1:66 400000+200:800");
	find_missing("201008 1\n", &vma, extents, 7, &ranges, text);
	assert_string_equal(text,
			    "200000+1:77 202000+1:56 205000+1:66 206000+1:66 400000+200:800");
	/* The first of a huge leaf alone. */
	find_missing("200000 1\n201000 1\n202000 1\n205000 1\n206000 1\n400000 1\n", &vma,
		     extents, 7, &ranges, text);
	assert_string_equal(text, "401000+1ff:801 leaf");
	/* With another one of the leaf, that isn't why the rest is missing. */
	find_missing("400000 1\n5ff000 1\n", &vma, &extents[6], 1, &ranges, text);
	assert_string_equal(text, "401000+1fe:801");
	find_missing("", &vma, extents, 7, &two, text);
	assert_string_equal(text, "201000+1:55 206000+1:66 400000+1:800");
	vma.flags = PTWALK_VMA_FLAG_PFNMAP;
	find_missing("", &vma, extents, 2, &ranges, text);
	assert_string_equal(text, "200000+3:77 hidden");
}

/* A page that pagemap hides by design, and the same page where it doesn't. */
static void hidden_pages(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct ptwalk_vma vma = { .flags = PTWALK_VMA_FLAG_PFNMAP };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 0x1234, &vma);
	uint64_t hidden = missing_hidden(&env, &page);

	assert_true(hidden);
	assert_string_equal(rules[__builtin_ctzll(hidden)].name, "pfnmap-hidden");
	vma.flags = 0;
	assert_int_equal(missing_hidden(&env, &page), 0);
}

/* One width, that with unclaimed pages right behind it. */
static void missing_widths(void **state)
{
	assert_int_equal(missing_width(0x400fff, 0x80000000), 31);
	assert_int_equal(missing_width(0x400fff, 0xfffff000), 31);
	assert_int_equal(missing_width(0x400fff, 0x100000000), 32);
	assert_int_equal(missing_width(0x80000fff, 0x100000000), 32);
	assert_int_equal(missing_width(0x80000fff, 0x90000000), 0);
	assert_int_equal(missing_width(0x400fff, 0x401000), 0);
	assert_int_equal(missing_width(0x100000fff, 0x200000000), 0);
}

/* Claimed are the missing pages' addresses without their upper bits, or half of them. */
static void missing_cuts(void **state)
{
	static const struct {
		unsigned int bits, cut, width;
	} cases[] = { { 32, 3, 32 }, { 31, 3, 31 }, { 40, 2, 40 }, { 44, 3, 44 },
		      { 36, 1, 0 }, { 32, 0, 0 } };
	struct missing_run runs[] = { { .addr = 0x7f3490000000 }, { .addr = 0x7f34a1234000 },
				      { .addr = 0x7f34f0123000 } };
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	uint64_t example, cut;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct claims_pages claimed = { 0 };
		struct missing m = { .env = &env, .claimed = &claimed, .run = runs, .nr = 3 };

		assert_int_equal(claims_pages_append(&claimed, 1, 1), 0);
		for (unsigned int j = 0; j < cases[i].cut; j++) {
			cut = runs[j].addr & ((1ULL << cases[i].bits) - 1);
			assert_int_equal(claims_pages_append(&claimed, cut >> 12, cut >> 12), 0);
		}
		assert_int_equal(missing_cut(&m, &example), cases[i].width);
		if (cases[i].width)
			assert_int_equal(example, runs[0].addr);
		claims_pages_free(&claimed);
	}
}

/* Each known mistake is named, and the right value isn't called one. */
static void hints(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct ptwalk_vma vma = { 0 }, driver = { .flags = PTWALK_VMA_FLAG_PFNMAP };
	const uint64_t pfn = 0x123456, at = TEST_ADDR + 0x3008;
	const struct {
		unsigned int kind, level, aux;
		uint64_t value, paddr;
		const char *says;
	} cases[] = {
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn, "not shifted" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn + 8, "not shifted" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn << 24, "twice" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn << 14 | 8, "shifted by 14: pages have 4K" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn << 11, "shifted by 11:" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn << 30 | 8, "shifted by 30:" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn >> 3, "shifted down by 3:" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn >> 20, NULL },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn << 12, "without the offset" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn << 12 | 16, "offset in the page twice" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, at, "virtual address" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, at - 8, "virtual address" },
		{ PTWALK_KIND_NONE, 0, 0, 0, at, "virtual address" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x23456008, "cut off at 32 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x3456008, "the PFN, cut off at 16 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x7a12345678, 0x345678008, "cut off at 36 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x7a12345678, 0x2345678008, "cut off at 40 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x7a12345678, 0x12345678008,
		  "the PFN, cut off at 32 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x456008, "cut off at 24 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x456000, "cut off at 24 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x7a12345678, 0x345678008 & 0xffffffULL,
		  "cut off at 24 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x7a12345678, 0x5678008, "the PFN, cut off at 16" },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x567a12345678, 0x7a12345678008, "cut off at 52 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x567a12345678, 0x67a12345678008, "cut off at 56 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x7fffff, 0x3fffff008, "cut off at 34 bits" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x457008, NULL },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x6008, NULL },
		{ PTWALK_KIND_PRESENT, 0, 0, 0x92345, 0xffffffff92345008, "signed" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, __builtin_bswap64(0x123456008), "byte-swapped" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, __builtin_bswap32(pfn) * 4096ULL,
		  "the PFN, byte-swapped" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x4886716424, "in decimal" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x4886716416, "in decimal" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x4886716425, NULL },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn | 1ULL << 63 | 1ULL << 55, "pagemap entry" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, pfn << 12 | 1ULL << 63 | 0x67,
		  "page-table entry" },
		{ PTWALK_KIND_PRESENT, 1, 0, pfn, (pfn - 3) << 12 | 8, "first page of the leaf" },
		{ PTWALK_KIND_PRESENT, 1, 0, pfn, (pfn + 3) << 12 | 8, "offset in the leaf twice" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 8, "CAP_SYS_ADMIN" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0, "CAP_SYS_ADMIN" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, (pfn + 1) << 12 | 8, "off by one page" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x654321008, "the page before: off by one" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x654322008, "aren't consecutive" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x765432000, "the page behind: off by one" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x765433000, NULL },
		{ PTWALK_KIND_NONE, 0, 0, 0, 0x654322008, "aren't consecutive" },
		{ PTWALK_KIND_PRESENT, 0, 0, pfn, 0x777777000, NULL },
		{ PTWALK_KIND_NONE, 0, 0, 0, 0, "give -" },
		{ PTWALK_KIND_NONE, 0, 0, 0, 0x1000, NULL },
		{ PTWALK_KIND_SWAP, 0, 2, 0x99, 0, "give -" },
		{ PTWALK_KIND_SWAP, 0, 2, 0x99, 1ULL << 62 | 0x99 << 5 | 2, "a pagemap entry of" },
		{ PTWALK_KIND_SWAP, 0, 2, 0x99, (0x99 << 5 | 2) << 12, "swap type and offset" },
		{ PTWALK_KIND_SWAP, 0, 2, 0x99, 0x99 << 12, "a swap offset" },
		{ PTWALK_KIND_MIGRATION, 0, 30, pfn, pfn << 12, "isn't present" },
	};
	const struct page_beside beside = { 0x654321, 0x765432 };
	char buf[CLAIMS_HINT];
	struct page_truth page;
	const char *hint;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		page = test_page(cases[i].kind, cases[i].level, cases[i].aux, 0,
				 cases[i].value, &vma);
		page.addr = at;
		hint = claims_hint(&env, &page, &beside,
				   claim_value(at, cases[i].paddr, 12), buf);
		if (!hint != !cases[i].says || (hint && !strstr(hint, cases[i].says)))
			fail_msg("case %zu: %s", i, hint ? hint : "no hint");
	}
	page = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, pfn, &vma);
	assert_null(claims_hint(&env, &page, &beside, CLAIM_UNMAPPED, buf));
	page.vma = &driver;
	assert_non_null(strstr(claims_hint(&env, &page, &beside, CLAIM_UNMAPPED, buf), "pfnmap-hidden"));
	page = test_page(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_PROT_NONE, pfn, &vma);
	assert_non_null(strstr(claims_hint(&env, &page, &beside, CLAIM_UNMAPPED, buf), "PROT_NONE"));
}

/* Where no mapping is: the line was meant otherwise, perhaps. */
static void hints_outside(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth page = test_page(PTWALK_KIND_NO_VMA, 0, 0, 0, 0, NULL);
	static const struct {
		uint64_t vaddr, paddr;
		const char *says;
	} cases[] = {
		{ 0x140737488347136, 0x4886716416, "decimal" },
		{ 0x14073748834713a, 0x4886716416, NULL },
		{ 0x140737488347136, 0x488671641a, NULL },
		{ 0x1a3456000, 0x7f0012345000, "the virtual one comes first" },
		{ 0x1a3456000, 0x7f00123000, NULL },
		{ 0x7f0012346000, 0x7f001234a000, NULL },
	};
	const struct page_beside beside = { SOURCE_NO_FRAME, SOURCE_NO_FRAME };
	char buf[CLAIMS_HINT];
	const char *hint;

	kernel.phys_bits = 40;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		page.addr = cases[i].vaddr;
		hint = claims_hint(&env, &page, &beside,
				   claim_value(page.addr, cases[i].paddr, 12), buf);
		if (!hint != !cases[i].says || (hint && !strstr(hint, cases[i].says)))
			fail_msg("case %zu: %s", i, hint ? hint : "no hint");
	}
}

/* Nothing is known of the pages beside: no frame is said to be theirs. */
static void hints_without_neighbours(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0, 0, 0x123456, NULL);
	const struct page_beside none = { SOURCE_NO_FRAME, SOURCE_NO_FRAME };
	const uint64_t values[] = { SOURCE_NO_FRAME << 12, (SOURCE_NO_FRAME + 1) << 12, 0x654321000 };
	char buf[CLAIMS_HINT];
	const char *hint;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		hint = claims_hint(&env, &page, &none, values[i], buf);
		if (hint && (strstr(hint, "page before") || strstr(hint, "page behind")))
			fail_msg("value %zu: %s", i, hint);
	}
}

/* Most are wrong, and nothing says why: not if it is one, or half of them. */
static void claims_of_another(void **state)
{
	static const struct {
		uint64_t mapped, unlike;
		bool told;
	} cases[] = { { 0, 0, false }, { 1, 1, false }, { 2, 2, true }, { 4, 2, false },
		      { 4, 3, true }, { 900, 450, false }, { 900, 451, true } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct claims claims = { .mapped = cases[i].mapped,
					       .unlike = cases[i].unlike };

		assert_int_equal(claims_unlike(&claims), cases[i].told);
	}
}

SUITE(suite_claims,
      cmocka_unit_test(hints_without_neighbours), cmocka_unit_test(claims_of_another),
      cmocka_unit_test(claimed_pages), cmocka_unit_test(missing_pages),
      cmocka_unit_test(missing_widths), cmocka_unit_test(missing_cuts), cmocka_unit_test(hidden_pages),
      cmocka_unit_test(hints), cmocka_unit_test(hints_outside),
      cmocka_unit_test(good_claims), cmocka_unit_test(bad_claims),
      cmocka_unit_test(many_claims), cmocka_unit_test(repeated_claims), cmocka_unit_test(endless_line),
      cmocka_unit_test(judged_claims));
