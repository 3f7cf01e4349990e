// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
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

/* Gives the extents of a truth one by one. */
struct from {
	const struct truth *truth;
	size_t at;
};

static int next(struct share_process *p)
{
	struct from *from = p->arg;

	if (from->at == from->truth->nr_extents)
		return 0;
	p->extents = &from->truth->extents[from->at++];
	p->nr = 1;
	p->vma = from->truth->vmas;
	p->mapping = 1;
	return 1;
}

static int walk(const struct truth truths[2], struct seen *seen)
{
	struct from from[2] = { { &truths[0] }, { &truths[1] } };
	struct share_process processes[2] = {
		{ .next = next, .arg = &from[0] },
		{ .next = next, .arg = &from[1] },
	};

	return share_walk(processes, 2, 12, take, seen);
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

	assert_int_equal(walk(truths, &seen), 0);
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
	assert_int_equal(walk(truths, &seen), 0);
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

		assert_int_equal(walk(truths, &seen), 0);
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

	assert_int_equal(walk(truths, &seen), 0);
	assert_int_equal(seen.nr, 1);
	assert_true(seen.s[0].start == UINT64_MAX - 0xfff);
	assert_int_equal(seen.s[0].pages, 1);
	truths[0] = (struct truth){ 0 };
	assert_int_equal(walk(truths, &seen), 0);
	assert_int_equal(seen.nr, 1);
}

/* What goes wrong on the way is told. */
static int fails(struct share_process *p)
{
	return -ESRCH;
}

static void gone(void **state)
{
	struct share_process processes[2] = { { .next = fails }, { .next = fails } };
	struct seen seen = { .nr = 0 };

	assert_int_equal(share_walk(processes, 2, 12, take, &seen), -ESRCH);
	assert_int_equal(seen.nr, 0);
}

static struct share_group *note(struct share_groups *groups, unsigned int process,
				const char *name, uint64_t frame, uint64_t pages,
				uint64_t bits)
{
	const struct ptwalk_extent e = { A, frame, pages, bits };
	struct share_group *group = share_group(groups, process, name);

	assert_non_null(group);
	assert_ptr_equal(group, share_group(groups, process, name));
	assert_int_equal(share_note(group, &e), 0);
	return group;
}

/* Frames at other addresses, in other lengths, in one process twice. */
static void anywhere(void **state)
{
	struct share_groups groups = { 0 };
	struct share_group *a, *b, *c;

	note(&groups, 0, "a", 0x100, 8, FILE_PAGE);
	note(&groups, 0, "a", 5, 1, ZERO);
	a = note(&groups, 0, "a", 0x100, 2, FILE_PAGE);
	note(&groups, 1, "a", 5, 1, ZERO);
	b = note(&groups, 1, "a", 0x104, 8, FILE_PAGE);
	note(&groups, 1, "a", 0x104, 8, SWAP);
	c = note(&groups, 2, "b", 0x106, 1, FILE_PAGE);
	assert_int_equal(groups.nr, 3);
	assert_int_equal(share_count(&groups, 3), 0);
	assert_int_equal(a->frames, 4);
	assert_int_equal(a->all, 1);
	assert_int_equal(b->frames + b->all + c->frames + c->all, 0);
	share_groups_free(&groups);
	assert_int_equal(share_count(&groups, 3), 0);
}

/* The last frame that there can be, and more in a row than a piece has. */
static void long_runs(void **state)
{
	const uint64_t end = 1ULL << 52, long_run = 1 << 20;
	struct share_groups groups = { 0 };
	struct share_group *a;

	a = note(&groups, 0, "a", end - long_run, long_run, SPECIAL);
	note(&groups, 1, "a", end - long_run + 1, long_run - 1, SPECIAL);
	note(&groups, 1, "b", UINT64_MAX, 1, SPECIAL);
	assert_int_equal(share_count(&groups, 2), 0);
	assert_int_equal(a->frames, long_run - 1);
	assert_int_equal(a->all, long_run - 1);
	share_groups_free(&groups);
}

/* Many pieces in any order, against counting them frame by frame. */
static void counted(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e" };
	static unsigned int holders[1024], first[1024];
	uint64_t frame, pages, frames[2] = { 0 }, all[2] = { 0 }, random = 1;
	struct share_groups groups = { 0 };
	unsigned int process;

	for (int i = 0; i < 4000; i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		process = random >> 60 & 3;
		frame = random >> 40 & 0x3ff;
		pages = 1 + (random >> 33 & 3) * (random >> 35 & 1);
		if (frame + pages > 1024 || (i & 7 && process == 3))
			continue;
		note(&groups, process, names[random >> 55 & 3], frame, pages,
		     ANON);
		for (; pages--; frame++)
			holders[frame] |= 1U << process;
	}
	assert_int_equal(share_count(&groups, 4), 0);
	for (int i = 0; i < 1024; i++) {
		frames[0] += __builtin_popcount(holders[i]) >= 2;
		all[0] += holders[i] == 15;
		first[i] = __builtin_ctz(holders[i] | 16);
	}
	for (size_t i = 0; i < groups.nr; i++) {
		frames[1] += groups.group[i]->frames;
		all[1] += groups.group[i]->all;
	}
	assert_int_equal(frames[0], frames[1]);
	assert_int_equal(all[0], all[1]);
	assert_true(all[0] > 10 && frames[0] > all[0]);

	/* By the first process that has them. */
	for (process = 0; process < 4; process++) {
		frames[0] = 0;
		frames[1] = 0;
		for (int i = 0; i < 1024; i++)
			frames[0] += __builtin_popcount(holders[i]) >= 2 &&
				     first[i] == process;
		for (size_t i = 0; i < groups.nr; i++)
			if (groups.group[i]->process == process)
				frames[1] += groups.group[i]->frames;
		assert_int_equal(frames[0], frames[1]);
	}
	share_groups_free(&groups);
}

SUITE(suite_share,
      cmocka_unit_test(fork_and_write), cmocka_unit_test(classes),
      cmocka_unit_test(strangers), cmocka_unit_test(edges),
      cmocka_unit_test(gone), cmocka_unit_test(anywhere),
      cmocka_unit_test(long_runs), cmocka_unit_test(counted));
