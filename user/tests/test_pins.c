// SPDX-License-Identifier: GPL-2.0
/* Registered buffers: their list, and which of their pages are others now. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "pins/orphan.h"
#include "pins/pins.h"
#include "tests.h"

#define SHIFT	12
#define AT	0x7f0000000000ULL
#define PRESENT	PTWALK_KIND_PRESENT
#define NONE	PTWALK_KIND_NONE
#define SWAP	PTWALK_KIND_SWAP
#define PAGE	PTWALK_FLAG_PAGE
#define SHARED	PTWALK_VMA_FLAG_SHARED

static int parse(const char *text, struct urings *rings)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");
	int err = urings_parse(stream, 5, rings);

	fclose(stream);
	return err;
}

static void lists(void **state)
{
	struct urings rings = { 0 };

	/* Linux 6.12, with an empty slot; a file's name that looks like a list. */
	assert_int_equal(parse("pos:\t0\nUserFiles:\t2\n    0: a\nUserBufs:\t1\n    0: 0x1000/9\n    1: b\n"
			       "UserBufs:\t2\n    0: 0xffffffffffffffff/4294967295\n"
			       "    1: 0x7f0000000000/65536\nPollList:\n  op=1, task_works=0\n",
			       &rings), 0);
	assert_int_equal(rings.nr, 1);
	assert_int_equal(rings.files, 2);
	assert_int_equal(rings.kernel, 0);
	assert_int_equal(rings.buffer[0].fd, 5);
	assert_int_equal(rings.buffer[0].index, 1);
	assert_int_equal(rings.buffer[0].addr, AT);
	assert_int_equal(rings.buffer[0].length, 65536);
	/* Linux 7.2: one more ring, of the kernel's buffers. */
	assert_int_equal(parse("UserFiles:\t0\nUserBufs:\t2\n    0: <none>\n    1: 0x0/4096\nPollList:\n",
			       &rings), 0);
	assert_int_equal(rings.nr, 1);
	assert_int_equal(rings.kernel, 1);
	assert_int_equal(rings.rings, 2);
	/* Busy: without the list, or without anything. */
	assert_int_equal(parse("UserFiles:\t0\nUserBufs:\t2\nPollList:\n", &rings), -EAGAIN);
	assert_int_equal(parse("pos:\t0\nflags:\t02\n", &rings), -EAGAIN);
	/* Nonsense. */
	assert_int_equal(parse("UserBufs:\t1\n    0: 0x1000\n", &rings), -EINVAL);
	assert_string_equal(rings.strange, "    0: 0x1000");
	assert_int_equal(parse("UserBufs:\t1\n    x: 0x1000/1\n", &rings), -EINVAL);
	assert_string_equal(rings.strange, "    x: 0x1000/1");
	assert_int_equal(rings.nr, 1);
	assert_int_equal(rings.rings, 2);
	urings_free(&rings);
}

static uint64_t bits_of(uint32_t kind, uint32_t flags)
{
	return kind | (uint64_t)flags << PTWALK_BITS_FLAGS_SHIFT;
}

static void states(void **state)
{
	static const struct {
		uint32_t kind, flags;
		uint64_t vma, page;
		enum pin_state is;
	} cases[] = {
		{ PRESENT, PAGE, 0, PTWALK_PAGE_FLAG_MAYBE_PINNED, PIN_HELD },
		{ PRESENT, PAGE, SHARED, PTWALK_PAGE_FLAG_MAYBE_PINNED, PIN_HELD },
		{ PRESENT, PAGE, 0, 0, PIN_REPLACED },
		{ PRESENT, PAGE, SHARED, 0, PIN_REPLACED },
		/* The zero page has thousands of references. */
		{ PRESENT, PTWALK_FLAG_ZERO, 0, PTWALK_PAGE_FLAG_MAYBE_PINNED, PIN_ZERO },
		{ PRESENT, PTWALK_FLAG_SPECIAL, 0, 0, PIN_UNKNOWN },
		{ NONE, 0, 0, 0, PIN_ABSENT },
		{ SWAP, 0, 0, 0, PIN_ABSENT },
		{ PTWALK_KIND_MARKER, 0, 0, 0, PIN_ABSENT },
		{ NONE, 0, SHARED, 0, PIN_UNKNOWN },
		{ PTWALK_KIND_MIGRATION, 0, 0, 0, PIN_UNKNOWN },
		{ PTWALK_KIND_HWPOISON, 0, 0, 0, PIN_UNKNOWN },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ptwalk_vma vma = { .flags = cases[i].vma };
		const struct ptwalk_page page = { .flags = cases[i].page };

		assert_int_equal(pin_state_of(&vma, bits_of(cases[i].kind, cases[i].flags), &page),
				 cases[i].is);
	}
}

