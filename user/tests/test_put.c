// SPDX-License-Identifier: GPL-2.0
/* What is put together in memory is what printf() would print. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/format.h"
#include "base/jsonw.h"
#include "base/print.h"
#include "base/put.h"
#include "base/random.h"
#include "module/entry.h"
#include "report/record.h"
#include "tests.h"
#include "told.h"

static void same_number(uint64_t value)
{
	char expected[64], buf[64];
	static const int widths[] = { 0, 1, 8, 20, 24 };

	snprintf(expected, sizeof(expected), "0x%" PRIx64, value);
	*put_hex(buf, value) = '\0';
	assert_string_equal(buf, expected);
	snprintf(expected, sizeof(expected), "0x%016" PRIx64, value);
	*put_hex_whole(buf, value) = '\0';
	assert_string_equal(buf, expected);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		snprintf(expected, sizeof(expected), "%*" PRIu64, widths[i], value);
		*put_decimal(buf, value, widths[i]) = '\0';
		assert_string_equal(buf, expected);
	}
}

static void numbers(void **state)
{
	uint64_t value = 1, other = 1;

	same_number(0);
	for (int i = 0; i < 64; i++, value *= 2, other *= 10)
		for (int delta = -1; delta < 2; delta++) {
			same_number(value + delta);
			same_number(other + delta);
			same_number((value + delta) * 0x9e3779b97f4a7c15);
		}
}

static void ranges(void **state)
{
	char buf[FORMAT_RANGE];

	assert_string_equal(format_range(0, 0xfff, buf), "0x0-0x1000");
	assert_string_equal(format_range(0xfffffffffffff000, UINT64_MAX, buf),
			    "0xfffffffffffff000-0x10000000000000000");
	assert_string_equal(format_range(0xfffffffffffff000, UINT64_MAX - 1, buf),
			    "0xfffffffffffff000-0xffffffffffffffff");
}

static char *put_three(char *to, const uint64_t *number)
{
	for (int i = 0; i < 3; i++)
		to = put_hex(put_text(to, " and "), number[i]);
	return put_text(to, ".");
}

static void wrong_lines(struct put_lines *lines)
{
	char line[PUT_LINE + 1] = "0x12 0x340 0x5";
	const struct put_what what = { .key = { 7 }, .number = { 0x12, 0x34, 5 }, .nr = 3 };
	struct put_what other = { .key = { 8 }, .number = { 0x12, 0x340, 5 }, .nr = 3 };
	char buf[PUT_LINE];

	/* Another number is there, or there is none, or it is too long. */
	put_keep(lines, &what, line, line + 14);
	assert_null(put_again(buf, lines, &what));
	put_keep(lines, &other, line, line + 10);
	assert_null(put_again(buf, lines, &other));
	put_keep(lines, &other, line, line + PUT_LINE);
	assert_null(put_again(buf, lines, &other));
	put_keep(lines, &other, line, line + PUT_LINE - 1);
	assert_ptr_equal(put_again(buf, lines, &other), buf + PUT_LINE - 1);
	other.nr = 2;
	assert_null(put_again(buf, lines, &other));
	assert_null(put_again(buf, lines, &what));
}

/* With numbers that are near those before, or not, of as many digits or not. */
static void lines_again(void **state)
{
	struct put_what what = { .key = { 1, 2, 3 }, .nr = 3 };
	static struct put_lines lines;
	struct random random = { 1 };
	char expected[128], buf[128], *end;
	uint64_t *number = what.number;
	unsigned int again = 0;

	for (int i = 0; i < 100000; i++) {
		what.key[random_below(&random, 3)] = random_below(&random, 3);
		for (int k = 0; k < 3; k++)
			number[k] = random_one_in(&random, 8) ?
				    random_next(&random) >> random_below(&random, 64) :
				    number[k] + random_below(&random, 1 << 16) - 0x7000;
		snprintf(expected, sizeof(expected),
			 " and 0x%" PRIx64 " and 0x%" PRIx64 " and 0x%" PRIx64 ".", number[0],
			 number[1], number[2]);
		memset(buf, 0, sizeof(buf));
		end = put_again(buf, &lines, &what);
		again += !!end;
		if (!end) {
			end = put_three(buf, number);
			put_keep(&lines, &what, buf, end);
		}
		assert_int_equal(end - buf, strlen(expected));
		assert_memory_equal(buf, expected, strlen(expected) + 1);
	}
	assert_in_range(again, 10000, 90000);
	wrong_lines(&lines);
}

