// SPDX-License-Identifier: GPL-2.0
#include "proc/kpageflags.h"
#include "rmap/frames.h"
#include "tests.h"

/* As ptwalk_bits(), but constant. */
#define BITS(kind, flags) \
	((uint64_t)PTWALK_KIND_##kind | \
	 (uint64_t)(flags) << PTWALK_BITS_FLAGS_SHIFT)
#define PRESENT	BITS(PRESENT, PTWALK_FLAG_PAGE)
#define SWAP	BITS(SWAP, 0)
#define ZERO	BITS(PRESENT, PTWALK_FLAG_ZERO)
#define MIGRATING BITS(MIGRATION, PTWALK_FLAG_PAGE)
#define POISONED BITS(HWPOISON, PTWALK_FLAG_PAGE)
#define LIST	(1ULL << PTWALK_BITS_LIST_SHIFT)
#define A	0x10000000ULL
#define MANY	(1ULL << 17)

static struct ptwalk_runs message(const uint64_t *words, size_t nr)
{
	return (struct ptwalk_runs){
		.vma = { .start = A, .last = A + 0xfffff }, .start = A,
		.word = words, .nr = nr,
	};
}

static void add(struct frames *frames, uint64_t pfn)
{
	assert_int_equal(frames_add(frames, &(struct frame){ .pfn = pfn }), 0);
}

/* What is asked about more than once is so in any of the ways. */
static void sorted(void **state)
{
	struct frames frames = { 0 };

	frames_sort(&frames);
	for (uint64_t pfn = 20; pfn; pfn--)
		add(&frames, pfn * 7 % 23);
	add(&frames, 7);
	assert_int_equal(frames_add(&frames, &(struct frame){ .pfn = 7, .alone = true }), 0);
	assert_int_equal(frames_add(&frames, &(struct frame){ .pfn = 7, .as_number = true }), 0);
	frames_sort(&frames);
	assert_int_equal(frames.nr, 20);
	for (size_t i = 0; i < frames.nr; i++) {
		assert_true(!i || frames.frame[i - 1].pfn < frames.frame[i].pfn);
		assert_int_equal(frames.frame[i].alone, frames.frame[i].pfn == 7);
		assert_int_equal(frames.frame[i].as_number, frames.frame[i].pfn == 7);
	}
	frames_free(&frames);
}

/* Behind each range the one before it: put in their places at once, they took minutes. */
static void descending(void **state)
{
	struct frames frames = { 0 };

	for (uint64_t start = 2 * MANY; start; start -= MANY)
		for (uint64_t pfn = start; pfn < start + MANY; pfn++)
			add(&frames, pfn);
	frames_sort(&frames);
	assert_int_equal(frames.nr, 2 * MANY);
	for (size_t i = 0; i < frames.nr; i++)
		assert_int_equal(frames.frame[i].pfn, MANY + i);
	frames_free(&frames);
}

static void found(void **state)
{
	static const uint64_t words[] = {
		PRESENT, 16, 0x100,			/* 0x10f the last */
		SWAP, 4, 0x105,				/* no frame */
		PRESENT | LIST, 3, 0x900, 0x105, 0x20,
		ZERO | LIST, 3, 0x105, 0x105, 0x105,
		MIGRATING, 2, 0x104,
		POISONED, 1, 0x105,
	};
	struct ptwalk_runs runs = message(words, sizeof(words) / 8);
	struct frames frames = { 0 };
	struct frame *f;

	add(&frames, 0x105);
	add(&frames, 0x110);
	add(&frames, 0x10f);
	frames_sort(&frames);
	frames.self = 2;
	assert_int_equal(frames_take(&frames, 1, 12, &runs), 0);
	assert_int_equal(frames.frame[0].own, 0);
	assert_int_equal(frames_take(&frames, 2, 12, &runs), 0);

	f = &frames.frame[0];
	assert_int_equal(f->entries, 14);
	assert_int_equal(f->own, 7);
	assert_int_equal(frames.frame[2].own, 0);
	assert_int_equal(f->present, 10);
	assert_int_equal(f->counted, 4);
	assert_int_equal(f->processes, 2);
	/* Three in a row are one. */
	assert_int_equal(f->nr, 10);
	assert_int_equal(f->mapping[0].addr, A + 0x5000);
	assert_int_equal(f->mapping[1].addr, A + 0x15000);
	assert_int_equal(ptwalk_bits_list(f->mapping[1].bits), 0);
	assert_int_equal(f->mapping[2].pages, 3);
	assert_int_equal(f->mapping[3].addr, A + 0x1b000);
	assert_int_equal(f->mapping[5].pid, 2);
	assert_int_equal(frames.frame[1].entries, 2);
	assert_int_equal(frames.frame[1].mapping[0].addr, A + 0xf000);
	assert_int_equal(frames.frame[2].entries, 0);
	frames_free(&frames);
}

