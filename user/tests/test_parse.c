// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <unistd.h>
#include "base/array.h"
#include "base/parse.h"
#include "tests.h"

static void good_hex(void **state)
{
	static const struct { const char *text; uint64_t value; } cases[] = {
		{ "0", 0 }, { "1000", 0x1000 }, { "0x1000", 0x1000 },
		{ "0XfF", 0xff }, { "DeadBeef", 0xdeadbeef },
		{ "ffffffffffffffff", UINT64_MAX },
		{ "0x00000000000000000000012", 0x12 },
		{ "fffffffffffff000", 0xfffffffffffff000 },
	};
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(parse_hex(cases[i].text, &value));
		assert_int_equal(value, cases[i].value);
	}
}

static void bad_hex(void **state)
{
	static const struct { const char *text, *reason; } cases[] = {
		{ "", "empty" }, { "0x", "no number" },
		{ "x12", "not a hexadecimal number" },
		{ "12g", "trailing garbage" }, { "0x1000 ", "trailing garbage" },
		{ " 1000", "not a hexadecimal number" },
		{ "1000\n", "trailing garbage" }, { "0x0x1", "trailing garbage" },
		{ "-1", "a sign does not belong there" },
		{ "+1", "a sign does not belong there" },
		{ "10000000000000000", "more than 64 bits, or decimal" },
		{ "1ffffffffffffffff", "more than 64 bits" },
	};
	uint64_t value = 42;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(parse_hex(cases[i].text, &value),
				    cases[i].reason);
		assert_int_equal(value, 42);
	}
}

static void good_range(void **state)
{
	static const struct { const char *text; uint64_t start, last; } cases[] = {
		{ "1000-2000", 0x1000, 0x1fff },
		{ "0x1000-0x2000", 0x1000, 0x1fff },
		{ "1000+1", 0x1000, 0x1000 },
		{ "0+0x10", 0, 0xf },
		{ "fffffffffffff000+1000", 0xfffffffffffff000, UINT64_MAX },
		{ "fffffffffffff000-10000000000000000", 0xfffffffffffff000,
		  UINT64_MAX },
		{ "0-10000000000000000", 0, UINT64_MAX },
		{ "0+10000000000000000", 0, UINT64_MAX },
		{ "ffff0000-ffffffff", 0xffff0000, 0xfffffffe },
		{ "1000+64K", 0x1000, 0x10fff }, { "0+1g", 0, 0x3fffffff },
	};
	struct range range;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(parse_range(cases[i].text, &range));
		assert_int_equal(range.start, cases[i].start);
		assert_int_equal(range.last, cases[i].last);
	}
}

static void bad_range(void **state)
{
	static const struct { const char *text, *reason; } cases[] = {
		{ "", "empty" },
		{ "1000", "no end" },
		{ "1000-", "no number" }, { "1000+", "no number" },
		{ "-1000", "a sign does not belong there" },
		{ "1000--2000", "a sign does not belong there" },
		{ "1000-2000x", "trailing garbage" },
		{ "1000-64K", "trailing garbage" },
		{ "1000+ffK", "not a decimal number" },
		{ "1000+0K", "an empty range" },
		{ "1000-2000-3000", "trailing garbage" },
		{ "1000,2000", "trailing garbage" },
		{ "2000-1000", "ends before it starts" },
		{ "2000-0", "ends before it starts" },
		{ "1000-1000", "an empty range" }, { "0-0", "an empty range" },
		{ "1000+0", "an empty range" },
		{ "fffffffffffff000+1001", "ends behind the last address" },
		{ "1+10000000000000000", "ends behind the last address" },
		{ "0-10000000000000001", "more than 64 bits, or decimal" },
		{ "0-100000000000000000", "more than 64 bits, or decimal" },
		{ "10000000000000000-2", "more than 64 bits" },
	};
	struct range range = { 1, 2 };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(parse_range(cases[i].text, &range),
				    cases[i].reason);
		assert_int_equal(range.start, 1);
		assert_int_equal(range.last, 2);
	}
}

static void pids(void **state)
{
	pid_t pid = 0;

	assert_null(parse_pid("1", &pid));
	assert_int_equal(pid, 1);
	assert_null(parse_pid("4194304", &pid));
	assert_int_equal(pid, 4194304);
	assert_null(parse_pid("2147483647", &pid));
	assert_null(parse_pid("self", &pid));
	assert_int_equal(pid, getpid());
	assert_string_equal(parse_pid("", &pid), "empty");
	assert_string_equal(parse_pid("0", &pid), "PIDs start at 1");
	assert_string_equal(parse_pid("-1", &pid), "not a decimal number");
	assert_string_equal(parse_pid("12x", &pid), "trailing garbage");
	assert_string_equal(parse_pid("1 ", &pid), "trailing garbage");
	assert_string_equal(parse_pid("selfish", &pid), "not a decimal number");
	assert_string_equal(parse_pid("2147483648", &pid), "too large");
	assert_string_equal(parse_pid("4294967297", &pid), "too large");
	assert_string_equal(parse_pid("18446744073709551617", &pid), "too large");
	assert_int_equal(pid, getpid());
}

