// SPDX-License-Identifier: GPL-2.0
/*
 * ptwalk pins DEVICE: pages that a device has through VFIO, and its process has no more,
 * each told with its address and its holder; and nothing where all is right.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include "busy.h"
#include "command.h"
#include "edu.h"
#include "json.h"
#include "proc.h"
#include "ring.h"
#include "system.h"
#include "test.h"
#include "vfio.h"
#include "workers.h"

#define PAGES	16
#define GIB	(1ULL << 30)

/* Where any IOMMU of the guests can have bus addresses, of 39 bits. */
#define OWN	(64 * GIB)

static struct output out;

#define RUN(...)	run(&out, ptwalk_command(), __VA_ARGS__)

FIXTURE(vfio)
{
	struct edu e;
	struct vfio vfio;
	const char *device;
	size_t page, size;
	char *at;
	u64 bus;
	char range[64];
};

/* Bus addresses that are the process's own, and others; by a group, or by iommufd. */
FIXTURE_VARIANT(vfio)
{
	u64 bus;
	bool iommufd;
};

FIXTURE_VARIANT_ADD(vfio, own) { .bus = OWN };
FIXTURE_VARIANT_ADD(vfio, other) { .bus = 5 * GIB };
FIXTURE_VARIANT_ADD(vfio, iommufd) { .bus = OWN, .iommufd = true };

FIXTURE_SETUP(vfio)
{
	char *room;

	self->vfio = (struct vfio){ .container = -1, .group = -1, .fd = -1 };
	NEED_COMMAND();
	if (variant->iommufd && !vfio_has_iommufd())
		SKIP(return, "the kernel has no iommufd");
	SETUP_EDU(&self->e, "edu-stream");
	if (!self->e.translated && !variant->iommufd)
		SKIP(return, "no IOMMU stands before the device");
	self->device = self->e.name + strlen("pci/");
	self->page = self->e.m.page_size;
	self->size = PAGES * self->page;
	self->bus = variant->bus;
	/* Alone, so that it is never merged with another. */
	room = mmap((void *)(uintptr_t)(OWN - self->page), self->size + 2 * self->page, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	self->at = (char *)(uintptr_t)OWN;
	ASSERT_EQ(self->at - self->page, room);
	ASSERT_EQ(0, mprotect(self->at, self->size, PROT_READ | PROT_WRITE));
	madvise(self->at, self->size, MADV_NOHUGEPAGE);
	memset(self->at, 1, self->size);
	snprintf(self->range, sizeof(self->range), "%llx+%zx", self->bus, self->size);
	if (!variant->iommufd) {
		if (!vfio_open(&self->vfio, self->device, "ptwalk_fixture",
			       self->e.device.group))
			SKIP(return, "%s", self->vfio.lacks);
		return;
	}
	ASSERT_TRUE(vfio_open_iommufd(&self->vfio, self->device, "ptwalk_fixture"))
		TH_LOG("%s", self->vfio.lacks);
}

FIXTURE_TEARDOWN(vfio)
{
	vfio_close(&self->vfio);
	munmap(self->at - self->page, self->size + 2 * self->page);
	mapping_release(&self->e.m);
	ptw_close(&self->e.ptw);
}

#define HOLD()	ASSERT_EQ(0, vfio_map(&self->vfio, self->at, self->size, self->bus))

#define LOOK()	RUN("pins", "--iova", self->range, self->device)

/* It says nothing, and sees that there is something. */
#define EXPECT_SILENT(held, unknown) do { \
	char _held[64]; \
	snprintf(_held, sizeof(_held), "%d held, 0 replaced, %d unknown", held, unknown); \
	LOOK(); \
	EXPECT_STATUS(MATCH); \
	EXPECT_PRINTED(_held); \
	EXPECT_UNPRINTED("pinned-replaced", " vfio "); \
} while (0)

/* Pages from number @first on, @pages of them. */
#define EXPECT_TOLD(first, pages, truth) do { \
	char _words[256]; \
	LOOK(); \
	EXPECT_STATUS(MISMATCH); \
	snprintf(_words, sizeof(_words), "mismatch: %d (vfio_command) %#llx, %d page%s, pinned-replaced\n", \
		 getpid(), (u64)(uintptr_t)self->at + (first) * self->page, pages, \
		 (pages) == 1 ? "" : "s"); \
	EXPECT_PRINTED(_words); \
	EXPECT_PRINTED(truth); \
	snprintf(_words, sizeof(_words), "%s has what was there: fd %d, bus address %#llx, physical 0x", \
		 self->device, self->vfio.group, self->bus + (first) * self->page); \
	EXPECT_PRINTED(_words); \
} while (0)