/* What is written between its two halves isn't there any more, however long the second. */
static void tell_halves(void *arg)
{
	static struct out_lines lines;
	static char half[sizeof(lines.text) - 100];
	bool *whole = arg;
	size_t written;

	memset(half, 'x', sizeof(half));
	for (int i = 0; i < 2; i++) {
		out_lines_put(&lines, half, i ? 200 : 50);
		written = lines.written;
		out_lines_put(&lines, half, i ? sizeof(half) : 50);
		whole[i] = lines.written == written;
		out_lines_end(&lines);
	}
}

static void lines_written(void **state)
{
	bool whole[2];

	free(told_text(tell_halves, whole));
	assert_true(whole[0]);
	assert_false(whole[1]);
}

struct kept_json {
	struct put_lines lines;
	struct put_what what;
	bool again;
};

static void tell_kept(void *arg)
{
	static const char *const members[] = { "start", "last", "pfn" };
	struct kept_json *k = arg;

	k->again = jsonw_again(&k->lines, &k->what);
	if (k->again)
		return;
	jsonw_begin("extent");
	for (int i = 0; i < 3; i++)
		jsonw_hex(members[i], k->what.number[i]);
	jsonw_number("pages", 1);
	jsonw_end_kept(&k->lines, &k->what);
}

/* The same of JSON; @made: the line was put together. */
static void json_is(struct kept_json *k, uint64_t start, uint64_t last, uint64_t pfn, bool made)
{
	char expected[160], *text;

	k->what = (struct put_what){ .number = { start, last, pfn }, .nr = 3 };
	text = told_text(tell_kept, k);
	snprintf(expected, sizeof(expected),
		 "{\"type\":\"extent\",\"start\":\"0x%" PRIx64 "\",\"last\":\"0x%" PRIx64 "\",\"pfn\":\"0x%" PRIx64 "\",\"pages\":1}\n",
		 start, last, pfn);
	assert_string_equal(text, expected);
	assert_int_equal(k->again, !made);
	free(text);
}

static void json_again(void **state)
{
	static struct kept_json k;

	json_is(&k, 0x1000, 0x1fff, 7, true);
	json_is(&k, 0x2000, 0x2fff, 0xa, false);
	json_is(&k, 0x3000, 0x3fff, 0x10, true);
	json_is(&k, 0xf000, 0xffff, 0x23, false);
	json_is(&k, 0x4000, 0x4fff, 5, false);
	json_is(&k, 0x10000, 0x10fff, 0x24, true);
	json_is(&k, 0x7fff12345000, 0x7fff12345fff, 0x24, true);
	json_is(&k, 0x7ffe00000000, 0x7ffe00000fff, 0x99, false);
}

static void units(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0B" }, { 1023, "1023B" }, { 1024, "1K" }, { 1025, "1.0K" },
		{ 1536, "1.5K" }, { 10188, "9.9K" }, { 10189, "10K" },
		{ 10751, "10K" }, { 10752, "11K" }, { 1048063, "1023K" },
		{ 1048064, "1.0M" }, { 1048575, "1.0M" }, { 1048576, "1M" },
		{ 312 << 20, "312M" }, { (312 << 20) + 1, "312M" },
		{ 1ULL << 40, "1T" }, { UINT64_MAX, "16E" },
	};
	char buf[FORMAT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(format_human(cases[i].bytes, buf),
				    cases[i].text);
}

/* As wide as the largest number, which may be one more than a power of ten. */
static void widths(void **state)
{
	assert_int_equal(format_columns(0, 0), 1);
	assert_int_equal(format_columns(9, 0), 1);
	assert_int_equal(format_columns(10, 0), 2);
	assert_int_equal(format_columns(99999999, 8), 8);
	assert_int_equal(format_columns(100000000, 8), 9);
	assert_int_equal(format_columns(UINT64_MAX, 8), 20);
}

