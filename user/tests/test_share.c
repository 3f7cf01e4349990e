// SPDX-License-Identifier: GPL-2.0
#include "rmap/share.h"
#include "tests.h"

#define A	0x10000000ULL
/* As ptwalk_bits(), but constant. */
#define BITS(kind, flags) \
	((uint64_t)PTWALK_KIND_##kind | \
	 (uint64_t)(flags) << PTWALK_BITS_FLAGS_SHIFT)
#define ANON	BITS(PRESENT, PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON)
#define KSM	BITS(PRESENT, PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | \
		     PTWALK_FLAG_KSM)
#define FILE_PAGE BITS(PRESENT, PTWALK_FLAG_PAGE)
#define ZERO	BITS(PRESENT, PTWALK_FLAG_ZERO)
#define SPECIAL	BITS(PRESENT, PTWALK_FLAG_SPECIAL)
#define SWAP	BITS(SWAP, 0)
#define NONE	BITS(NONE, 0)

static struct ptwalk_vma vma = { .start = A, .last = A + 0xfffff };

struct seen {
	struct share_segment s[32];
	uint64_t frames[32][3];
	size_t nr;
};

static int take(const struct share_segment *s, void *arg)
{
	struct seen *seen = arg;

	assert_true(seen->nr < 32);
	seen->s[seen->nr] = *s;
	memcpy(seen->frames[seen->nr++], s->frames, 2 * sizeof(uint64_t));
	return 0;
}

static struct truth truth_of(struct ptwalk_extent *extents, size_t nr,
			     struct ptwalk_vma *v)
{
	return (struct truth){ .extents = extents, .nr_extents = nr,
			       .vmas = v, .nr_vmas = 1 };
}

/* A fork, the child of which has written to pages 2 and 3. */
static void fork_and_write(void **state)
{
	struct ptwalk_extent parent[] = { { A, 0x100, 8, ANON } };
	struct ptwalk_extent child[] = {
		{ A, 0x100, 2, ANON }, { A + 0x2000, 0x900, 2, ANON },
		{ A + 0x4000, 0x104, 4, ANON },
	};
	struct truth truths[2] = { truth_of(parent, 1, &vma),
				   truth_of(child, 3, &vma) };
	struct seen seen = { .nr = 0 };

	assert_int_equal(share_walk(truths, 2, 12, take, &seen), 0);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.s[0].class, SHARE_COW);
	assert_int_equal(seen.s[0].pages, 2);
	assert_int_equal(seen.s[0].holders, 2);
	assert_int_equal(seen.s[1].class, SHARE_PARTED);
	assert_int_equal(seen.s[1].start, A + 0x2000);
	assert_int_equal(seen.frames[1][0], 0x102);
	assert_int_equal(seen.frames[1][1], 0x900);
	assert_int_equal(seen.s[2].class, SHARE_COW);
	assert_int_equal(seen.s[2].pages, 4);
}

