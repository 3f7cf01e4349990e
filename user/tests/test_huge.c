// SPDX-License-Identifier: GPL-2.0
/* What is mapped by huge leaves, and each reason why something isn't. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "huge/count.h"
#include "module/version.h"
#include "tests.h"

#define BASE	0x7f0000200000ULL
#define WINDOW	512
#define GOOD	(PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE | \
		 PTWALK_FLAG_WRITE | PTWALK_FLAG_YOUNG)
#define ZERO	(PTWALK_FLAG_ZERO | PTWALK_FLAG_YOUNG)

/* What is in a VMA of two windows, and what the kernel is like. */
struct world {
	struct ptwalk_kernel kernel;
	struct thp_settings settings;
	struct thp_process process;
	struct tmpfs_mount mount[2];
	struct tmpfs_mounts tmpfs;
	struct thp_vma eligible;
	struct ptwalk_vma vma;
	struct ptwalk_extent extents[8];
	struct ptwalk_page pages[8];
	size_t nr;
	uint64_t end;
	struct huge_sum sum;
};

/* @pages of a VMA that begins @offset pages behind a window's first. */
static struct world world(uint64_t offset, uint64_t pages)
{
	struct world w = {
		.kernel = test_kernel(6, 12),
		.settings = {
			.files = THP_ALWAYS, .anon = THP_ALWAYS,
			.max_none = 100, .max_swap = 64, .max_shared = 256,
		},
		.vma = {
			.start = BASE + (offset << 12),
			.last = BASE + ((offset + pages) << 12) - 1,
			.flags = PTWALK_VMA_FLAG_ANONYMOUS, .page_shift = 12,
		},
		.end = BASE + (offset << 12),
	};

	return w;
}

static void add_page(struct world *w, uint32_t kind, uint32_t level,
		     uint32_t flags, uint64_t pages, struct ptwalk_page page)
{
	assert_true(w->nr < 8);
	w->extents[w->nr] = (struct ptwalk_extent){
		.addr = w->end, .value = 0x100000 + (w->end >> 12),
		.pages = pages, .bits = ptwalk_bits(kind, level, 0, flags),
	};
	w->pages[w->nr++] = page;
	w->end += pages << 12;
}

static void add(struct world *w, uint32_t kind, uint32_t level, uint32_t flags,
		uint64_t pages)
{
	const struct ptwalk_page page = {
		.flags = PTWALK_PAGE_FLAG_LRU, .counts = 1 | 1ULL << 32,
		.folio_counts = 1,
	};

	add_page(w, kind, level, flags, pages,
		 flags & PTWALK_FLAG_PAGE ? page : (struct ptwalk_page){ 0 });
}

static void small(struct world *w, uint32_t flags, uint64_t pages)
{
	add(w, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, flags, pages);
}

static void huge(struct world *w, uint64_t pages)
{
	const struct ptwalk_page page = { .place = 9 };

	add_page(w, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, GOOD, pages, page);
}

static void none(struct world *w, uint64_t pages)
{
	add(w, PTWALK_KIND_NONE, PTWALK_LEVEL_PTE, 0, pages);
}

static void count(struct world *w)
{
	const struct huge_facts facts = { &w->kernel, &w->settings, &w->process,
					    &w->tmpfs };
	struct huge_counter c;

	/* In two messages. */
	huge_begin(&c, &facts, &w->vma);
	huge_take(&c, w->extents, w->pages, w->nr / 2);
	huge_take(&c, w->extents + w->nr / 2, w->pages + w->nr / 2,
		  w->nr - w->nr / 2);
	huge_end(&c);
	w->sum = c.sum;
}

/* That this is the only reason for anything. */
static void only(struct world *w, enum huge_reason reason, uint64_t windows,
		 uint64_t pages)
{
	count(w);
	for (unsigned int i = 0; i < NR_HUGE_REASONS; i++) {
		if (w->sum.why[i].windows != (i == reason ? windows : 0) ||
		    w->sum.why[i].pages != (i == reason ? pages : 0))
			fail_msg("%s: %u windows, %u pages; wanted was %s",
				 huge_reasons[i].name,
				 (unsigned int)w->sum.why[i].windows,
				 (unsigned int)w->sum.why[i].pages,
				 huge_reasons[reason].name);
	}
}

/* A VMA of one window, full of pages with @flags. */
static struct world full(uint32_t flags)
{
	struct world w = world(0, WINDOW);

	small(&w, flags, WINDOW);
	return w;
}

