// SPDX-License-Identifier: GPL-2.0
/* ptwalk dirty: memory that was read, written, protected, or nothing of these. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <linux/userfaultfd.h>
#include "command.h"
#include "proc.h"
#include "test.h"

#define PAGES	64

static struct output out;

#define RUN(...)	run(&out, ptwalk_command(), __VA_ARGS__)

FIXTURE(dirty)
{
	size_t page;
	char *at;
	char pid[16], range[64];
	int uffd;
};

FIXTURE_SETUP(dirty)
{
	NEED_COMMAND();
	self->page = sysconf(_SC_PAGESIZE);
	/* Between two others, so that it is never merged with what is newer. */
	self->at = mmap(NULL, (PAGES + 2) * self->page, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->at);
	self->at += self->page;
	ASSERT_EQ(0, mprotect(self->at, PAGES * self->page, PROT_READ | PROT_WRITE));
	madvise(self->at, PAGES * self->page, MADV_NOHUGEPAGE);
	self->uffd = -1;
	snprintf(self->pid, sizeof(self->pid), "%d", getpid());
	snprintf(self->range, sizeof(self->range), "%#lx+%#zx", (unsigned long)self->at,
		 PAGES * self->page);
}

FIXTURE_TEARDOWN(dirty)
{
	if (self->uffd >= 0)
		close(self->uffd);
	munmap(self->at - self->page, (PAGES + 2) * self->page);
}

/* How many pages @tracker says @says of for @reason, by the summary; 0 if none. */
static long long counted(const char *tracker, const char *says, const char *reason)
{
	char wanted[128];
	const char *found, *pages;

	snprintf(wanted, sizeof(wanted),
		 "{\"tracker\":\"%s\",\"says\":%s,\"reason\":\"%s\",", tracker, says, reason);
	found = strstr(out.text, wanted);
	pages = found ? strstr(found, "\"pages\":") : NULL;
	return pages ? atoll(pages + strlen("\"pages\":")) : 0;
}

#define EXPECT_PAGES(nr, tracker, says, reason) \
	EXPECT_EQ(nr, counted(tracker, says, reason)) \
		TH_LOG("%s %s %s: %.900s", tracker, says, reason, out.text)

static void touch(FIXTURE_DATA(dirty) *self, int first, int last, bool write)
{
	for (int i = first; i <= last; i++) {
		if (write)
			((volatile char *)self->at)[i * self->page] = 1;
		else
			(void)((volatile char *)self->at)[i * self->page];
	}
}

