// SPDX-License-Identifier: GPL-2.0
/*
 * Shows that the checks can fail: what is expected of a mapping is altered, one
 * thing at a time, and the check must report it.
 */
#include "test.h"

FIXTURE(wrong)
{
	struct ptw ptw;
	struct mapping m;
	struct expect *e;
};

FIXTURE_SETUP(wrong)
{
	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, build_anon_written));
	ASSERT_EQ('\0', self->m.broken[0]);
	self->e = &self->m.expect[0];
	EXPECT_GOOD(check_translate(&self->ptw, &self->m));
	EXPECT_GOOD(check_vma(&self->ptw, &self->m));
	EXPECT_GOOD(check_frames(&self->ptw, &self->m));
	EXPECT_GOOD(check_dump(&self->ptw, &self->m));
	EXPECT_GOOD(check_pagemap(&self->ptw, &self->m));
}

FIXTURE_TEARDOWN(wrong)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

#define NOTICED(check) \
	EXPECT_NE(NULL, check(&self->ptw, &self->m)) \
		TH_LOG(#check " noticed nothing")

TEST_F(wrong, kind)
{
	self->e->kinds = KIND(NONE) | KIND(SWAP);
	NOTICED(check_translate);
}

TEST_F(wrong, level)
{
	self->e->level = PTWALK_LEVEL_PMD;
	NOTICED(check_translate);
}

TEST_F(wrong, top_level)
{
	self->m.info.shift[PTWALK_LEVEL_PGD] = 0;
	NOTICED(check_translate);
}

TEST_F(wrong, flag_set)
{
	self->e->set |= PTWALK_FLAG_ZERO;
	NOTICED(check_translate);
}

TEST_F(wrong, flag_clear)
{
	self->e->clear |= PTWALK_FLAG_WRITE;
	NOTICED(check_translate);
}

/* The frames of pages don't follow each other to the page of another. */
TEST_F(wrong, frame)
{
	struct ptw_page page;

	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, self->e->addr, &page));
	self->e->pages = 1;
	self->e->pfn = page.t.value;
	EXPECT_GOOD(check_translate(&self->ptw, &self->m));
	self->e->pfn++;
	NOTICED(check_translate);
}

TEST_F(wrong, distinct)
{
	mapping_release(&self->m);
	ASSERT_EQ(0, mapping_build(&self->m, &self->ptw, build_zero_page));
	EXPECT_GOOD(check_translate(&self->ptw, &self->m));
#ifndef __s390x__	/* has several zero pages */
	self->e->distinct = true;
	NOTICED(check_translate);
#endif
}

TEST_F(wrong, vma)
{
	self->e->vma_set |= PTWALK_VMA_FLAG_EXEC;
	NOTICED(check_translate);
}

TEST_F(wrong, pagemap_set)
{
	self->e->pagemap_set |= PM_FILE;
	NOTICED(check_pagemap);
}

TEST_F(wrong, pagemap_clear)
{
	self->e->pagemap_clear |= PM_PRESENT;
	NOTICED(check_pagemap);
}

TEST_F(wrong, kpageflags)
{
	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "the kernel has no kpageflags");
	self->e->kpage_set |= KPF_HUGE_;
	NOTICED(check_frames);
}

TEST_F(wrong, relation)
{
	mapping_relate(&self->m, self->e->addr, self->e->addr + self->m.page_size,
		       true);
	NOTICED(check_frames);
}