/* Pages 3 to 16 behind a window's first, at frames that are aligned like them, or not. */
static void aligned(void **state)
{
	struct world w = world(3, 14);

	small(&w, GOOD, 14);
	count(&w);
	assert_int_equal(w.sum.aligned[12], 2);
	assert_int_equal(w.sum.aligned[14], 4);
	assert_int_equal(w.sum.aligned[15], 8);
	w.extents[0].value += 2;
	count(&w);
	assert_int_equal(w.sum.aligned[12], 2);
	assert_int_equal(w.sum.aligned[13], 12);
	w.extents[0].value++;
	count(&w);
	assert_int_equal(w.sum.aligned[12], 14);

	/* A row goes on where only a flag differs, and ends where something else does. */
	w = world(0, 16);
	small(&w, GOOD, 3);
	small(&w, GOOD & ~PTWALK_FLAG_YOUNG, 5);
	small(&w, GOOD, 8);
	count(&w);
	assert_int_equal(w.sum.aligned[16], 16);
	w.extents[2].value += 8;
	count(&w);
	assert_int_equal(w.sum.aligned[15], 16);
	w.extents[2].value -= 8;
	w.extents[1].bits = ptwalk_bits(PTWALK_KIND_SWAP, PTWALK_LEVEL_PTE, 0, GOOD);
	count(&w);
	assert_int_equal(w.sum.aligned[12], 1);
	assert_int_equal(w.sum.aligned[13], 2);
	assert_int_equal(w.sum.aligned[15], 8);
}

static void counts(void **state)
{
	struct world w = world(0, 4 * WINDOW);

	huge(&w, 3 * WINDOW);
	small(&w, GOOD, WINDOW);
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	assert_int_equal(w.sum.huge, 3);
	assert_int_equal(w.sum.leaf[12], WINDOW);
	assert_int_equal(w.sum.leaf[21], 3 * WINDOW);

	/* In one extent that begins and ends inside of a window. */
	w = world(0, 5 * WINDOW);
	none(&w, 1);
	small(&w, GOOD, 5 * WINDOW - 2);
	none(&w, 1);
	only(&w, HUGE_NOT_YET, 5, 5 * WINDOW - 2);
	assert_int_equal(w.sum.windows, 5);
}

static void empty_windows(void **state)
{
	struct world w = world(0, 4 * WINDOW);

	huge(&w, 2 * WINDOW);
	none(&w, 2 * WINDOW);
	only(&w, HUGE_EMPTY, 2, 0);
	assert_int_equal(w.sum.windows, 4);
	assert_int_equal(w.sum.huge, 2);
	assert_int_equal(w.sum.present, 2 * WINDOW);
	assert_int_equal(w.sum.leaf[21], 2 * WINDOW);
	assert_int_equal(w.sum.order[9], 2 * WINDOW);
	/* Whatever else holds for the VMA. */
	w.vma.flags |= PTWALK_VMA_FLAG_NOHUGEPAGE;
	only(&w, HUGE_EMPTY, 2, 0);
}

static void sizes(void **state)
{
	const struct ptwalk_page of_order = { .place = 4 | 3ULL << 32 };
	struct world w = world(0, 2 * WINDOW);

	small(&w, ZERO, 5);
	add_page(&w, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, GOOD, 13, of_order);
	small(&w, GOOD, WINDOW - 18);
	add(&w, PTWALK_KIND_SWAP, PTWALK_LEVEL_PTE, 0, 1);
	none(&w, WINDOW - 1);
	count(&w);
	assert_int_equal(w.sum.present, WINDOW);
	assert_int_equal(w.sum.leaf[12], WINDOW);
	assert_int_equal(w.sum.order[4], 13);
	assert_int_equal(w.sum.order[0], WINDOW - 18);
	assert_int_equal(w.sum.no_folio, 5);
	assert_int_equal(w.sum.windows, 2);
	assert_int_equal(w.sum.huge, 0);
}

/* A leaf of 1G, and one of a huge page that several entries map. */
static void large_leaves(void **state)
{
	const uint64_t giga = 1 << 18;
	struct world w = world(0, giga);

	w.end = 0x40000000;
	w.vma.start = 0x40000000;
	w.vma.last = 0x7fffffff;
	add(&w, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PUD, GOOD, giga);
	count(&w);
	assert_int_equal(w.sum.leaf[30], giga);
	assert_int_equal(w.sum.huge, 512);

	w = full(PTWALK_FLAG_PAGE);
	w.vma.flags = PTWALK_VMA_FLAG_HUGETLB;
	w.vma.page_shift = 16;
	only(&w, HUGE_HUGETLB, 1, WINDOW);
	assert_int_equal(w.sum.leaf[16], WINDOW);
}

static void of_the_vma(void **state)
{
	const uint64_t special[] = {
		PTWALK_VMA_FLAG_PFNMAP, PTWALK_VMA_FLAG_MIXEDMAP,
		PTWALK_VMA_FLAG_IO, PTWALK_VMA_FLAG_DONTEXPAND,
	};
	struct world w = full(GOOD);

	w.kernel.features &= ~PTWALK_FEATURE_THP;
	only(&w, HUGE_NO_THP, 1, WINDOW);
	w = full(GOOD);
	w.settings.absent = true;
	only(&w, HUGE_NO_THP, 1, WINDOW);
	w = full(GOOD);
	w.process.disabled = true;
	only(&w, HUGE_PRCTL, 1, WINDOW);
	w.vma.flags |= PTWALK_VMA_FLAG_NOHUGEPAGE;
	only(&w, HUGE_PRCTL, 1, WINDOW);
	w.process.disabled = false;
	only(&w, HUGE_NOHUGEPAGE, 1, WINDOW);
	w.settings.anon = THP_NEVER;
	only(&w, HUGE_NEVER, 1, WINDOW);
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		w = full(0);
		w.vma.flags = special[i];
		only(&w, HUGE_SPECIAL, 1, WINDOW);
	}
}

