// SPDX-License-Identifier: GPL-2.0
#include "prove/bytes.h"
#include "tests.h"

#define WORDS	512
#define SIZE	(WORDS * sizeof(uint64_t))

/* virt[0], phys[0], virt[1], phys[1]: as they were read. */
static uint64_t page[4][WORDS];
static const struct bytes_pair pair = {
	.virt = { page[0], page[2] },
	.phys = { page[1], page[3] },
};
static struct bytes_words words;

static enum bytes judge(void)
{
	return bytes_judge(&pair, SIZE, &words);
}

/* The same page, four times. */
static void fill(void)
{
	size_t i, j;

	for (i = 0; i < 4; i++)
		for (j = 0; j < WORDS; j++)
			page[i][j] = 0x0101010101010101ULL * j;
}

static void set(size_t at, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	page[0][at] = a;
	page[1][at] = b;
	page[2][at] = c;
	page[3][at] = d;
}

static void same(void **state)
{
	fill();
	assert_int_equal(judge(), BYTES_SAME);
	memset(page, 0, sizeof(page));
	assert_int_equal(judge(), BYTES_SAME);
}

/* A bit is enough, wherever it is. */
static void any_bit(void **state)
{
	size_t at, bit;

	for (at = 0; at < WORDS; at++) {
		for (bit = 0; bit < 64; bit += 7) {
			fill();
			page[1][at] ^= 1ULL << bit;
			page[3][at] ^= 1ULL << bit;
			assert_int_equal(judge(), BYTES_APART);
			assert_int_equal(words.apart, 1);
			assert_int_equal(words.first, at * sizeof(uint64_t));
			assert_int_equal(words.words, WORDS);
		}
	}
}

/* Pages of other contents, of zeros, of the same contents a word on. */
static void other_pages(void **state)
{
	size_t i;

	fill();
	memset(page[1], 0, SIZE);
	memset(page[3], 0, SIZE);
	assert_int_equal(judge(), BYTES_APART);
	assert_int_equal(words.apart, WORDS - 1);
	assert_int_equal(words.first, sizeof(uint64_t));
	fill();
	for (i = 0; i < WORDS; i++)
		page[1][i] = page[3][i] = page[0][(i + 1) % WORDS];
	assert_int_equal(judge(), BYTES_APART);
	assert_int_equal(words.apart, WORDS);
}

/* A write between two of the readings, wherever it falls. */
static void one_write(void **state)
{
	size_t when, i;

	for (when = 0; when <= 4; when++) {
		fill();
		for (i = when; i < 4; i++)
			page[i][7] = 0xabcdef;
		assert_int_equal(judge(), BYTES_SAME);
	}
}

/* A counter that never stops, on a page that stands still otherwise. */
static void counter(void **state)
{
	fill();
	set(7, 1, 2, 3, 4);
	assert_int_equal(judge(), BYTES_SAME);
	/* It doesn't hide what differs beside it. */
	set(8, 5, 6, 5, 6);
	assert_int_equal(judge(), BYTES_APART);
	assert_int_equal(words.apart, 1);
	assert_int_equal(words.first, 64);
}

/* Nothing can be said of a page that is written to all over. */
static void all_over(void **state)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		set(i, i, i + 1, i + 2, i + 3);
	assert_int_equal(judge(), BYTES_MOVING);
	fill();
	for (i = 0; i < WORDS / 2 + 1; i++)
		set(i, i, i + 1, i + 2, i + 3);
	assert_int_equal(judge(), BYTES_MOVING);
}

/*
 * A wrong page of zeros, where the right one has a counter and zeros: nothing
 * that stands still differs, but they aren't the same.
 */
static void one_sided(void **state)
{
	memset(page, 0, sizeof(page));
	set(7, 5, 0, 6, 0);
	assert_int_equal(judge(), BYTES_MOVING);
	set(7, 0, 5, 0, 6);
	page[0][7] = page[2][7] = 4;
	assert_int_equal(judge(), BYTES_MOVING);
}

