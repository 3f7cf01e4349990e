// SPDX-License-Identifier: GPL-2.0
/* The module only reads: it doesn't change what it looks at. */
#include <sys/mman.h>
#include "test.h"

#define PAGES	256

FIXTURE(readonly)
{
	struct ptw ptw;
	struct mapping m;
	struct target target;
	char *at;
};

/* Half of the pages are written to; then the process only waits. */
static void half(void *arg, int nr)
{
	struct mapping *m = arg;
	char *at = (char *)(uintptr_t)m->start;

	if (!nr)
		mapping_write(m, at, PAGES / 2);
}

FIXTURE_SETUP(readonly)
{
	SETUP_MAPPING(self, NULL);
	self->at = mapping_small(&self->m, PAGES);
	ASSERT_NE(NULL, self->at);
	ASSERT_EQ(0, target_start(&self->target, half, &self->m));
	self->m.pid = self->target.pid;
}

FIXTURE_TEARDOWN(readonly)
{
	target_end(&self->target);
	ptw_close(&self->ptw);
}

/* Looks at everything, by every operation. */
static int look(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[PAGES];
	static u64 addrs[PAGES];
	struct ptw_dump dump = {};
	int i, err;

	for (i = 0; i < PAGES; i++)
		addrs[i] = m->start + i * m->page_size;
	err = ptw_translate(ptw, m->pid, addrs, PAGES, pages);
	if (!err)
		err = ptw_dump(ptw, m->pid, 0, PTW_LAST, &dump);
	ptw_dump_free(&dump);
	return err;
}

TEST_F(readonly, untouched_stays_untouched)
{
	static u64 before[PAGES], after[PAGES];
	int i, empty = 0;

	ASSERT_EQ(PAGES, proc_pagemap(self->m.pid, self->m.start, before, PAGES));
	ASSERT_EQ(0, look(&self->ptw, &self->m));
	ASSERT_EQ(PAGES, proc_pagemap(self->m.pid, self->m.start, after, PAGES));
	for (i = 0; i < PAGES; i++) {
		EXPECT_EQ(before[i], after[i]);
		empty += !(after[i] & ~PM_SOFT_DIRTY);
	}
	EXPECT_EQ(PAGES / 2, empty);
}

TEST_F(readonly, no_fault_and_no_memory)
{
	static const char *const fields[] = { "VmRSS", "VmPTE", "VmSwap", "VmLck", "VmPin" };
	long long before[ARRAY_SIZE(fields)];
	u64 minor[2], major[2];
	char path[64];
	size_t i;

	snprintf(path, sizeof(path), "/proc/%d/status", self->m.pid);
	ASSERT_EQ(0, proc_faults(self->m.pid, &minor[0], &major[0]));
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		before[i] = proc_field(path, fields[i]);
	ASSERT_EQ(0, look(&self->ptw, &self->m));
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		EXPECT_EQ(before[i], proc_field(path, fields[i]))
			TH_LOG("field %zu", i);
	ASSERT_EQ(0, proc_faults(self->m.pid, &minor[1], &major[1]));
	EXPECT_EQ(minor[0], minor[1]);
	EXPECT_EQ(major[0], major[1]);
}

TEST_F(readonly, accessed_bits)
{
	u64 size = PAGES / 2 * self->m.page_size;
	struct proc_vma vma;
	struct ptw_page page;
	char path[64];

	ASSERT_EQ(0, proc_vma(self->m.pid, self->m.start, &vma));
	ASSERT_EQ(size, vma.referenced);
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, self->m.start, &page));
	EXPECT_EQ(PTWALK_FLAG_YOUNG, ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_YOUNG);

	snprintf(path, sizeof(path), "/proc/%d/clear_refs", self->m.pid);
	ASSERT_EQ(0, proc_write(path, "1"));
	ASSERT_EQ(0, proc_vma(self->m.pid, self->m.start, &vma));
	ASSERT_EQ(0, vma.referenced);
	ASSERT_EQ(0, look(&self->ptw, &self->m));
	ASSERT_EQ(0, proc_vma(self->m.pid, self->m.start, &vma));
	EXPECT_EQ(0, vma.referenced);
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, self->m.start, &page));
	EXPECT_EQ(0, ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_YOUNG);
}

TEST_F(readonly, dirty_bits)
{
	struct proc_vma before, after;

	ASSERT_EQ(0, proc_vma(self->m.pid, self->m.start, &before));
	ASSERT_EQ(0, look(&self->ptw, &self->m));
	ASSERT_EQ(0, proc_vma(self->m.pid, self->m.start, &after));
	EXPECT_EQ(PAGES / 2 * self->m.page_size, after.private_dirty);
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

TEST_F(readonly, soft_dirty_bits)
{
	static u64 entries[PAGES];
	char path[64];
	int i;

	if (!(self->m.info.features & PTWALK_FEATURE_SOFT_DIRTY))
		SKIP(return, "the kernel has no soft-dirty bits");
	snprintf(path, sizeof(path), "/proc/%d/clear_refs", self->m.pid);
	ASSERT_EQ(0, proc_write(path, "4"));
	ASSERT_EQ(0, look(&self->ptw, &self->m));
	ASSERT_EQ(PAGES, proc_pagemap(self->m.pid, self->m.start, entries, PAGES));
	for (i = 0; i < PAGES; i++)
		EXPECT_EQ(0, entries[i] & PM_SOFT_DIRTY);
}

/* Nothing is left behind that keeps the pages: they go with the process. */
TEST_F(readonly, pages_are_not_kept)
{
	struct ptw_page pages[PAGES / 2];
	u64 addrs[PAGES / 2], count;
	int i;

	if (access("/proc/kpagecount", R_OK))
		SKIP(return, "the kernel has no kpagecount");
	ASSERT_EQ(0, look(&self->ptw, &self->m));
	for (i = 0; i < PAGES / 2; i++)
		addrs[i] = self->m.start + i * self->m.page_size;
	ASSERT_EQ(0, ptw_translate(&self->ptw, self->m.pid, addrs, PAGES / 2, pages));
	for (i = 0; i < PAGES / 2; i++) {
		ASSERT_EQ(0, proc_kpage("/proc/kpagecount", pages[i].t.value, &count));
		ASSERT_EQ(1, count);
	}
	target_end(&self->target);
	EXPECT_TRUE(proc_any_unmapped(pages, PAGES / 2));
}

TEST_HARNESS_MAIN