static void of_the_settings(void **state)
{
	struct world w = full(GOOD);

	w.settings.anon = THP_NEVER;
	only(&w, HUGE_NEVER, 1, WINDOW);
	w.vma.flags |= PTWALK_VMA_FLAG_HUGEPAGE;
	only(&w, HUGE_NEVER, 1, WINDOW);
	w.settings.anon = THP_MADVISE;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w.vma.flags &= ~(uint64_t)PTWALK_VMA_FLAG_HUGEPAGE;
	only(&w, HUGE_MADVISE, 1, WINDOW);
	w.settings.anon = THP_UNKNOWN;
	only(&w, HUGE_NOT_YET, 1, WINDOW);

	/* The setting for files isn't that for anonymous memory. */
	w.settings.files = THP_NEVER;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w = full(PTWALK_FLAG_PAGE);
	w.vma.pgoff = BASE >> 12;
	w.vma.flags = 0;
	w.settings.anon = THP_NEVER;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w.settings.files = THP_NEVER;
	only(&w, HUGE_NEVER, 1, WINDOW);
	/* tmpfs has its own. */
	w.vma.flags = PTWALK_VMA_FLAG_SHMEM;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w.settings.files = THP_MADVISE;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
}

static void of_smaps(void **state)
{
	struct world w = full(PTWALK_FLAG_PAGE);

	w.eligible = (struct thp_vma){ .start = w.vma.start };
	w.process.vma = &w.eligible;
	w.process.nr = 1;
	w.vma.flags = PTWALK_VMA_FLAG_SHMEM;
	only(&w, HUGE_SHMEM, 1, WINDOW);
	w.vma.flags = 0;
	only(&w, HUGE_FILE, 1, WINDOW);
	w.vma.flags = PTWALK_VMA_FLAG_ANONYMOUS;
	only(&w, HUGE_PRCTL, 1, WINDOW);
	w.eligible.eligible = true;
	only(&w, HUGE_NOT_ANON, 1, WINDOW);
	/* Of another mapping, nothing follows. */
	w.eligible = (struct thp_vma){ .start = w.vma.start - 4096 };
	only(&w, HUGE_NOT_ANON, 1, WINDOW);
}

static void of_the_place(void **state)
{
	struct world w = world(1, WINDOW - 2);

	small(&w, GOOD, WINDOW - 2);
	only(&w, HUGE_TOO_SMALL, 0, WINDOW - 2);
	/* Large enough, but not where it lies. */
	w = world(1, 2 * WINDOW - 2);
	small(&w, GOOD, 2 * WINDOW - 2);
	only(&w, HUGE_EDGE, 0, 2 * WINDOW - 2);
	assert_int_equal(w.sum.windows, 0);
	/* What is between the edges is a window. */
	w = world(WINDOW - 1, WINDOW + 2);
	small(&w, GOOD, 1);
	huge(&w, WINDOW);
	small(&w, GOOD, 1);
	only(&w, HUGE_EDGE, 0, 2);
	assert_int_equal(w.sum.huge, 1);

	/* Only a part was asked for. */
	w = world(0, 2 * WINDOW);
	small(&w, GOOD, WINDOW / 2);
	only(&w, HUGE_PARTIAL, 0, WINDOW / 2);
	assert_int_equal(w.sum.windows, 0);

	w = full(PTWALK_FLAG_PAGE);
	w.vma.flags = 0;
	w.vma.pgoff = 1;
	only(&w, HUGE_FILE_OFFSET, 1, WINDOW);
	w.vma.pgoff = 3 * WINDOW;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	/* That of anonymous memory says nothing. */
	w = full(GOOD);
	w.vma.pgoff = 1;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
}

/* Each thing that can be in the way, alone and with all others, of one kind of memory. */
enum obstacle {
	O_ABSENT, O_SPECIAL, O_SMALL, O_NEVER, O_PRCTL, O_NOHUGEPAGE, O_UNADVISED,
	O_EDGE, O_OFFSET, O_REFUSED, NR_OBSTACLES
};

static const struct ptwalk_vma *memory_of(unsigned int kind)
{
	static const struct ptwalk_vma memory[] = {
		{ .flags = PTWALK_VMA_FLAG_ANONYMOUS },
		{ .flags = PTWALK_VMA_FLAG_SHMEM, .dev_minor = 1 },	/* the kernel's mount */
		{ .flags = PTWALK_VMA_FLAG_SHMEM, .dev_minor = 42 },	/* another */
		{ .flags = 0, .dev_major = 8 },				/* a file */
	};

	return kind < 4 ? &memory[kind] : NULL;
}