/* Without being told where, too. */
TEST_F(vfio, untouched)
{
	char words[256];

	HOLD();
	EXPECT_SILENT(PAGES, 0);
	RUN("pins", self->device);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("16 pages at 1 place: 16 held, 0 replaced, 0 unknown\nlooked up 0x");
	EXPECT_PRINTED("\nnot looked up 0x");
	RUN("pins", "--all");
	EXPECT_STATUS(MATCH);
	snprintf(words, sizeof(words), "left out: 1 device: its driver is VFIO's: ptwalk pins %s ",
		 self->device);
	EXPECT_PRINTED(words);
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED));
	RUN("pins", "--json", self->device);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("\"verdict\":\"mismatch\",\"rule\":\"pinned-replaced\",\"source\":\"iommu\"");
	snprintf(words, sizeof(words), "{\"type\":\"device\",\"device\":\"%s\",\"places\":1,\"pages\":16,\"held\":15,\"replaced\":1,\"unknown\":0,\"scanned\":[{\"start\":\"0x",
		 self->device);
	EXPECT_PRINTED(words);
	EXPECT_PRINTED("],\"unscanned\":[{\"start\":\"0x");
	EXPECT_EQ(NULL, json_wrong(out.text, "pins", 4));
	RUN("pins", "--budget", "0", self->device);
	EXPECT_STATUS(UNSTABLE);
	EXPECT_PRINTED("partial: ended by the budget\n");
	EXPECT_ONE_LINE();
	/* A device that isn't there hides nothing, wherever it stands. */
	RUN("pins", self->device, "0000:00:1e.7");
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(" 15 held, 1 replaced, 0 unknown\n");
	RUN("pins", "0000:00:1e.7", self->device);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(" 15 held, 1 replaced, 0 unknown\n");
}

/* Wherever the device has them. */
TEST_F(vfio, bus_addresses)
{
	char pid[16], range[64];

	HOLD();
	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(range, sizeof(range), "%lx+%zx", (unsigned long)self->at, self->size);
	RUN("iova", "-p", pid, self->device, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(": 16 of 16 pages have a bus address that was looked up\n");
	RUN("iova", "-p", pid, self->device);
	EXPECT_STATUS(MATCH);
	snprintf(range, sizeof(range), "process %s: 16 of ", pid);
	EXPECT_PRINTED(range);
	/* They are pinned, and lead to what this process maps. */
	RUN("iova", "--lint", self->device, self->range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("lint: 16 pages, 0 mismatch, 0 to be looked at\n");
}

/* Of many places that are alike, the first are told, and the others counted. */
TEST_F(vfio, many_places)
{
	char fourth[32];

	HOLD();
	for (int i = 2; i < 12; i += 2)
		ASSERT_EQ(0, madvise(self->at + i * self->page, self->page, MADV_DONTNEED));
	EXPECT_TOLD(6, 1, "truth     no page is there\n");
	snprintf(fourth, sizeof(fourth), ") %#lx,", (unsigned long)self->at + 8 * self->page);
	EXPECT_UNPRINTED(fourth, "  alike     2 more pages, at 2 places: no page is there (--json prints all)\n");
	EXPECT_PRINTED("11 held, 5 replaced, 0 unknown");
	RUN("pins", "--json", self->device);
	EXPECT_EQ(NULL, json_wrong(out.text, "pins", 8));
}

/* A device's memory isn't part of check --lint, which says so where there is any. */
TEST_F(vfio, lint)
{
	char pid[16];

	HOLD();
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED));
	snprintf(pid, sizeof(pid), "%d", getpid());
	RUN("check", "--lint", pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("1 process with VFIO or iommufd: ");
	EXPECT_PRINTED("(ptwalk pins DEVICE)");
	RUN("check", "--lint", "--json", pid);
	EXPECT_PRINTED("\"vfio_not_compared\":1");
	RUN("check", "--lint", "1");
	EXPECT_UNPRINTED("VFIO", "1 process on ");
}

TEST_F(vfio, dontneed)
{
	HOLD();
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, 3 * self->page, MADV_DONTNEED));
	EXPECT_TOLD(4, 3, "truth     no page is there\n");
	self->at[5 * self->page] = 2;
	EXPECT_TOLD(5, 1, ": another page\n");
	EXPECT_PRINTED("13 held, 3 replaced, 0 unknown");
	/* Read only: the zero page. */
	(void)((volatile char *)self->at)[6 * self->page];
	EXPECT_TOLD(5, 2, ": another page\n");
	/* The last ones, beside which nothing is on one side. */
	ASSERT_EQ(0, madvise(self->at + 14 * self->page, 2 * self->page, MADV_DONTNEED));
	EXPECT_TOLD(14, 2, "truth     no page is there\n");
}

