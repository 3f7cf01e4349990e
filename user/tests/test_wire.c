// SPDX-License-Identifier: GPL-2.0
/* Messages as the module sends them, taken apart. */
#include <errno.h>
#include <stddef.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "lib/extack.h"
#include "lib/wire.h"
#include "tests.h"

#define FAMILY	0x20

static struct nl_msg *message(uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc_size(64 * 1024);

	assert_non_null(msg);
	assert_non_null(genlmsg_put(msg, 0, 1, FAMILY, 0, NLM_F_MULTI, cmd, 1));
	return msg;
}

static void put_vma(struct nl_msg *msg, int type, uint64_t start, uint64_t last)
{
	struct nlattr *nest = nla_nest_start(msg, type);

	nla_put_u64(msg, PTWALK_A_VMA_START, start);
	nla_put_u64(msg, PTWALK_A_VMA_LAST, last);
	nla_put_u64(msg, PTWALK_A_VMA_FLAGS, PTWALK_VMA_FLAG_SEALED);
	nla_put_u64(msg, PTWALK_A_VMA_PGOFF, 7);
	nla_put_u32(msg, PTWALK_A_VMA_PAGE_SHIFT, 12);
	nla_nest_end(msg, nest);
}

#define LIST	(UINT64_C(1) << PTWALK_BITS_LIST_SHIFT)
#define BITS	UINT64_C(0x1234567800000001)

/* Two pages in a row, two that are listed, and one with nothing. */
static const uint64_t runs[] = {
	BITS, 2, 0xabcdef,
	BITS | LIST, 2, 0x111, 0x999,
	0, 1, 0,
};

static struct ptwalk_runs found;
static struct ptwalk_page pages[WIRE_PAGE_RUNS];

static void put_runs(struct nl_msg *msg, size_t bytes, const uint64_t *words)
{
	nla_put_u32(msg, PTWALK_A_WALK_RUN_BYTES, sizeof(struct ptwalk_run));
	nla_put(msg, PTWALK_A_WALK_RUNS, bytes, words);
}

static struct nl_msg *walk_message(uint64_t start, const uint64_t *words,
				   size_t nr, uint64_t vma_last)
{
	struct nl_msg *msg = message(PTWALK_CMD_WALK);

	put_runs(msg, nr * sizeof(*words), words);
	nla_put_u64(msg, PTWALK_A_WALK_START, start);
	put_vma(msg, PTWALK_A_WALK_VMA, 0x1000, vma_last);
	return msg;
}

/* With and without the four bytes that put the records off their alignment. */
static void walk_messages(void **state)
{
	for (int shifted = 0; shifted < 2; shifted++) {
		struct nl_msg *msg = message(PTWALK_CMD_WALK);

		if (shifted)
			nla_put_u32(msg, PTWALK_A_WALK_LEVELS, 0x1f);
		else
			nla_put(msg, 1000, 8, runs);
		put_runs(msg, sizeof(runs), runs);
		nla_put_u64(msg, PTWALK_A_WALK_START, 0x1000);
		put_vma(msg, PTWALK_A_WALK_VMA, 0x1000, 0x5fff);

		assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL), 0);
		assert_int_equal(found.nr, sizeof(runs) / sizeof(runs[0]));
		assert_int_equal((uintptr_t)found.word % 8, 0);
		assert_memory_equal(found.word, runs, sizeof(runs));
		assert_true(found.start == 0x1000);
		assert_int_equal(found.levels, shifted ? 0x1f : 0);
		assert_true(found.vma.start == 0x1000);
		assert_true(found.vma.last == 0x5fff);
		assert_true(found.vma.flags == PTWALK_VMA_FLAG_SEALED);
		assert_true(found.vma.pgoff == 7);
		assert_true(found.vma.inode == 0);
		nlmsg_free(msg);
	}
}

/* @nr words of @mixed, if any, with a list of @bits, whose last page is @last. */
static int walk_mixed(uint64_t bits, const uint64_t *mixed, size_t nr, uint64_t *last)
{
	const uint64_t words[] = { bits, 2, 5, 7ULL << PTWALK_MIXED_SHIFT | 6 };
	struct nl_msg *msg = walk_message(0x1000, words, 4, 0x5fff);
	int err;

	if (nr)
		nla_put(msg, PTWALK_A_WALK_MIXED, nr * sizeof(*mixed), mixed);
	err = wire_walk(nlmsg_hdr(msg), 12, &found, NULL);
	/* What was found is in the message. */
	*last = err ? 0 : found.word[3];
	nlmsg_free(msg);
	return err;
}

