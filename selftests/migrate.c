// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are read while the kernel moves them from one node to the other,
 * or splits their huge entry. Migration entries, and pagemap with them, are
 * right if they show the frame that the page had before.
 */
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "system.h"
#include "test.h"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT	26
#endif

#define PAGES		512
#define MAX_PAGES	4096
#define TRIES		40
#define SECONDS		4
#define MF_MOVE		2	/* MPOL_MF_MOVE of linux/mempolicy.h */

static size_t page_size;

enum area_kind { SMALL, THP, HUGETLB };

/**
 * struct area - memory of the process that is looked at
 * @at: Where; nothing of it is the parent's.
 * @pages: How many base pages.
 * @kind: Unless small, all of it is one huge page.
 */
struct area {
	char *at;
	size_t pages;
	enum area_kind kind;
};

static u64 address(const struct area *area, size_t i)
{
	return (uintptr_t)area->at + i * page_size;
}

static int nodes(void)
{
	int nr = 0;
	char path[64];

	do
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", nr);
	while (!access(path, F_OK) && ++nr);
	return nr;
}

/* Moves all pages to a node. */
static void move_to(const struct area *area, int node)
{
	static void *page[MAX_PAGES];
	static int to[MAX_PAGES], status[MAX_PAGES];
	size_t i, nr = area->kind == SMALL ? area->pages : 1;

	for (i = 0; i < nr; i++) {
		page[i] = (void *)(uintptr_t)address(area, i);
		to[i] = node;
	}
	syscall(SYS_move_pages, 0, nr, page, to, status, MF_MOVE);
}

static void fill(const struct area *area)
{
	size_t i;

	if (area->kind == THP)
		madvise(area->at, area->pages * page_size, MADV_HUGEPAGE);
	else if (area->kind == SMALL)
		madvise(area->at, area->pages * page_size, MADV_NOHUGEPAGE);
	for (i = 0; i < area->pages; i++)
		*(volatile size_t *)(area->at + i * page_size) = i;
}

static void mover(void *arg, int nr)
{
	if (!nr)
		fill(arg);
	move_to(arg, nr % 2);
}

/* Moves them to and fro until it is killed, from step 1 on. */
static void restless(void *arg, int nr)
{
	int node = 0;

	if (!nr)
		return fill(arg);
	for (;;)
		move_to(arg, node ^= 1);
}

/* Takes the huge page apart and puts it together again, likewise. */
static void splitter(void *arg, int nr)
{
	const struct area *area = arg;

	fill(area);
	while (nr) {
		madvise(area->at + area->pages / 2 * page_size, page_size, MADV_DONTNEED);
		fill(area);
		madvise(area->at, area->pages * page_size, 25);	/* MADV_COLLAPSE */
	}
}

/* Gives its pages up and takes others, likewise. */
static void visitor(void *arg, int nr)
{
	const struct area *area = arg;

	fill(area);
	while (nr) {
		madvise(area->at, area->pages * page_size, MADV_DONTNEED);
		fill(area);
	}
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
	u64 before[MAX_PAGES], moved[MAX_PAGES];
	size_t entries, huge_entries, shown;
};