TEST_F(dirty, soft_dirty)
{
	touch(self, 0, 15, true);
	RUN("dirty", "--json", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	if (counted("soft-dirty", "null", "no-soft-dirty"))
		SKIP(return, "the kernel has no soft-dirty bits");
	/* A new mapping: what isn't there counts, too. */
	EXPECT_PAGES(16, "soft-dirty", "true", "written");
	EXPECT_PAGES(48, "soft-dirty", "true", "vma");
	EXPECT_PAGES(16, "dirty", "true", "dirty-bit");
	EXPECT_PAGES(48, "dirty", "null", "empty");
	EXPECT_PAGES(64, "in-core", "null", "of-others");
	ASSERT_EQ(0, proc_write("/proc/self/clear_refs", "4"));
	touch(self, 4, 7, true);
	RUN("dirty", "--json", self->pid, self->range);
	EXPECT_PAGES(4, "soft-dirty", "true", "written");
	EXPECT_PAGES(12, "soft-dirty", "false", "clean");
	EXPECT_PAGES(48, "soft-dirty", "false", "empty");
	RUN("dirty", "-v", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("    soft-dirty no  clean: not written to since clear_refs\n");
	EXPECT_PRINTED("\nTRACKER ");
	EXPECT_PRINTED("\nsoft-dirty yes            4  written: ");
}

static bool protect(FIXTURE_DATA(dirty) *self, int first, int pages)
{
	struct uffdio_writeprotect wp = {
		.range = { (unsigned long)self->at + first * self->page,
			   pages * self->page },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};

	return !ioctl(self->uffd, UFFDIO_WRITEPROTECT, &wp);
}

/* Has all of it ready for protect(); false if the kernel lacks one of @features. */
static bool may_protect(FIXTURE_DATA(dirty) *self, u64 features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register reg = {
		.range = { (unsigned long)self->at, PAGES * self->page },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};

	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	return self->uffd >= 0 && !ioctl(self->uffd, UFFDIO_API, &api) &&
	       !ioctl(self->uffd, UFFDIO_REGISTER, &reg);
}

TEST_F(dirty, userfaultfd)
{
	bool has_scan;

	RUN("dirty", "--json", self->pid, self->range);
	has_scan = !counted("written", "null", "no-scan");
	if (!may_protect(self, UFFD_FEATURE_PAGEFAULT_FLAG_WP))
		SKIP(return, "the kernel has no write protection by userfaultfd");
	/* Of what is empty, nothing is protected. */
	ASSERT_TRUE(protect(self, 0, 48));
	touch(self, 0, 15, false);
	touch(self, 16, 31, true);
	ASSERT_TRUE(protect(self, 24, 8));
	RUN("dirty", "--json", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PAGES(8, "uffd-wp", "true", "protected");
	EXPECT_PAGES(8, "uffd-wp", "false", "unprotected");
	EXPECT_PAGES(16, "uffd-wp", "false", "zero-unprotected");
	EXPECT_PAGES(32, "uffd-wp", "false", "empty-unprotected");
	EXPECT_PAGES(16, "dirty", "false", "zero-page");
	if (!has_scan)
		return;
	EXPECT_PAGES(8, "written", "false", "protected");
	EXPECT_PAGES(8, "written", "true", "unprotected");
	EXPECT_PAGES(16, "written", "true", "zero-unprotected");
	EXPECT_EQ(32, counted("written", "false", "no-table") +
		      counted("written", "true", "empty-unprotected"));
}

/* Of its own memory, and of memory without struct pages and of hugetlb. */
TEST_F(dirty, own)
{
	RUN("dirty", "--json", "self");
	EXPECT_STATUS(MATCH);
	EXPECT_LT(0, counted("in-core", "true", "in-core"));
	EXPECT_PRINTED("\"reason\":\"unregistered\"");
	RUN("dirty", "self", "/no/such/file");
	EXPECT_STATUS(UNCHECKED);
	EXPECT_ONE_LINE();
	RUN("dirty");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
}

static void hold_still(void *arg, int nr)
{
}

/* What mlock() has not taken care of: pages that a child has, too. */
TEST_F(dirty, would_fault)
{
	struct target child;

	touch(self, 0, 15, false);
	touch(self, 16, 31, true);
	RUN("dump", "--would-fault", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("    any access would fault: there is no page: one is made\n");
	EXPECT_PRINTED("    a write would fault: the zero page: a page of its own is made\n");
	EXPECT_PRINTED("\nwould fault: 32 pages at any access, 16 at a write\n");
	EXPECT_PRINTED("        16 at a write: the zero page: a page of its own is made\n");
	touch(self, 0, PAGES - 1, true);
	RUN("dump", "--would-fault", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("would fault: 0 pages at any access, 0 at a write\n");
	ASSERT_EQ(0, target_start(&child, hold_still, NULL));
	RUN("dump", "--would-fault", self->pid, self->range);
	EXPECT_PRINTED("    a write would fault: another process has it, too: it is copied\n");
	EXPECT_PRINTED("\nwould fault: 0 pages at any access, 64 at a write\n");
	/* Wherever they are in memory, they are one line. */
	EXPECT_PRINTED("       64\n    a write would fault: ");
	RUN("dump", "--would-fault", "--json", self->pid, self->range);
	EXPECT_PRINTED("\"faults\":\"write\",\"why\":\"another process has it, too: it is copied\"");
	target_end(&child);
	RUN("dump", "--would-fault", "-s", self->pid);
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
}

/* Memory of the kernel, or a file of a file system, with so many bytes. */
static int file_of(bool memory, size_t bytes)
{
	char name[] = "/tmp/ptwalk-XXXXXX";
	int fd = memory ? memfd_create("ptwalk", 0) : mkstemp(name);

	if (fd >= 0 && !memory)
		unlink(name);
	if (fd >= 0 && ftruncate(fd, bytes)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Whether the kernel takes a page that isn't there yet: it is brought for that. */
static bool really_taken(const char *at)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { (void *)at, 1 };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

/* What the command says of that, of the page @at. */
static bool said_to_be_taken(FIXTURE_DATA(dirty) *self, const char *at)
{
	char addr[32];

	snprintf(addr, sizeof(addr), "%#lx", (unsigned long)at);
	RUN("translate", "-v", "--json", self->pid, addr);
	return strstr(out.text, "\"pinning\":{\"read\":true");
}

/* No page is brought that is behind the end of its file. */
TEST_F(dirty, behind_the_end)
{
	const size_t sizes[] = { 0, 1, 3 * self->page, 3 * self->page + 1 };
	const int kinds[] = { MAP_SHARED, MAP_PRIVATE };
	char counted[80];

	for (int i = 0; i < 2 * 2 * 4; i++) {
		const size_t size = sizes[i / 4], inside = (size + self->page - 1) / self->page;
		const bool memory = i & 1;
		int fd = file_of(memory, size);

		/* Some of the kernel's files say 0, and have pages. */
		if (!size && !memory) {
			close(fd);
			continue;
		}
		ASSERT_EQ(self->at, mmap(self->at, PAGES * self->page, PROT_READ | PROT_WRITE,
					 kinds[i / 2 % 2] | MAP_FIXED, fd, 0));
		close(fd);
		RUN("dump", "--would-fault", self->pid, self->range);
		EXPECT_STATUS(MATCH);
		snprintf(counted, sizeof(counted), "%10zu at any access: it is behind",
			 PAGES - inside);
		EXPECT_PRINTED(counted);
		snprintf(counted, sizeof(counted), "%10zu at any access: no page", inside);
		if (inside)
			EXPECT_PRINTED(counted);
		for (size_t page = inside ? inside - 1 : 0; page <= inside; page++) {
			const char *at = self->at + page * self->page;
			const bool said = said_to_be_taken(self, at);

			EXPECT_EQ(page < inside, said) TH_LOG("page %zu of %zu: %.900s", page,
							      inside, out.text);
			EXPECT_EQ(said, really_taken(at)) TH_LOG("page %zu of %zu", page, inside);
		}
	}
}

/* Each mapping has its own end, in whatever order it is asked about. */
TEST_F(dirty, ends)
{
	const char *const has_end = self->at, *const has_none = self->at + 8 * self->page;
	char first[64], other[64], second[64];
	int fd = file_of(true, self->page);

	ASSERT_EQ(has_end, mmap(self->at, 8 * self->page, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_FIXED, fd, 0));
	close(fd);
	touch(self, 8, 8, true);
	snprintf(first, sizeof(first), "%#lx+%#zx", (unsigned long)has_end, 2 * self->page);
	snprintf(other, sizeof(other), "%#lx+%#zx", (unsigned long)has_none, self->page);
	snprintf(second, sizeof(second), "%#lx+%#zx", (unsigned long)has_end + 3 * self->page,
		 2 * self->page);
	RUN("dump", "--would-fault", self->pid, first, other, second);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("         3 at any access: it is behind");
}

/* Markers have all the same place, and are scattered nowhere. */
TEST_F(dirty, pagemap_of_markers)
{
	char line[80];

	ASSERT_EQ(self->at, mmap(self->at, PAGES * self->page, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	if (!may_protect(self, UFFD_FEATURE_WP_HUGETLBFS_SHMEM))
		SKIP(return, "the kernel write-protects no shared memory by userfaultfd");
	ASSERT_TRUE(protect(self, 0, PAGES));
	RUN("pagemap", self->pid, self->range);
	EXPECT_STATUS(MATCH);
	snprintf(line, sizeof(line), "%#lx %8d pages  swapped type ", (unsigned long)self->at, PAGES);
	EXPECT_PRINTED(line);
	EXPECT_PRINTED(" uffd-wp");
	EXPECT_ONE_LINE();
	RUN("pagemap", "--json", self->pid, self->range);
	snprintf(line, sizeof(line), "\"pages\":%d,", PAGES);
	EXPECT_PRINTED(line);
}

TEST_HARNESS_MAIN
