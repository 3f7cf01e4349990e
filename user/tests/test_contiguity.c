// SPDX-License-Identifier: GPL-2.0
/* The runs that are found in what the module tells, in whatever pieces it does. */
#include "module/contiguity.h"
#include "tests.h"

#define PRESENT	((uint64_t)PTWALK_KIND_PRESENT)
#define SWAP	((uint64_t)PTWALK_KIND_SWAP)
#define LIST	(1ULL << PTWALK_BITS_LIST_SHIFT)
#define A	0x10000000ULL
#define PAGE	4096ULL

/* Of a run, some pages; returns how many runs they are by themselves. */
static uint64_t take_run(struct contiguity *c, const struct ptwalk_run *run, uint64_t addr,
			 uint64_t first, uint64_t pages)
{
	const uint64_t bits = run->bits & ~LIST;
	struct contiguity_lists list;

	if (run->bits & LIST) {
		contiguity_lists_begin(&list, &bits, 1);
		contiguity_lists_take(c, &list, run, addr, first, pages);
		contiguity_lists_end(c, &list);
		assert_int_equal(list.pages[0], pages);
		return list.extents[0];
	}
	if (run->bits % 256 == PRESENT)
		contiguity_add(c, addr, run->value[0] + first, pages);
	return 1;
}

/* All runs of a message, from @addr on. */
static void take(struct contiguity *c, uint64_t addr, const uint64_t *words, size_t nr)
{
	const struct ptwalk_runs runs = { .word = words, .nr = nr };
	const struct ptwalk_run *run;

	ptwalk_for_each_run(run, &runs) {
		take_run(c, run, addr, 0, run->pages);
		addr += run->pages * PAGE;
	}
}

#define TAKE(c, addr, ...) do { \
	static const uint64_t words[] = { __VA_ARGS__ }; \
	take(c, addr, words, sizeof(words) / 8); \
} while (0)

static void runs_go_on(void **state)
{
	struct contiguity c = { .page_shift = 12 };

	/* In one run of the module, in the next, in a list, and in the next message. */
	TAKE(&c, A, PRESENT, 3, 0x100, PRESENT | 1ULL << PTWALK_BITS_FLAGS_SHIFT, 2, 0x103,
	     PRESENT | LIST, 4, 0x105, 0x106, 0x900, 0x901);
	TAKE(&c, A + 9 * PAGE, PRESENT, 7, 0x902);
	contiguity_end(&c);
	assert_int_equal(c.runs[2], 1);
	assert_int_equal(c.pages[2], 7);
	assert_int_equal(c.runs[3], 1);
	assert_int_equal(c.pages[3], 9);
	assert_int_equal(c.longest.addr, A + 7 * PAGE);
	assert_int_equal(c.longest.pfn, 0x900);
	assert_int_equal(c.longest.pages, 9);
}

#define DIRTY	(PRESENT | 1ULL << PTWALK_BITS_FLAGS_SHIFT)
#define NUMBER(n)	((uint64_t)(n) << PTWALK_MIXED_SHIFT)
#define MIXED_PAGES	24

/* A mixed list is worth as much as its pages, whatever part of it is taken. */
static void mixed(void **state)
{
	static const uint64_t bits[] = { SWAP, PRESENT, DIRTY, 0 };
	static const uint64_t words[2 + MIXED_PAGES] = {
		PTWALK_KIND_MIXED | LIST, MIXED_PAGES,
		NUMBER(0) | 5, NUMBER(1) | 0x100, NUMBER(0) | 9, NUMBER(2) | 0x300,
		NUMBER(0) | 7, NUMBER(1) | 0x200, NUMBER(0) | 3, NUMBER(1) | 0x400,
		NUMBER(2) | 0x401, NUMBER(2) | 0x402, NUMBER(0) | 8, NUMBER(0) | 9,
		NUMBER(3), NUMBER(3), NUMBER(1) | 0x500, NUMBER(1) | 0x500,
		NUMBER(0) | 0x501, NUMBER(1) | 0x502, NUMBER(2) | 0x501, NUMBER(0) | 1,
		NUMBER(2) | 0x600, NUMBER(1) | 0x100, NUMBER(1) | 0x80, NUMBER(2) | 0x81,
	};
	const struct ptwalk_run *run = (const void *)words;

	for (uint64_t first = 0; first < MIXED_PAGES; first++)
		for (uint64_t end = first + 1; end <= MIXED_PAGES; end++) {
			struct contiguity whole = { .page_shift = 12 }, each = whole;
			struct contiguity_lists found, expected;

			contiguity_lists_begin(&found, bits, 4);
			expected = found;
			contiguity_lists_take(&whole, &found, run, A + first * PAGE, first,
					      end - first);
			contiguity_lists_end(&whole, &found);
			for (uint64_t i = first; i < end; i++) {
				uint64_t n = words[2 + i] >> PTWALK_MIXED_SHIFT;
				uint64_t step = ptwalk_kind_ascends(bits[n]);
				uint64_t page[] = { bits[n], 1,
						    words[2 + i] - NUMBER(n) };

				expected.pages[n]++;
				expected.extents[n] += i == first ||
					words[2 + i] != words[1 + i] + step;
				take(&each, A + i * PAGE, page, 3);
			}
			contiguity_end(&whole);
			contiguity_end(&each);
			assert_memory_equal(found.pages, expected.pages,
					    sizeof(found.pages));
			assert_memory_equal(found.extents, expected.extents,
					    sizeof(found.extents));
			assert_memory_equal(whole.runs, each.runs, sizeof(each.runs));
			assert_memory_equal(whole.pages, each.pages, sizeof(each.pages));
			assert_memory_equal(&whole.longest, &each.longest,
					    sizeof(each.longest));
		}
}

