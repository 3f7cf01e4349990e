// SPDX-License-Identifier: GPL-2.0
/* What changes between two readings. */
#include <stdio.h>
#include "tests.h"
#include "watch/changes.h"
#include "watch/vmas.h"

#define SHIFT	12
#define BASE	0x10000000ULL

#define PRESENT	PTWALK_KIND_PRESENT
#define MINE	(PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE)

/* One page, or a few, at one moment. */
struct side {
	uint32_t kind, level, aux, flags;
	uint64_t value;
};

struct found {
	struct change change[8];
	size_t nr;
};

static const struct ptwalk_kernel kernel = {
	.page_shift = SHIFT,
	.level_shift = { 12, 21, 30, 39, 48 },
};

static int take(const struct change *change, void *arg)
{
	struct found *found = arg;

	assert_true(found->nr < 8);
	found->change[found->nr++] = *change;
	return 0;
}

static struct ptwalk_vma vma_of(uint64_t pages)
{
	return (struct ptwalk_vma){
		.start = BASE, .last = BASE + (pages << SHIFT) - 1,
		.flags = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE,
	};
}

static struct ptwalk_extent extent_of(const struct side *side, uint64_t page,
				      uint64_t pages)
{
	return (struct ptwalk_extent){
		.addr = BASE + (page << SHIFT), .value = side->value,
		.pages = pages,
		.bits = ptwalk_bits(side->kind, side->level, side->aux,
				    side->flags),
	};
}

/* What happens to a page that is @before, then @after. */
static uint32_t what(struct side before, struct side after)
{
	struct ptwalk_extent e[2] = {
		extent_of(&before, 0, 1), extent_of(&after, 0, 1),
	};
	struct ptwalk_vma vma[2] = { vma_of(1), vma_of(1) };
	struct truth b = { .extents = &e[0], .nr_extents = 1,
			   .vmas = &vma[0], .nr_vmas = 1 };
	struct truth a = { .extents = &e[1], .nr_extents = 1,
			   .vmas = &vma[1], .nr_vmas = 1 };
	struct found found = { .nr = 0 };

	changes_between(&kernel, &b, &a, CHANGES_ALL, take, &found);
	assert_true(found.nr <= 1);
	return found.nr ? found.change[0].what : 0;
}

#define IS(kind)	(1U << CHANGE_##kind)

static void kinds(void **state)
{
	const struct side none = { PTWALK_KIND_NONE };
	const struct side marker = { PTWALK_KIND_MARKER };
	const struct side page = { PRESENT, .flags = MINE, .value = 7 };
	const struct side swap = { PTWALK_KIND_SWAP, .value = 9 };
	const struct side leaf = { PRESENT, PTWALK_LEVEL_PMD, .flags = MINE,
				   .value = 7 };
	struct side other = page;

	assert_int_equal(what(page, page), 0);
	assert_int_equal(what(none, marker), 0);
	assert_int_equal(what(none, page), IS(MAPPED));
	assert_int_equal(what(marker, page), IS(MAPPED));
	assert_int_equal(what(page, none), IS(UNMAPPED));
	assert_int_equal(what(page, marker), IS(UNMAPPED));
	assert_int_equal(what(swap, none), IS(UNMAPPED));
	assert_int_equal(what(page, swap), IS(SWAPPED_OUT));
	assert_int_equal(what(swap, page), IS(SWAPPED_IN));
	assert_int_equal(what(swap, swap), 0);
	assert_int_equal(what(swap, (struct side){ PTWALK_KIND_SWAP, .value = 8 }),
			 IS(SWAPPED_OUT));
	assert_int_equal(what(swap, (struct side){ PTWALK_KIND_SWAP, .aux = 1,
						   .value = 9 }),
			 IS(SWAPPED_OUT));
	assert_int_equal(what(leaf, page), IS(SPLIT));
	assert_int_equal(what(page, leaf), IS(COLLAPSED));

	other.value = 8;
	assert_int_equal(what(page, other), IS(MOVED));
	assert_int_equal(what(page, (struct side){ PTWALK_KIND_MIGRATION,
						   .value = 7 }),
			 IS(MIGRATING));
	assert_int_equal(what((struct side){ PTWALK_KIND_MIGRATION, .value = 7 },
			      other), IS(MOVED));
	assert_int_equal(what((struct side){ PTWALK_KIND_MIGRATION, .value = 7 },
			      page), 0);
	assert_int_equal(what(page, (struct side){ PTWALK_KIND_HWPOISON,
						   .value = 7 }),
			 IS(POISONED));
	/* Of a file, or of several: a copy. */
	assert_int_equal(what((struct side){ PRESENT, .flags = PTWALK_FLAG_PAGE,
					     .value = 7 }, other),
			 IS(COPIED) | IS(EXCLUSIVE));
	other.flags |= PTWALK_FLAG_DIRTY;
	assert_int_equal(what((struct side){ PRESENT, .value = 7,
					     .flags = other.flags & ~PTWALK_FLAG_EXCLUSIVE },
			      other), IS(COPIED) | IS(EXCLUSIVE));
	/* But not if it was migrated. */
	other.flags &= ~PTWALK_FLAG_EXCLUSIVE;
	assert_int_equal(what((struct side){ PRESENT, .value = 7,
					     .flags = other.flags }, other),
			 IS(MOVED));
}

