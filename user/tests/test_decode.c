// SPDX-License-Identifier: GPL-2.0
#include <jansson.h>
#include "proc/pagemap_bits.h"
#include "proc/pagemap_entry.h"
#include "sources/source.h"
#include "tests.h"

static struct decoded decoded(uint64_t entry, enum decode_format format)
{
	struct decoded d;

	decode(entry, format, &d);
	return d;
}

static void assert_text(uint64_t entry, enum decode_format format,
			const char *expected)
{
	struct decoded d = decoded(entry, format);
	char text[DECODE_TEXT_SIZE];

	decode_text(&d, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void new_format(void **state)
{
	struct decoded d = decoded(0x81800000000fd6d6, DECODE_AUTO);
	uint64_t paddr;

	assert_int_equal(d.format, DECODE_NEW);
	assert_false(d.ambiguous);
	assert_true(d.present);
	assert_int_equal(d.pfn, 0xfd6d6);
	assert_true(decode_paddr(&d, 12, &paddr));
	assert_int_equal(paddr, 0xfd6d6000);
	assert_true(decode_paddr(&d, 16, &paddr));
	assert_int_equal(paddr, 0xfd6d60000);
	assert_text(0x81800000000fd6d6, DECODE_AUTO,
		    "present pfn 0xfd6d6 soft-dirty exclusive");
	assert_text(0xa000000000001234, DECODE_AUTO,
		    "present pfn 0x1234 file");
	assert_text(0x40000000000000c3, DECODE_AUTO,
		    "swapped type 3 offset 0x6");
	assert_text(0x4400000000000093, DECODE_AUTO,
		    "swapped type 19 offset 0x4 guard");
	assert_text(0x80000000000000, DECODE_AUTO, "absent soft-dirty");
	assert_text(0, DECODE_AUTO, "absent");
}

/* The PFN has 55 bits; soft-dirty is bit 55, not 54. */
static void frame_width(void **state)
{
	struct decoded d = decoded(0x807fffffffffffff, DECODE_NEW);
	uint64_t paddr;

	/* No address is better than a wrong one. */
	assert_true(decode_paddr(&d, 9, &paddr));
	assert_true(paddr == 0xfffffffffffffe00);
	assert_false(decode_paddr(&d, 10, &paddr));
	assert_false(decode_paddr(&d, 63, &paddr));
	assert_true(d.pfn == 0x7fffffffffffff);
	assert_true(d.flags == 1ULL << 63);
	d = decoded(0x8080000000000000, DECODE_NEW);
	assert_int_equal(d.pfn, 0);
	assert_true(d.flags == (1ULL << 63 | 1ULL << 55));
}

static void old_format(void **state)
{
	struct decoded d = decoded(0x86000000000fd6d6, DECODE_AUTO);
	uint64_t paddr;

	assert_int_equal(d.format, DECODE_OLD);
	assert_false(d.ambiguous);
	assert_true(d.present);
	assert_int_equal(d.pfn, 0xfd6d6);
	assert_int_equal(d.page_shift, 12);
	assert_true(decode_paddr(&d, 16, &paddr));
	assert_int_equal(paddr, 0xfd6d6000);

	d = decoded(0x0600000000000000, DECODE_AUTO);
	assert_int_equal(d.format, DECODE_OLD);
	assert_false(d.present);
	assert_false(d.swapped);
	assert_int_equal(d.page_shift, 12);

	d = decoded(0x4600000000000041, DECODE_AUTO);
	assert_int_equal(d.format, DECODE_OLD);
	assert_true(d.swapped);
	assert_int_equal(d.swap_type, 1);
	assert_int_equal(d.swap_offset, 2);

	/* 16K, 64K and 2M pages. */
	assert_int_equal(decoded(0x8700000000000001, DECODE_AUTO).page_shift,
			 14);
	assert_int_equal(decoded(0x8800000000000001, DECODE_AUTO).page_shift,
			 16);
	assert_int_equal(decoded(0x8a80000000000001, DECODE_AUTO).page_shift,
			 21);
}

static void given_format(void **state)
{
	struct decoded d = decoded(0x86000000000fd6d6, DECODE_NEW);

	assert_int_equal(d.format, DECODE_NEW);
	assert_null(d.why);
	assert_text(0x86000000000fd6d6, DECODE_NEW,
		    "present pfn 0xfd6d6 uffd-wp guard");
	d = decoded(0x81800000000fd6d6, DECODE_OLD);
	assert_int_equal(d.format, DECODE_OLD);
	assert_int_equal(d.page_shift, 3);
}

static void unknown_bits(void **state)
{
	assert_text(0x9800000000000001, DECODE_NEW,
		    "present pfn 0x1 bit_59 bit_60");
	assert_true(decoded(0x9f80000000000001, DECODE_AUTO).ambiguous);
	assert_true(decoded(0x8400000000000001, DECODE_AUTO).ambiguous);
	assert_text(5, DECODE_NEW, "absent with 0x5 in bits 0 to 54");
}

/* What no pagemap shows, and what today's shows without a word against it. */
static void unlikely(void **state)
{
	static const struct {
		uint64_t entry;
		const char *why;
	} cases[] = {
		{ 0xc080000000001234, "present and swapped" },
		{ 0x6535867, "neither present nor swapped" },
		{ 0xe8000041c7df43, "neither present nor swapped" },
		{ 0x8010000000000000, "52 bits" },
		{ 0x4040100000000000, "so many pages" },
		{ 0x9f80000000000001, "no format" },
		{ 0x8400000000000001, "no format" },
		{ 0x81800000000fd6d6, NULL }, { 0xa000000000001234, NULL },
		{ 0x40000000000000c3, NULL }, { 0x80000000000000, NULL }, { 0, NULL },
		{ 0x86000000000fd6d6, NULL }, { 0x4400000000000093, NULL },
		{ 0x8000000006535867, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decoded d = decoded(cases[i].entry, DECODE_AUTO);
		const char *why = decode_unlikely(&d);

		if (!why != !cases[i].why || (why && !strstr(why, cases[i].why)))
			fail_msg("%llx: %s", (unsigned long long)cases[i].entry,
				 why ? why : "likely");
	}
	assert_null(decoded(0x81800000000fd6d6, DECODE_AUTO).why);
}

SUITE(suite_decode, cmocka_unit_test(unlikely),
      cmocka_unit_test(new_format), cmocka_unit_test(frame_width),
      cmocka_unit_test(old_format), cmocka_unit_test(given_format),
      cmocka_unit_test(unknown_bits));
