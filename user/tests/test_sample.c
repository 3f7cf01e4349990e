// SPDX-License-Identifier: GPL-2.0
/* Which pages ways of reading with a sample look at. */
#include "check/sample.h"
#include "tests.h"

static const struct source ends = { .sample = 64 };
static const struct source counts = { .sample = 64, .bulk = 8192, .framed = true };

/* In ascending order, and each page once; returns how many. */
static uint64_t spans_of(const struct source *source, const struct stretch *s,
			 bool only_new, struct span span[SAMPLE_SPANS], size_t *nr)
{
	uint64_t pages = 0, end = 0;

	*nr = sample_spans(source, s, only_new, span);
	assert_in_range(*nr, 0, SAMPLE_SPANS);
	for (size_t i = 0; i < *nr; i++) {
		assert_true(span[i].nr > 0);
		assert_true(span[i].first >= end);
		end = span[i].first + span[i].nr;
		pages += span[i].nr;
	}
	assert_true(end <= s->pages);
	return pages;
}

static bool has(const struct span *span, size_t nr, uint64_t page, bool bulk)
{
	for (size_t i = 0; i < nr; i++)
		if (page >= span[i].first && page < span[i].first + span[i].nr)
			return span[i].bulk == bulk;
	return false;
}

/* Whatever the chance: both ends, and both sides of where some table ends. */
static void edges(void **state)
{
	struct stretch s = { .first = 0x7f001, .pages = 40000, .all = 40000 };
	struct span span[SAMPLE_SPANS];
	size_t nr, i, borders;

	assert_int_equal(spans_of(&ends, &s, false, span, &nr), 2 * 32);
	for (s.chance = 0; s.chance < 100000; s.chance += 997) {
		s.table = s.chance % 2 ? 2048 : 512;
		spans_of(&counts, &s, false, span, &nr);
		assert_true(has(span, nr, 0, false) && has(span, nr, 31, false));
		assert_true(has(span, nr, 39968, false) && has(span, nr, 39999, false));
		borders = 0;
		for (i = 1; i + 1 < nr; i++)
			if (!span[i].bulk && span[i].nr == 64 &&
			    !((s.first + span[i].first + 32) % s.table))
				borders++;
		assert_int_equal(borders, 1);
	}
	/* A kernel that doesn't tell how large it is. */
	s.table = 0;
	assert_int_equal(spans_of(&counts, &s, false, span, &nr), 8192 + 2 * 32);
}

/* One read across some border, whatever else is looked at there. */
static void across(void **state)
{
	struct stretch s = { .first = 0x7f001, .table = 512 };
	const struct source borders = { .sample = 32, .borders = true };
	struct span span[SAMPLE_SPANS];
	uint64_t border;
	size_t nr, i, found;

	for (s.pages = 400; s.pages < 4000; s.pages += 37) {
		for (s.chance = 0; s.chance < 20; s.chance++) {
			/* A leaf of its own begins there. */
			s.new[0] = 511 + s.chance % 3 * 512;
			s.nr_new = s.new[0] < s.pages;
			spans_of(&borders, &s, false, span, &nr);
			assert_true(has(span, nr, 0, false));
			assert_true(has(span, nr, s.pages - 1, false));
			for (found = i = 0; i < nr; i++) {
				border = s.first + span[i].first;
				border += 512 - border % 512;
				found += border < s.first + span[i].first + span[i].nr;
			}
			assert_true(found || s.pages <= 511);
			spans_of(&borders, &s, true, span, &nr);
			assert_int_equal(nr, s.nr_new);
		}
	}
}

