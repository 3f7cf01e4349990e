// SPDX-License-Identifier: GPL-2.0
/* ptwalk huge: memory that may not have huge pages, and memory that has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "command.h"
#include "test.h"

#define SIZE		(4UL << 20)
#define LARGEST		(32UL << 20)

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

static struct output out;

FIXTURE(huge)
{
	char *map, *at;
	size_t mapped, size;
	char pid[16], range[64];
};

FIXTURE_SETUP(huge)
{
	NEED_COMMAND();
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
}

FIXTURE_TEARDOWN(huge)
{
	if (self->mapped)
		munmap(self->map, self->mapped);
}

/* Memory of @size bytes at a multiple of that. */
static bool place(size_t size, FIXTURE_DATA(huge) *self)
{
	self->map = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (self->map == MAP_FAILED)
		return false;
	self->mapped = 2 * size;
	self->size = size;
	self->at = self->map + (-(unsigned long)self->map & (size - 1));
	snprintf(self->range, sizeof(self->range), "%lx+%zx",
		 (unsigned long)self->at, size);
	return true;
}

/* Of a huge page, or 0 if the kernel has none. */
static size_t huge_size(void)
{
	size_t size = 0;
	FILE *file;

	file = fopen("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "r");
	if (!file || fscanf(file, "%zu", &size) != 1)
		size = 0;
	if (file)
		fclose(file);
	return size;
}

TEST_F(huge, forbidden)
{
	const char *ptwalk = ptwalk_command();
	char huge[32], small[32];

	ASSERT_TRUE(place(SIZE, self));
	if (madvise(self->at, SIZE, MADV_NOHUGEPAGE))
		SKIP(return, "the kernel has no transparent huge pages");
	memset(self->at, 1, SIZE);
	snprintf(huge, sizeof(huge), "1%% %zu", huge_size());
	snprintf(small, sizeof(small), "100%% %d", getpagesize());
	run(&out, ptwalk, "huge", "--expect", huge, self->pid, self->range);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(" of shared memory\n");
	EXPECT_PRINTED(": nohugepage\n");
	EXPECT_PRINTED("not met: expected 1% in leaves of ");
	EXPECT_PRINTED(" or more, found 0.0%");
	run(&out, ptwalk, "huge", "--expect", small, self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\nmet: expected 100% in leaves of ");
	EXPECT_PRINTED(" or more, found 100.0%");
	run(&out, ptwalk, "huge", "--json", "--expect", huge, self->pid, self->range);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"met\":false");
	EXPECT_PRINTED("\"reason\":\"nohugepage\"");
}

/* Of two parts of a mapping, each has its own range beside its numbers. */
TEST_F(huge, parts)
{
	const unsigned long page = getpagesize();
	unsigned long at;
	char range[2][64], text[128];

	ASSERT_TRUE(place(SIZE, self));
	memset(self->at, 1, SIZE);
	at = (unsigned long)self->at;
	snprintf(range[0], sizeof(range[0]), "%lx+%lx", at + page, 2 * page);
	snprintf(range[1], sizeof(range[1]), "%lx+%lx", at + 8 * page, page);
	run(&out, ptwalk_command(), "huge", "--json", self->pid, range[0], range[1]);
	EXPECT_STATUS(MATCH);
	snprintf(text, sizeof(text), "{\"start\":\"%#lx\",\"last\":\"%#lx\",", at + page,
		 at + 3 * page - 1);
	EXPECT_PRINTED(text);
	snprintf(text, sizeof(text), "{\"start\":\"%#lx\",\"last\":\"%#lx\",", at + 8 * page,
		 at + 9 * page - 1);
	EXPECT_PRINTED(text);
	EXPECT_PRINTED("\"mapped\":2,");
	run(&out, ptwalk_command(), "huge", self->pid, range[0], range[1]);
	snprintf(text, sizeof(text), "\n0x%lx-0x%lx ", at + page, at + 3 * page);
	EXPECT_PRINTED(text);
}

TEST_F(huge, collapsed)
{
	char goal[40];
	size_t size = huge_size();
	int tries = 0;

	if (!size || size > LARGEST)
		SKIP(return, "the kernel has no huge pages, or too large ones");
	ASSERT_TRUE(place(size, self));
	memset(self->at, 1, size);
	while (madvise(self->at, size, MADV_COLLAPSE))
		if (++tries == 10)
			SKIP(return, "the kernel makes no huge page of it");
	snprintf(goal, sizeof(goal), "100%% %zu", size);
	run(&out, ptwalk_command(), "huge", "--json", "--expect", goal, self->pid,
	    self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"windows\":1,\"huge\":1,\"reasons\":[]");
}

TEST_HARNESS_MAIN