static void decimals(void **state)
{
	uint64_t value;

	assert_null(parse_decimal("18446744073709551615", UINT64_MAX, &value));
	assert_int_equal(value, UINT64_MAX);
	assert_string_equal(parse_decimal("18446744073709551616", UINT64_MAX,
					  &value), "too large");
	assert_null(parse_decimal("5", 5, &value));
	assert_string_equal(parse_decimal("6", 5, &value), "too large");
}

static void sizes(void **state)
{
	static const struct { const char *text; uint64_t bytes; } good[] = {
		{ "0", 0 }, { "4096", 4096 }, { "64K", 65536 }, { "64k", 65536 },
		{ "2M", 2 << 20 }, { "1g", 1 << 30 }, { "1T", 1ULL << 40 },
		{ "0x1000", 4096 }, { "18446744073709551615", UINT64_MAX },
	};
	static const char *const bad[] = {
		"", "K", "64Q", "64KB", "-1", "+1", "0x", "0x64K", "ff", "1 K",
		"18446744073709551616", "16777216T", "99999999999999999999K",
	};
	uint64_t bytes;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_null(parse_size(good[i].text, &bytes));
		assert_int_equal(bytes, good[i].bytes);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_non_null(parse_size(bad[i], &bytes));
}

static void distances(void **state)
{
	assert_int_equal(parse_distance("check", "check"), 0);
	assert_int_equal(parse_distance("tranlate", "translate"), 1);
	assert_int_equal(parse_distance("chekc", "check"), 2);
	assert_int_equal(parse_distance("", "rss"), 3);
	assert_int_equal(parse_distance("dump", ""), 4);

	/* The nearest of several, and none if too many letters are wrong. */
	assert_null(parse_nearer("xyz", "rss", NULL));
	assert_null(parse_nearer("al", "sa", NULL));
	assert_string_equal(parse_nearer("rsss", "huge", "rss"), "rss");
	assert_string_equal(parse_nearer("stam", "stat", NULL), "stat");
	assert_string_equal(parse_nearer("statmm", "statm", "stat"), "statm");
	assert_string_equal(parse_nearer("statmm", "stat", "statm"), "statm");
}

static void names_or_numbers(void **state)
{
	assert_true(parse_is_name("[heap]"));
	assert_true(parse_is_name("/usr/bin/x"));
	assert_true(parse_is_name("anon_inode:[io_uring]"));
	assert_false(parse_is_name("deadbeef"));
	assert_false(parse_is_name("1000-2000"));
	assert_false(parse_is_name("12zz"));
	assert_false(parse_is_name("ffff888000000000+4K"));
	assert_false(parse_is_name("f+1M"));
	assert_true(parse_is_name("f+1Q"));
	assert_false(parse_is_name(""));
	assert_true(parse_is_name("busybox"));
	assert_true(parse_is_name("heap"));
	assert_false(parse_is_name("dead-beef-"));
	assert_false(parse_is_name("-heap"));
}

/* Where in an array in order something would stand. */
static void arrays(void **state)
{
	static const struct {
		char name;
		uint64_t value;
	} all[] = { { 'a', 3 }, { 'b', 5 }, { 'c', 5 }, { 'd', UINT64_MAX } };
	static const struct {
		uint64_t wanted;
		size_t at[5];	/* among the first 0 to 4 of them */
	} tests[] = {
		{ 0, { 0, 0, 0, 0, 0 } },
		{ 3, { 0, 0, 0, 0, 0 } },
		{ 4, { 0, 1, 1, 1, 1 } },
		{ 5, { 0, 1, 1, 1, 1 } },
		{ 6, { 0, 1, 2, 3, 3 } },
		{ UINT64_MAX, { 0, 1, 2, 3, 3 } },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		for (size_t nr = 0; nr <= 4; nr++)
			assert_int_equal(array_from(all, nr, value, tests[i].wanted),
					 tests[i].at[nr]);
}

static void orders(void **state)
{
	struct range all[] = { { 7, 8 }, { UINT64_MAX, 1 }, { 0, 9 }, { 1ULL << 63, 0 }, { 7, 8 } };
	const uint64_t sorted[] = { 0, 7, 7, 1ULL << 63, UINT64_MAX };

	qsort(all, 5, sizeof(*all), array_order);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(all[i].start, sorted[i]);
	assert_int_equal(all[0].last, 9);
}

static void words(void **state)
{
	assert_true(parse_is_word("json,pretty", 4, "json"));
	assert_true(parse_is_word("", 0, ""));
	assert_false(parse_is_word("json,pretty", 4, "text"));
	assert_false(parse_is_word("json,pretty", 3, "json"));
	assert_false(parse_is_word("json,pretty", 5, "json"));
}

SUITE(suite_parse,
	cmocka_unit_test(arrays), cmocka_unit_test(orders), cmocka_unit_test(words),
      cmocka_unit_test(good_hex), cmocka_unit_test(bad_hex),
      cmocka_unit_test(good_range), cmocka_unit_test(bad_range),
      cmocka_unit_test(pids), cmocka_unit_test(decimals),
      cmocka_unit_test(names_or_numbers), cmocka_unit_test(sizes),
      cmocka_unit_test(distances));