static char why[200];

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

	if (ptw_dump(ptw, pid, address(area, 0), address(area, area->pages) - 1, &dump))
		flaw = wrong("the dump failed: %s", ptw->error.message);
	for (i = 0; i < area->pages && !flaw; i++) {
		struct ptw_extent page;
		struct ptw_vma vma;
		u32 kind;

		if (!ptw_dump_find(&dump, info->page_shift, address(area, i), &page, &vma)) {
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
	static u64 entries[MAX_PAGES];
	const char *flaw = NULL;
	size_t i;

	if (proc_pagemap(pid, address(area, 0), entries, area->pages) != (int)area->pages)
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
	static struct ptw_page pages[MAX_PAGES];
	static u64 addrs[MAX_PAGES];
	size_t i;

	for (i = 0; i < area->pages; i++)
		addrs[i] = address(area, i);
	for (i = 0; i < area->pages; i += PAGES)
		if (ptw_translate(ptw, pid, addrs + i, PAGES, pages + i))
			return wrong("translate: %s", ptw->error.message);
	for (i = 0; i < area->pages; i++) {
		if (ptwalk_bits_kind(pages[i].t.bits) != PTWALK_KIND_PRESENT)
			return wrong("page %zu isn't present", i);
		pfn[i] = pages[i].t.value;
	}
	return NULL;
}

/* How many hugetlb pages each node had; -1 if none was asked for. */
static long long hugetlb_before[2] = { -1, -1 };

static void hugetlb_path(char *path, size_t path_size, size_t size, int node,
			 const char *file)
{
	snprintf(path, path_size,
		 "/sys/devices/system/node/node%d/hugepages/hugepages-%zukB/%s", node,
		 size >> 10, file);
}

/*
 * One more on each, for the page and for where it goes. Returns what is
 * missing, or NULL; put_back() takes them away.
 */
static const char *hugetlb_on_each(size_t size)
{
	char path[128], text[32];
	int node;

	for (node = 0; node < 2; node++) {
		hugetlb_path(path, sizeof(path), size, node, "nr_hugepages");
		hugetlb_before[node] = proc_number(path);
		snprintf(text, sizeof(text), "%lld", hugetlb_before[node] + 1);
		if (hugetlb_before[node] < 0 || proc_write(path, text))
			return "the kernel has no hugetlb pages of that size";
		hugetlb_path(path, sizeof(path), size, node, "free_hugepages");
		if (proc_number(path) < 1)
			return "no hugetlb page is free on a node";
	}
	return NULL;
}

static void put_back(const struct area *area)
{
	char path[128], text[32];
	int node;

	for (node = 0; node < 2; node++) {
		if (hugetlb_before[node] < 0)
			continue;
		hugetlb_path(path, sizeof(path), area->pages * page_size, node,
			     "nr_hugepages");
		snprintf(text, sizeof(text), "%lld", hugetlb_before[node]);
		proc_write(path, text);
	}
}

/* Room for the pages, which nobody has touched yet; or says what is missing. */
static const char *find_room(struct area *area, const struct ptw_info *info,
			     enum area_kind kind)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	u32 shift = info->shift[PTWALK_LEVEL_PMD];
	const char *lacks;
	size_t size;
	char *at;

	page_size = sysconf(_SC_PAGESIZE);
	area->kind = kind;
	area->pages = kind != SMALL && shift ? 1UL << (shift - info->page_shift) : PAGES;
	if (kind == THP && !(info->features & PTWALK_FEATURE_THP))
		return "the kernel has no transparent huge pages";
	if (area->pages > MAX_PAGES)
		return "huge pages are too large";
	size = area->pages * page_size;
	lacks = kind == HUGETLB ? hugetlb_on_each(size) : NULL;
	if (lacks)
		return lacks;
	at = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (at == MAP_FAILED)
		return "there is no room";
	area->at = (char *)(((uintptr_t)at + size - 1) / size * size);
	flags |= MAP_FIXED | MAP_HUGETLB | __builtin_ctzll(size) << MAP_HUGE_SHIFT;
	if (kind == HUGETLB &&
	    mmap(area->at, size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		return "hugetlb pages can't be mapped";
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
	lacks = nodes() < 2 ? "the machine has one NUMA node" :
			      find_room(&self->area, &self->info, variant->kind);
	if (lacks) {
		put_back(&self->area);
		SKIP(return, "%s", lacks);
	}
}

FIXTURE_TEARDOWN(moving)
{
	target_end(&self->target);
	munmap(self->area.at, self->area.pages * page_size);
	put_back(&self->area);
	ptw_close(&self->ptw);
}

/* Looks at the pages until their process says that it has moved them. */
static const char *watch(struct ptw *ptw, const struct ptw_info *info,
			 struct target *t, const struct area *area,
			 struct sight *sight)
{
	struct pollfd done = { .fd = t->out, .events = POLLIN };
	static u64 after[MAX_PAGES];
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
		SKIP(return, "no migration entry was caught");
}

/* Whatever the command sees of such pages, there is no mismatch. */
static const char *check_meanwhile(struct target *t, const struct area *area,
				   int *runs)
{
	static struct output out;
	double end = seconds_now() + SECONDS;
	char pid[16], range[64], byte = 0;

	if (write(t->in, &byte, 1) != 1)
		return "the process is gone";
	snprintf(pid, sizeof(pid), "%d", t->pid);
	snprintf(range, sizeof(range), "%llx+%zx", address(area, 0),
		 area->pages * page_size);
	for (*runs = 0; seconds_now() < end; (*runs)++) {
		run(&out, ptwalk_command(), "check", pid, range);
		if (out.status && out.status != 4)
			return wrong("check: exit status %d: %.150s", out.status, out.text);
	}
	return NULL;
}

TEST_F(moving, check)
{
	int runs = 0;

	NEED_COMMAND();
	ASSERT_EQ(0, target_start(&self->target, restless, &self->area));
	EXPECT_GOOD(check_meanwhile(&self->target, &self->area, &runs));
	TH_LOG("%d checks", runs);
}

/* The command on pages with which their process does @what all the time. */
static const char *check_of(enum area_kind kind, void (*what)(void *arg, int nr),
			    const char **lacks, int *runs)
{
	struct target target = { 0 };
	struct ptw_info info;
	struct area area;
	const char *flaw;
	struct ptw ptw;

	if (ptw_open(&ptw) || ptw_info(&ptw, &info))
		return "the kernel has no ptwalk family: is the module loaded?";
	ptw_close(&ptw);
	*lacks = find_room(&area, &info, kind);
	if (*lacks)
		return NULL;
	if (target_start(&target, what, &area))
		return "no second process";
	flaw = check_meanwhile(&target, &area, runs);
	target_end(&target);
	return flaw;
}

TEST(check_of_a_thp_that_is_parted)
{
	const char *lacks = NULL;
	int runs = 0;

	NEED_COMMAND();
	EXPECT_GOOD(check_of(THP, splitter, &lacks, &runs));
	if (lacks)
		SKIP(return, "%s", lacks);
	TH_LOG("%d checks", runs);
}

TEST(check_of_pages_that_come_and_go)
{
	const char *lacks = NULL;
	int runs = 0;

	NEED_COMMAND();
	EXPECT_GOOD(check_of(SMALL, visitor, &lacks, &runs));
	if (lacks)
		SKIP(return, "%s", lacks);
	TH_LOG("%d checks", runs);
}

TEST_HARNESS_MAIN
