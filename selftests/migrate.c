// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are read while the kernel moves them from one node to the other,
 * or splits their huge entry. Migration entries, and pagemap with them, are
 * right if they show the frame that the page had before.
 */
#include <poll.h>
#include <sys/mman.h>
#include "area.h"
#include "system.h"
#include "test.h"

#define TRIES		40
#define SECONDS		4
#define BATCH		512

static void mover(void *arg, int nr)
{
	if (!nr)
		area_fill(arg);
	area_move_to(arg, nr % 2);
}

/**
 * struct sight - what was seen of the pages during one move
 * @before: Frames that they had.
 * @moved: A frame that a page was seen in that wasn't that one, or 0.
 * @entries: How many migration entries were seen in the tables.
 * @huge_entries: How many of them were parts of huge ones.
 * @shown: How many pagemap has shown.
 */
struct sight {
	u64 before[AREA_MAX_PAGES], moved[AREA_MAX_PAGES];
	size_t entries, huge_entries, shown;
};

static char why[256];

#define wrong(...)	(snprintf(why, sizeof(why), __VA_ARGS__), why)

static const char *see(struct sight *sight, const struct area *area, size_t i,
		       bool migration, u64 pfn, const char *who)
{
	if (pfn == sight->before[i])
		return NULL;
	if (migration)
		return wrong("%s: page %zu migrates from %#llx, but was %#llx", who, i,
			     pfn, sight->before[i]);
	if (sight->moved[i] && sight->moved[i] != pfn)
		return wrong("%s: page %zu is in %#llx and was in %#llx and %#llx", who,
			     i, pfn, sight->before[i], sight->moved[i]);
	sight->moved[i] = pfn;
	return NULL;
}

static const char *look(struct ptw *ptw, const struct ptw_info *info, pid_t pid,
			const struct area *area, struct sight *sight)
{
	const char *flaw = NULL;
	struct ptw_dump dump;
	size_t i;

	if (ptw_dump(ptw, pid, area_address(area, 0), area_address(area, area->pages) - 1, &dump))
		flaw = wrong("the dump failed: %s", ptw->error.message);
	for (i = 0; i < area->pages && !flaw; i++) {
		struct ptw_extent page;
		struct ptw_vma vma;
		u32 kind;

		if (!ptw_dump_find(&dump, info->page_shift, area_address(area, i), &page, &vma)) {
			flaw = wrong("page %zu isn't dumped", i);
			break;
		}
		kind = ptwalk_bits_kind(page.bits);
		if (kind == PTWALK_KIND_MIGRATION) {
			sight->entries++;
			sight->huge_entries += ptwalk_bits_level(page.bits) > 0;
		} else if (kind != PTWALK_KIND_PRESENT) {
			flaw = wrong("page %zu has the kind %u", i, kind);
			break;
		}
		flaw = see(sight, area, i, kind == PTWALK_KIND_MIGRATION, page.value,
			   "truth");
	}
	ptw_dump_free(&dump);
	return flaw;
}

static const char *look_in_pagemap(const struct ptw_info *info, pid_t pid,
				   const struct area *area, struct sight *sight)
{
	static u64 entries[AREA_MAX_PAGES];
	const char *flaw = NULL;
	size_t i;

	if (proc_pagemap(pid, area_address(area, 0), entries, area->pages) != (int)area->pages)
		return wrong("pagemap can't be read");
	for (i = 0; i < area->pages && !flaw; i++) {
		bool swap = entries[i] & PM_SWAP;
		u64 pfn = entries[i] & PM_PFN;

		/* Of a hugetlb page that isn't present it shows nothing. */
		if (area->kind == HUGETLB && !(entries[i] & ~PM_SOFT_DIRTY))
			continue;
		if (!swap && !(entries[i] & PM_PRESENT))
			return wrong("pagemap shows page %zu as %#llx", i, entries[i]);
		if (swap)
			pfn >>= info->swap_type_bits;
		sight->shown += swap;
		flaw = see(sight, area, i, swap, pfn, "pagemap");
	}
	return flaw;
}