/* Numbers that have no bits are of an unknown kind, and not those of a message before. */
static void walk_mixed_lists(void **state)
{
	const uint64_t mixed[PTWALK_MIXED_MAX + 1] = { [0] = BITS, [7] = 9, [8] = BITS | LIST };

	uint64_t last;

	assert_int_equal(walk_mixed(PTWALK_KIND_MIXED | LIST, mixed, 8, &last), 0);
	assert_int_equal(found.nr_mixed, 8);
	assert_true(found.mixed[0] == BITS && found.mixed[7] == 9);
	assert_int_equal(ptwalk_mixed_number(last), 7);
	assert_int_equal(ptwalk_mixed_value(last), 6);
	assert_int_equal(walk_mixed(PTWALK_KIND_MIXED | LIST, mixed, 0, &last), 0);
	assert_int_equal(found.nr_mixed, 0);
	assert_int_equal(ptwalk_bits_kind(found.mixed[7]), PTWALK_KIND_UNKNOWN);
	assert_int_equal(walk_mixed(PTWALK_KIND_MIXED, mixed, 8, &last), -EBADMSG);
	assert_int_equal(walk_mixed(PTWALK_KIND_MIXED | LIST, mixed, 9, &last), -EBADMSG);
	assert_int_equal(walk_mixed(PTWALK_KIND_MIXED | LIST, mixed, PTWALK_MIXED_MAX + 1,
				    &last), -EBADMSG);
}

/* Each number of a VMA is taken for itself. */
static void vma_numbers(void **state)
{
	const uint64_t words[] = { BITS, 1, 1 };
	struct nl_msg *msg = message(PTWALK_CMD_WALK);
	const struct ptwalk_vma expected = {
		.start = 0x1000, .last = 0x1fff, .flags = 3, .raw_flags = 4,
		.page_prot = 5ULL << 40, .pgoff = 6, .page_shift = 13,
		.dev_major = 8, .dev_minor = 9, .inode = 10ULL << 40,
		.pkey = 11, .ops = "ops",
	};
	struct nlattr *nest;

	put_runs(msg, sizeof(words), words);
	nla_put_u64(msg, PTWALK_A_WALK_START, 0x1000);
	nest = nla_nest_start(msg, PTWALK_A_WALK_VMA);
	nla_put_u64(msg, PTWALK_A_VMA_START, expected.start);
	nla_put_u64(msg, PTWALK_A_VMA_LAST, expected.last);
	nla_put_u32(msg, PTWALK_A_VMA_FLAGS, expected.flags);
	nla_put_u32(msg, PTWALK_A_VMA_RAW_FLAGS, expected.raw_flags);
	nla_put_u64(msg, PTWALK_A_VMA_PAGE_PROT, expected.page_prot);
	nla_put_u32(msg, PTWALK_A_VMA_PGOFF, expected.pgoff);
	nla_put_u32(msg, PTWALK_A_VMA_PAGE_SHIFT, expected.page_shift);
	nla_put_u32(msg, PTWALK_A_VMA_DEV_MAJOR, expected.dev_major);
	nla_put_u32(msg, PTWALK_A_VMA_DEV_MINOR, expected.dev_minor);
	nla_put_u64(msg, PTWALK_A_VMA_INODE, expected.inode);
	nla_put_string(msg, PTWALK_A_VMA_OPS, expected.ops);
	nla_put_u32(msg, PTWALK_A_VMA_PKEY, expected.pkey);
	nla_nest_end(msg, nest);
	assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL), 0);
	assert_memory_equal(&found.vma, &expected, sizeof(expected));
	nlmsg_free(msg);
}

/* Of one address at least, and of no more than were asked for. */
static void policies(void **state)
{
	static const struct ptwalk_policy all[2] = { { 1, 2 }, { PTWALK_NO_POLICY, 4 } };
	struct ptwalk_policy out[2];

	for (size_t nr = 0; nr < 4; nr++) {
		struct nl_msg *msg = message(PTWALK_CMD_POLICIES);
		ssize_t got;

		if (nr < 3)
			nla_put(msg, PTWALK_A_POLICIES_POLICIES, nr * sizeof(*all), all);
		nla_put_u32(msg, PTWALK_A_POLICIES_POLICY_BYTES, sizeof(*all));
		got = wire_policies(nlmsg_hdr(msg), out, 2);
		assert_int_equal(got, nr == 1 || nr == 2 ? (ssize_t)nr : -EBADMSG);
		if (got > 0)
			assert_memory_equal(out, all, nr * sizeof(*all));
		assert_int_equal(wire_policies(nlmsg_hdr(msg), out, 1),
				 nr == 1 ? 1 : -EBADMSG);
		nlmsg_free(msg);
	}
}