static void put_in_the_way(struct world *w, unsigned int obstacle)
{
	const bool anon = w->vma.flags & PTWALK_VMA_FLAG_ANONYMOUS;
	const enum thp_mode mode = obstacle == O_NEVER ? THP_NEVER :
				   anon || w->vma.dev_major ? THP_MADVISE : THP_ADVISE;

	switch (obstacle) {
	case O_ABSENT:
		w->settings.absent = true;
		break;
	case O_SPECIAL:
		w->vma.flags |= PTWALK_VMA_FLAG_DONTEXPAND;
		break;
	case O_SMALL:
		w->vma.last -= (WINDOW + 1) << 12;
		break;
	case O_UNADVISED:
	case O_NEVER:
		w->settings.anon = anon ? mode : THP_ALWAYS;
		w->settings.files = w->vma.dev_major ? mode : THP_ALWAYS;
		w->settings.shmem_size = w->vma.dev_minor == 1 ? mode : THP_ALWAYS;
		w->mount[0].huge = w->vma.dev_minor == 42 ? mode : THP_ALWAYS;
		break;
	case O_PRCTL:
		w->process.disabled = true;
		break;
	case O_NOHUGEPAGE:
		w->vma.flags |= PTWALK_VMA_FLAG_NOHUGEPAGE;
		break;
	case O_EDGE:
		w->vma.start += 1 << 12;
		w->vma.pgoff += 1;
		w->vma.last -= 1 << 12;
		break;
	case O_OFFSET:
		w->vma.pgoff += 3;
		break;
	case O_REFUSED:
		w->eligible.eligible = false;
		break;
	}
}

/* What is to be told of each, in the order in which it must be changed. */
static enum huge_reason reason_of(const struct world *w, unsigned int obstacles)
{
	const bool anon = w->vma.flags & PTWALK_VMA_FLAG_ANONYMOUS;
	const bool shmem = w->vma.flags & PTWALK_VMA_FLAG_SHMEM;
	const enum huge_reason reason[] = {
		HUGE_NO_THP, HUGE_SPECIAL, HUGE_TOO_SMALL,
		shmem ? HUGE_SHMEM : HUGE_NEVER, HUGE_PRCTL, HUGE_NOHUGEPAGE,
		shmem ? HUGE_SHMEM : HUGE_MADVISE, HUGE_EDGE, HUGE_FILE_OFFSET,
		anon ? HUGE_PRCTL : shmem ? HUGE_SHMEM : HUGE_FILE,
	};

	if (anon)
		obstacles &= ~(1U << O_OFFSET);	/* it has none */
	for (unsigned int i = 0; i < NR_OBSTACLES; i++)
		if (obstacles & 1U << i)
			return reason[i];
	return anon ? HUGE_NOT_ANON : HUGE_NOT_YET;
}

/* The last window of a VMA of two, which an edge goes through. */
static void all_obstacles(void **state)
{
	const struct ptwalk_vma *memory;
	unsigned int told = 0;

	for (unsigned int kind = 0; (memory = memory_of(kind)); kind++) {
		for (unsigned int o = 0; o < 1U << NR_OBSTACLES; o++) {
			struct world w = world(0, 2 * WINDOW);

			w.vma.flags = memory->flags;
			w.vma.dev_major = memory->dev_major;
			w.vma.dev_minor = memory->dev_minor;
			w.vma.pgoff = BASE >> 12;
			w.settings.shmem_size = THP_ALWAYS;
			w.mount[0] = (struct tmpfs_mount){ 0, 42, THP_ALWAYS };
			w.tmpfs = (struct tmpfs_mounts){
				w.mount, 1, 1, 0, 1, true };
			w.eligible.eligible = true;
			for (unsigned int i = NR_OBSTACLES; i--;)
				if (o & 1U << i)
					put_in_the_way(&w, i);
			w.eligible.start = w.vma.start;
			w.process.vma = &w.eligible;
			w.process.nr = 1;
			w.end = w.vma.start;
			small(&w, PTWALK_FLAG_PAGE,
			      (w.vma.last + 1 - w.vma.start) >> 12);
			count(&w);
			if (!w.sum.why[reason_of(&w, o)].pages)
				fail_msg("memory %u, obstacles %#x: not %s", kind, o,
					 huge_reasons[reason_of(&w, o)].name);
			told |= 1U << reason_of(&w, o);
		}
	}
	/* All of them were there. */
	assert_int_equal(told, 1U << HUGE_NO_THP | 1U << HUGE_SPECIAL |
			 1U << HUGE_TOO_SMALL | 1U << HUGE_SHMEM | 1U << HUGE_NEVER |
			 1U << HUGE_PRCTL | 1U << HUGE_NOHUGEPAGE |
			 1U << HUGE_MADVISE | 1U << HUGE_EDGE |
			 1U << HUGE_FILE_OFFSET | 1U << HUGE_FILE |
			 1U << HUGE_NOT_ANON | 1U << HUGE_NOT_YET);
}