static void flags(void **state)
{
	static const struct {
		uint32_t flag, set, cleared;
	} bits[] = {
		{ PTWALK_FLAG_DIRTY, IS(WRITTEN), IS(CLEANED) },
		{ PTWALK_FLAG_SOFT_DIRTY, IS(SOFT_DIRTY), IS(SOFT_CLEAN) },
		{ PTWALK_FLAG_UFFD_WP, IS(UFFD_WP), IS(UFFD_UNWP) },
		{ PTWALK_FLAG_WRITE, IS(ALLOWED), IS(DENIED) },
		{ PTWALK_FLAG_EXEC, IS(ALLOWED), IS(DENIED) },
		{ PTWALK_FLAG_PROT_NONE, IS(DENIED), IS(ALLOWED) },
		{ PTWALK_FLAG_YOUNG, IS(YOUNG), IS(OLD) },
	};
	struct side page = { PRESENT, .flags = MINE, .value = 7 }, with = page;

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		with.flags = MINE | bits[i].flag;
		assert_int_equal(what(page, with), bits[i].set);
		assert_int_equal(what(with, page), bits[i].cleared);
	}
	/* What isn't present has some of them, too. */
	page = (struct side){ PTWALK_KIND_SWAP, .value = 9 };
	with = page;
	with.flags = PTWALK_FLAG_SOFT_DIRTY | PTWALK_FLAG_UFFD_WP;
	assert_int_equal(what(with, page), IS(SOFT_CLEAN) | IS(UFFD_UNWP));
	/* A NUMA hint is no right that is gone. */
	page = (struct side){ PRESENT, .flags = MINE | PTWALK_FLAG_WRITE };
	with = (struct side){ PRESENT, .flags = MINE | PTWALK_FLAG_PROT_NONE |
					       PTWALK_FLAG_NUMA_HINT };
	assert_int_equal(what(page, with), 0);
}

/* Extents that begin and end elsewhere; nothing behind the last page there is. */
static void stretches(void **state)
{
	const struct side page = { PRESENT, .flags = MINE, .value = 100 };
	const struct side moved = { PRESENT, .flags = MINE, .value = 203 };
	const struct side none = { PTWALK_KIND_NONE };
	struct ptwalk_extent before[] = { extent_of(&page, 0, 8) };
	struct ptwalk_extent after[] = {
		extent_of(&page, 0, 3), extent_of(&moved, 3, 2),
		extent_of(&none, 5, 3),
	};
	struct ptwalk_vma vma = vma_of(8);
	struct truth b = { .extents = before, .nr_extents = 1, .vmas = &vma,
			   .nr_vmas = 1 };
	struct truth a = { .extents = after, .nr_extents = 3, .vmas = &vma,
			   .nr_vmas = 1 };
	struct truth empty = { 0 };
	struct found found = { .nr = 0 };

	changes_between(&kernel, &b, &a, CHANGES_ALL, take, &found);
	assert_int_equal(found.nr, 2);
	assert_int_equal(found.change[0].addr, BASE + (3 << SHIFT));
	assert_int_equal(found.change[0].pages, 2);
	assert_int_equal(found.change[0].what, IS(MOVED));
	assert_int_equal(found.change[0].before.value, 103);
	assert_int_equal(found.change[0].after.value, 203);
	assert_int_equal(found.change[1].addr, BASE + (5 << SHIFT));
	assert_int_equal(found.change[1].pages, 3);
	assert_int_equal(found.change[1].what, IS(UNMAPPED));

	/* Of a VMA that is gone, and one that is new. */
	found.nr = 0;
	changes_between(&kernel, &b, &empty, CHANGES_ALL, take, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.change[0].what, IS(UNMAPPED));
	assert_null(found.change[0].after.vma);
	found.nr = 0;
	changes_between(&kernel, &empty, &a, CHANGES_ALL, take, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.change[0].what, IS(MAPPED));
	assert_int_equal(found.change[0].pages, 5);
	found.nr = 0;
	changes_between(&kernel, &empty, &empty, CHANGES_ALL, take, &found);
	assert_int_equal(found.nr, 0);

	/* The last page of the address space. */
	vma.start = before[0].addr = 0 - (8ULL << SHIFT);
	vma.last = UINT64_MAX;
	changes_between(&kernel, &b, &empty, CHANGES_ALL, take, &found);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.change[0].pages, 8);
}

