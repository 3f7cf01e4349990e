// SPDX-License-Identifier: GPL-2.0
/* ptwalk huge: memory that may not have huge pages, and memory that has. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
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
	snprintf(text, sizeof(text), ",\"start\":\"%#lx\",\"last\":\"%#lx\",", at + page,
		 at + 3 * page - 1);
	EXPECT_PRINTED(text);
	snprintf(text, sizeof(text), ",\"start\":\"%#lx\",\"last\":\"%#lx\",", at + 8 * page,
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

#define SHMEM_ENABLED	"/sys/kernel/mm/transparent_hugepage/shmem_enabled"

static bool write_setting(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	return file && fputs(text, file) >= 0 && !fclose(file);
}

/* The setting that is in force, as "[advise]" has it. */
static bool read_setting(const char *path, char word[32])
{
	FILE *file = fopen(path, "r");
	bool found = file && fscanf(file, "%*[^[][%31[^]]", word) == 1;

	if (file)
		fclose(file);
	return found;
}

/* @fd from its second page on, where a huge page would have to begin with its first. */
static void look_at_file(int fd, FIXTURE_DATA(huge) *self)
{
	const size_t page = getpagesize();

	if (ftruncate(fd, self->size + page) ||
	    mmap(self->at, self->size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, page) != self->at)
		return;
	madvise(self->at, self->size, MADV_HUGEPAGE);
	memset(self->at, 1, self->size);
	run(&out, ptwalk_command(), "huge", self->pid, self->range);
}

/* Whether the running kernel has the function that is named first of @reason in the output. */
static bool has_decider(const char *reason)
{
	char name[80], symbol[200], format[80];
	const char *at;
	bool found = false;
	size_t length;
	FILE *file;

	snprintf(format, sizeof(format), "\"reason\":\"%s\"", reason);
	at = strstr(out.text, format);
	at = at ? strstr(at, "\"decided_by\":\"") : NULL;
	if (!at || sscanf(at, "\"decided_by\":\"%79[a-z_]()", name) != 1)
		return false;
	length = strlen(name);
	file = fopen("/proc/kallsyms", "r");
	/* The compiler may add to it. */
	while (file && !found && fscanf(file, "%*s %*s %199s%*[^\n]", symbol) == 1)
		found = !strncmp(symbol, name, length) && strchr(".", symbol[length]);
	if (file)
		fclose(file);
	return found;
}

/* The function that decides is one of this kernel. */
TEST_F(huge, deciders)
{
	size_t size = huge_size();
	int fd = memfd_create("huge", 0);
	char before[32];

	if (!size || size > LARGEST || !read_setting(SHMEM_ENABLED, before))
		SKIP(return, "the kernel has no huge pages of shared memory, or too large ones");
	ASSERT_LE(0, fd);
	ASSERT_TRUE(place(size, self));
	ASSERT_TRUE(write_setting(SHMEM_ENABLED, "never"));
	look_at_file(fd, self);
	run(&out, ptwalk_command(), "huge", "--json", self->pid, self->range);
	EXPECT_TRUE(has_decider("shmem")) TH_LOG("%.900s", out.text);
	EXPECT_TRUE(write_setting(SHMEM_ENABLED, before));
	/* A name that no kernel has isn't found. */
	strcpy(out.text, "\"reason\":\"none\",\"decided_by\":\"no_such_function()\"");
	EXPECT_FALSE(has_decider("none"));
	close(fd);
}

/* Nothing is said of how it lies where it could lie as it liked. */
TEST_F(huge, shared_memory)
{
	static const char *const option[] = { NULL, "huge=never", "huge=advise" };
	const char *const reason[] = { ": shmem\n", ": shmem\n", ": file-offset\n" };
	char before[32], dir[] = "/tmp/ptwalk-XXXXXX", path[64];
	size_t size = huge_size();
	int fd;

	if (!size || size > LARGEST || !read_setting(SHMEM_ENABLED, before))
		SKIP(return, "the kernel has no huge pages of shared memory, or too large ones");
	ASSERT_TRUE(place(size, self));
	for (int advised = 0; advised < 2; advised++) {
		ASSERT_TRUE(write_setting(SHMEM_ENABLED, advised ? "advise" : "never"));
		fd = memfd_create("huge", 0);
		ASSERT_LE(0, fd);
		look_at_file(fd, self);
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED(advised ? ": file-offset\n" : ": shmem\n");
		close(fd);
	}
	/* That of a mount is its own. */
	ASSERT_TRUE(write_setting(SHMEM_ENABLED, "never"));
	ASSERT_NE(NULL, mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, mount("none", dir, "tmpfs", 0, option[i]));
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		ASSERT_LE(0, fd);
		look_at_file(fd, self);
		EXPECT_PRINTED(reason[i]);
		close(fd);
		munmap(self->at, self->size);
		EXPECT_EQ(0, umount(dir));
	}
	rmdir(dir);
	EXPECT_TRUE(write_setting(SHMEM_ENABLED, before));
}

TEST_HARNESS_MAIN