TEST_F(vfio, map_fixed)
{
	HOLD();
	ASSERT_NE(MAP_FAILED, mmap(self->at + 8 * self->page, 2 * self->page,
				   PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
	EXPECT_TOLD(8, 2, "truth     no page is there\n");
	self->at[8 * self->page] = 2;
	EXPECT_TOLD(8, 1, ": another page\n");
}

/* The process has the pages still. That this is wrong only addresses of its own tell. */
TEST_F(vfio, mremap)
{
	char *room = mmap(NULL, 2 * self->page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char words[64];

	HOLD();
	ASSERT_EQ(room, mremap(self->at + 8 * self->page, 2 * self->page, 2 * self->page,
			       MREMAP_MAYMOVE | MREMAP_FIXED, room));
	if (self->bus != OWN) {
		EXPECT_SILENT(PAGES, 0);
	} else {
		snprintf(words, sizeof(words), "nothing is mapped; the page is at %#lx now\n",
			 (unsigned long)room);
		EXPECT_TOLD(8, 2, words);
	}
	munmap(room, 2 * self->page);
}

TEST_F(vfio, unmapped)
{
	HOLD();
	ASSERT_EQ(0, munmap(self->at + 8 * self->page, self->page));
	EXPECT_TOLD(8, 1, "truth     nothing is mapped\n");
}

#define MISTAKES	"ptwalk_guest_fixture"

/* More huge pages than the command itself takes of those that were given back. */
#define AREA		(4 * HUGE_ROOM)

/* The IOMMU goes on with what was unmapped for the device, and then given back. */
TEST_F(vfio, unmap_forgets)
{
	const u64 bus = self->bus + AREA;
	char *room = mmap(NULL, AREA + HUGE_ROOM, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *area = (char *)(((uintptr_t)room + HUGE_ROOM - 1) & ~(HUGE_ROOM - 1));
	char params[64];
	int err;

	ASSERT_NE(MAP_FAILED, room);
	madvise(area, AREA, MADV_HUGEPAGE);
	memset(area, 1, AREA);
	ASSERT_EQ(0, vfio_map(&self->vfio, area, AREA, bus));
	snprintf(params, sizeof(params), "wrong=iommu pid=%d", getpid());
	err = module_load_with(MISTAKES, params);
	if (err == -EOPNOTSUPP)
		SKIP(return, "the kernel has no kprobes");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, vfio_unmap(&self->vfio, AREA, bus));
	module_unload(MISTAKES);
	snprintf(self->range, sizeof(self->range), "%llx+%lx", bus, AREA);
	RUN("iova", "--lint", self->device, self->range);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("mismatch iova-unpinned: ");
	munmap(room, AREA + HUGE_ROOM);
	LOOK();
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("; what the device has is free memory\n");
	RUN("iova", "--lint", self->device, self->range);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED("mismatch iova-free: ");
}

/* Nothing near it is left that would show where to look. */
TEST_F(vfio, all_of_it)
{
	char words[64];
	void *locked;

	HOLD();
	ASSERT_EQ(0, madvise(self->at, self->size, MADV_DONTNEED));
	RUN("pins", self->device);
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(": 16 pages at 1 place: 0 held, 16 replaced, 0 unknown\n");
	EXPECT_UNPRINTED("\nnot found: ", "\nnot looked up 0x");
	ASSERT_EQ(0, munmap(self->at - self->page, self->size + 2 * self->page));
	if (self->bus != OWN)
		return;
	/* What is locked is charged, too, but for no device. */
	locked = mmap(NULL, self->size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, locked);
	ASSERT_EQ(0, mlock(locked, self->size));
	RUN("pins", self->device);
	munmap(locked, self->size);
	snprintf(words, sizeof(words), "\nnot found: %d pages that are charged ", PAGES);
	EXPECT_PRINTED(words);
}

/* A hole in shared memory, and another page in it. */
TEST_F(vfio, shared)
{
	int fd = memfd_create("pins", 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->size));
	ASSERT_NE(MAP_FAILED, mmap(self->at, self->size, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_FIXED, fd, 0));
	memset(self->at, 1, self->size);
	HOLD();
	EXPECT_SILENT(PAGES, 0);
	/* Unmapped for now, as by reclaim: it is the same page. */
	ASSERT_EQ(0, madvise(self->at + 2 * self->page, 2 * self->page, MADV_DONTNEED));
	EXPECT_SILENT(PAGES - 2, 2);
	memset(self->at, 1, self->size);
	EXPECT_SILENT(PAGES, 0);
	ASSERT_EQ(0, fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       8 * self->page, self->page));
	self->at[8 * self->page] = 2;
	EXPECT_TOLD(8, 1, ": another page\n");
	close(fd);
}

/* A page of a file that was mapped for the device between private memory, as firmware. */
TEST_F(vfio, file_between)
{
	const int fd = memfd_create("pins", 0);
	const size_t below = 4 * self->page, behind = below + self->page;
	char *at;

	if (self->bus == OWN)
		SKIP(return, "its own addresses are the process's");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, self->page));
	at = mmap(NULL, self->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)at);
	*at = 1;
	ASSERT_EQ(0, vfio_map(&self->vfio, self->at, below, self->bus));
	ASSERT_EQ(0, vfio_map(&self->vfio, at, self->page, self->bus + below));
	ASSERT_EQ(0, vfio_map(&self->vfio, self->at + behind, self->size - behind,
			      self->bus + behind));
	EXPECT_SILENT(PAGES, 0);
	ASSERT_EQ(0, madvise(at, self->page, MADV_DONTNEED));
	EXPECT_SILENT(PAGES - 1, 1);
	munmap(at, self->page);
	close(fd);
}