#define AWAY	(1ULL << 30)

/* Of VMAs. */
static uint64_t more_flags;

/* One extent at each moment, in VMAs of 8 pages that are @AWAY from each other. */
static void elsewhere(struct found *found, uint64_t pgoff, uint64_t page, uint64_t pages,
		      uint32_t lost)
{
	const struct side old = { PRESENT, .flags = MINE | lost, .value = 100 };
	const struct side new = { PRESENT, .flags = MINE, .value = 100 + page };
	struct ptwalk_extent before = extent_of(&old, 0, 8);
	struct ptwalk_extent after = extent_of(&new, page, pages);
	struct ptwalk_vma from = vma_of(8), to = vma_of(8);
	struct truth b = { .extents = &before, .nr_extents = 1, .vmas = &from, .nr_vmas = 1 };
	struct truth a = { .extents = &after, .nr_extents = 1, .vmas = &to, .nr_vmas = 1 };

	from.pgoff = BASE >> SHIFT;
	from.flags |= more_flags;
	to.pgoff = pgoff;
	to.flags |= more_flags;
	to.start += AWAY;
	to.last += AWAY;
	after.addr += AWAY;
	found->nr = 0;
	changes_between(&kernel, &b, &a, CHANGES_ALL | CHANGES_PLACES, take, found);
}

static void remapped(void **state)
{
	struct found found;

	/* All of them, at both addresses. */
	elsewhere(&found, BASE >> SHIFT, 0, 8, 0);
	assert_int_equal(found.nr, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(found.change[i].what, IS(REMAPPED));
		assert_int_equal(found.change[i].pages, 8);
		assert_int_equal(found.change[i].addr, BASE + i * AWAY);
		assert_int_equal(found.change[i].other, BASE + !i * AWAY);
		assert_int_equal(change_is_away(&found.change[i]), !i);
	}
	/* Some; the others are gone. */
	elsewhere(&found, BASE >> SHIFT, 3, 2, 0);
	assert_int_equal(found.nr, 4);
	assert_int_equal(found.change[0].what, IS(UNMAPPED));
	assert_int_equal(found.change[0].pages, 3);
	assert_int_equal(found.change[1].what, IS(REMAPPED));
	assert_int_equal(found.change[1].addr, BASE + (3 << SHIFT));
	assert_int_equal(found.change[1].other, BASE + AWAY + (3 << SHIFT));
	assert_int_equal(found.change[1].pages, 2);
	assert_int_equal(found.change[2].what, IS(UNMAPPED));
	assert_int_equal(found.change[2].pages, 3);
	assert_int_equal(found.change[3].what, IS(REMAPPED));
	assert_int_equal(found.change[3].other, BASE + (3 << SHIFT));
	/* What they have lost is told of where they are now. */
	elsewhere(&found, BASE >> SHIFT, 3, 2, PTWALK_FLAG_DIRTY | PTWALK_FLAG_SOFT_DIRTY);
	assert_int_equal(found.nr, 4);
	assert_int_equal(found.change[1].what, IS(REMAPPED));
	assert_int_equal(found.change[3].what, IS(REMAPPED) | IS(CLEANED) | IS(SOFT_CLEAN));
	/* The frames were freed, and taken for other memory. */
	elsewhere(&found, (BASE + AWAY) >> SHIFT, 0, 8, 0);
	assert_int_equal(found.nr, 2);
	assert_int_equal(found.change[0].what, IS(UNMAPPED));
	assert_int_equal(found.change[1].what, IS(MAPPED));
	/* So they were for another stack. */
	more_flags = PTWALK_VMA_FLAG_GROWSDOWN;
	elsewhere(&found, BASE >> SHIFT, 0, 8, 0);
	more_flags = 0;
	assert_int_equal(found.nr, 2);
	assert_int_equal(found.change[0].what, IS(UNMAPPED));
	assert_int_equal(found.change[1].what, IS(MAPPED));
}

