// SPDX-License-Identifier: GPL-2.0
/* The second stage of a virtual machine: its list, and which of its entries are stale. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "guest/stale.h"
#include "tests.h"

#define SHIFT	12
#define PAGE	4096ULL
#define HVA	0x7f0000000000ULL
#define WRITE	PTWALK_FLAG_WRITE

static int parse(const char *text, struct second_stage *stage)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");
	int err;

	memset(stage, 0, sizeof(*stage));
	err = second_stage_parse(stream, stage);
	fclose(stream);
	return err;
}

static void lists(void **state)
{
	struct second_stage s;

	assert_int_equal(parse("ptwalk-guest 1 x86_64 c 2 later\n"
			       "extent 200000 200000 8000000 2 rw 7f0000200000\n"
			       "extent 1000 1000 7fd3000 1 r- 7f0000001000\n"
			       "extent 3000 1000 7fd5000 1 rw- 7f0000003000\n"
			       "private 0 2000 9000000 1 rw\n"
			       "no-slot 5000 3000 9001000 1 rw\n"
			       "device 8000 3000 2c000000 1 rw\n"
			       "unheard of\n"
			       "end 6 1 2 3 4 5 6\n", &s), 0);
	assert_int_equal(s.page_shift, SHIFT);
	assert_int_equal(s.cpus, 2);
	assert_int_equal(s.nr, 4);
	assert_int_equal(s.extent[0].gpa, 0x200000);
	assert_int_equal(s.extent[0].bytes, 0x200000);
	assert_int_equal(s.extent[0].hpa, 0x8000000);
	assert_int_equal(s.extent[0].hva, HVA + 0x200000);
	assert_int_equal(s.extent[0].level, 2);
	assert_true(s.extent[0].write);
	assert_false(s.extent[1].write);
	assert_false(s.extent[0].read_only || s.extent[1].read_only);
	assert_true(s.extent[2].write && s.extent[2].read_only);
	assert_int_equal(s.private_bytes, 0x2000);
	assert_int_equal(s.device_bytes, 0x3000);
	assert_true(s.extent[3].slotless && !s.extent[0].slotless);
	assert_int_equal(s.extent[3].hva, 0x5000);
	assert_int_equal(s.roots, 1);
	assert_int_equal(s.rootless, 2);
	assert_int_equal(s.shadow, 3);
	assert_int_equal(s.nested, 4);
	assert_int_equal(s.lost, 5);
	second_stage_free(&s);
}

static void lists_wrong(void **state)
{
	static const struct {
		const char *text;
		int err;
	} cases[] = {
		{ "", -EIO },
		{ "ptwalk-guest 1 x86_64 c 1\n", -EIO },
		{ "end 0 0 0 0 0 0\n", -EIO },
		{ "ptwalk-guest 1 x86_64 c 1\nend 1 0 0 0 0 0\n", -EIO },
		{ "ptwalk-guest 2 x86_64 c 1\n", -EPROTO },
		{ "ptwalk-guest 1 x86_64 b 1\n", -EINVAL },
		{ "ptwalk-guest 1 x86_64 c 1\nptwalk-guest 1 x86_64 c 1\n", -EINVAL },
		{ "extent 0 1000 1000 1 rw 1000\n", -EINVAL },
		{ "ptwalk-guest 1 x86_64 c 1\nextent 0 0 1000 1 rw 1000\n", -EINVAL },
		{ "ptwalk-guest 1 x86_64 c 1\nextent 0 1000 1001 1 rw 1000\n", -EINVAL },
		{ "ptwalk-guest 1 x86_64 c 1\nextent 0 1000 1000 0 rw 1000\n", -EINVAL },
		{ "ptwalk-guest 1 x86_64 c 1\nextent 0 1000 1000 1 r 1000\n", -EINVAL },
		{ "ptwalk-guest 1 x86_64 c 1\nextent 0 1000 1000 1 rw\n", -EINVAL },
		{ "ptwalk-guest 1 x86_64 c 1\nextent 0 2000 1000 1 rw fffffffffffff000\n", -EINVAL },
		{ "ptwalk-guest 1 x86_64 c 1\nend 0 0 0\n", -EINVAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct second_stage s;

		if (parse(cases[i].text, &s) != cases[i].err)
			fail_msg("case %zu", i);
		second_stage_free(&s);
	}
}

static uint64_t bits_of(uint32_t kind, uint32_t flags)
{
	return kind | (uint64_t)flags << PTWALK_BITS_FLAGS_SHIFT;
}

/* Eight pages of a guest from 0x10000 on, frames from 0x100 on, that it may write to. */
static struct stage_extent eight = {
	.gpa = 0x10000, .bytes = 8 * PAGE, .hpa = 0x100 * PAGE, .hva = HVA, .level = 1,
	.write = true,
};