/* Each is told of each kernel, and of all of them together from the newest to the oldest. */
static void deciders(void **state)
{
	static const unsigned int version[] = { KERNEL(7, 3), KERNEL(6, 12), KERNEL(6, 11),
						KERNEL(6, 8), KERNEL(6, 1) };
	char all[HUGE_DECIDED_BY];
	const char *at, *by;

	for (unsigned int i = 0; i < NR_HUGE_REASONS; i++) {
		at = huge_decided_by_all(i, all);
		assert_true(strlen(all) < HUGE_DECIDED_BY - 1);
		for (unsigned int v = 0; v < sizeof(version) / sizeof(version[0]); v++) {
			by = huge_decided_by(i, version[v]);
			at = strstr(at, by);
			if (!*by || !at)
				fail_msg("%s: '%s' isn't in '%s'", huge_reasons[i].name, by, all);
		}
		assert_int_equal(strlen(at), strlen(huge_decided_by(i, 0)));
	}
	assert_string_equal(huge_decided_by(HUGE_SHMEM, KERNEL(6, 1)), "shmem_is_huge()");
	/* Also of hugetlb and of files, whose empty entries khugepaged doesn't look at. */
	assert_null(strstr(huge_decided_by_all(HUGE_EMPTY, all), "pmd"));
	assert_non_null(strstr(huge_decided_by_all(HUGE_IDLE, all), "pmd"));
	assert_string_equal(huge_decided_by(HUGE_SHMEM, KERNEL(6, 12)),
			    "shmem_allowable_huge_orders()");
	assert_string_equal(huge_decided_by_all(HUGE_SHMEM, all),
			    "shmem_allowable_huge_orders(); before Linux 6.12: shmem_is_huge()");
}

/* Which of shmem_enabled and huge= decides. */
static void tmpfs(void **state)
{
	struct tmpfs_mounts m = { .dev_minor = 1, .has_own = true };
	struct thp_settings s = { .shmem = THP_ADVISE, .shmem_size = THP_ALWAYS };
	char text[] = "1 0 0:42 / /a rw shared:1 - tmpfs x rw,size=4k,huge=within_size\n"
		      "2 0 0:43 / /b rw - tmpfs none rw\n"
		      "3 0 8:1 / /c rw - ext4 /dev/sda1 rw,huge=always\n"
		      "4 0 0:44 / /d\\040-\\040e rw master:2 - tmpfs y\n"
		      "1 1 0:2 / / rw - rootfs rootfs rw,size=4k\n"
		      "5 1 0:5 / /dev rw - devtmpfs udev rw,huge=always\n";
	FILE *stream = fmemopen(text, strlen(text), "r");

	assert_int_equal(tmpfs_parse(stream, &m), 0);
	fclose(stream);
	assert_int_equal(m.nr, 5);
	assert_int_equal(tmpfs_mode(&m, &s, 0, 2), THP_NEVER);
	assert_int_equal(tmpfs_mode(&m, &s, 0, 5), THP_ALWAYS);
	assert_int_equal(tmpfs_mode(&m, &s, 0, 42), THP_WITHIN_SIZE);
	assert_int_equal(tmpfs_mode(&m, &s, 0, 43), THP_NEVER);
	assert_int_equal(tmpfs_mode(&m, &s, 0, 44), THP_NEVER);
	assert_int_equal(tmpfs_mode(&m, &s, 8, 1), THP_UNKNOWN);
	assert_int_equal(tmpfs_mode(&m, &s, 0, 1), THP_ALWAYS);
	assert_int_equal(tmpfs_mode(NULL, &s, 0, 1), THP_UNKNOWN);
	m.has_own = false;
	assert_int_equal(tmpfs_mode(&m, &s, 0, 1), THP_UNKNOWN);
	s.shmem = THP_FORCE;
	assert_int_equal(tmpfs_mode(&m, &s, 0, 43), THP_FORCE);
	s.shmem = THP_DENY;
	assert_int_equal(tmpfs_mode(&m, &s, 0, 42), THP_DENY);
	assert_int_equal(tmpfs_mode(NULL, &s, 0, 42), THP_DENY);
	tmpfs_free(&m);
}

static void limits(void **state)
{
	const uint32_t shared = GOOD & ~PTWALK_FLAG_EXCLUSIVE;
	struct world w;

	/* Each at its limit, and one more. */
	for (uint64_t more = 0; more < 2; more++) {
		w = world(0, WINDOW);
		small(&w, GOOD, 10);
		none(&w, 50 + more);
		small(&w, ZERO, 50);
		small(&w, GOOD, WINDOW - 110 - more);
		only(&w, more ? HUGE_MAX_NONE : HUGE_NOT_YET, 1,
		     WINDOW - 50 - more);

		w = world(0, WINDOW);
		small(&w, GOOD, WINDOW - 64 - more);
		add(&w, PTWALK_KIND_SWAP, PTWALK_LEVEL_PTE, 0, 64 + more);
		only(&w, more ? HUGE_MAX_SWAP : HUGE_NOT_YET, 1,
		     WINDOW - 64 - more);

		w = world(0, WINDOW);
		small(&w, shared, 256 + more);
		small(&w, GOOD, 256 - more);
		only(&w, more ? HUGE_MAX_SHARED : HUGE_NOT_YET, 1, WINDOW);
	}
	/* The zero page is something. */
	w = full(ZERO);
	only(&w, HUGE_MAX_NONE, 1, WINDOW);
	/* One that can't be read is none. */
	w = full(shared);
	w.settings.max_shared = THP_NO_LIMIT;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	/* Without map counts of pages, the folio's estimate counts. */
	w.settings.max_shared = 0;
	w.kernel.features &= ~PTWALK_FEATURE_PAGE_MAPCOUNT;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w = full(GOOD | PTWALK_FLAG_MAYBE_SHARED);
	w.kernel.features &= ~PTWALK_FEATURE_PAGE_MAPCOUNT;
	only(&w, HUGE_MAX_SHARED, 1, WINDOW);
}