/* What is at one address, in the VMA @from and then in @to. */
static uint32_t in_its_place(struct ptwalk_vma *from, struct ptwalk_vma *to)
{
	const struct side old = { PRESENT, .flags = MINE | PTWALK_FLAG_DIRTY, .value = 100 };
	const struct side new = { PRESENT, .flags = MINE, .value = 200 };
	struct ptwalk_extent before = extent_of(&old, 3, 1), after = extent_of(&new, 3, 1);
	struct truth b = { .extents = &before, .nr_extents = 1, .vmas = from, .nr_vmas = 1 };
	struct truth a = { .extents = &after, .nr_extents = 1, .vmas = to, .nr_vmas = 1 };
	struct found found = { .nr = 0 };

	changes_between(&kernel, &b, &a, CHANGES_ALL | CHANGES_PLACES, take, &found);
	assert_int_equal(found.nr, 1);
	return found.change[0].what;
}

static void replaced(void **state)
{
	const struct side old = { PRESENT, .flags = MINE, .value = 100 };
	const struct side moving = { PRESENT, .flags = MINE | PTWALK_FLAG_DIRTY, .value = 300 };
	const struct side there = { PRESENT, .flags = MINE, .value = 300 };
	struct ptwalk_extent before[] = { extent_of(&old, 0, 8), extent_of(&moving, 0, 8) };
	struct ptwalk_extent after = extent_of(&there, 0, 8);
	struct ptwalk_vma vma[2] = { vma_of(8), vma_of(8) }, other = vma_of(8);
	struct truth b = { .extents = before, .nr_extents = 2, .vmas = vma, .nr_vmas = 2 };
	struct truth a = { .extents = &after, .nr_extents = 1, .vmas = &other, .nr_vmas = 1 };
	struct found found = { .nr = 0 };

	/* The same mapping, and what mprotect() leaves of it. */
	assert_int_equal(in_its_place(&vma[0], &other), IS(MOVED) | IS(CLEANED));
	other.start += 2 << SHIFT;
	other.pgoff = 2;
	assert_int_equal(in_its_place(&vma[0], &other), IS(MOVED) | IS(CLEANED));
	/* Others. */
	other.pgoff = 0;
	assert_int_equal(in_its_place(&vma[0], &other), IS(REPLACED));
	other = vma[0];
	other.inode = 1;
	assert_int_equal(in_its_place(&vma[0], &other), IS(REPLACED));
	other = vma[0];
	other.dev_minor = 1;
	assert_int_equal(in_its_place(&vma[0], &other), IS(REPLACED));

	/* mremap() onto a mapping with pages. */
	vma[1].start += AWAY;
	vma[1].last += AWAY;
	before[1].addr += AWAY;
	vma[1].pgoff = vma[1].start >> SHIFT;
	other = vma[0];
	other.pgoff = vma[1].pgoff;
	changes_between(&kernel, &b, &a, CHANGES_ALL | CHANGES_PLACES, take, &found);
	assert_int_equal(found.nr, 2);
	assert_int_equal(found.change[0].addr, BASE);
	assert_int_equal(found.change[0].what, IS(REPLACED) | IS(REMAPPED) | IS(CLEANED));
	assert_int_equal(found.change[0].other, BASE + AWAY);
	assert_false(change_is_away(&found.change[0]));
	assert_int_equal(found.change[1].addr, BASE + AWAY);
	assert_int_equal(found.change[1].what, IS(REMAPPED));
	assert_int_equal(found.change[1].other, BASE);
	assert_true(change_is_away(&found.change[1]));
}

/*
 * A window in which every 64th page was there, and which a huge leaf maps now, is
 * collapsed with all of its pages; one in which nothing was is mapped.
 */
