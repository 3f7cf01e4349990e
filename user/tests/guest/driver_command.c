// SPDX-License-Identifier: GPL-2.0
/*
 * The command and what a driver has mapped: huge entries that have no struct page,
 * which pagemap took for pages up to Linux 7.2 (selftests/driver.c says more of
 * that), and a buffer that is contiguous.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include "build_driver.h"
#include "command.h"
#include "mapping_checks.h"
#include "pin.h"
#include "test.h"

static struct output out;

FIXTURE(wrong)
{
	struct ptw ptw;
	struct mapping m;
};

FIXTURE_SETUP(wrong)
{
	NEED_COMMAND();
	SETUP_MAPPING(self, NULL);
}

FIXTURE_TEARDOWN(wrong)
{
	mapping_release(&self->m);
	ptw_close(&self->ptw);
}

/* That PM_FILE is wrong is a mismatch, by the name of that bug. */
TEST_F(wrong, check_of_special_pmd)
{
	u64 entry;

	build_driver_part(&self->m, "huge-pmd-mixed", 0, 0);
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	ASSERT_STREQ("", self->m.broken);
	ASSERT_EQ(1, proc_pagemap(self->m.pid, self->m.start, &entry, 1));
	if (entry & PM_FILE && !kernel_since(7, 3))
		self->m.bug = "special-pmd-bug";
	EXPECT_GOOD(check_command(&self->ptw, &self->m));
	EXPECT_EQ(self->m.shown, !!self->m.bug);
	KNOWN_BUG_OF(&self->m);
}

/*
 * Where a special PMD is of a device's memory, kernels up to 7.2 read a struct page
 * that doesn't exist. The command doesn't ask them about it, nor about more
 * than it wants of what is around, and says so.
 */
TEST_F(wrong, pagemap_that_crashes)
{
	u64 size = self->m.page_size, length;
	char pid[16], range[64], left_out[64];
	struct ptw_page page;

	build_driver_part(&self->m, "huge-pmd-pci-mixed", 0, 0);
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	ASSERT_STREQ("", self->m.broken);
	EXPECT_GOOD(check_translate(&self->ptw, &self->m));
	ASSERT_EQ(0, ptw_translate_one(&self->ptw, self->m.pid, self->m.start, &page));
	ASSERT_EQ(PTWALK_LEVEL_PMD, ptwalk_bits_level(page.t.bits));
	ASSERT_FALSE(ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_RAM);
	if (kernel_since(7, 3)) {
		EXPECT_GOOD(check_command(&self->ptw, &self->m));
		return;
	}
	length = self->m.pages * size;
	snprintf(pid, sizeof(pid), "%d", self->m.pid);
	snprintf(range, sizeof(range), "%llx+%llx", self->m.start, length);
	run(&out, ptwalk_command(), "check", "--source", "pagemap", pid, range);
	EXPECT_STATUS(UNCHECKED);
	EXPECT_PRINTED("nothing to compare that doesn't crash this kernel");
	/* The pages next to it, and as much before and behind as there is. */
	snprintf(range, sizeof(range), "%llx+%llx", self->m.start - size, length + 2 * size);
	snprintf(left_out, sizeof(left_out), "left out: %llu pages", self->m.pages);
	run(&out, ptwalk_command(), "check", "--source", "all", "--known-bugs", pid, range);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(left_out);
	snprintf(range, sizeof(range), "%llx+%llx", self->m.start - size, size);
	run(&out, ptwalk_command(), "check", "--source", "all", "--known-bugs", pid, range);
	EXPECT_STATUS(MATCH);
	snprintf(range, sizeof(range), "%llx+%llx", self->m.start + length, size);
	run(&out, ptwalk_command(), "check", "--source", "all", "--known-bugs", pid, range);
	EXPECT_STATUS(MATCH);
	snprintf(left_out, sizeof(left_out), "\"spared\":%llu", self->m.pages);
	run(&out, ptwalk_command(), "check", "--json", pid);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED(left_out);
	EXPECT_PRINTED("\"spared_for\":\"special-pmd-bug\"");
}