/* Nothing in pagemap follows from what it must say of another page. */
TEST_F(wrong, pagemap_of_another_truth)
{
	const u64 frame = 0x1234;
	struct ptw_page page = {
		.t.value = frame,
		.t.bits = ptwalk_bits(PTWALK_KIND_PRESENT, 0, 0,
				      PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON |
				      PTWALK_FLAG_EXCLUSIVE),
	};
	u64 mask, want = pagemap_expected(&page, &self->m.info, &mask);

	EXPECT_EQ(PM_PRESENT | PM_EXCLUSIVE | frame, want);
	EXPECT_EQ(~0ULL, mask);
	page.t.value++;
	EXPECT_EQ(want + 1, pagemap_expected(&page, &self->m.info, &mask));
	page.t.value = frame;
	page.t.bits &= ~((u64)PTWALK_FLAG_ANON << PTWALK_BITS_FLAGS_SHIFT);
	EXPECT_EQ(want | PM_FILE, pagemap_expected(&page, &self->m.info, &mask));
	page.vma.flags = PTWALK_VMA_FLAG_PFNMAP;
	EXPECT_EQ(0, pagemap_expected(&page, &self->m.info, &mask));
	page.vma.flags |= PTWALK_VMA_FLAG_SOFTDIRTY;
	EXPECT_EQ(PM_SOFT_DIRTY, pagemap_expected(&page, &self->m.info, &mask));
	EXPECT_EQ(~0ULL, mask);
}

/* Each way in which a dump can be unsound. */
TEST_F(wrong, dump)
{
	const struct ptw_info *info = &self->m.info;
	u64 size = self->m.page_size, start = 16 * size, last = 32 * size - 1;
	struct ptw_vma vma = { .start = start, .last = last };
	const u64 none = ptwalk_bits(PTWALK_KIND_NONE, 0, 0, 0);
	struct ptw_record good[2] = {
		{ .extent = { start, 0, 6, none }, .vma = vma, .message = 0 },
		{ .extent = { start + 6 * size, 0, 10, none }, .vma = vma, .message = 1 },
	};
	struct ptw_record r[2];
	struct ptw_dump dump = { .record = r, .nr = 2 };

#define SPOILED(change) do { \
	memcpy(r, good, sizeof(r)); \
	EXPECT_GOOD(ptw_dump_flaw(&dump, info, start, last)); \
	change; \
	EXPECT_NE(NULL, ptw_dump_flaw(&dump, info, start, last)) \
		TH_LOG("not noticed: " #change); \
} while (0)
	SPOILED(r[0].extent.addr += 1);
	SPOILED(r[0].extent.pages = 0);
	SPOILED(r[0].extent.pages = 7);
	SPOILED(r[0].extent.pages = 5);
	SPOILED(r[1].extent.pages = 11);
	SPOILED(r[1].extent.addr -= 2 * size);
	SPOILED(r[0].vma.start += size);
	SPOILED(r[0].extent.addr += size; r[0].extent.pages -= 1);
	SPOILED(r[1].message = 0; r[1].extent.addr += size; r[1].extent.pages -= 1);
	SPOILED(r[1].extent.addr += size; r[1].extent.pages -= 1);
	SPOILED(r[1].vma.start = r[1].extent.addr += 2 * size;
		r[1].extent.addr += size; r[1].extent.pages = 1);
	SPOILED(r[0].extent.bits = PTWALK_KIND_NO_VMA);
	SPOILED(r[0].extent.bits = 77);
	SPOILED(r[0].extent.bits |= 6 << PTWALK_BITS_LEVEL_SHIFT);
	SPOILED(r[0].extent.bits |= 1ULL << 63);
	SPOILED(r[0].extent.value = 1);
	SPOILED(r[0].vma.flags = 1ULL << 63);
	SPOILED(last -= 4 * size);
}

/* A name that is misspelt; -l ends the program without running others. */
TEST(unknown_test)
{
	static struct output out;

	run(&out, "/proc/self/exe", "-t", "kind", "-t", "unknown_test", "-l");
	EXPECT_EQ(KSFT_SKIP, out.status);
	run(&out, "/proc/self/exe", "-t", "kind", "-t", "kinds", "-l");
	EXPECT_EQ(KSFT_FAIL, out.status);
	EXPECT_NE(NULL, strstr(out.text, "no test 'kinds'"));
}

TEST_HARNESS_MAIN