/* One page of each sort, side by side. */
static void classes(void **state)
{
	static const struct {
		uint64_t bits[2], value[2];
		enum share_class class;
	} pages[] = {
		{ { ANON, ANON }, { 1, 1 }, SHARE_COW },
		{ { FILE_PAGE, FILE_PAGE }, { 2, 2 }, SHARE_FILE },
		{ { KSM, KSM }, { 3, 3 }, SHARE_KSM },
		{ { SPECIAL, SPECIAL }, { 4, 4 }, SHARE_SPECIAL },
		{ { ZERO, ZERO }, { 5, 5 }, SHARE_ZERO },
		{ { ZERO, NONE }, { 5, 0 }, SHARE_ZERO },
		{ { ZERO, ANON }, { 5, 6 }, SHARE_PARTED },
		{ { ANON, ANON }, { 7, 8 }, SHARE_PARTED },
		{ { ANON, NONE }, { 9, 0 }, SHARE_SINGLE },
		{ { NONE, ANON }, { 0, 9 }, SHARE_SINGLE },
		{ { SWAP, SWAP }, { 10, 10 }, SHARE_SWAP },
		{ { SWAP, ANON }, { 10, 10 }, SHARE_SWAP },
		{ { NONE, NONE }, { 0, 0 }, SHARE_NOTHING },
	};
	const size_t nr = sizeof(pages) / sizeof(pages[0]);
	struct ptwalk_extent e[2][16];
	struct truth truths[2];
	struct seen seen = { .nr = 0 };

	for (int p = 0; p < 2; p++) {
		for (size_t i = 0; i < nr; i++)
			e[p][i] = (struct ptwalk_extent){ A + (i << 12),
				pages[i].value[p], 1, pages[i].bits[p] };
		truths[p] = truth_of(e[p], nr, &vma);
	}
	assert_int_equal(share_walk(truths, 2, 12, take, &seen), 0);
	assert_int_equal(seen.nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(seen.s[i].class, pages[i].class);
}

/* The same address in another file, or mapped otherwise, is another mapping. */
static void strangers(void **state)
{
	struct ptwalk_vma others[] = { vma, vma, vma, vma };
	struct ptwalk_extent e[] = { { A, 0x100, 8, FILE_PAGE } };

	others[0].inode = 7;
	others[1].dev_major = 7;
	others[2].dev_minor = 7;
	others[3].flags ^= PTWALK_VMA_FLAG_MAYSHARE;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct truth truths[2] = { truth_of(e, 1, &vma),
					   truth_of(e, 1, &others[i]) };
		struct seen seen = { .nr = 0 };

		assert_int_equal(share_walk(truths, 2, 12, take, &seen), 0);
		assert_int_equal(seen.nr, 1);
		assert_int_equal(seen.s[0].class, SHARE_SINGLE);
		assert_true(seen.frames[0][1] == SHARE_NO_FRAME);
	}
}

static void edges(void **state)
{
	struct ptwalk_vma last = { .start = UINT64_MAX - 0xfff,
				  .last = UINT64_MAX };
	struct ptwalk_extent e[] = { { UINT64_MAX - 0xfff, 1, 1, ANON } };
	struct truth truths[2] = { truth_of(e, 1, &last), { 0 } };
	struct seen seen = { .nr = 0 };

	assert_int_equal(share_walk(truths, 2, 12, take, &seen), 0);
	assert_int_equal(seen.nr, 1);
	assert_true(seen.s[0].start == UINT64_MAX - 0xfff);
	assert_int_equal(seen.s[0].pages, 1);
	truths[0] = (struct truth){ 0 };
	assert_int_equal(share_walk(truths, 2, 12, take, &seen), 0);
	assert_int_equal(seen.nr, 1);
}

struct common {
	struct share_frames f[8];
	size_t nr;
};

static int take_frames(const struct share_frames *f, void *arg)
{
	struct common *c = arg;

	assert_true(c->nr < 8);
	c->f[c->nr++] = *f;
	return 0;
}

/* Frames at other addresses, in other lengths, in one process twice. */
static void anywhere(void **state)
{
	struct ptwalk_vma v[3] = { vma, vma, vma };
	struct ptwalk_extent a[] = { { A, 0x100, 8, FILE_PAGE },
			      { A + 0x8000, 0x100, 2, FILE_PAGE },
			      { A + 0xa000, 5, 1, ZERO } };
	struct ptwalk_extent b[] = { { A + 0x10000, 0x104, 8, FILE_PAGE },
			      { A + 0x20000, 5, 1, ZERO } };
	struct ptwalk_extent c[] = { { A + 0x30000, 0x106, 1, FILE_PAGE } };
	struct truth truths[3] = { truth_of(a, 3, &v[0]), truth_of(b, 2, &v[1]),
				   truth_of(c, 1, &v[2]) };
	struct common seen = { .nr = 0 };

	assert_int_equal(share_by_frame(truths, 3, 12, take_frames, &seen), 0);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.f[0].pages, 2);
	assert_int_equal(seen.f[0].holders, 2);
	assert_int_equal(seen.f[0].addr, A + 0x4000);
	assert_int_equal(seen.f[1].pages, 1);
	assert_int_equal(seen.f[1].holders, 3);
	assert_int_equal(seen.f[2].pages, 1);
	assert_ptr_equal(seen.f[2].vma, &v[0]);
}

SUITE(suite_share,
      cmocka_unit_test(fork_and_write), cmocka_unit_test(classes),
      cmocka_unit_test(strangers), cmocka_unit_test(edges),
      cmocka_unit_test(anywhere));
