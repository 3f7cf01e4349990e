// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs of kernels that these tests have found. Each test reproduces one: on
 * kernels that are known to have it, it is expected to fail (XFAIL); on others
 * it must pass.
 */
#include <string.h>
#include <fcntl.h>
#include <sys/wait.h>
#include "scan.h"
#include "test.h"

/*
 * Linux 6.12 tests one bit of the two that mark a KSM page, which every
 * anonymous page has, too (stable_page_flags() in fs/proc/page.c).
 */
TEST(kpageflags_calls_every_anonymous_page_ksm)
{
	bool known = ksft_min_kernel_version(6, 9) && !ksft_min_kernel_version(6, 16);
	struct ptw_page page;
	struct mapping m;
	struct ptw ptw;
	u64 flags;

	if (access("/proc/kpageflags", R_OK))
		SKIP(return, "the kernel has no kpageflags");
	ASSERT_OPEN(&ptw);
	ASSERT_EQ(0, mapping_build(&m, &ptw, build_anon_written));
	ASSERT_EQ(0, ptw_translate_one(&ptw, m.pid, m.start, &page));
	ASSERT_EQ(0, ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_KSM);
	ASSERT_EQ(0, proc_kpage("/proc/kpageflags", page.t.value, &flags));
	if (flags & KPF_KSM_ && known)
		KNOWN_BUG("kpageflags shows KPF_KSM for a page that KSM never saw");
	EXPECT_EQ(0, flags & KPF_KSM_);
	mapping_release(&m);
	ptw_close(&ptw);
}

/* Unmaps [@at, @at + @size) and holds still until the parent is done. */
static pid_t child_without(char *at, size_t size, int *done)
{
	int ready[2], go[2];
	pid_t pid;
	char c;

	if (pipe(ready) || pipe(go))
		return -1;
	pid = fork();
	if (!pid) {
		munmap(at, size);
		close(go[1]);
		if (write(ready[1], "", 1) != 1 || read(go[0], &c, 1))
			_exit(1);
		_exit(0);
	}
	close(ready[1]);
	close(go[0]);
	if (read(ready[0], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	*done = go[1];
	return pid;
}

/* How many of @nr pages pagemap says to be mapped exclusively. */
static size_t exclusive_pages(const char *at, size_t nr, size_t page_size)
{
	size_t i, exclusive = 0;
	u64 entry;

	for (i = 0; i < nr; i++) {
		if (proc_pagemap(getpid(), (uintptr_t)at + i * page_size,
				 &entry, 1) != 1)
			return SIZE_MAX;
		exclusive += !!(entry & PM_EXCLUSIVE);
	}
	return exclusive;
}

/*
 * All pages of a THP have the bit of its first page: in Linux 6.1, and again
 * since __folio_page_mapped_exclusively() came to pagemap_pmd_range() in
 * fs/proc/task_mmu.c; Linux 6.12, between the two, is right.
 */
TEST(pagemap_exclusive_bit_of_a_thp)
{
	bool known = !ksft_min_kernel_version(6, 11) ||
		     ksft_min_kernel_version(6, 15);
	size_t page = sysconf(_SC_PAGESIZE), size, half, pages;
	struct proc_vma vma;
	char *place, *at;
	int front, back, status;
	size_t kept, parted;
	long long huge;
	pid_t pid;

	huge = proc_number("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
	if (huge <= 0)
		SKIP(return, "the kernel has no transparent huge pages");
	size = huge;
	half = size / 2;
	pages = half / page;
	place = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, place);
	at = (char *)(((uintptr_t)place + size - 1) & ~(size - 1));
	if (madvise(at, size, MADV_HUGEPAGE))
		SKIP(return, "MADV_HUGEPAGE is refused");
	memset(at, 1, size);
	if (proc_vma(getpid(), (uintptr_t)at, &vma) || vma.anon_huge != size)
		SKIP(return, "the kernel gave no huge page");

	/* What the child has unmapped is mapped once, by us; the rest twice. */
	pid = child_without(at + half, half, &back);
	ASSERT_GT(pid, 0);
	kept = exclusive_pages(at, pages, page);
	parted = exclusive_pages(at + half, pages, page);
	close(back);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	TH_LOG("second half parted: %zu and %zu of %zu pages exclusive", kept,
	       parted, pages);
	if (known && !parted)
		KNOWN_BUG("no page of a THP is exclusive if its first isn't");
	EXPECT_EQ(0, kept);
	EXPECT_EQ(pages, parted);

	pid = child_without(at, half, &front);
	ASSERT_GT(pid, 0);
	parted = exclusive_pages(at, pages, page);
	kept = exclusive_pages(at + half, pages, page);
	close(front);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	TH_LOG("first half parted: %zu and %zu of %zu pages exclusive", parted,
	       kept, pages);
	EXPECT_EQ(pages, parted);
	EXPECT_EQ(0, kept);
}

/* Whether /proc/iomem gives a physical address to memory. */
static bool is_memory(u64 phys, bool *known)
{
	unsigned long long start, end;
	char line[256];
	bool memory = false;
	FILE *f = fopen("/proc/iomem", "r");

	*known = false;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, " %llx-%llx :", &start, &end) != 2)
			continue;
		*known |= end;
		if (start <= phys && phys <= end && strstr(line, "System RAM"))
			memory = true;
	}
	if (f)
		fclose(f);
	return memory;
}