/* Frames of all pages, which hold still. */
static const char *frames(struct ptw *ptw, pid_t pid, const struct area *area, u64 *pfn)
{
	static struct ptw_page pages[AREA_MAX_PAGES];
	static u64 addrs[AREA_MAX_PAGES];
	size_t i;

	for (i = 0; i < area->pages; i++)
		addrs[i] = area_address(area, i);
	for (i = 0; i < area->pages; i += BATCH)
		if (ptw_translate(ptw, pid, addrs + i, BATCH, pages + i))
			return wrong("translate: %s", ptw->error.message);
	for (i = 0; i < area->pages; i++) {
		if (ptwalk_bits_kind(pages[i].t.bits) != PTWALK_KIND_PRESENT)
			return wrong("page %zu isn't present", i);
		pfn[i] = pages[i].t.value;
	}
	return NULL;
}

FIXTURE(moving)
{
	struct ptw ptw;
	struct ptw_info info;
	struct target target;
	struct area area;
};

FIXTURE_VARIANT(moving)
{
	enum area_kind kind;
};

FIXTURE_VARIANT_ADD(moving, small) { .kind = SMALL };
FIXTURE_VARIANT_ADD(moving, thp) { .kind = THP };
FIXTURE_VARIANT_ADD(moving, hugetlb) { .kind = HUGETLB };

FIXTURE_SETUP(moving)
{
	const char *lacks;

	ASSERT_OPEN(&self->ptw);
	ASSERT_EQ(0, ptw_info(&self->ptw, &self->info));
	lacks = area_nodes() < 2 ? "the machine has one NUMA node" :
		area_find_room(&self->area, &self->info, variant->kind);
	if (lacks) {
		area_release(&self->area);
		SKIP(return, "%s", lacks);
	}
}

FIXTURE_TEARDOWN(moving)
{
	target_end(&self->target);
	area_release(&self->area);
	ptw_close(&self->ptw);
}

/* Looks at the pages until their process says that it has moved them. */
static const char *watch(struct ptw *ptw, const struct ptw_info *info,
			 struct target *t, const struct area *area,
			 struct sight *sight)
{
	struct pollfd done = { .fd = t->out, .events = POLLIN };
	static u64 after[AREA_MAX_PAGES];
	const char *flaw;
	char byte = 0;
	size_t i;

	memset(sight->moved, 0, sizeof(sight->moved));
	flaw = frames(ptw, t->pid, area, sight->before);
	if (!flaw && write(t->in, &byte, 1) != 1)
		flaw = wrong("the process is gone");
	while (!flaw && !poll(&done, 1, 0)) {
		flaw = look(ptw, info, t->pid, area, sight);
		if (!flaw)
			flaw = look_in_pagemap(info, t->pid, area, sight);
	}
	if (!flaw && read(t->out, &byte, 1) != 1)
		flaw = wrong("the process is gone");
	if (!flaw)
		flaw = frames(ptw, t->pid, area, after);
	for (i = 0; i < area->pages && !flaw; i++)
		if (sight->moved[i] && sight->moved[i] != after[i])
			flaw = wrong("page %zu was seen in %#llx, came from %#llx and is in %#llx",
				     i, sight->moved[i], sight->before[i], after[i]);
	return flaw;
}

TEST_F(moving, entries)
{
	static struct sight sight;
	double end = seconds_now() + SECONDS;
	int tries = 0;

	ASSERT_EQ(0, target_start(&self->target, mover, &self->area));
	while (tries++ < TRIES && seconds_now() < end &&
	       !(sight.entries && (sight.shown || variant->kind == HUGETLB))) {
		EXPECT_GOOD(watch(&self->ptw, &self->info, &self->target, &self->area,
				  &sight));
		if (_metadata->exit_code)
			return;
	}
	TH_LOG("%zu migration entries, %zu of huge ones, and %zu in pagemap, within %d moves",
	       sight.entries, sight.huge_entries, sight.shown, tries - 1);
	if (!sight.entries)
		SKIP(return, "by chance, no migration entry was caught");
}

TEST_HARNESS_MAIN