/* What would be shifted by, or be an index, if it were believed. */
static void vma_nonsense(void **state)
{
	static const uint32_t shifts[] = { 497906361, 64, 11, 0, 12, 63 };
	const uint64_t words[] = { BITS, 1, 1 };

	for (size_t i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
		struct nl_msg *msg = message(PTWALK_CMD_WALK);
		struct nlattr *nest;

		put_runs(msg, sizeof(words), words);
		nla_put_u64(msg, PTWALK_A_WALK_START, 0x1000);
		nest = nla_nest_start(msg, PTWALK_A_WALK_VMA);
		nla_put_u64(msg, PTWALK_A_VMA_START, 0x1000);
		nla_put_u64(msg, PTWALK_A_VMA_LAST, 0x1fff);
		nla_put_u64(msg, PTWALK_A_VMA_FLAGS, 3);
		nla_put_u32(msg, PTWALK_A_VMA_PAGE_SHIFT, shifts[i]);
		nla_nest_end(msg, nest);
		assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL),
				 i < 4 ? -EBADMSG : 0);
		nlmsg_free(msg);
	}
}

/* Entries of levels that there aren't. */
static void levels(void **state)
{
	const uint64_t good = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PGD, 0, 0);
	const uint64_t bad = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVELS, 0, 0);
	const uint64_t mixed[] = { BITS, bad };
	uint64_t last;

	for (int i = 0; i < 2; i++) {
		const uint64_t words[] = { i ? bad : good, 1, 1 };
		struct nl_msg *msg = walk_message(0x1000, words, 3, 0x5fff);

		assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL),
				 i ? -EBADMSG : 0);
		nlmsg_free(msg);
		assert_int_equal(walk_mixed(PTWALK_KIND_MIXED | LIST, mixed, 1 + i, &last),
				 i ? -EBADMSG : 0);
	}
}

static void walk_first(void **state)
{
	struct nl_msg *msg = message(PTWALK_CMD_WALK);

	nla_put_u32(msg, PTWALK_A_WALK_PID, 4711);
	nla_put_u32(msg, PTWALK_A_WALK_LEVELS, 0x1f);
	assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL), 0);
	assert_int_equal(found.nr, 0);
	assert_int_equal(found.levels, 0x1f);
	nlmsg_free(msg);
}

static void refused(struct nl_msg *msg)
{
	assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL), -EBADMSG);
	nlmsg_free(msg);
}

static void walk_nonsense(void **state)
{
	static const uint64_t no_pages[] = { BITS, 0, 5 };
	static const uint64_t endless[] = { BITS, UINT64_MAX, 5 };
	static const uint64_t long_list[] = { BITS | LIST, 3, 5, 6 };
	struct nl_msg *msg;

	/* No VMA, then one that ends before it starts. */
	msg = message(PTWALK_CMD_WALK);
	put_runs(msg, sizeof(runs), runs);
	assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL), -EBADMSG);
	put_vma(msg, PTWALK_A_WALK_VMA, 0x4000, 0x3fff);
	refused(msg);

	/* Runs that start or end outside of the VMA. */
	refused(walk_message(0x1000, runs, 10, 0x4fff));
	refused(walk_message(0x2000, runs, 10, 0x5fff));
	refused(walk_message(0, runs, 10, 0x5fff));
	refused(walk_message(0x6000, runs, 10, 0x5fff));

	/* Half a run, none at all, too many pages, too few values. */
	refused(walk_message(0x1000, runs, 2, 0x5fff));
	refused(walk_message(0x1000, runs, 6, 0x5fff));
	refused(walk_message(0x1000, no_pages, 3, 0x5fff));
	refused(walk_message(0x1000, endless, 3, 0x5fff));
	refused(walk_message(0x1000, long_list, 4, 0x5fff));

	msg = message(PTWALK_CMD_WALK);
	put_vma(msg, PTWALK_A_WALK_VMA, 0x1000, 0x3fff);
	nla_put(msg, PTWALK_A_WALK_LEVELS, 2, runs);
	assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL), -EBADMSG);
	nlmsg_hdr(msg)->nlmsg_len = NLMSG_HDRLEN + 2;
	refused(msg);
}

