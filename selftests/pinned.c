// SPDX-License-Identifier: GPL-2.0
/*
 * The flag of pages that may be pinned: while a buffer of io_uring is registered,
 * and neither before nor after. And what is told of their frames, mapped or not.
 */
#include <sys/mman.h>
#include "pin.h"
#include "test.h"

#define PATIENCE	60	/* seconds that a kernel may take to let go of pages */

FIXTURE(pinned)
{
	struct ptw ptw;
	struct mapping m;
};

FIXTURE_VARIANT(pinned)
{
	builder_t build;
};

#define ADD(name) \
	FIXTURE_VARIANT_ADD(pinned, name) { .build = build_##name }
ADD(anon_written);
ADD(shmem);
ADD(thp);
ADD(mthp_64k);
ADD(hugetlb_private);

FIXTURE_SETUP(pinned)
{
	SETUP_MAPPING(self, variant->build);
	self->ptw.want_pages = true;
}

FIXTURE_TEARDOWN(pinned)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

/* Of page @nr of the mapping, as it is translated and as it is dumped. */
static int look(struct ptw *ptw, const struct mapping *m, u64 nr, struct ptwalk_page *page)
{
	const u64 addr = m->expect[0].addr + nr * m->page_size;
	struct ptw_extent extent = { 0 };
	struct ptw_page translated;
	struct ptw_dump dump;
	int err;

	err = ptw_translate_one(ptw, m->pid, addr, &translated);
	if (err)
		return err;
	*page = translated.page;
	err = ptw_dump(ptw, m->pid, addr, addr + m->page_size - 1, &dump);
	if (!err && !ptw_dump_find(&dump, m->info.page_shift, addr, &extent, NULL))
		err = -ENOENT;
	ptw_dump_free(&dump);
	if (!err && (extent.page.flags ^ page->flags) & PTWALK_PAGE_FLAG_MAYBE_PINNED)
		err = -EBADMSG;
	return err;
}

static bool is_pinned(const struct ptwalk_page *page)
{
	return page->flags & PTWALK_PAGE_FLAG_MAYBE_PINNED;
}

/* The second page is only if it is of the same folio: pins are counted by folio. */
TEST_F(pinned, while_registered)
{
	const double begun = seconds_now();
	struct ptwalk_page first, second;
	int ring;

	ASSERT_LE(2, self->m.expect[0].pages);
	ASSERT_EQ(0, look(&self->ptw, &self->m, 0, &first));
	EXPECT_FALSE(is_pinned(&first));
	ring = pin_begin((void *)(uintptr_t)self->m.expect[0].addr, self->m.page_size);
	if (ring < 0)
		SKIP(return, "a buffer of io_uring: %s", strerror(-ring));
	ASSERT_EQ(0, look(&self->ptw, &self->m, 0, &first));
	ASSERT_EQ(0, look(&self->ptw, &self->m, 1, &second));
	EXPECT_TRUE(is_pinned(&first));
	EXPECT_EQ(second.place >> 32 == (first.place >> 32) + 1, is_pinned(&second));
	pin_end(ring);
	do {
		ASSERT_EQ(0, look(&self->ptw, &self->m, 0, &first));
	} while (is_pinned(&first) && seconds_now() < begun + PATIENCE);
	EXPECT_FALSE(is_pinned(&first));
}

/* But for those that change as the kernel ages pages. */
#define STEADY	(PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_SHMEM | PTWALK_PAGE_FLAG_LARGE | \
		 PTWALK_PAGE_FLAG_HUGETLB | PTWALK_PAGE_FLAG_UPTODATE | \
		 PTWALK_PAGE_FLAG_SWAPBACKED | PTWALK_PAGE_FLAG_MAYBE_PINNED)

/* It is as it is told of the mapping; pinned and mapped no more, it still has references. */
TEST_F(pinned, frame)
{
	void *at = (void *)(uintptr_t)self->m.expect[0].addr;
	const double begun = seconds_now();
	struct ptwalk_page mapped, frame;
	struct ptw_page translated;
	u64 pfn;
	int ring;

	if (self->ptw.devices < 0)
		SKIP(return, "the kernel has no ptwalk_device: load the module first");
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, self->m.expect[0].addr,
				       &translated));
	pfn = translated.t.value;
	mapped = translated.page;
	ASSERT_EQ(0, ptw_frame(&self->ptw, pfn, &frame));
	EXPECT_EQ(mapped.flags & STEADY, frame.flags & STEADY);
	EXPECT_EQ(mapped.counts >> 32, frame.counts >> 32);
	EXPECT_EQ(mapped.folio_counts, frame.folio_counts);
	EXPECT_EQ(mapped.place, frame.place);
	EXPECT_LT(0, (u32)frame.counts);

	ring = pin_begin(at, self->m.page_size);
	if (ring < 0)
		SKIP(return, "a buffer of io_uring: %s", strerror(-ring));
	/* Where it is now: memory that can be moved, such as that of CMA, was so first. */
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, self->m.expect[0].addr,
				       &translated));
	pfn = translated.t.value;
	ASSERT_EQ(0, madvise(at, self->m.pages * self->m.page_size, MADV_DONTNEED));
	ASSERT_EQ(0, ptw_frame(&self->ptw, pfn, &frame));
	EXPECT_EQ(0, frame.counts >> 32);
	EXPECT_LT(0, (u32)frame.counts);
	EXPECT_TRUE(is_pinned(&frame));
	pin_end(ring);
	do {
		ASSERT_EQ(0, ptw_frame(&self->ptw, pfn, &frame));
	} while (is_pinned(&frame) && seconds_now() < begun + PATIENCE);
	EXPECT_FALSE(is_pinned(&frame));

	/* There is no such memory. */
	ASSERT_EQ(0, ptw_frame(&self->ptw, ~0ULL, &frame));
	EXPECT_EQ(0, frame.flags | frame.counts | frame.folio_counts | frame.place);
}

TEST_HARNESS_MAIN