/*
 * kpage_read() in fs/proc/page.c, which took the place of three functions, has
 * no word for frames without a struct page.
 */
TEST(kpageflags_of_frames_without_a_page)
{
	/* On x86, where the interrupt controllers are; below the end of memory. */
	const u64 phys = 0xfec00000;
	size_t page = sysconf(_SC_PAGESIZE);
	bool known = ksft_min_kernel_version(6, 15), readable;
	u64 flags;

#if !defined(__x86_64__)
	SKIP(return, "it is known of x86 only where memory has a hole");
#endif
	if (is_memory(phys, &readable) || !readable)
		SKIP(return, "/proc/iomem tells of no hole there");
	if (proc_kpage("/proc/kpageflags", phys / page, &flags))
		SKIP(return, "less than 4 GiB of memory: no hole is below its end");
	if (known && !flags)
		KNOWN_BUG("kpageflags shows nothing of a frame without a page");
	EXPECT_EQ(KPF_NOPAGE_, flags);
}

#if defined(__x86_64__) || defined(__i386__)
static void run_from(void *page)
{
	void (*function)(void);

	memcpy(&function, &page, sizeof(function));
	function();
	_exit(0);
}
#endif

/*
 * With PAE, vm_get_page_prot() in arch/x86/mm/pgprot.c keeps entries of 64 bits
 * in an unsigned long, and so loses the bit that forbids execution.
 */
TEST(memory_without_prot_exec_is_executable)
{
#if defined(__x86_64__) || defined(__i386__)
	struct mapping m;
	struct ptw_page page;
	struct ptw ptw;
	int status;
	char *at;

	if (!processor_can_forbid_execution())
		SKIP(return, "the processor can't forbid execution");
	ASSERT_OPEN(&ptw);
	ASSERT_EQ(0, mapping_build(&m, &ptw, NULL));
	at = mapping_small(&m, 1);
	ASSERT_NE(NULL, at);
	*at = 0xc3;	/* ret */
	if (!fork())
		run_from(at);
	ASSERT_NE(-1, wait(&status));
	ASSERT_EQ(0, ptw_translate_one(&ptw, m.pid, m.start, &page));
	/* What the entry says, the processor does. */
	EXPECT_EQ(!WIFSIGNALED(status), !!(ptwalk_bits_flags(page.t.bits) & PTWALK_FLAG_EXEC));
	if (!WIFSIGNALED(status) && !kernel_forbids_execution())
		KNOWN_BUG("instructions run from memory that is mapped without PROT_EXEC");
	EXPECT_TRUE(WIFSIGNALED(status));
	mapping_release(&m);
	ptw_close(&ptw);
#else
	SKIP(return, "it is known of x86 only");
#endif
}

/*
 * Leaves free pages behind that were slabs: where their freelist was, a page
 * table would have its share count.
 */
static void soil(void)
{
	const size_t nr = 60000, page = sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, nr * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	for (i = 0; at != MAP_FAILED && i < nr; i += 2)
		mprotect(at + i * page, page, PROT_READ);
	munmap(at, nr * page);
	usleep(300000);		/* they are freed after a grace period */
}

enum {
	SHARE_NO_PAGE = 1, SHARE_BROKEN = 2, SHARE_NOT_EXCLUSIVE = 4,
	SHARE_LOST = 8,
};