static void translate_messages(void **state)
{
	static struct wire_translations out;
	struct ptwalk_translation in[3] = {
		{ .addr = 1, .entry = { 1, 2, 3, 4, 5 } }, { .addr = 2 },
		{ .addr = UINT64_MAX, .value = UINT64_MAX, .bits = 10 },
	};
	struct ptwalk_page pages[3] = {
		{ .flags = 1, .counts = 2 }, { 0 }, { .place = UINT64_MAX },
	};
	const uint64_t cgroups[3] = { 1, 0, 5ULL << 32 };
	struct nl_msg *msg = message(PTWALK_CMD_TRANSLATE);

	assert_int_equal(wire_translations(nlmsg_hdr(msg), &out), -EBADMSG);
	put_vma(msg, PTWALK_A_TRANSLATE_VMA, 0, 0xfff);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_LEVELS, 0x17);
	put_vma(msg, PTWALK_A_TRANSLATE_VMA, 0x2000, 0x2fff);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, sizeof(in[0]));
	nla_put(msg, PTWALK_A_TRANSLATE_TRANSLATIONS, sizeof(in), in);
	nla_put(msg, 999, 4, in);	/* of a later module */

	assert_int_equal(wire_translations(nlmsg_hdr(msg), &out), 0);
	assert_int_equal(out.nr, 3);
	assert_memory_equal(out.translations, in, sizeof(in));
	assert_int_equal(out.nr_vmas, 2);
	assert_true(out.vmas[1].last == 0x2fff);
	assert_int_equal(out.levels, 0x17);
	nlmsg_free(msg);

	assert_false(out.has_pages);

	/* Pages come for all addresses or not at all. */
	msg = message(PTWALK_CMD_TRANSLATE);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, sizeof(in[0]));
	nla_put(msg, PTWALK_A_TRANSLATE_TRANSLATIONS, sizeof(in), in);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_PAGE_BYTES, sizeof(pages[0]));
	nla_put(msg, PTWALK_A_TRANSLATE_PAGES, sizeof(pages), pages);
	assert_int_equal(wire_translations(nlmsg_hdr(msg), &out), 0);
	assert_true(out.has_pages);
	assert_memory_equal(out.pages, pages, sizeof(pages));
	assert_true(out.cgroups[2] == PTWALK_NO_CGROUP);
	nla_put(msg, PTWALK_A_TRANSLATE_CGROUPS, sizeof(cgroups), cgroups);
	assert_int_equal(wire_translations(nlmsg_hdr(msg), &out), 0);
	assert_memory_equal(out.cgroups, cgroups, sizeof(cgroups));
	nlmsg_free(msg);

	/* So do cgroups. */
	msg = message(PTWALK_CMD_TRANSLATE);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, sizeof(in[0]));
	nla_put(msg, PTWALK_A_TRANSLATE_TRANSLATIONS, sizeof(in), in);
	nla_put(msg, PTWALK_A_TRANSLATE_CGROUPS, sizeof(cgroups) - 8, cgroups);
	assert_int_equal(wire_translations(nlmsg_hdr(msg), &out), -EBADMSG);
	nlmsg_free(msg);

	msg = message(PTWALK_CMD_TRANSLATE);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, sizeof(in[0]));
	nla_put(msg, PTWALK_A_TRANSLATE_TRANSLATIONS, sizeof(in), in);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_PAGE_BYTES, sizeof(pages[0]));
	nla_put(msg, PTWALK_A_TRANSLATE_PAGES, sizeof(pages[0]), pages);
	assert_int_equal(wire_translations(nlmsg_hdr(msg), &out), -EBADMSG);
	nlmsg_free(msg);

	msg = message(PTWALK_CMD_TRANSLATE);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, sizeof(in[0]));
	nla_put(msg, PTWALK_A_TRANSLATE_TRANSLATIONS, sizeof(in) - 1, in);
	assert_int_equal(wire_translations(nlmsg_hdr(msg), &out), -EBADMSG);
	nlmsg_free(msg);
}

/* The layout of the records on the wire, for ever. */
_Static_assert(offsetof(struct ptwalk_run, bits) == 0 &&
	       offsetof(struct ptwalk_run, pages) == 8 &&
	       offsetof(struct ptwalk_run, value) == 16, "run");
