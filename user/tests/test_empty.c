// SPDX-License-Identifier: GPL-2.0
/* Which pages of much empty memory are read. */
#include "check/empty.h"
#include "tests.h"

#define TABLE	512

static struct ptwalk_kernel kernel;

static int setup(void **state)
{
	kernel = test_kernel(6, 12);
	kernel.level_entries[PTWALK_LEVEL_PTE] = TABLE;
	return 0;
}

/* Pages that are read, in how many rows; each comes once, and is one of them. */
static uint64_t read_of(const struct empty *e, unsigned int *rows)
{
	uint64_t pages = 0, end = e->first, before, at;

	*rows = 0;
	for (;;) {
		before = end;
		at = empty_next(e, &kernel, end, &end);
		if (at == e->end)
			return pages;
		assert_true(at > before || (!*rows && at == e->first));
		assert_true(end > at && end <= e->end);
		pages += end - at;
		++*rows;
	}
}

static bool is_read(const struct empty *e, uint64_t page)
{
	uint64_t end = e->first, at;

	while ((at = empty_next(e, &kernel, end, &end)) < e->end)
		if (page >= at && page < end)
			return true;
	return false;
}

/* A mapping of 1 TiB without a page. */
static void whole_vma(void **state)
{
	const struct empty e = { 0, 1 << 28, 1 << 28, TEST_ADDR >> 12 };
	/* Where the table of the first PMD ends. */
	const uint64_t border = (1 << 18) - (TEST_ADDR >> 12 & ((1 << 18) - 1));
	unsigned int rows;
	uint64_t pages = read_of(&e, &rows);

	assert_int_equal(rows, 64 + 3);
	assert_int_equal(pages, 2 * 4096 + 64 * 512 + 16);
	assert_true(is_read(&e, 0) && is_read(&e, 4095) && !is_read(&e, 4096));
	assert_true(is_read(&e, e.end - 4096) && is_read(&e, e.end - 1));
	assert_true(is_read(&e, border - 1) && is_read(&e, border));
	assert_true(!is_read(&e, border - 9) && !is_read(&e, border + 8));
}

/* The rest of the tables of what is mapped, and what is beside them. */
static void at_its_ends(void **state)
{
	const struct empty e = {
		3000 * TABLE + 1, 4000 * TABLE - 1, 1 << 28, TEST_ADDR >> 12,
	};
	const struct empty aligned = { 3100 * TABLE, 3500 * TABLE, 1 << 28, 0 };
	unsigned int rows;

	assert_true(is_read(&e, e.first) && is_read(&e, 3001 * TABLE + 7));
	assert_false(is_read(&e, 3001 * TABLE + 8));
	assert_true(is_read(&e, e.end - 1) && is_read(&e, 3999 * TABLE - 8));
	assert_false(is_read(&e, 3999 * TABLE - 9));
	assert_true(read_of(&e, &rows) <= 2 * (TABLE + 8) + 512 + 16);
	/* The page beside it stands in another table. */
	assert_int_equal(read_of(&aligned, &rows), 2 * 8);
	assert_int_equal(rows, 2);
}

/* Of many such: what is nearest, no less of the VMA's ends, and no other borders. */
static void in_brief(void **state)
{
	const struct empty e = {
		3000 * TABLE + 100, 4000 * TABLE - 100, 1 << 28, 0, .brief = true,
	};
	const struct empty first = { 1, 1 << 27, 1 << 28, 0, .brief = true };
	const struct empty tables = {
		3000 * TABLE, 3900 * TABLE, 1 << 28, 0, .brief = true,
	};
	unsigned int rows;

	assert_int_equal(read_of(&e, &rows), 2 * 32);
	assert_int_equal(rows, 2);
	/* Nothing is beside it in a table: a few pages of those that are empty. */
	assert_int_equal(read_of(&tables, &rows), 2 * 8);
	assert_true(is_read(&tables, tables.first) && is_read(&tables, tables.end - 1));
	assert_true(is_read(&e, e.first) && is_read(&e, e.first + 31));
	assert_true(is_read(&e, e.end - 1) && is_read(&e, e.end - 32));
	assert_true(is_read(&first, 1) && is_read(&first, 4095));
	assert_true(read_of(&first, &rows) > 32 * 512);
}

/* A small one as a whole, and so is a VMA that has less than its samples. */
static void small(void **state)
{
	const struct empty gap = { 100000, 100600, 1 << 28, 0 };
	const struct empty vma = { 0, 40959, 40959, 0 };
	unsigned int rows;

	assert_int_equal(read_of(&gap, &rows), 600);
	assert_int_equal(rows, 1);
	assert_int_equal(read_of(&vma, &rows), 40959);
	assert_int_equal(rows, 1);
}

/* The cost is that of what is mapped, at three sizes. */
static void follows_pages(void **state)
{
	uint64_t sum[3] = { 0 };

	for (unsigned int size = 0; size < 3; size++)
		for (uint64_t i = 0; i < 1000ULL << size; i++) {
			const uint64_t each = (1 << 28) / (1000 << size);
			const struct empty e = {
				i * each + 1, (i + 1) * each, 1 << 28, TEST_ADDR >> 12,
			};
			unsigned int rows;

			sum[size] += read_of(&e, &rows);
		}
	/* Of the VMA, and for each page that is mapped. */
	for (unsigned int size = 0; size < 3; size++)
		assert_in_range(sum[size], (1000 << size) * TABLE,
				40960 + (1000 << size) * (TABLE + 3 * 16));
}

/* Tables of 64 KiB pages, and a kernel without a PUD. */
static void other_tables(void **state)
{
	const struct empty e = { 7 * 8192 - 1, 20 * 8192 + 1, 1 << 20, 0 };
	unsigned int rows;

	kernel.level_entries[PTWALK_LEVEL_PTE] = 8192;
	kernel.level_shift[PTWALK_LEVEL_PUD] = 0;
	assert_true(is_read(&e, 7 * 8192 + 7) && is_read(&e, 20 * 8192 - 8));
	kernel.level_entries[PTWALK_LEVEL_PTE] = 0;
	assert_true(read_of(&e, &rows) < 8192);
	setup(NULL);
}

SUITE(suite_empty,
      cmocka_unit_test_setup(whole_vma, setup),
      cmocka_unit_test_setup(at_its_ends, setup),
      cmocka_unit_test_setup(in_brief, setup),
      cmocka_unit_test_setup(small, setup),
      cmocka_unit_test_setup(follows_pages, setup),
      cmocka_unit_test_setup(other_tables, setup));