/* In a process of its own, whose tables come from what was soiled. */
static int see_share_count(void)
{
	const size_t size = 1UL << 30;
	/* Where no process has tables yet. */
	char *at = mmap((void *)(uintptr_t)0x100000000000ULL, size,
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
			MAP_HUGETLB | 30 << MAP_HUGE_SHIFT, -1, 0);
	int seen = 0, status;
	pid_t child;
	u64 entry;

	if (at == MAP_FAILED)
		return SHARE_NO_PAGE;
	*at = 'x';
	if (proc_pagemap(getpid(), (uintptr_t)at, &entry, 1) != 1)
		return SHARE_BROKEN;
	if (!(entry & PM_EXCLUSIVE))
		seen |= SHARE_NOT_EXCLUSIVE;
	soil();
	child = fork();
	if (!child)
		_exit(*(volatile char *)at != 'x');
	if (child < 0 || waitpid(child, &status, 0) != child)
		return SHARE_BROKEN;
	/* It gets an empty page, or SIGBUS if there is none. */
	return status ? seen | SHARE_LOST : seen;
}

FIXTURE(hugetlb_share_count) { };
FIXTURE_SETUP(hugetlb_share_count) { }
FIXTURE_TEARDOWN(hugetlb_share_count) { }

/*
 * hugetlb_pmd_shared() and copy_hugetlb_page_range() read the share count of
 * tables of all levels; only those of the PMD level have one.
 */
TEST_F_TIMEOUT(hugetlb_share_count, is_read_of_other_tables, 120)
{
	bool known = sizeof(long) == 8, pagemap = known && kernel_since(6, 12);
	int status, seen;
	pid_t child;

	if (proc_number("/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages") <= 0)
		SKIP(return, "no hugetlb page of 1 GiB is free");
	soil();
	child = fork();
	if (!child)
		_exit(see_share_count());
	ASSERT_GT(child, 0);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	seen = WEXITSTATUS(status);
	ASSERT_EQ(0, seen & (SHARE_NO_PAGE | SHARE_BROKEN));
	TH_LOG("%s in pagemap, after fork the page %s",
	       seen & SHARE_NOT_EXCLUSIVE ? "not exclusive" : "exclusive",
	       seen & SHARE_LOST ? "is lost" : "is there");
	if (seen & SHARE_LOST && known)
		KNOWN_BUG("fork doesn't give the child its hugetlb page");
	EXPECT_EQ(0, seen & SHARE_LOST);
	if (seen & SHARE_NOT_EXCLUSIVE && pagemap)
		KNOWN_BUG("a hugetlb page of 1 GiB isn't exclusive");
	EXPECT_EQ(0, seen & SHARE_NOT_EXCLUSIVE);
}

/*
 * do_pagemap_scan() writes regions to the caller each time that its buffer, of
 * as many as a table has entries, is full. If it then comes to the end of what
 * was asked for, walk_end is still where the buffer was full last.
 */
TEST(a_long_scan_ends_where_it_stopped)
{
	const size_t size = sysconf(_SC_PAGESIZE), pages = 4 * size / sizeof(u64);
	struct scan_region *region = calloc(pages, sizeof(*region));
	struct scan scan = {
		.size = sizeof(scan),
		.vec_len = pages,
		.mask = IS_PRESENT,
		.wanted = IS_PRESENT,
	};
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	char *at = mmap(NULL, pages * size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long nr;

	ASSERT_NE(NULL, region);
	ASSERT_NE(MAP_FAILED, at);
	madvise(at, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 1; i < pages; i += 2)
		at[i * size] = 1;
	scan.start = (uintptr_t)at;
	scan.end = (uintptr_t)at + pages * size;
	scan.vec = (uintptr_t)region;
	nr = ioctl(fd, SCAN, &scan);
	if (nr < 0 && errno == ENOTTY)
		SKIP(return, "the kernel has no PAGEMAP_SCAN");
	ASSERT_EQ(pages / 2, nr);
	EXPECT_EQ(scan.end, region[nr - 1].end);
	if (scan.walk_end < scan.end)
		KNOWN_BUG("walk_end is where the kernel's buffer was full last");
	EXPECT_EQ(scan.end, scan.walk_end);
	munmap(at, pages * size);
	free(region);
	close(fd);
}

TEST_HARNESS_MAIN