static void columns(void **state)
{
	char buf[64], expected[64], *p;

	for (unsigned int width = 0; width < 40; width++) {
		p = put_text(buf, "twelve bytes");
		*put_blanks(p, buf, width) = '\0';
		snprintf(expected, sizeof(expected), "%-*s", width, "twelve bytes");
		assert_string_equal(buf, expected);
	}
}

struct record {
	struct record_words *words;
	const struct ptwalk_kernel *info;
	uint64_t value, bits;
};

static void tell_record(void *arg)
{
	const struct record *r = arg;

	jsonw_number("first", 1);
	record_json(r->words, r->info, r->value, r->bits, 0x123);
	jsonw_number("last", 2);
}

/* The members that @bits and @value have, with those before and behind them. */
static json_t *parsed(struct record_words *words, const struct ptwalk_kernel *info,
		      uint64_t value, uint64_t bits)
{
	return told_json(tell_record, &(struct record){ words, info, value, bits });
}

static const char *text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	assert_non_null(text);
	return text;
}

/* Entries of all kinds, levels and flags, known or not, one behind the other. */
static void records(void **state)
{
	static const uint32_t masks[] = { 0, 1, 0x80000001, UINT32_MAX };
	const struct ptwalk_kernel info = test_kernel(6, 12);
	struct record_words words = { 0 };
	char flag[ENTRY_FLAGS];
	json_t *object, *flags;
	uint64_t bits;

	for (uint32_t i = 0; i < 16 * 8 * 4; i++) {
		bits = ptwalk_bits(i % 16, i / 16 % 8, i * 37 & 0xff,
				   masks[i / 128]);
		object = parsed(&words, &info, UINT64_MAX, bits);
		assert_int_equal(json_object_size(object) > 4,
				 i % 16 != PTWALK_KIND_NO_VMA);
		if (i % 16 != PTWALK_KIND_NO_VMA)
			assert_int_equal(json_array_size(json_object_get(object, "flags")),
					 __builtin_popcount(masks[i / 128]));
		json_decref(object);
		/* All flags have room in a line of text. */
		assert_in_range(strlen(entry_flags(bits, flag)), 1,
				ENTRY_FLAGS - 2);
	}

	object = parsed(&words, &info, 0x47, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
							 PTWALK_FLAG_WRITE));
	assert_string_equal(text_of(object, "kind"), "present");
	assert_string_equal(text_of(object, "level"), "pte");
	assert_string_equal(text_of(object, "pfn"), "0x47");
	assert_string_equal(text_of(object, "paddr"), "0x47123");
	flags = json_object_get(object, "flags");
	assert_string_equal(json_string_value(json_array_get(flags, 0)), "write");
	json_decref(object);
	/* The same bits again, with another value. */
	object = parsed(&words, &info, 0x48, ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
							 PTWALK_FLAG_WRITE));
	assert_string_equal(text_of(object, "pfn"), "0x48");
	json_decref(object);
}

/* The columns behind follow the bits, too. */
static void entry_lines(void **state)
{
	const struct ptwalk_kernel info = test_kernel(6, 12);
	struct entry_columns last = { 0 };
	char buf[ENTRY_COLUMNS + 1];
	uint64_t bits;

	for (int i = 0; i < 2; i++) {
		bits = ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_WRITE);
		*entry_columns(buf, &last, &info, bits, true) = '\0';
		assert_memory_equal(buf, "4K   ", 5);
		assert_string_equal(buf + 13, " write\n");
		bits = ptwalk_bits(PTWALK_KIND_SWAP, 0, 0, 0);
		*entry_columns(buf, &last, &info, bits, true) = '\0';
		assert_string_equal(buf, "4K   -        -\n");
	}
}

SUITE(suite_put, cmocka_unit_test(numbers), cmocka_unit_test(ranges),
      cmocka_unit_test(lines_again), cmocka_unit_test(lines_written), cmocka_unit_test(json_again),
      cmocka_unit_test(units),
      cmocka_unit_test(widths), cmocka_unit_test(columns), cmocka_unit_test(records),
      cmocka_unit_test(entry_lines));