_Static_assert(offsetof(struct ptwalk_translation, addr) == 0 &&
	       offsetof(struct ptwalk_translation, value) == 8 &&
	       offsetof(struct ptwalk_translation, bits) == 16 &&
	       offsetof(struct ptwalk_translation, entry) == 24, "translation");
_Static_assert(offsetof(struct ptwalk_page, flags) == 0 &&
	       offsetof(struct ptwalk_page, counts) == 8 &&
	       offsetof(struct ptwalk_page, folio_counts) == 16 &&
	       offsetof(struct ptwalk_page, place) == 24, "page");
_Static_assert(offsetof(struct ptwalk_stretch, iova) == 0 &&
	       offsetof(struct ptwalk_stretch, bytes) == 8 &&
	       offsetof(struct ptwalk_stretch, phys) == 16, "stretch");

/* Of records that a later module made longer, we take the words that we know. */
static void longer_runs(void **state)
{
	static const uint64_t longer[] = {
		BITS, 2, 91, 92, 0xabcdef,
		BITS | LIST, 2, 93, 94, 0x111, 0x999,
		0, 1, 95, 96, 0,
	}, list_of_too_many[] = {
		BITS | LIST, UINT64_MAX, 91, 92, 1, 2,
	};
	static const struct {
		const uint64_t *words;
		uint32_t bytes, len;
		int err;
	} cases[] = {
		{ longer, 32, sizeof(longer), 0 },
		{ longer, 32, sizeof(longer) - 8, -EBADMSG },	/* no value */
		{ longer, 32, sizeof(longer) - 16, -EBADMSG },	/* half a head */
		{ longer, 32, 2 * 8, -EBADMSG },
		{ longer, 24, sizeof(longer), -EBADMSG },
		{ list_of_too_many, 32, sizeof(list_of_too_many), -EBADMSG },
		{ runs, 8, sizeof(runs), -EBADMSG },	/* less than we know */
		{ runs, 0, sizeof(runs), -EBADMSG },
		{ runs, 20, sizeof(runs), -EBADMSG },
		{ runs, UINT32_MAX - 7, sizeof(runs), -EBADMSG },
	};
	struct nl_msg *msg;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		msg = message(PTWALK_CMD_WALK);
		nla_put_u64(msg, PTWALK_A_WALK_RUN_BYTES, cases[i].bytes);
		nla_put(msg, PTWALK_A_WALK_RUNS, cases[i].len, cases[i].words);
		nla_put_u32(msg, PTWALK_A_WALK_START, 0x1000);
		put_vma(msg, PTWALK_A_WALK_VMA, 0x1000, 0x5fff);
		assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, NULL),
				 cases[i].err);
		if (!cases[i].err) {
			assert_int_equal(found.nr, sizeof(runs) / sizeof(runs[0]));
			assert_memory_equal(found.word, runs, sizeof(runs));
		}
		nlmsg_free(msg);
	}

	/* Who wants pages takes no runs that lack them. */
	msg = message(PTWALK_CMD_WALK);
	nla_put_u64(msg, PTWALK_A_WALK_RUN_BYTES, 32);
	nla_put(msg, PTWALK_A_WALK_RUNS, sizeof(longer), longer);
	nla_put_u32(msg, PTWALK_A_WALK_START, 0x1000);
	put_vma(msg, PTWALK_A_WALK_VMA, 0x1000, 0x5fff);
	assert_int_equal(wire_walk(nlmsg_hdr(msg), 12, &found, pages), -EBADMSG);
	nlmsg_free(msg);

	/* A module of before there were sizes. */
	msg = message(PTWALK_CMD_WALK);
	nla_put(msg, PTWALK_A_WALK_RUNS, sizeof(runs), runs);
	nla_put_u32(msg, PTWALK_A_WALK_START, 0x1000);
	put_vma(msg, PTWALK_A_WALK_VMA, 0x1000, 0x5fff);
	refused(msg);
}

/* Two translations of @words words each and as many pages of @page_words. */
static int read_longer(size_t words, size_t page_words,
		       struct wire_translations *out)
{
	struct nl_msg *msg = message(PTWALK_CMD_TRANSLATE);
	uint64_t in[32];
	int err;