static void of_the_entries(void **state)
{
	struct ptwalk_page page = {
		.flags = PTWALK_PAGE_FLAG_LRU, .counts = 2 | 1ULL << 32,
		.folio_counts = 1,
	};
	struct world w = full(GOOD | PTWALK_FLAG_UFFD_WP);

	only(&w, HUGE_USERFAULTFD, 1, WINDOW);
	w = world(0, WINDOW);
	none(&w, 1);
	small(&w, GOOD, WINDOW - 1);
	only(&w, HUGE_NOT_YET, 1, WINDOW - 1);
	w.vma.flags |= PTWALK_VMA_FLAG_UFFD_MISSING;
	only(&w, HUGE_USERFAULTFD, 1, WINDOW - 1);
	w = full(GOOD);
	w.vma.flags |= PTWALK_VMA_FLAG_UFFD_MISSING;
	only(&w, HUGE_NOT_YET, 1, WINDOW);

	w = full(GOOD & ~PTWALK_FLAG_PAGE);
	only(&w, HUGE_NO_PAGE, 1, WINDOW);
	w = full(GOOD & ~PTWALK_FLAG_ANON);
	only(&w, HUGE_NOT_ANON, 1, WINDOW);

	w = world(0, WINDOW);
	small(&w, GOOD, WINDOW - 1);
	add_page(&w, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, GOOD, 1, page);
	only(&w, HUGE_PINNED, 1, WINDOW);
	/* The reference is that of the swap cache, or of a batch for the LRU. */
	w.pages[1].flags |= PTWALK_PAGE_FLAG_SWAPCACHE;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w.pages[1].flags = 0;
	only(&w, HUGE_NOT_YET, 1, WINDOW);

	w = full(GOOD & ~PTWALK_FLAG_WRITE);
	only(&w, HUGE_READ_ONLY, 1, WINDOW);
	w.kernel = test_kernel(6, 17);
	only(&w, HUGE_READ_ONLY, 1, WINDOW);
	w.kernel = test_kernel(6, 18);
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w.kernel = test_kernel(7, 2);
	only(&w, HUGE_NOT_YET, 1, WINDOW);

	w = full(GOOD & ~PTWALK_FLAG_YOUNG);
	only(&w, HUGE_IDLE, 1, WINDOW);
	w.pages[0].flags |= PTWALK_PAGE_FLAG_REFERENCED;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	/* With something swapped out, half of it must be in use. */
	w = world(0, WINDOW);
	small(&w, GOOD, WINDOW / 2 - 1);
	small(&w, GOOD & ~PTWALK_FLAG_YOUNG, WINDOW / 2);
	add(&w, PTWALK_KIND_SWAP, PTWALK_LEVEL_PTE, 0, 1);
	only(&w, HUGE_IDLE, 1, WINDOW - 1);
}

static void of_files(void **state)
{
	const struct ptwalk_page page = { .place = 9 };
	struct world w = full(PTWALK_FLAG_PAGE);

	/* What the page cache holds isn't seen: no limit is applied. */
	w.vma.flags = 0;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w.pages[0].place = 8;
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w.pages[0].place = 9;
	only(&w, HUGE_PTE_MAPPED, 1, WINDOW);

	w = world(0, WINDOW);
	w.vma.flags = 0;
	add_page(&w, PTWALK_KIND_PRESENT, PTWALK_LEVEL_PTE, PTWALK_FLAG_PAGE, 500,
		 page);
	none(&w, WINDOW - 500);
	only(&w, HUGE_PTE_MAPPED, 1, 500);
	w = world(0, WINDOW);
	w.vma.flags = 0;
	small(&w, PTWALK_FLAG_PAGE, WINDOW - 1);
	small(&w, GOOD, 1);
	only(&w, HUGE_COPIES, 1, WINDOW);
}

/* Windows of 32M with 16K pages; tables of two levels; the ends of the address space. */
static void other_kernels(void **state)
{
	struct world w = world(0, WINDOW);

	w.kernel.page_shift = 14;
	w.kernel.level_shift[0] = 14;
	w.kernel.level_shift[1] = 25;
	assert_int_equal(huge_shift(&w.kernel), 25);
	w.end = 0x40000000;
	w.vma.start = 0x40000000;
	w.vma.last = 0x41ffffff;
	w.extents[0] = (struct ptwalk_extent){
		.addr = 0x40000000, .pages = 2048,
		.bits = ptwalk_bits(PTWALK_KIND_PRESENT, PTWALK_LEVEL_PMD, 0, GOOD),
	};
	w.nr = 1;
	count(&w);
	assert_int_equal(w.sum.huge, 1);
	assert_int_equal(huge_at_least(&w.sum, 2 << 20), 2048);

	w = full(GOOD);
	w.kernel.levels = 1U << PTWALK_LEVEL_PTE | 1U << PTWALK_LEVEL_PGD;
	w.kernel.level_shift[PTWALK_LEVEL_PGD] = 21;
	w.kernel.features = 0;
	only(&w, HUGE_NO_THP, 1, WINDOW);

	/* The last page of all, and a VMA of terabytes in one go. */
	w = world(0, WINDOW);
	w.end = -(1ULL << 21);
	w.vma.start = w.end;
	w.vma.last = UINT64_MAX;
	small(&w, GOOD, WINDOW);
	only(&w, HUGE_NOT_YET, 1, WINDOW);
	w = world(0, 1ULL << 34);
	none(&w, 1ULL << 34);
	only(&w, HUGE_EMPTY, 1ULL << 25, 0);
}