static void collapse(void **state)
{
	const struct side none = { PTWALK_KIND_NONE };
	const struct side page = { PRESENT, .flags = MINE, .value = 7 };
	const struct side swap = { PTWALK_KIND_SWAP, .value = 9 };
	const struct side leaf = { PRESENT, PTWALK_LEVEL_PMD, .flags = MINE,
				   .value = 0x1000 };
	struct ptwalk_extent before[18], after[1] = { extent_of(&leaf, 0, 3 * 512) };
	struct ptwalk_vma vma = vma_of(3 * 512);
	struct truth b = { .extents = before, .nr_extents = 18, .vmas = &vma, .nr_vmas = 1 };
	struct truth a = { .extents = after, .nr_extents = 1, .vmas = &vma, .nr_vmas = 1 };
	uint64_t pages[2] = { 0 };
	struct found found;

	for (unsigned int with_swap = 0; with_swap < 2; with_swap++) {
		for (unsigned int i = 0; i < 8; i++) {
			before[2 * i] = extent_of(&page, 64 * i, 1);
			before[2 * i + 1] = extent_of(&none, 64 * i + 1, 63);
		}
		/* The second window is empty; the third has a page that is swapped out. */
		before[15].pages += 512;
		before[16] = extent_of(with_swap ? &swap : &none, 2 * 512, 1);
		before[17] = extent_of(&none, 2 * 512 + 1, 511);
		found.nr = 0;
		changes_between(&kernel, &b, &a, IS(MAPPED) | IS(COLLAPSED) | IS(SWAPPED_IN),
				take, &found);
		pages[0] = pages[1] = 0;
		for (size_t i = 0; i < found.nr; i++) {
			pages[0] += found.change[i].what & IS(MAPPED) ? found.change[i].pages : 0;
			pages[1] += found.change[i].what & IS(COLLAPSED) ? found.change[i].pages : 0;
		}
		assert_int_equal(pages[0], with_swap ? 512 : 2 * 512);
		assert_int_equal(pages[1], with_swap ? 2 * 512 : 512);
		assert_int_equal(found.change[0].addr, BASE);
		assert_int_equal(found.change[0].pages, 512);
	}
	assert_int_equal(found.change[2].what, IS(COLLAPSED) | IS(SWAPPED_IN));
	/* Of hugetlb, nothing is made of smaller pages. */
	vma.flags |= PTWALK_VMA_FLAG_HUGETLB;
	found.nr = 0;
	before[0] = extent_of(&none, 0, 1);
	for (unsigned int i = 1; i < 8; i++)
		before[2 * i] = extent_of(&none, 64 * i, 1);
	before[14] = extent_of(&page, 64 * 7, 1);
	changes_between(&kernel, &b, &a, IS(MAPPED), take, &found);
	assert_int_equal(found.change[0].what, IS(MAPPED));
	assert_int_equal(found.change[0].pages, 64 * 7);
}

/* VMAs in words: "a-b@offset:file", pages in hexadecimal; '!' has other rights, 'h' is the heap. */
static size_t vmas_from(const char *text, struct ptwalk_vma *vma)
{
	unsigned int start, end, offset, file;
	size_t nr = 0;
	int used;
	char kind;

	for (; sscanf(text, " %x-%x@%x:%u%c%n", &start, &end, &offset, &file, &kind,
		      &used) == 5; text += used)
		vma[nr++] = (struct ptwalk_vma){
			.start = (uint64_t)start << SHIFT,
			.last = ((uint64_t)end << SHIFT) - 1,
			.pgoff = offset, .inode = file,
			.flags = PTWALK_VMA_FLAG_READ |
				 (kind == '!' ? 0 : PTWALK_VMA_FLAG_WRITE) |
				 (file ? 0 : PTWALK_VMA_FLAG_ANONYMOUS) |
				 (kind == 'h' ? PTWALK_VMA_FLAG_HEAP : 0),
		};
	return nr;
}

static void note_vmas(const struct vma_change *c, void *arg)
{
	char *text = arg, what[64];

	names_mask(&names_vma_word, c->what, ",", what, sizeof(what));
	sprintf(text + strlen(text), "%s %zu>%zu;", what, c->nr_before, c->nr_after);
}

