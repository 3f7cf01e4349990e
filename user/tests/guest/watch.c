// SPDX-License-Identifier: GPL-2.0
/* ptwalk watch, look by look, at a process that does one thing at a time. */
#include <sys/mman.h>
#include "command.h"
#include "test.h"
#include "watcher.h"

#define PAGES	8

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

static struct watcher w;
static char *memory;
static size_t page_size;

FIXTURE(watch)
{
	struct target target;
	char pid[16], range[64];
};

/* What the process does before each look. */
static void step(void *arg, int nr)
{
	switch (nr) {
	case 0:
		memset(memory, 1, 4 * page_size);
		break;
	case 1:
		memset(memory + 4 * page_size, 1, 2 * page_size);
		break;
	case 2:
		madvise(memory, page_size, MADV_DONTNEED);
		break;
	case 3:
		mprotect(memory + page_size, page_size, PROT_READ);
		break;
	case 4:
		mremap(memory + 2 * page_size, page_size, page_size,
		       MREMAP_MAYMOVE | MREMAP_FIXED, memory + 6 * page_size);
		break;
	}
}

FIXTURE_SETUP(watch)
{
	NEED_COMMAND();
	page_size = sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, memory);
	madvise(memory, PAGES * page_size, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, target_start(&self->target, step, NULL));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	snprintf(self->range, sizeof(self->range), "%#lx+%#zx",
		 (unsigned long)memory, PAGES * page_size);
}

FIXTURE_TEARDOWN(watch)
{
	target_end(&self->target);
	munmap(memory, PAGES * page_size);
}

static int count(const char *text, const char *wanted)
{
	int nr = 0;

	for (; text && (text = strstr(text, wanted)); text++)
		nr++;
	return nr;
}

#define EXPECT_COUNT(wanted, text, what) \
	EXPECT_EQ(wanted, count(text, what)) \
		TH_LOG("%s", text)

TEST_F(watch, changes)
{
	const char *text;

	ASSERT_TRUE(watcher_start(&w, (const char *[]){ self->pid, self->range, NULL }));
	text = watcher_look(&w, "");
	ASSERT_NE(NULL, text);
	EXPECT_COUNT(0, text, "\"type\"");
	text = watcher_look(&w, "");
	EXPECT_COUNT(0, text, "\"type\":\"change\"");

	ASSERT_EQ(0, target_step(&self->target));
	text = watcher_look(&w, "");
	EXPECT_COUNT(1, text, "\"type\":\"change\"");
	EXPECT_COUNT(1, text, "\"pages\":2");
	EXPECT_COUNT(1, text, "\"changes\":[\"mapped\"]");

	ASSERT_EQ(0, target_step(&self->target));
	text = watcher_look(&w, "");
	EXPECT_COUNT(1, text, "\"type\":\"change\"");
	EXPECT_COUNT(1, text, "\"pages\":1");
	EXPECT_COUNT(1, text, "\"changes\":[\"unmapped\"]");

	ASSERT_EQ(0, target_step(&self->target));
	text = watcher_look(&w, "");
	EXPECT_COUNT(1, text, "\"type\":\"change\"");
	EXPECT_COUNT(1, text, "\"changes\":[\"denied\"]");
	EXPECT_COUNT(1, text, "\"type\":\"vma\"");
	EXPECT_COUNT(1, text, "\"changes\":[\"split\"]");

	ASSERT_EQ(0, target_step(&self->target));
	text = watcher_look(&w, "");
	EXPECT_COUNT(2, text, "\"type\":\"change\"");
	EXPECT_COUNT(2, text, "\"changes\":[\"remapped\"]");
	EXPECT_COUNT(1, text, "\"changes\":[\"moved\"]");
	EXPECT_COUNT(1, text, "\"changes\":[\"shrank\",\"split\"]");
	EXPECT_COUNT(1, text, "\"to\":");
	EXPECT_COUNT(1, text, "\"from\":");

	/* The process ends, and with it the watch. */
	target_end(&self->target);
	EXPECT_EQ(NULL, watcher_look(&w, ""));
	EXPECT_COUNT(1, w.text, "\"ended\":true");
	EXPECT_EQ(0, watcher_end(&w));
}

static char *window;
static size_t window_size;

/* Some pages of a window, and then a huge page of it. */
static void step_collapse(void *arg, int nr)
{
	if (!nr) {
		madvise(window, window_size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < window_size; i += window_size / 8)
			window[i] = 1;
	} else {
		madvise(window, window_size, MADV_HUGEPAGE);
		for (int i = 0; i < 10 && madvise(window, window_size, MADV_COLLAPSE); i++)
			;
	}
}

/* What was missing in a window is no less collapsed than what was there. */
TEST(collapsed)
{
	char pid[16], range[64], pages[64];
	struct target target;
	FILE *file;
	char *map;
	const char *text;

	NEED_COMMAND();
	file = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "r");
	if (!file || fscanf(file, "%zu", &window_size) != 1 || window_size > 32 << 20)
		SKIP(return, "the kernel has no huge pages, or too large ones");
	fclose(file);
	map = mmap(NULL, 2 * window_size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	window = map + (-(unsigned long)map & (window_size - 1));
	ASSERT_EQ(0, target_start(&target, step_collapse, NULL));
	snprintf(pid, sizeof(pid), "%d", target.pid);
	snprintf(range, sizeof(range), "%#lx+%#zx", (unsigned long)window, window_size);
	snprintf(pages, sizeof(pages), "\"collapsed\":%zu",
		 window_size / sysconf(_SC_PAGESIZE));
	ASSERT_TRUE(watcher_start(&w, (const char *[]){ pid, range, NULL }));
	ASSERT_NE(NULL, watcher_look(&w, ""));
	ASSERT_EQ(0, target_step(&target));
	text = watcher_look(&w, "");
	target_end(&target);
	watcher_look(&w, "");
	if (!count(text, "collapsed"))
		SKIP(goto out, "the kernel makes no huge page of it");
	EXPECT_COUNT(0, text, "\"mapped\"");
	EXPECT_COUNT(1, w.text, pages);
out:
	EXPECT_EQ(0, watcher_end(&w));
	munmap(map, 2 * window_size);
}

TEST_HARNESS_MAIN
