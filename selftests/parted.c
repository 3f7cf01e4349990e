// SPDX-License-Identifier: GPL-2.0
/*
 * A transparent huge page of which another process maps one half only: those
 * pages are mapped twice and the others once, whether this process maps it by a
 * huge entry or by small ones.
 */
#include <sys/mman.h>
#include "build_huge.h"
#include "test.h"

FIXTURE(parted)
{
	struct ptw ptw;
	struct mapping m;
	struct target target;
	char *at;
	size_t size;
};

static void drop_first_half(void *arg, int nr)
{
	struct mapping *m = arg;

	if (madvise((void *)(uintptr_t)m->start, m->pages / 2 * m->page_size,
		    MADV_DONTNEED))
		_exit(1);
}

FIXTURE_SETUP(parted)
{
	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, NULL));
	if (!(self->m.info.features & PTWALK_FEATURE_PAGE_MAPCOUNT))
		SKIP(return, "the kernel doesn't count the mappings of single pages");
	self->at = thp_write(&self->m, &self->size);
	if (!self->at)
		SKIP(return, "%s", self->m.lacks);
	/* Or khugepaged makes a huge entry of the small ones. */
	madvise(self->at, self->size, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, target_start(&self->target, drop_first_half, &self->m));
}

FIXTURE_TEARDOWN(parted)
{
	target_end(&self->target);
	munmap(self->at, self->size);
	ptw_close(&self->ptw);
}

/* How many pages of a half are exclusive; SIZE_MAX if the answers don't agree. */
static size_t try_exclusive(struct ptw *ptw, struct mapping *m, int half, int level)
{
	const u64 young = (u64)PTWALK_FLAG_YOUNG << PTWALK_BITS_FLAGS_SHIFT;
	u64 start = m->start + half * (m->pages / 2) * m->page_size, i;
	struct ptw_extent said;
	struct ptw_dump dump;
	struct ptw_page page;
	size_t found = 0;

	if (ptw_dump(ptw, m->pid, m->start, m->start + m->pages * m->page_size - 1, &dump))
		return SIZE_MAX;
	for (i = 0; i < m->pages / 2 && found != SIZE_MAX; i++) {
		u64 addr = start + i * m->page_size;

		if (!ptw_dump_find(&dump, m->info.page_shift, addr, &said, NULL) ||
		    ptwalk_bits_level(said.bits) != level ||
		    ptw_translate_one(ptw, m->pid, addr, &page) ||
		    (page.t.bits ^ said.bits) & ~young || page.t.value != said.value)
			found = SIZE_MAX;
		else
			found += !!(ptwalk_bits_flags(said.bits) & PTWALK_FLAG_EXCLUSIVE);
	}
	ptw_dump_free(&dump);
	return found;
}

/* Reclaim may change a page between two answers, but not each time. */
static size_t exclusive(struct ptw *ptw, struct mapping *m, int half, int level)
{
	size_t found = SIZE_MAX;

	for (int i = 0; i < 10 && found == SIZE_MAX; i++)
		found = try_exclusive(ptw, m, half, level);
	return found;
}

#define EXPECT_EXCLUSIVE(first, second, level) do { \
	EXPECT_EQ(first, exclusive(&self->ptw, &self->m, 0, level)); \
	EXPECT_EQ(second, exclusive(&self->ptw, &self->m, 1, level)); \
} while (0)

TEST_F(parted, huge_entry)
{
	EXPECT_EXCLUSIVE(self->m.pages / 2, 0, PTWALK_LEVEL_PMD);
}

TEST_F(parted, small_entries)
{
	/* A protection of its own for one page splits the huge entry. */
	ASSERT_EQ(0, mprotect(self->at, self->m.page_size, PROT_READ));
	EXPECT_EXCLUSIVE(self->m.pages / 2, 0, PTWALK_LEVEL_PTE);
	/* The other process, whose own entries were split as well. */
	self->m.pid = self->target.pid;
	EXPECT_EQ(0, exclusive(&self->ptw, &self->m, 1, PTWALK_LEVEL_PTE));
	self->m.pid = getpid();
	target_end(&self->target);
	EXPECT_EXCLUSIVE(self->m.pages / 2, self->m.pages / 2, PTWALK_LEVEL_PTE);
}

TEST_HARNESS_MAIN