/* However often a frame is mapped, what is kept of it is bounded. */
static void bounded(void **state)
{
	static uint64_t words[4 * 20000];
	struct ptwalk_runs runs = message(words, sizeof(words) / 8);
	struct frames frames = { 0 };

	for (size_t i = 0; i < 20000; i++) {
		words[4 * i] = PRESENT | LIST;
		words[4 * i + 1] = 2;
		words[4 * i + 2] = 0x105;
		words[4 * i + 3] = 0;
	}
	runs.vma.last = UINT64_MAX;
	add(&frames, 0x105);
	assert_int_equal(frames_take(&frames, 1, 12, &runs), 0);
	assert_int_equal(frames.frame[0].entries, 20000);
	assert_int_equal(frames.frame[0].nr, FRAME_MAPPINGS);
	frames_free(&frames);
}

/*
 * What a frame takes: memory is looked through by ranges, 2G at most. Of a VMA what is
 * known of it is kept once, however many frames are in it.
 */
static void small(void **state)
{
	static const uint64_t words[] = { PRESENT, 16, 0x100, PRESENT, 16, 0x200 };
	struct ptwalk_runs runs = message(words, 6), next = message(words, 3);
	struct frames frames = { 0 };

	for (uint64_t pfn = 0; pfn < 16; pfn++) {
		add(&frames, 0x100 + pfn);
		add(&frames, 0x200 + pfn);
	}
	frames_sort(&frames);
	next.vma.start = next.start = A + 0x100000;
	next.vma.last = A + 0x1fffff;
	assert_int_equal(frames_take(&frames, 1, 12, &runs), 0);
	assert_int_equal(frames_take(&frames, 1, 12, &next), 0);
	assert_int_equal(frames_take(&frames, 2, 12, &next), 0);
	assert_int_equal(frames.nr_vmas, 3);
	assert_int_equal(frames.vma[0].addr, A);
	assert_int_equal(frames.vma[1].addr, A + 0x100000);
	assert_int_equal(frames.vma[1].pid, 1);
	assert_int_equal(frames.vma[2].pid, 2);
	for (size_t i = 0; i < 16; i++) {
		assert_int_equal(frames.frame[i].nr, 3);
		for (uint32_t j = 0; j < 3; j++)
			assert_int_equal(frames.frame[i].mapping[j].vma, j);
		assert_int_equal(frames.frame[16 + i].nr, 1);
		assert_int_equal(frames.frame[16 + i].mapping[0].vma, 0);
	}
	assert_true(sizeof(struct frame) + sizeof(struct frame_mapping) <= 160);
	frames_free(&frames);
}

static void flag_names(void **state)
{
	char buf[64];

	names_mask(&names_kpageflags, 1ULL << 26 | 1ULL << 32 | 1ULL << 42 |
		   1ULL << 50, ",", buf, sizeof(buf));
	assert_string_equal(buf, "pgtable,reserved,arch-3,bit_50");
}

SUITE(suite_frames,
      cmocka_unit_test(sorted), cmocka_unit_test(descending), cmocka_unit_test(found),
      cmocka_unit_test(bounded), cmocka_unit_test(small), cmocka_unit_test(flag_names));