static void find(struct stale *out, struct ptwalk_extent *extents, size_t nr)
{
	const struct second_stage stage = { .page_shift = SHIFT, .extent = &eight, .nr = 1 };
	const struct truth truth = { .extents = extents, .nr_extents = nr };

	memset(out, 0, sizeof(*out));
	assert_int_equal(stale_find(out, &stage, &truth), 0);
	assert_int_equal(out->pages, 8);
}

static void compares(void **state)
{
	/* The extent begins before the slot does, and ends behind it. */
	struct ptwalk_extent right = { HVA - PAGE, 0xff, 10, bits_of(PTWALK_KIND_PRESENT, WRITE) };
	struct ptwalk_extent parts[] = {
		{ HVA, 0x100, 2, bits_of(PTWALK_KIND_PRESENT, WRITE) },
		{ HVA + 2 * PAGE, 0x202, 2, bits_of(PTWALK_KIND_PRESENT, WRITE) },
		{ HVA + 4 * PAGE, 0x104, 1, bits_of(PTWALK_KIND_PRESENT, 0) },
		{ HVA + 5 * PAGE, 0, 1, bits_of(PTWALK_KIND_NONE, 0) },
		{ HVA + 6 * PAGE, 0x106, 1, bits_of(PTWALK_KIND_MIGRATION, WRITE) },
		/* and the last is in no VMA */
	};
	struct ptwalk_extent no_access = {
		HVA, 0x100, 8, bits_of(PTWALK_KIND_PRESENT, PTWALK_FLAG_PROT_NONE),
	};
	struct stale stale;

	find(&stale, &right, 1);
	assert_int_equal(stale.nr, 0);
	find(&stale, parts, 5);
	assert_int_equal(stale.nr, 6);
	assert_int_equal(stale.page[0].gpa, 0x12000);
	assert_int_equal(stale.page[0].hva, HVA + 2 * PAGE);
	assert_int_equal(stale.page[0].frame, 0x102);
	assert_int_equal(stale.page[0].value, 0x202);
	assert_int_equal(stale.page[5].bits, 0);
	assert_int_equal(stale_stretch(&stale, 0, SHIFT), 2);
	assert_int_equal(stale_stretch(&stale, 2, SHIFT), 1);
	assert_int_equal(stale_stretch(&stale, 5, SHIFT), 1);
	free(stale.page);
	/* It may not write to a read-only slot, whatever the process may do. */
	eight.read_only = true;
	find(&stale, &right, 1);
	assert_int_equal(stale.nr, 8);
	assert_true(stale.page[0].read_only);
	assert_int_equal(stale_stretch(&stale, 0, SHIFT), 8);
	free(stale.page);
	eight.write = false;
	find(&stale, &right, 1);
	assert_int_equal(stale.nr, 0);
	eight.read_only = false;
	/* Where no slot is, nothing is right. */
	eight.slotless = true;
	find(&stale, &right, 1);
	assert_int_equal(stale.nr, 8);
	assert_true(stale.page[0].slotless);
	assert_int_equal(stale_stretch(&stale, 0, SHIFT), 8);
	free(stale.page);
	eight.slotless = false;
	/* The guest may read what the process may, and no more. */
	eight.write = false;
	find(&stale, parts, 5);
	assert_int_equal(stale.nr, 5);
	free(stale.page);
	find(&stale, &no_access, 1);
	assert_int_equal(stale.nr, 8);
	free(stale.page);
	eight.write = true;
}