	for (size_t i = 0; i < 32; i++)
		in[i] = i;
	nla_put_u32(msg, PTWALK_A_TRANSLATE_TRANSLATION_BYTES, words * 8);
	nla_put(msg, PTWALK_A_TRANSLATE_TRANSLATIONS, 2 * words * 8, in);
	nla_put_u32(msg, PTWALK_A_TRANSLATE_PAGE_BYTES, page_words * 8);
	nla_put(msg, PTWALK_A_TRANSLATE_PAGES, 2 * page_words * 8, in);
	err = wire_translations(nlmsg_hdr(msg), out);
	nlmsg_free(msg);
	return err;
}

static void longer_translations(void **state)
{
	static struct wire_translations out;

	assert_int_equal(read_longer(8, 4, &out), 0);
	assert_true(out.translations[1].addr == 8 && out.pages[1].flags == 4);
	assert_int_equal(read_longer(9, 4, &out), 0);
	assert_true(out.translations[1].addr == 9 && out.pages[1].place == 7);
	assert_int_equal(read_longer(16, 7, &out), 0);
	assert_int_equal(out.nr, 2);
	assert_true(out.translations[0].entry[4] == 7 &&
		    out.translations[1].addr == 16 &&
		    out.translations[1].entry[4] == 23);
	assert_true(out.pages[0].place == 3 && out.pages[1].flags == 7 &&
		    out.pages[1].place == 10);
	assert_int_equal(read_longer(7, 4, &out), -EBADMSG);
	assert_int_equal(read_longer(8, 3, &out), -EBADMSG);
	assert_int_equal(read_longer(0, 4, &out), -EBADMSG);
}

static void put_level(struct nl_msg *msg, uint32_t level, uint32_t shift)
{
	struct nlattr *nest = nla_nest_start(msg, PTWALK_A_INFO_LEVEL);

	nla_put_u32(msg, PTWALK_A_LEVEL_INFO_LEVEL, level);
	nla_put_u32(msg, PTWALK_A_LEVEL_INFO_SHIFT, shift);
	nla_put_u32(msg, PTWALK_A_LEVEL_INFO_ENTRIES, 512);
	nla_put_u32(msg, PTWALK_A_LEVEL_INFO_ENTRY_SIZE, 8);
	nla_nest_end(msg, nest);
}

static void put_swap_type(struct nl_msg *msg, uint32_t kind, uint32_t type)
{
	struct nlattr *nest = nla_nest_start(msg, PTWALK_A_INFO_SWAP_TYPE);

	nla_put_u32(msg, PTWALK_A_SWAP_TYPE_KIND, kind);
	nla_put_u32(msg, PTWALK_A_SWAP_TYPE_TYPE, type);
	nla_nest_end(msg, nest);
}

static void info_messages(void **state)
{
	static const uint8_t types[40] = { 1, 3, 5, 4 };
	struct nl_msg *msg = message(PTWALK_CMD_INFO);
	struct ptwalk_kernel info = { 0 };

	assert_int_equal(wire_info(nlmsg_hdr(msg), &info), -EBADMSG);
	nla_put_u32(msg, PTWALK_A_INFO_PAGE_SHIFT, 14);
	assert_int_equal(wire_info(nlmsg_hdr(msg), &info), -EBADMSG);
	put_level(msg, PTWALK_LEVEL_PTE, 14);
	put_level(msg, PTWALK_LEVEL_PMD, 25);
	nla_put_u64(msg, PTWALK_A_INFO_VMA_FLAGS, 1ULL << 38);
	put_swap_type(msg, PTWALK_KIND_MIGRATION, 29);
	put_swap_type(msg, PTWALK_KIND_MIGRATION, 30);
	put_swap_type(msg, 77, 3);	/* of a later module */
	nla_put(msg, PTWALK_A_INFO_MEMORY_TYPES, sizeof(types), types);

	assert_int_equal(wire_info(nlmsg_hdr(msg), &info), 0);
	assert_int_equal(info.page_shift, 14);
	assert_int_equal(info.levels, 3);
	assert_int_equal(info.level_shift[PTWALK_LEVEL_PMD], 25);
	assert_int_equal(info.level_entries[PTWALK_LEVEL_PMD], 512);
	assert_int_equal(info.entry_size[PTWALK_LEVEL_PMD], 8);
	assert_true(info.vma_flags == 1ULL << 38);
	assert_int_equal(info.swap_type[PTWALK_KIND_MIGRATION], 3U << 29);
	assert_int_equal(info.nr_memory_types, sizeof(info.memory_types));
	assert_int_equal(info.memory_types[1], 3);

	put_level(msg, PTWALK_LEVELS, 60);
	assert_int_equal(wire_info(nlmsg_hdr(msg), &info), -EBADMSG);
	nlmsg_free(msg);
}

