// SPDX-License-Identifier: GPL-2.0
/*
 * Compares /proc/PID/pagemap with the page-table entries that the kernel's
 * ptwalk_test (CONFIG_PTWALK_TEST) reads, in mappings of several kinds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <asm-generic/mman.h> /* Of tools/include, for MADV_GUARD_INSTALL. */
#include "vm_util.h"
#include "hugepage_settings.h"
#include "../../../../mm/ptwalk_test.h"

#define NR_PAGES	16
#define TRIES		100

static int fd, pagemap = -1, pidfd = -1;

/* Whose memory is looked at from now on. */
static void open_process(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	close(pagemap);
	close(pidfd);
	pagemap = open(path, O_RDONLY);
	pidfd = syscall(__NR_pidfd_open, pid, 0);
	if (pagemap < 0 || pidfd < 0)
		ksft_exit_fail_perror("pagemap or pidfd_open()");
}

/* Returns false if the entry went away under the walk. */
static bool walk(const char *addr, struct ptwalk_test_entry *entry)
{
	struct ptwalk_test test = {
		.entries = (uintptr_t)entry,
		.nr = 1,
		.pidfd = pidfd,
	};

	*entry = (struct ptwalk_test_entry){ .addr = (uintptr_t)addr };
	if (!ioctl(fd, PTWALK_TEST_WALK, &test))
		return true;
	if (errno != EAGAIN)
		ksft_exit_fail_perror("PTWALK_TEST_WALK");
	return false;
}

/*
 * What pagemap must have. Of hugetlb it shows neither swap entries nor the
 * soft-dirty bits of entries.
 */
static uint64_t expected(const struct ptwalk_test_entry *entry)
{
	uint64_t bits = 0;

	if (entry->flags & PTWALK_TEST_VMA_SOFT_DIRTY)
		bits |= PM_SOFT_DIRTY;
	if (entry->flags & PTWALK_TEST_PRESENT)
		bits |= PM_PRESENT | entry->frame;
	if (entry->flags & PTWALK_TEST_UFFD)
		bits |= PM_UFFD_WP;
	if (entry->flags & PTWALK_TEST_HUGETLB)
		return bits;
	if (entry->flags & PTWALK_TEST_SWAP)
		bits |= PM_SWAP | entry->frame;
	if (entry->flags & PTWALK_TEST_SOFT_DIRTY)
		bits |= PM_SOFT_DIRTY;
	if (entry->flags & PTWALK_TEST_GUARD)
		bits |= PM_GUARD_REGION;
	return bits;
}

/*
 * Compares a page, and fills @entry. Reclaim, KSM and khugepaged may change an
 * entry at any time: what is compared was the same before and after pagemap was
 * read. PM_FILE and PM_MMAP_EXCLUSIVE are about the folio, and left out.
 */
static int check_page(char *addr, struct ptwalk_test_entry *entry)
{
	struct ptwalk_test_entry after;
	uint64_t shown, is;
	int i;

	for (i = 0; i < TRIES; i++) {
		if (!walk(addr, entry))
			continue;
		shown = pagemap_get_entry(pagemap, addr);
		if (walk(addr, &after) && !memcmp(entry, &after, sizeof(after)))
			break;
	}
	if (i == TRIES)
		ksft_exit_fail_msg("%p changes all the time\n", addr);
	shown &= ~(PM_FILE | PM_MMAP_EXCLUSIVE);
	is = expected(entry);
	if (shown == is)
		return KSFT_PASS;
	ksft_print_msg("%p: pagemap has %#llx, page tables %#llx; entries from PGD:",
		       addr, (unsigned long long)shown, (unsigned long long)is);
	for (i = 0; i < PTWALK_TEST_LEVELS; i++)
		printf(" %llx", entry->entry[i]);
	printf("\n");
	return KSFT_FAIL;
}

/* Compares @nr pages, all of which must have these @flags. */
static int check(char *addr, size_t nr, unsigned int flags)
{
	struct ptwalk_test_entry entry;

	for (; nr; nr--, addr += psize()) {
		if (check_page(addr, &entry))
			return KSFT_FAIL;
		if ((entry.flags & flags) == flags)
			continue;
		ksft_print_msg("%p: flags %#x, not %#x\n", addr, entry.flags, flags);
		return KSFT_FAIL;
	}
	return KSFT_PASS;
}

static char *map(size_t size, int flags)
{
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (mem == MAP_FAILED)
		ksft_exit_fail_perror("mmap()");
	return mem;
}

/* Small anonymous pages, all written. */
static char *map_anon(void)
{
	size_t size = NR_PAGES * psize();
	char *mem = map(size, MAP_PRIVATE | MAP_ANONYMOUS);

	madvise(mem, size, MADV_NOHUGEPAGE);
	memset(mem, 1, size);
	return mem;
}