static void adds(void **state)
{
	struct world w = full(GOOD);
	struct huge_sum sum = { 0 };

	count(&w);
	huge_add(&sum, &w.sum);
	huge_add(&sum, &w.sum);
	assert_int_equal(sum.present, 2 * WINDOW);
	assert_int_equal(sum.leaf[12], 2 * WINDOW);
	assert_int_equal(sum.order[0], 2 * WINDOW);
	assert_int_equal(sum.windows, 2);
	assert_int_equal(sum.why[HUGE_NOT_YET].windows, 2);
	assert_int_equal(sum.why[HUGE_NOT_YET].pages, 2 * WINDOW);
}

static void goals(void **state)
{
	static const char *const wrong[] = {
		"", "%", "95%", "95", "95 2M", "0% 2M", "101% 2M", "x% 2M",
		"95% x", "95% 0", "95% 2M x", "-1% 2M", "1000% 2M", "9 5% 2M",
	};
	struct world w = world(0, 4 * WINDOW);
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct huge_goal goal = { 0 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_non_null(huge_goal_parse(wrong[i], &goal));
	assert_int_equal(goal.size, 0);
	assert_null(huge_goal_parse("1%64K", &goal));
	kernel.levels = 1U << PTWALK_LEVEL_PTE | 1U << PTWALK_LEVEL_PMD |
			1U << PTWALK_LEVEL_PGD;
	assert_null(huge_goal_beyond(&goal, &kernel, 64 << 10));
	assert_string_equal(huge_goal_beyond(&goal, &kernel, 0),
			    "no leaf has that size here: give 4K or 2M");
	goal.size = 3 << 20;
	assert_string_equal(huge_goal_beyond(&goal, &kernel, 2 << 20),
			    "no leaf has that size here: give 4K or 2M");
	assert_string_equal(huge_goal_beyond(&goal, &kernel, 65 << 20),
			    "no leaf has that size here: give 4K, 1M, 2M or 64M");
	kernel.levels = 1U << PTWALK_LEVEL_PTE;
	assert_string_equal(huge_goal_beyond(&goal, &kernel, 0),
			    "no leaf has that size here: give 4K");
	assert_null(huge_goal_parse("75% 2M", &goal));
	assert_int_equal(goal.percent, 75);
	assert_int_equal(goal.size, 2 << 20);

	assert_false(huge_goal_met(&goal, &w.sum));
	huge(&w, 3 * WINDOW);
	small(&w, GOOD, WINDOW);
	count(&w);
	assert_true(huge_goal_met(&goal, &w.sum));
	goal.percent = 76;
	assert_false(huge_goal_met(&goal, &w.sum));
	goal.size = 4096;
	goal.percent = 100;
	assert_true(huge_goal_met(&goal, &w.sum));
	goal = (struct huge_goal){ 1, 1 << 30 };
	assert_false(huge_goal_met(&goal, &w.sum));
}

static void texts(void **state)
{
	for (unsigned int i = 0; i < NR_HUGE_REASONS; i++) {
		assert_non_null(huge_reasons[i].name);
		assert_non_null(huge_reasons[i].text);
		assert_non_null(huge_reasons[i].decided[0].by);
		assert_true(strlen(huge_reasons[i].name) <= 15);
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(huge_reasons[i].name,
						huge_reasons[j].name);
	}
}

static void write_text(const char *dir, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "transparent_hugepage%s", name);
	test_put(dir, path, text);
}