static void looks_again(void **state)
{
	struct ptwalk_extent first[] = {
		{ HVA, 0x200, 4, bits_of(PTWALK_KIND_PRESENT, WRITE) },
		{ HVA + 4 * PAGE, 0x104, 4, bits_of(PTWALK_KIND_PRESENT, WRITE) },
	};
	struct ptwalk_extent second[] = {
		{ HVA, 0x200, 1, bits_of(PTWALK_KIND_PRESENT, WRITE) },
		{ HVA + PAGE, 0x301, 2, bits_of(PTWALK_KIND_PRESENT, WRITE) },
		{ HVA + 3 * PAGE, 0x103, 4, bits_of(PTWALK_KIND_PRESENT, WRITE) },
		{ HVA + 7 * PAGE, 0x207, 1, bits_of(PTWALK_KIND_PRESENT, WRITE) },
	};
	struct stale before, now;

	find(&before, first, 2);
	find(&now, second, 4);
	assert_int_equal(now.nr, 4);
	stale_both(&now, &before);
	/* The first is the same; the next two are others; the last is new. */
	assert_int_equal(now.nr, 3);
	assert_false(now.page[0].moved);
	assert_true(now.page[1].moved);
	assert_true(now.page[2].moved);
	assert_int_equal(stale_stretch(&now, 0, SHIFT), 1);
	free(before.page);
	/* That it was read is no change; that it can't be written to is. */
	second[0].bits = bits_of(PTWALK_KIND_PRESENT, WRITE | PTWALK_FLAG_YOUNG);
	find(&before, second, 4);
	stale_both(&before, &now);
	assert_false(before.page[0].moved);
	free(before.page);
	second[0].bits = bits_of(PTWALK_KIND_PRESENT, 0);
	find(&before, second, 4);
	stale_both(&before, &now);
	assert_true(before.page[0].moved);
	free(before.page);
	/* That it moved is kept. */
	find(&before, second, 4);
	stale_both(&before, &now);
	assert_true(before.page[1].moved);
	free(before.page);
	free(now.page);
	/* Also if it was seen in the later look alone. */
	find(&before, first, 2);
	find(&now, first, 2);
	now.page[0].moved = true;
	stale_both(&now, &before);
	assert_true(now.page[0].moved);
	assert_false(now.page[1].moved);
	free(before.page);
	free(now.page);
}

/* Of what differs in all looks, that is proven which was the same in many of the last. */
static void settles(void **state)
{
	struct ptwalk_extent extents[] = {
		{ HVA, 0x200, 2, bits_of(PTWALK_KIND_PRESENT, WRITE) },
		{ HVA + 2 * PAGE, 0x102, 2, bits_of(PTWALK_KIND_PRESENT, WRITE) },
		{ HVA + 4 * PAGE, 0, 2, bits_of(PTWALK_KIND_NONE, 0) },
		{ HVA + 6 * PAGE, 0x206, 2, bits_of(PTWALK_KIND_PRESENT, WRITE) },
	};
	struct doubts doubts = { 0 }, wrong = { 0 };
	struct stale stale = { 0 };

	for (int look = -1; look < JUDGE_PAGE_ROUNDS; look++) {
		free(stale.page);
		/* At first, the first two were others. */
		extents[0].value = look < 0 ? 0x300 : 0x200;
		find(&stale, extents, 4);
		assert_int_equal(stale.nr, 6);
		/* Those read are the same; one that moves while it is looked at isn't. */
		extents[3].bits ^= (uint64_t)PTWALK_FLAG_YOUNG << PTWALK_BITS_FLAGS_SHIFT;
		stale.page[5].moved = look == 2;
		assert_int_equal(stale_doubt(&stale, &wrong, SHIFT), 0);
		assert_int_equal(doubts_look(&doubts, &wrong, true), 0);
		stale_settle(&stale, &doubts, SHIFT);
		for (unsigned int i = 0; i < 6; i++) {
			const int looks = i == 5 ? look - 2 : i < 2 ? look + 1 : look + 2;

			assert_int_equal(stale.page[i].moved, looks < JUDGE_PAGE_ROUNDS);
		}
	}
	free(stale.page);
	doubts_free(&doubts);
}

SUITE(suite_guest,
	cmocka_unit_test(lists),
	cmocka_unit_test(lists_wrong),
	cmocka_unit_test(compares),
	cmocka_unit_test(looks_again),
	cmocka_unit_test(settles),
);