static int test_anon(void)
{
	struct ptwalk_test_entry entry;
	char *mem = map_anon();

	if (check(mem, NR_PAGES, PTWALK_TEST_PRESENT))
		return KSFT_FAIL;
	mprotect(mem, psize(), PROT_NONE);
	madvise(mem + psize(), 2 * psize(), MADV_DONTNEED);
	FORCE_READ(mem[psize()]);
	if (check(mem, 2, PTWALK_TEST_PRESENT) ||
	    check_page(mem + 2 * psize(), &entry) || entry.frame)
		return KSFT_FAIL;
	munmap(mem, psize());
	return check_page(mem, &entry) || entry.flags ? KSFT_FAIL : KSFT_PASS;
}

static int test_soft_dirty(void)
{
	char *mem;

	if (!softdirty_supported())
		return KSFT_SKIP;
	mem = map_anon();
	clear_softdirty();
	mem[3 * psize()] = 1;
	return check(mem, NR_PAGES, PTWALK_TEST_PRESENT) ?:
	       check(mem + 3 * psize(), 1, PTWALK_TEST_SOFT_DIRTY);
}

static int test_guard(void)
{
	char *mem = map_anon();

	if (madvise(mem, psize(), MADV_GUARD_INSTALL))
		return KSFT_SKIP;
	return check(mem, 1, PTWALK_TEST_SWAP | PTWALK_TEST_GUARD);
}

static int test_swap(void)
{
	struct ptwalk_test_entry entry;
	char *mem = map_anon();

	madvise(mem, NR_PAGES * psize(), MADV_PAGEOUT);
	if (check(mem, NR_PAGES, PTWALK_TEST_VMA) || check_page(mem, &entry))
		return KSFT_FAIL;
	return entry.flags & PTWALK_TEST_SWAP ? KSFT_PASS : KSFT_SKIP;
}

static int test_shmem(void)
{
	char *mem = map(NR_PAGES * psize(), MAP_SHARED | MAP_ANONYMOUS);

	memset(mem, 1, NR_PAGES * psize());
	return check(mem, NR_PAGES, PTWALK_TEST_PRESENT);
}

static int test_thp(void)
{
	struct ptwalk_test_entry entry;
	size_t size = read_pmd_pagesize();
	char *mem;

	if (!size)
		return KSFT_SKIP;
	mem = map(2 * size, MAP_PRIVATE | MAP_ANONYMOUS);
	mem = (char *)(((uintptr_t)mem + size - 1) & ~(size - 1));
	madvise(mem, size, MADV_HUGEPAGE);
	memset(mem, 1, size);
	if (check(mem, size / psize(), PTWALK_TEST_PRESENT) || check_page(mem, &entry))
		return KSFT_FAIL;
	return entry.level == PTWALK_TEST_PMD ? KSFT_PASS : KSFT_SKIP;
}

static int test_hugetlb(void)
{
	size_t size = default_huge_page_size();
	char *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (mem == MAP_FAILED)
		return KSFT_SKIP;
	memset(mem, 1, size);
	return check(mem, size / psize(), PTWALK_TEST_HUGETLB | PTWALK_TEST_PRESENT);
}

/* Another process, which shares some pages and has written others. */
static int test_child(void)
{
	char *mem = map_anon();
	pid_t pid = fork();
	int status, ret;

	if (!pid) {
		memset(mem, 2, NR_PAGES / 2 * psize());
		raise(SIGSTOP);
		_exit(1);
	}
	if (pid < 0 || waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		ksft_exit_fail_perror("fork() or waitpid()");
	ret = check(mem, NR_PAGES, PTWALK_TEST_PRESENT);
	open_process(pid);
	ret |= check(mem, NR_PAGES, PTWALK_TEST_PRESENT);
	kill(pid, SIGKILL);
	open_process(getpid());
	return ret;
}

int main(void)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} tests[] = {
		{ "anonymous pages, holes, PROT_NONE, nothing", test_anon },
		{ "soft-dirty pages", test_soft_dirty },
		{ "guard region", test_guard },
		{ "swapped pages", test_swap },
		{ "shmem", test_shmem },
		{ "transparent huge page", test_thp },
		{ "hugetlb page", test_hugetlb },
		{ "another process", test_child },
	};
	unsigned int i;

	ksft_print_header();
	fd = open("/sys/kernel/debug/ptwalk_test", O_RDWR);
	if (fd < 0)
		ksft_exit_skip("no ptwalk_test in debugfs: %s\n", strerror(errno));
	open_process(getpid());
	ksft_set_plan(ARRAY_SIZE(tests));
	for (i = 0; i < ARRAY_SIZE(tests); i++)
		ksft_test_result_report(tests[i].run(), "%s\n", tests[i].name);
	ksft_finished();
}