static void reads_settings(void **state)
{
	char dir[] = "/tmp/test-thp-XXXXXX", command[64];
	struct thp_settings s;

	thp_settings_read("/nowhere", 2 << 20, &s);
	assert_false(s.absent || s.known);
	assert_int_equal(s.anon, THP_UNKNOWN);
	thp_limits_read("/nowhere", &s);
	assert_true(s.max_none == THP_NO_LIMIT);

	assert_non_null(mkdtemp(dir));
	thp_settings_read(dir, 2 << 20, &s);
	assert_true(s.absent && s.known);
	assert_true(!s.always && !s.advised);
	write_text(dir, "", NULL);
	write_text(dir, "/enabled", "always [madvise] never\n");
	write_text(dir, "/khugepaged", NULL);
	write_text(dir, "/khugepaged/max_ptes_none", "511\n");
	write_text(dir, "/khugepaged/max_ptes_swap", "64\n");
	thp_settings_read(dir, 2 << 20, &s);
	assert_false(s.absent);
	assert_int_equal(s.files, THP_MADVISE);
	assert_int_equal(s.anon, THP_MADVISE);
	assert_int_equal(s.shmem, THP_UNKNOWN);
	thp_limits_read(dir, &s);
	assert_int_equal(s.max_none, 511);
	assert_int_equal(s.max_swap, 64);
	assert_true(s.max_shared == THP_NO_LIMIT);
	assert_true(s.known && !s.always && s.advised == 2 << 20);

	write_text(dir, "/shmem_enabled",
		   "always within_size [advise] never deny force\n");
	thp_settings_read(dir, 2 << 20, &s);
	assert_int_equal(s.shmem, THP_ADVISE);
	assert_string_equal(thp_mode_name(s.shmem), "advise");
	assert_int_equal(s.files, THP_MADVISE);

	write_text(dir, "/hugepages-64kB", NULL);
	write_text(dir, "/hugepages-64kB/enabled",
		   "[always] inherit madvise never\n");
	write_text(dir, "/hugepages-32kB", NULL);
	write_text(dir, "/hugepages-32kB/enabled",
		   "always [inherit] madvise never\n");
	thp_settings_read(dir, 2 << 20, &s);
	assert_true(s.known && s.always == 64 << 10 &&
		    s.advised == (2 << 20) + (96 << 10));
	write_text(dir, "/hugepages-2048kB", NULL);
	write_text(dir, "/hugepages-2048kB/enabled",
		   "always [inherit] madvise never\n");
	thp_settings_read(dir, 2 << 20, &s);
	assert_int_equal(s.anon, THP_MADVISE);
	write_text(dir, "/hugepages-2048kB/enabled",
		   "[always] inherit madvise never\n");
	thp_settings_read(dir, 2 << 20, &s);
	assert_int_equal(s.anon, THP_ALWAYS);
	assert_int_equal(s.files, THP_MADVISE);
	assert_true(s.always == (2 << 20) + (64 << 10));
	/* Of another size. */
	thp_settings_read(dir, 32 << 20, &s);
	assert_int_equal(s.anon, THP_MADVISE);
	write_text(dir, "/enabled", "always sometimes\n");
	thp_settings_read(dir, 32 << 20, &s);
	assert_int_equal(s.files, THP_UNKNOWN);
	assert_false(s.known);

	assert_int_equal(thp_hugetlb_sizes(dir), 0);
	write_text(dir, "/../hugepages", NULL);
	write_text(dir, "/../hugepages/hugepages-64kB", NULL);
	write_text(dir, "/../hugepages/hugepages-1048576kB", NULL);
	assert_int_equal(thp_hugetlb_sizes(dir), (1 << 30) + (64 << 10));

	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void reads_process(void **state)
{
	static const char status[] = "Name:\tx\nTHP_enabled:\t0\nThreads:\t1\n";
	static const char smaps[] =
		"1000-2000 rw-p 00000000 00:00 0    [heap]\n"
		"Size:   4 kB\nAnonHugePages:   0 kB\nTHPeligible:           0\n"
		"3000-4000 rw-p 00000000 00:00 0\nSize:  4 kB\n"
		"5000-7000 r--p 00000000 00:00 0    /dead-beef x\n"
		"THPeligible:    1\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"
		"THPeligible:    0\n";
	struct thp_process p = { 0 };
	FILE *stream = fmemopen((void *)status, sizeof(status) - 1, "r");

	assert_int_equal(thp_parse_status(stream, &p), 0);
	fclose(stream);
	assert_true(p.disabled);
	stream = fmemopen((void *)smaps, sizeof(smaps) - 1, "r");
	assert_int_equal(thp_parse_smaps(stream, &p), 0);
	fclose(stream);
	assert_int_equal(p.nr, 3);
	assert_true(thp_process_refuses(&p, 0x1000));
	assert_false(thp_process_refuses(&p, 0x3000));
	assert_false(thp_process_refuses(&p, 0x5000));
	assert_true(thp_process_refuses(&p, 0xffffffffff600000ULL));
	thp_process_free(&p);
	assert_false(thp_process_refuses(&p, 0x1000));
}

SUITE(suite_huge, cmocka_unit_test(aligned), cmocka_unit_test(counts), cmocka_unit_test(empty_windows),
      cmocka_unit_test(sizes), cmocka_unit_test(large_leaves),
      cmocka_unit_test(of_the_vma), cmocka_unit_test(of_the_settings),
      cmocka_unit_test(of_smaps), cmocka_unit_test(of_the_place),
      cmocka_unit_test(all_obstacles), cmocka_unit_test(tmpfs), cmocka_unit_test(deciders),
      cmocka_unit_test(limits), cmocka_unit_test(of_the_entries),
      cmocka_unit_test(of_files), cmocka_unit_test(other_kernels),
      cmocka_unit_test(adds), cmocka_unit_test(goals),
      cmocka_unit_test(texts), cmocka_unit_test(reads_settings),
      cmocka_unit_test(reads_process),
);