static void runs_end(void **state)
{
	struct contiguity c = { .page_shift = 12 };

	/* By another frame, a hole, an entry that isn't present, and the end. */
	TAKE(&c, A, PRESENT, 2, 0x100, PRESENT, 2, 0x103, SWAP, 1, 0x105, PRESENT, 2, 0x106);
	TAKE(&c, A + 8 * PAGE, PRESENT, 2, 0x108);
	TAKE(&c, A + 10 * PAGE, PRESENT | LIST, 3, 0x50, 0x50, 0x4f);
	contiguity_end(&c);
	contiguity_end(&c);
	assert_int_equal(c.runs[1], 4);
	assert_int_equal(c.pages[1], 8);
	assert_int_equal(c.runs[0], 3);
	assert_int_equal(c.longest.addr, A);
	assert_int_equal(c.longest.pages, 2);
}

/* Where a range cuts what the module tells. */
static void parts(void **state)
{
	static const uint64_t words[] = { PRESENT, 512, 0x200 };
	static const uint64_t list[] = { PRESENT | LIST, 5, 7, 0x230, 0x231, 0x240, 8 };
	struct contiguity c = { .page_shift = 12 };

	take_run(&c, (const void *)words, A, 32, 16);
	take_run(&c, (const void *)list, A + 16 * PAGE, 1, 3);
	take_run(&c, (const void *)list, A + 19 * PAGE, 0, 0);
	contiguity_end(&c);
	assert_int_equal(c.longest.pfn, 0x220);
	assert_int_equal(c.longest.pages, 18);
	assert_int_equal(c.runs[4], 1);
	assert_int_equal(c.runs[0], 1);
}

/* Pages that stand alone, at both ends of a list and between runs. */
static void alone(void **state)
{
	static const uint64_t list[] = {
		PRESENT | LIST, 12, 5, 6, 9, 20, 21, 22, 30, 40, 50, 51, 7, 3,
	};
	struct contiguity c = { .page_shift = 12 };

	assert_int_equal(take_run(&c, (const void *)list, A, 0, 12), 8);
	assert_int_equal(take_run(&c, (const void *)list, A + 12 * PAGE, 2, 1), 1);
	assert_int_equal(take_run(&c, (const void *)list, A + 13 * PAGE, 6, 2), 2);
	contiguity_end(&c);
	assert_int_equal(c.runs[0], 5 + 1 + 2);
	assert_int_equal(c.pages[0], 5 + 1 + 2);
	assert_int_equal(c.runs[1], 3);
	assert_int_equal(c.pages[1], 2 + 3 + 2);
	assert_int_equal(c.longest.addr, A + 3 * PAGE);
	assert_int_equal(c.longest.pfn, 20);
	assert_int_equal(c.longest.pages, 3);
}

static void nothing(void **state)
{
	struct contiguity c = { .page_shift = 12 };

	TAKE(&c, A, SWAP, 3, 0x100);
	contiguity_end(&c);
	assert_int_equal(c.longest.pages, 0);
	for (int i = 0; i < 64; i++)
		assert_int_equal(c.runs[i], 0);
}

SUITE(suite_contiguity, cmocka_unit_test(runs_go_on), cmocka_unit_test(mixed),
      cmocka_unit_test(runs_end),
      cmocka_unit_test(parts), cmocka_unit_test(alone), cmocka_unit_test(nothing));