static void vmas(void **state)
{
	static const struct {
		const char *before, *after, *told;
	} cases[] = {
		{ "10-20@10:0. 30-40@0:7.", "10-20@10:0. 30-40@0:7.", "" },
		{ "", "10-20@10:0.", "new 0>1;" },
		{ "10-20@10:0.", "", "gone 1>0;" },
		/* The heap grows, by a VMA of its own or not; a stack grows down. */
		{ "10-20@10:0h", "10-28@10:0h", "grew 1>1;" },
		{ "10-20@10:0h", "10-20@10:0h 20-28@20:0h", "grew,split 1>2;" },
		{ "10-20@10:0h", "10-20@10:0! 20-28@20:0h", "grew,split 1>2;" },
		{ "10-20@10:0h 20-28@20:0h", "10-20@10:0h 20-30@20:0h", "grew 1>1;" },
		{ "10-20@10:0h 20-28@20:0h", "10-20@10:0h", "shrank,merged 2>1;" },
		{ "18-20@7fff8:0.", "10-20@7fff0:0.", "grew 1>1;" },
		{ "10-28@10:0h", "10-20@10:0h", "shrank 1>1;" },
		/* mprotect(), of a part, and back; and of all. */
		{ "10-20@10:0.", "10-14@10:0. 14-18@14:0! 18-20@18:0.", "split 1>3;" },
		{ "10-14@10:0. 14-18@14:0! 18-20@18:0.", "10-20@10:0.", "merged 3>1;" },
		{ "10-20@10:0.", "10-20@10:0!", "changed 1>1;" },
		{ "10-14@10:0. 14-20@14:0!", "10-18@10:0. 18-20@18:0!", "changed 2>2;" },
		/* munmap() of a part in the middle. */
		{ "10-20@10:0.", "10-14@10:0. 18-20@18:0.", "shrank,split 1>2;" },
		/* mremap(), of all, of a part, and with more behind it. */
		{ "10-20@10:0.", "50-60@10:0.", "moved 1>1;" },
		{ "10-20@10:0.", "10-18@10:0. 50-58@18:0.", "shrank 1>1;moved 1>1;" },
		{ "10-20@10:0.", "50-70@10:0.", "grew,moved 1>1;" },
		{ "10-20@0:7.", "50-60@0:7.", "moved 1>1;" },
		/* Another mapping of a file isn't one that has moved. */
		{ "10-20@0:7.", "10-20@0:7. 50-60@0:7.", "new 0>1;" },
		/* Nor is other memory at the same place. */
		{ "10-20@0:7.", "10-20@0:8.", "gone 1>0;new 0>1;" },
		{ "10-20@0:7.", "10-20@4:7.", "moved 1>1;" },
		{ "10-20@10:0.", "10-20@10:7.", "gone 1>0;new 0>1;" },
		{ "10-20@10:0.", "50-60@50:0.", "gone 1>0;new 0>1;" },
	};
	struct ptwalk_vma from[4], to[4];
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct truth b = { .vmas = from, .nr_vmas = vmas_from(cases[i].before, from) };
		struct truth a = { .vmas = to, .nr_vmas = vmas_from(cases[i].after, to) };

		*text = '\0';
		assert_int_equal(vmas_compare(SHIFT, true, &b, &a, note_vmas, text), 0);
		if (strcmp(text, cases[i].told))
			fail_msg("from '%s' to '%s': %s", cases[i].before,
				 cases[i].after, text);
	}
	/* Without offsets, nothing is known to have moved. */
	{
		struct truth b = { .vmas = from, .nr_vmas = vmas_from("10-20@0:0.", from) };
		struct truth a = { .vmas = to, .nr_vmas = vmas_from("50-60@0:0.", to) };

		*text = '\0';
		vmas_compare(SHIFT, false, &b, &a, note_vmas, text);
		assert_string_equal(text, "gone 1>0;new 0>1;");
		b.nr_vmas = vmas_from("18-20@0:0.", from);
		a.nr_vmas = vmas_from("10-20@0:0.", to);
		*text = '\0';
		vmas_compare(SHIFT, false, &b, &a, note_vmas, text);
		assert_string_equal(text, "grew 1>1;");
	}
}

SUITE(suite_watch, cmocka_unit_test(kinds), cmocka_unit_test(flags),
      cmocka_unit_test(stretches), cmocka_unit_test(remapped),
      cmocka_unit_test(replaced), cmocka_unit_test(collapse), cmocka_unit_test(vmas),
);
