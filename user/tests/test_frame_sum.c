// SPDX-License-Identifier: GPL-2.0
#include "cmd/frame_sum.h"
#include "proc/pagemap_bits.h"
#include "tests.h"

/* As the kernel writes ranges, and people do. */
static void notations(void **state)
{
	static const struct {
		const char *arg;
		uint64_t first, last;
		bool physical;
		const char *why;
	} cases[] = {
		{ "2ef00", 0x2ef00, 0x2ef00 }, { "0x2ef00-2f009", 0x2ef00, 0x2f009 },
		{ "[2ef00, 2f00a)", 0x2ef00, 0x2f009 }, { "[2ef00,2f00a)", 0x2ef00, 0x2f009 },
		{ "[2ef00-2f009]", 0x2ef00, 0x2f009 }, { "(2ef00, 2f00a]", 0x2ef01, 0x2f00a },
		{ "[mem 0x100000000-0x13fffffff]", 0x100000, 0x13ffff, true },
		{ "[mem 0xfebc0000-0xfebdffff 64bit pref]", 0xfebc0, 0xfebdf, true },
		{ "mem 0x1000-0x1fff", 1, 1, true }, { "mem 0x1000", 1, 1, true },
		{ "mem 0x1000-0x2fff flags 0x200", 1, 2, true },
		{ "mem 0x1000+2000", 1, 2, true }, { "mem ", .why = "empty" },
		{ "mem0-1", .why = "not a hexadecimal" },
		{ "1000-1fff 64bit", .why = "trailing garbage" },
		{ "phys:1234567", 0x1234, 0x1234, true },
		{ "phys:0x1000-0x3000", 1, 2, true }, { "phys:1000-2fff", 1, 2, true },
		{ "phys:1800-2800", 1, 2, true },
		{ "2ef00+1", 0x2ef00, 0x2ef00 }, { "0x2ef00+10a", 0x2ef00, 0x2f009 },
		{ "2ef00+64K", 0x2ef00, 0x2ef0f }, { "2ef00+0x10", 0x2ef00, 0x2ef0f },
		{ "phys:1000+2000", 1, 2, true }, { "phys:1800+0x1000", 1, 2, true },
		{ "phys:100000000+64K", 0x100000, 0x10000f, true },
		{ "phys:fffffffffffff000+1000", 0xfffffffffffff, 0xfffffffffffff, true },
		{ "5+0", .why = "empty range" }, { "5+", .why = "no number" },
		{ "5+6K", .why = "whole frames" }, { "phys:5+", .why = "no number" },
		{ "+5", .why = "sign" }, { "phys:fffffffffffff000+2000", .why = "last address" },
		{ "3-1", .why = "ends before" }, { "[5, 5)", .why = "ends before" },
		{ "[2ef00, 2f00a", .why = "isn't closed" }, { "[2ef00)", .why = "no end" },
		{ "", .why = "empty" }, { "phys:", .why = "empty" }, { "0-", .why = "empty" },
		{ "zz", .why = "not a hexadecimal" }, { "[a, zz)", .why = "not a hexadecimal" },
		{ "-5", .why = "sign" }, { "[]", .why = "isn't closed" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t first = 0, last = 0;
		bool physical;
		const char *why = frame_range(cases[i].arg, 12, &first, &last, &physical);

		if (!why != !cases[i].why || (why && !strstr(why, cases[i].why)) ||
		    (!why && (first != cases[i].first || last != cases[i].last ||
			      physical != cases[i].physical)))
			fail_msg("'%s': %llx-%llx %d: %s", cases[i].arg,
				 (unsigned long long)first, (unsigned long long)last,
				 physical, why ? why : "taken");
	}
}

/* What a frame is by its flags, and whether it stands in the way. */
static void kinds(void **state)
{
	static const struct {
		uint64_t flags;
		enum frame_kind kind;
		bool movable;
	} cases[] = {
		{ KPF_BIT(BUDDY), FRAME_FREE, true }, { KPF_BIT(SLAB), FRAME_SLAB, false },
		{ KPF_BIT(PGTABLE), FRAME_TABLE, false },
		{ KPF_BIT(ANON) | KPF_BIT(LRU), FRAME_ANON, true },
		{ KPF_BIT(LRU) | KPF_BIT(UPTODATE), FRAME_FILE, true },
		{ KPF_BIT(LRU) | KPF_BIT(SWAPBACKED), FRAME_SHMEM, true },
		{ KPF_BIT(HUGE), FRAME_HUGETLB, true }, { KPF_BIT(NOPAGE), FRAME_NO_PAGE, false },
		{ KPF_BIT(RESERVED), FRAME_RESERVED, false }, { 0, FRAME_KERNEL, false },
		{ KPF_BIT(HWPOISON) | KPF_BIT(ANON), FRAME_FAILED, false },
		{ KPF_BIT(OFFLINE), FRAME_OFFLINE, true },
	};
	const struct ptwalk_page none = { 0 }, pinned = {
		.flags = PTWALK_PAGE_FLAG_MAYBE_PINNED, .counts = 1025 | 1ULL << 32,
	};
	struct frame_sum sum = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum frame_kind kind = frame_kind(cases[i].flags, true);

		if (kind != cases[i].kind || frame_is_movable(kind, &none) != cases[i].movable ||
		    frame_obstacle(kind, &none) !=
		    (cases[i].movable ? FRAME_NO_OBSTACLE : FRAME_FIXED))
			fail_msg("case %zu: kind %d", i, kind);
		frame_sum_add(&sum, kind, i & 1, &none);
	}
	assert_int_equal(frame_kind(KPF_BIT(BUDDY), false), FRAME_UNKNOWN);
	assert_false(frame_is_movable(FRAME_ANON, &pinned));
	assert_int_equal(frame_obstacle(FRAME_ANON, &pinned), FRAME_PINNED);
	/* What isn't known is not in the way, unless somebody is seen to pin it. */
	assert_int_equal(frame_obstacle(FRAME_UNKNOWN, &none), FRAME_NO_OBSTACLE);
	assert_int_equal(frame_obstacle(FRAME_UNKNOWN, &pinned), FRAME_PINNED);
	frame_sum_add(&sum, FRAME_ANON, true, &pinned);
	assert_int_equal(sum.of[FRAME_ANON].frames, 2);
	assert_int_equal(sum.of[FRAME_ANON].mapped, 2);
	assert_int_equal(sum.of[FRAME_ANON].pinned, 1);
	assert_int_equal(sum.of[FRAME_ANON].movable, 1);
}

SUITE(suite_frame_sum, cmocka_unit_test(notations), cmocka_unit_test(kinds));