/* Memory that was never written, for a device that only reads: no zero page. */
TEST_F(vfio, read_only)
{
	ASSERT_EQ(0, madvise(self->at, self->size, MADV_DONTNEED));
	self->vfio.reads = true;
	HOLD();
	EXPECT_SILENT(PAGES, 0);
	memset(self->at, 1, self->size);
	EXPECT_SILENT(PAGES, 0);
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED));
	EXPECT_TOLD(4, 1, "truth     no page is there\n");
}

/* Memory in a huge page, which is then mapped by small entries. */
TEST_F(vfio, split)
{
	const size_t huge = 2UL << 20;
	char *area = self->at + huge, words[64];
	char range[64];

	ASSERT_EQ(area, mmap(area, huge, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
	madvise(area, huge, MADV_HUGEPAGE);
	memset(area, 1, huge);
	ASSERT_EQ(0, vfio_map(&self->vfio, area, huge, self->bus + huge));
	snprintf(range, sizeof(range), "%llx", self->bus + huge);
	RUN("pins", "--iova", range, self->device);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(" 1 held, 0 replaced, 0 unknown\n");
	snprintf(range, sizeof(range), "%llx+%zx", self->bus + huge, huge);
	RUN("pins", "--iova", range, self->device);
	EXPECT_STATUS(MATCH);
	snprintf(words, sizeof(words), " %zu held, 0 replaced, 0 unknown\n", huge / self->page);
	EXPECT_PRINTED(words);
	ASSERT_EQ(0, mprotect(area + 6 * self->page, self->page, PROT_READ));
	RUN("pins", "--iova", range, self->device);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(words);
	/* Where map counts are of folios, it takes another page to be told. */
	ASSERT_EQ(0, madvise(area + 7 * self->page, self->page, MADV_DONTNEED));
	area[7 * self->page] = 2;
	RUN("pins", "--iova", range, self->device);
	EXPECT_STATUS(MISMATCH);
	snprintf(words, sizeof(words), " %#llx, 1 page, pinned-replaced\n",
		 (u64)(uintptr_t)area + 7 * self->page);
	EXPECT_PRINTED(words);
	munmap(area, huge);
}

/* A child has the device, too, and copies of what is pinned. */
TEST_F(vfio, fork)
{
	pid_t pid;

	HOLD();
	pid = worker_copies(self->at, self->size);
	ASSERT_LT(0, pid);
	memset(self->at, 2, self->size);
	EXPECT_SILENT(PAGES, 0);
	ASSERT_EQ(0, madvise(self->at + 4 * self->page, self->page, MADV_DONTNEED));
	EXPECT_TOLD(4, 1, "truth     no page is there\n");
	process_end(pid);
}

/*
 * A fork() that forgets to copy them: who writes first gets another page, the parent here,
 * and the child, which has the device, too, has what the device has.
 */
TEST_F(vfio, fork_forgets)
{
	pid_t pid;

	/* VFIO's container unpins by unpin_user_page(), which checks pages with DEBUG_VM. */
	if (!variant->iommufd && proc_symbol("dump_mm"))
		SKIP(return, "this kernel stops where such a page is unpinned");
	HOLD();
	if (!busy_forget_pins())
		SKIP(return, "no driver that has fork() forget");
	pid = worker_copies(self->at, 0);
	ASSERT_LT(0, pid);
	EXPECT_SILENT(PAGES, 0);
	self->at[4 * self->page] = 2;
	EXPECT_TOLD(4, 1, ": another page\n");
	process_end(pid);
}

/* A program that goes on with the device of the one before it, and not with its memory. */
TEST_F(vfio, exec)
{
	char words[64];
	pid_t pid;

	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		fcntl(self->vfio.container, F_SETFD, 0);
		fcntl(self->vfio.group, F_SETFD, 0);
		if (!vfio_map(&self->vfio, self->at, self->size, self->bus))
			execlp("sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	close(self->vfio.group);
	close(self->vfio.container);
	self->vfio.group = -1;
	self->vfio.container = -1;
	snprintf(words, sizeof(words), "mismatch: %d (sleep), 16 pages, pinned-replaced\n", pid);
	/* Until it has mapped them, and is another program. */
	for (double begun = seconds_now(); seconds_now() < begun + 60;) {
		LOOK();
		if (out.status == MISMATCH)
			break;
		usleep(100000);
	}
	EXPECT_STATUS(MISMATCH);
	EXPECT_PRINTED(words);
	EXPECT_PRINTED("truth     no page table has the page any more\n");
	process_end(pid);
}

/* Pages that are to be moved away or swapped out, and stay. */
TEST_F(vfio, reclaim)
{
	HOLD();
	madvise(self->at, self->size, MADV_PAGEOUT);
	proc_write("/proc/sys/vm/compact_memory", "1");
	EXPECT_SILENT(PAGES, 0);
	ASSERT_EQ(0, mprotect(self->at, self->size, PROT_NONE));
	EXPECT_SILENT(PAGES, 0);
	ASSERT_EQ(0, mprotect(self->at, self->size, PROT_READ | PROT_WRITE));
}

/* A device that its driver has, and what is none. */
/* Who may not see all descriptors doesn't know who has the device, and won't. */
TEST_F(vfio, without_the_right)
{
	HOLD();
	ASSERT_EQ(0, prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE));
	LOOK();
	EXPECT_STATUS(UNCHECKED);
	EXPECT_ONE_LINE();
	EXPECT_PRINTED(", which may have the device: /proc/");
	EXPECT_PRINTED("/fd: Permission denied (CAP_SYS_PTRACE)\n");
}

TEST_F(vfio, refused)
{
	vfio_close(&self->vfio);
	RUN("pins", self->device);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("nobody has it through VFIO");
	RUN("pins", "--json", self->device);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_ONE_LINE();
	RUN("pins", self->device);
	EXPECT_ONE_LINE();
	RUN("pins", "nonsense:1");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("pins", "--iova", "1000+1000", "1");
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
	RUN("pins", "--iova", "x", self->device);
	EXPECT_STATUS(USAGE);
	EXPECT_ONE_LINE();
}

TEST_HARNESS_MAIN