/* What vm_insert_page() has mapped is no file whose dirty pages are tracked. */
TEST_F(wrong, pinned_for_long)
{
	char pid[16], addr[24];
	int ring;

	build_driver_part(&self->m, "insert-page", 0, 0);
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	ASSERT_STREQ("", self->m.broken);
	snprintf(pid, sizeof(pid), "%d", self->m.pid);
	snprintf(addr, sizeof(addr), "%llx", self->m.start);
	run(&out, ptwalk_command(), "translate", "-v", "--json", pid, addr);
	EXPECT_STATUS(MATCH);
	EXPECT_PRINTED("\"pinning\":{\"read\":true,\"write\":true");
	EXPECT_EQ(NULL, strstr(out.text, "not FOLL_LONGTERM"));
	ring = pin_begin((void *)(uintptr_t)self->m.start, self->m.page_size);
	/* Before, io_uring itself refused all files but those of memory. */
	if (ring == -ENOSYS || (ring == -EOPNOTSUPP && !kernel_since(6, 5)))
		SKIP(return, "a buffer of io_uring: %s", strerror(-ring));
	ASSERT_LE(0, ring)
		TH_LOG("%s", strerror(-ring));
	pin_end(ring);
}

#define ROM	0xf0000

/* remap_pfn_range() leaves the offset of a mapping alone only if that is shared. */
TEST_F(wrong, offset_of_a_private_mapping)
{
	const int flags[] = { MAP_SHARED, MAP_PRIVATE };
	int fd = open("/dev/mem", O_RDONLY | O_CLOEXEC);
	char pid[16], addr[24];
	void *at;

	if (fd < 0)
		SKIP(return, "there is no /dev/mem");
	snprintf(pid, sizeof(pid), "%d", getpid());
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		at = mmap(NULL, self->m.page_size, PROT_READ, flags[i], fd, ROM);
		if (at == MAP_FAILED)
			SKIP(break, "the first MiB of /dev/mem can't be mapped");
		snprintf(addr, sizeof(addr), "%llx", (u64)(uintptr_t)at);
		run(&out, ptwalk_command(), "translate", "-v", "--json", pid, addr);
		EXPECT_STATUS(MATCH);
		EXPECT_EQ(flags[i] == MAP_SHARED, !!strstr(out.text, "\"file_offset\":\"0xf0000\""));
		EXPECT_EQ(flags[i] == MAP_SHARED, !!strstr(out.text, "\"file_offset\""));
		run(&out, ptwalk_command(), "translate", "-v", pid, addr);
		EXPECT_EQ(flags[i] == MAP_PRIVATE, !!strstr(out.text, "vm_pgoff is the first PFN"));
		munmap(at, self->m.page_size);
	}
	close(fd);
}

/* All of it is one run, and so is each part; that before it is no part of it. */
TEST_F(wrong, contiguous_buffer)
{
	const u64 skip[] = { 0, 3 };
	char pid[16], range[64], longest[128];
	struct driver_region region;
	u64 pages, start;

	build_driver_part(&self->m, "coherent-remap", 0, 0);
	if (self->m.lacks[0])
		SKIP(return, "%s", self->m.lacks);
	ASSERT_STREQ("", self->m.broken);
	ASSERT_EQ(0, build_driver_region("driver_coherent_remap", &region));
	snprintf(pid, sizeof(pid), "%d", self->m.pid);
	for (size_t i = 0; i < ARRAY_SIZE(skip); i++) {
		start = self->m.start + skip[i] * self->m.page_size;
		pages = self->m.pages - skip[i];
		snprintf(range, sizeof(range), "%llx+%llx", start,
			 pages * self->m.page_size);
		snprintf(longest, sizeof(longest),
			 "longest: %llu of %llu pages present, from 0x%llx on, physical 0x%llx-",
			 pages, pages, start,
			 region.phys + skip[i] * self->m.page_size);
		run(&out, ptwalk_command(), "dump", "-s", pid, range);
		EXPECT_STATUS(MATCH);
		EXPECT_PRINTED(longest);
	}
}

TEST_HARNESS_MAIN