/* All of a process of so many pages, and the same share of all larger ones. */
static void bulk(void **state)
{
	struct stretch s = { .first = 0x7f001, .chance = 123456789, .table = 512 };
	struct span span[SAMPLE_SPANS];
	size_t nr;

	s.pages = s.all = 8192;
	assert_int_equal(spans_of(&counts, &s, false, span, &nr), 8192);
	for (s.all = s.pages = 65536; s.all <= 1 << 28; s.all *= 2)
		assert_in_range(spans_of(&counts, &s, false, span, &nr), 8192, 8192 + 2 * 64);
	/* Of one that is small beside others a table at least. */
	s.pages = 2000;
	assert_in_range(spans_of(&counts, &s, false, span, &nr), 512, 512 + 2 * 64);
	s.pages = 64;
	assert_int_equal(spans_of(&counts, &s, false, span, &nr), 64);
	assert_int_equal(nr, 1);
}

/* What a VMA hasn't had is looked at with its facts, also where nothing else is. */
static void new_kinds(void **state)
{
	struct stretch s = {
		.first = 0x7f001, .pages = 65536, .all = 65536, .chance = 5,
		.new = { 0, 100, 104, 30000, 65535 }, .nr_new = 5, .table = 512,
	};
	struct span span[SAMPLE_SPANS];
	size_t nr;

	spans_of(&counts, &s, false, span, &nr);
	assert_true(has(span, nr, 100, false) && has(span, nr, 111, false));
	assert_true(has(span, nr, 30000, false) && has(span, nr, 30007, false));
	assert_true(has(span, nr, 65535, false));
	assert_int_equal(spans_of(&counts, &s, true, span, &nr), 8 + 12 + 8 + 1);
	/* Among what is compared in bulk, too. */
	s.all = s.pages = 8192;
	s.new[3] = 4000;
	s.nr_new = 4;
	assert_int_equal(spans_of(&counts, &s, false, span, &nr), 8192);
	assert_true(has(span, nr, 4000, false) && has(span, nr, 4007, false));
	assert_true(has(span, nr, 3999, true) && has(span, nr, 4008, true));
	/* As many as there may be. */
	s.nr_new = SAMPLE_NEW;
	for (size_t i = 0; i < SAMPLE_NEW; i++)
		s.new[i] = 400 * (i + 1);
	assert_int_equal(spans_of(&counts, &s, false, span, &nr), 8192);
}

static void kinds(void **state)
{
	const uint64_t page = ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_PAGE);
	const uint64_t young = ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
					   PTWALK_FLAG_PAGE | PTWALK_FLAG_YOUNG);
	const uint64_t ksm = ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
					 PTWALK_FLAG_PAGE | PTWALK_FLAG_KSM);
	struct kinds k = { 0 };

	assert_true(kinds_add(&k, 0x1000, page, 0));
	assert_false(kinds_add(&k, 0x1000, page, 0));
	assert_false(kinds_add(&k, 0x1000, young, 0));
	assert_true(kinds_add(&k, 0x1000, ksm, 0));
	assert_true(kinds_add(&k, 0x1000, page, 1));
	assert_false(kinds_add(&k, 0x1000, page, 1));
	assert_true(kinds_add(&k, 0x2000, page, 1));
	for (uint64_t i = 1; i < SAMPLE_KINDS; i++)
		assert_true(kinds_add(&k, 0x2000, ptwalk_bits(PTWALK_KIND_SWAP, 0, i, 0), 1));
	assert_false(kinds_add(&k, 0x2000, ksm, 1));
}

static void zones(void **state)
{
	struct zone zone[] = {
		{ .start = 1, .last = 0xfff }, { .start = 0x1000, .last = 0x7ffff },
	};
	const struct zones z = { .zone = zone, .nr = 2 };

	assert_int_equal(zone_of(&z, 0), 2);
	assert_int_equal(zone_of(&z, 0xfff), 0);
	assert_int_equal(zone_of(&z, 0x1000), 1);
	assert_int_equal(zone_of(&z, 0x80000), 2);
}

SUITE(suite_sample,
      cmocka_unit_test(edges), cmocka_unit_test(across), cmocka_unit_test(bulk), cmocka_unit_test(new_kinds),
      cmocka_unit_test(kinds), cmocka_unit_test(zones));