/* A word that is changed to and fro is apart by chance, and another time isn't. */
static void to_and_fro(void **state)
{
	struct bytes_streak streak = { 0 };
	unsigned int round;

	for (round = 0; round < 3; round++) {
		fill();
		set(7, 1, 2, 1, 2);
		set(9, 3, 4, 3, 4);
		set(100 + round, 0, 1, 0, 1);
		assert_int_equal(judge(), BYTES_APART);
		assert_true(bytes_again(&streak, &pair, SIZE, &words));
		assert_int_equal(streak.rounds, round + 1);
		assert_int_equal(words.apart, round ? 2 : 3);
		assert_int_equal(words.first, 7 * sizeof(uint64_t));
	}
	/* The other way round, and other values. */
	fill();
	set(7, 2, 1, 2, 1);
	set(9, 3, 5, 3, 5);
	assert_int_equal(judge(), BYTES_APART);
	assert_true(bytes_again(&streak, &pair, SIZE, &words));
	assert_int_equal(streak.rounds, 1);
	assert_int_equal(words.apart, 2);
	/* Neither is what it was before that. */
	set(9, 3, 4, 3, 4);
	assert_true(bytes_again(&streak, &pair, SIZE, &words));
	assert_int_equal(streak.rounds, 2);
	assert_int_equal(words.apart, 1);
	/* Not at one of the four readings. */
	set(7, 2, 1, 2, 2);
	assert_true(bytes_again(&streak, &pair, SIZE, &words));
	assert_int_equal(streak.rounds, 1);
	assert_int_equal(words.first, 9 * sizeof(uint64_t));
	bytes_streak_free(&streak);
}

static void contents(void **state)
{
	struct bytes_seen seen = { 0 };
	struct bytes_sum sum;
	uint64_t frame;

	sum = bytes_sum(&seen);
	assert_int_equal(sum.frames, 0);

	memset(page, 0, sizeof(page));
	assert_true(bytes_see(&seen, 0, page[0], SIZE));
	assert_true(bytes_see(&seen, UINT64_MAX - 1, page[0], SIZE));
	for (frame = 1; frame <= 3000; frame++) {
		page[0][frame % WORDS] = frame;
		assert_true(bytes_see(&seen, frame, page[0], SIZE));
		page[0][frame % WORDS] = 0;
	}
	sum = bytes_sum(&seen);
	assert_int_equal(sum.frames, 3002);
	assert_int_equal(sum.zero, 2);
	assert_int_equal(sum.alone, 3000);

	/* The same frame again says nothing new; another of its contents does. */
	page[0][1] = 1;
	assert_true(bytes_see(&seen, 1, page[0], SIZE));
	sum = bytes_sum(&seen);
	assert_int_equal(sum.alone, 3000);
	assert_true(bytes_see(&seen, 5000, page[0], SIZE));
	sum = bytes_sum(&seen);
	assert_int_equal(sum.frames, 3003);
	assert_int_equal(sum.alone, 2999);
	assert_int_equal(sum.zero, 2);
	bytes_free(&seen);
}

/* Contents of the same words in another order are others. */
static void order(void **state)
{
	struct bytes_seen seen = { 0 };
	uint64_t frame;

	for (frame = 0; frame < WORDS; frame++) {
		memset(page[0], 0, SIZE);
		page[0][frame] = 77;
		assert_true(bytes_see(&seen, frame, page[0], SIZE));
	}
	assert_int_equal(bytes_sum(&seen).alone, WORDS);
	assert_int_equal(bytes_sum(&seen).zero, 0);
	bytes_free(&seen);
}

SUITE(suite_bytes,
      cmocka_unit_test(same), cmocka_unit_test(any_bit),
      cmocka_unit_test(other_pages), cmocka_unit_test(one_write),
      cmocka_unit_test(counter), cmocka_unit_test(all_over),
      cmocka_unit_test(one_sided), cmocka_unit_test(to_and_fro),
      cmocka_unit_test(contents), cmocka_unit_test(order));