static struct nl_msg *dump_request(void)
{
	struct nl_msg *msg = message(PTWALK_CMD_WALK);

	nla_put_u32(msg, PTWALK_A_WALK_PID, 1);
	nla_put_u64(msg, PTWALK_A_WALK_START, 0);
	return msg;
}

/* Ends @request as the kernel does, with @error and what it has to say. */
static struct nl_msg *ending(int type, int error, const char *text,
			     int attribute, uint32_t value)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct nlmsgerr err = { .error = error };

	nlmsg_put(msg, 0, 1, type, 0, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	if (type == NLMSG_ERROR)
		nlmsg_append(msg, &err, sizeof(err), NLMSG_ALIGNTO);
	else
		nlmsg_append(msg, &error, sizeof(error), NLMSG_ALIGNTO);
	if (text)
		nla_put_string(msg, NLMSGERR_ATTR_MSG, text);
	if (attribute)
		nla_put_u32(msg, attribute, value);
	return msg;
}

static void errors(void **state)
{
	struct nl_msg *request = dump_request(), *reply;
	uint32_t start = NLMSG_HDRLEN + GENL_HDRLEN + 8;
	struct extack ack;

	reply = ending(NLMSG_ERROR, -EINVAL, "too\nbad", NLMSGERR_ATTR_OFFS,
		       start);
	assert_int_equal(extack_parse(nlmsg_hdr(reply), nlmsg_hdr(request),
				      &ack), 0);
	assert_int_equal(ack.error, EINVAL);
	assert_string_equal(ack.message, "too bad");
	assert_string_equal(ack.attribute, "start");
	assert_false(ack.missing);
	nlmsg_free(reply);

	reply = ending(NLMSG_ERROR, -EINVAL, NULL, NLMSGERR_ATTR_MISS_TYPE,
		       PTWALK_A_WALK_PID);
	extack_parse(nlmsg_hdr(reply), nlmsg_hdr(request), &ack);
	assert_string_equal(ack.attribute, "pid");
	assert_string_equal(ack.message, "");
	assert_true(ack.missing);
	nlmsg_free(reply);

	/* An offset into nothing names nothing. */
	reply = ending(NLMSG_ERROR, -EPERM, "no", NLMSGERR_ATTR_OFFS, 9999);
	extack_parse(nlmsg_hdr(reply), nlmsg_hdr(request), &ack);
	assert_int_equal(ack.error, EPERM);
	assert_string_equal(ack.attribute, "");
	nlmsg_hdr(reply)->nlmsg_len = NLMSG_HDRLEN + 4;
	assert_int_equal(extack_parse(nlmsg_hdr(reply), nlmsg_hdr(request),
				      &ack), -EBADMSG);
	nlmsg_free(reply);
	nlmsg_free(request);
}

static void ends_of_dumps(void **state)
{
	struct nl_msg *request = dump_request(), *reply;
	struct extack ack;

	reply = ending(NLMSG_DONE, 0, NULL, 0, 0);
	assert_int_equal(extack_parse(nlmsg_hdr(reply), nlmsg_hdr(request),
				      &ack), 0);
	assert_int_equal(ack.error, 0);
	nlmsg_free(reply);

	reply = ending(NLMSG_DONE, -ESRCH, "it has gone", 0, 0);
	extack_parse(nlmsg_hdr(reply), nlmsg_hdr(request), &ack);
	assert_int_equal(ack.error, ESRCH);
	assert_string_equal(ack.message, "it has gone");
	nlmsg_free(reply);
	nlmsg_free(request);
}

SUITE(suite_wire,
      cmocka_unit_test(walk_messages),
      cmocka_unit_test(walk_mixed_lists), cmocka_unit_test(vma_numbers),
      cmocka_unit_test(policies),
      cmocka_unit_test(vma_nonsense), cmocka_unit_test(levels),
      cmocka_unit_test(walk_first),
      cmocka_unit_test(walk_nonsense),
      cmocka_unit_test(longer_runs), cmocka_unit_test(longer_translations),
      cmocka_unit_test(translate_messages), cmocka_unit_test(info_messages),
      cmocka_unit_test(errors),
      cmocka_unit_test(ends_of_dumps));