/* Two extents with a hole between them, which a buffer begins and ends outside of. */
static void stretches(void **state)
{
	struct ptwalk_page pages[] = { { 0 }, { .flags = PTWALK_PAGE_FLAG_MAYBE_PINNED } };
	struct ptwalk_vma vmas[] = {
		{ .start = AT, .last = AT + 0x3fff },
		{ .start = AT + 0x6000, .last = AT + 0x8fff },
	};
	struct ptwalk_extent extents[] = {
		{ AT, 100, 4, bits_of(PRESENT, PAGE) },
		{ AT + 0x6000, 200, 3, bits_of(PRESENT, PAGE) },
	};
	const struct truth truth = {
		.extents = extents, .nr_extents = 2, .vmas = vmas, .nr_vmas = 2,
		.pages = pages, .max_pages = 2,
	};
	const struct uring_buffer buffer = { 5, 1, AT + 0x1010, 0x8000 };
	struct pin_stretches now = { 0 }, before = { 0 };

	assert_int_equal(pin_stretches_add(&now, &buffer, &truth, SHIFT), 0);
	assert_int_equal(now.pages[PIN_REPLACED], 3);
	assert_int_equal(now.pages[PIN_UNMAPPED], 3);
	assert_int_equal(now.pages[PIN_HELD], 3);
	assert_int_equal(now.nr, 3);
	assert_int_equal(now.stretch[0].addr, AT + 0x1000);
	assert_int_equal(now.stretch[0].value, 101);
	assert_int_equal(now.stretch[1].addr, AT + 0x4000);
	assert_int_equal(now.stretch[1].pages, 2);
	assert_int_equal(now.stretch[2].addr, AT + 0x9000);
	assert_int_equal(now.stretch[2].pages, 1);

	/* Of these, some were wrong before; another buffer's are others. */
	extents[0].pages = 3;
	vmas[0].last = AT + 0x2fff;
	pages[0].flags = PTWALK_PAGE_FLAG_MAYBE_PINNED;
	assert_int_equal(pin_stretches_add(&before, &buffer, &truth, SHIFT), 0);
	assert_int_equal(pin_stretches_both(&now, &before, SHIFT), 0);
	assert_int_equal(now.nr, 3);
	assert_int_equal(now.stretch[0].addr, AT + 0x3000);
	assert_int_equal(now.stretch[0].value, 103);
	assert_int_equal(now.stretch[0].pages, 1);
	for (size_t i = 0; i < before.nr; i++)
		before.stretch[i].buffer.length++;
	assert_int_equal(pin_stretches_both(&now, &before, SHIFT), 0);
	assert_int_equal(now.nr, 0);
	free(now.stretch);
	free(before.stretch);
}

/* Each fact that makes it another page. */
static void orphans(void **state)
{
	const struct ptwalk_page orphan = {
		.flags = PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_LRU |
			 PTWALK_PAGE_FLAG_MAYBE_PINNED | PTWALK_PAGE_FLAG_UPTODATE,
		.counts = 1024,
	};
	static const uint64_t without[] = {
		PTWALK_PAGE_FLAG_ANON, PTWALK_PAGE_FLAG_LRU, PTWALK_PAGE_FLAG_MAYBE_PINNED,
	}, with[] = {
		PTWALK_PAGE_FLAG_SWAPCACHE, PTWALK_PAGE_FLAG_LOCKED,
		PTWALK_PAGE_FLAG_WRITEBACK, PTWALK_PAGE_FLAG_KSM,
	};
	struct ptwalk_page page = orphan;

	assert_true(pin_is_orphan(&page));
	page.flags ^= PTWALK_PAGE_FLAG_LRU | PTWALK_PAGE_FLAG_HUGETLB;
	assert_true(pin_is_orphan(&page));
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		page = orphan;
		page.flags &= ~without[i];
		assert_false(pin_is_orphan(&page));
	}
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
		page = orphan;
		page.flags |= with[i];
		assert_false(pin_is_orphan(&page));
	}
	page = orphan;
	page.counts |= 1ULL << 32;
	assert_false(pin_is_orphan(&page));
	page = orphan;
	page.folio_counts = 1;	/* another page of the folio */
	assert_false(pin_is_orphan(&page));
	page = (struct ptwalk_page){ 0 };
	assert_false(pin_is_orphan(&page));
}

SUITE(suite_pins,
	cmocka_unit_test(orphans),
	cmocka_unit_test(lists),
	cmocka_unit_test(states),
	cmocka_unit_test(stretches),
);
