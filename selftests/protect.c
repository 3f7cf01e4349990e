// SPDX-License-Identifier: GPL-2.0
/*
 * Entries that the kernel clears for a moment, under their page-table lock,
 * before it sets them again: none of them may be reported as empty. hugetlb
 * pages whose write protection a userfaultfd switches on and off are an example.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/userfaultfd.h>
#include "system.h"
#include "test.h"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT	26
#endif

/* Memory that may be taken, and pages of it. */
#define ROOM		(128UL << 20)
#define PAGES		32
#define SECONDS		8
#define LOOKS		500

/**
 * struct area - hugetlb pages of a process that protects and unprotects them
 * @at: Where; nothing of it is the parent's.
 * @size: Size of one of them.
 * @nr: How many.
 * @reserved: File that says how many there are, and
 * @before: how many there were.
 * @uffd: The userfaultfd.
 * @lacks: Where the process says what is missing; shared.
 */
struct area {
	char *at;
	size_t size, nr;
	char reserved[128];
	long long before;
	int uffd;
	const char **lacks;
};

static int smaller(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/* Size number @nr of hugetlb pages, from the smallest on, or 0. */
static size_t hugetlb_size(size_t nr)
{
	DIR *dir = opendir("/sys/kernel/mm/hugepages");
	size_t size[16], found = 0, kb;
	struct dirent *entry;

	while (dir && found < 16 && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "hugepages-%zukB", &kb) == 1)
			size[found++] = kb << 10;
	if (dir)
		closedir(dir);
	qsort(size, found, sizeof(*size), smaller);
	return nr < found ? size[nr] : 0;
}

static void release(struct area *area)
{
	char text[32];

	if (area->at)
		munmap(area->at, area->nr * area->size);
	if (area->lacks)
		munmap(area->lacks, sizeof(*area->lacks));
	if (area->before < 0)
		return;
	snprintf(text, sizeof(text), "%lld", area->before);
	proc_write(area->reserved, text);
}

/* Asks the kernel for pages; returns what is missing, or NULL. */
static const char *reserve(struct area *area)
{
	char text[32], path[128];
	long long nr;

	area->nr = ROOM / area->size < PAGES ? ROOM / area->size : PAGES;
	if (area->nr < 2)
		return "hugetlb pages of this size are too large";
	snprintf(area->reserved, sizeof(area->reserved),
		 "/sys/kernel/mm/hugepages/hugepages-%zukB/nr_hugepages", area->size >> 10);
	area->before = proc_number(area->reserved);
	snprintf(text, sizeof(text), "%lld", area->before + (long long)area->nr);
	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/hugepages/hugepages-%zukB/free_hugepages", area->size >> 10);
	if (area->before < 0 || proc_write(area->reserved, text))
		return "the kernel has no hugetlb pages";
	nr = proc_number(path);
	if (nr < 2)
		return "no two hugetlb pages could be reserved";
	if (area->nr > nr)
		area->nr = nr;
	return NULL;
}

static bool protect(const struct area *area, bool on)
{
	struct uffdio_writeprotect wp = {
		.range = {
			.start = (uintptr_t)area->at,
			.len = area->nr * area->size,
		},
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	return !ioctl(area->uffd, UFFDIO_WRITEPROTECT, &wp);
}

/* Room for pages of size number @nr; or returns what is missing. */
static const char *find_room(struct area *area, size_t nr)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_HUGETLB;
	const char *lacks;

	*area = (struct area){ .before = -1, .size = hugetlb_size(nr) };
	if (!area->size)
		return "there are no more sizes of hugetlb pages";
	lacks = reserve(area);
	if (lacks)
		return lacks;
	area->lacks = mmap(NULL, sizeof(*area->lacks), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	area->at = mmap(NULL, area->nr * area->size, PROT_READ | PROT_WRITE,
			flags | __builtin_ctzll(area->size) << MAP_HUGE_SHIFT, -1, 0);
	if (area->lacks == MAP_FAILED || area->at == MAP_FAILED)
		return "hugetlb pages can't be mapped";
	return NULL;
}

static const char *make(struct area *area)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP |
			    UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
	};
	struct uffdio_register reg = {
		.range = {
			.start = (uintptr_t)area->at,
			.len = area->nr * area->size,
		},
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	size_t i;

	for (i = 0; i < area->nr; i++)
		*(volatile char *)(area->at + i * area->size) = 1;
	area->uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (area->uffd < 0 || ioctl(area->uffd, UFFDIO_API, &api))
		return "no userfaultfd that can write-protect hugetlb pages";
	if (ioctl(area->uffd, UFFDIO_REGISTER, &reg) || !protect(area, true))
		return "such hugetlb pages can't be write-protected";
	return NULL;
}

/*
 * A process with one thread, so that none of its pages' translations must be
 * flushed elsewhere, which would take far longer than all else.
 */
static void toggle(void *arg, int nr)
{
	struct area *area = arg;
	bool on = false;

	if (!nr)
		*area->lacks = make(area);
	while (nr) {
		protect(area, on);
		on = !on;
	}
}

static char why[256];

#define wrong(...)	(snprintf(why, sizeof(why), __VA_ARGS__), why)

static const char *judge(const struct area *area, u64 addr, u64 bits)
{
	if (ptwalk_bits_kind(bits) == PTWALK_KIND_PRESENT)
		return NULL;
	return wrong("page %zu of %zu kB has the kind %u, level %u",
		     (size_t)(addr - (uintptr_t)area->at) / area->size,
		     area->size >> 10, ptwalk_bits_kind(bits), ptwalk_bits_level(bits));
}

/* All pages by a dump, and by as many translations as a request can have. */
static const char *look(struct ptw *ptw, pid_t pid, const struct area *area)
{
	static struct ptw_page pages[PTWALK_MAX_ADDRESSES];
	u64 start = (uintptr_t)area->at, addrs[PTWALK_MAX_ADDRESSES];
	const char *flaw = NULL;
	struct ptw_dump dump;
	size_t i;

	if (ptw_dump(ptw, pid, start, start + area->nr * area->size - 1, &dump))
		flaw = wrong("the dump failed: %s", ptw->error.message);
	for (i = 0; i < dump.nr && !flaw; i++)
		flaw = judge(area, dump.record[i].extent.addr, dump.record[i].extent.bits);
	ptw_dump_free(&dump);

	for (i = 0; i < PTWALK_MAX_ADDRESSES; i++)
		addrs[i] = start + i % area->nr * area->size;
	if (!flaw && ptw_translate(ptw, pid, addrs, PTWALK_MAX_ADDRESSES, pages))
		flaw = wrong("translate: %s", ptw->error.message);
	for (i = 0; i < PTWALK_MAX_ADDRESSES && !flaw; i++)
		flaw = judge(area, addrs[i], pages[i].t.bits);
	return flaw;
}

FIXTURE(protected)
{
	struct ptw ptw;
	struct area area;
	struct target target;
};

FIXTURE_VARIANT(protected)
{
	size_t size;
};

FIXTURE_VARIANT_ADD(protected, first_size) { .size = 0 };
FIXTURE_VARIANT_ADD(protected, second_size) { .size = 1 };
FIXTURE_VARIANT_ADD(protected, third_size) { .size = 2 };

FIXTURE_SETUP(protected)
{
	const char *lacks;

	ASSERT_OPEN(&self->ptw);
	lacks = find_room(&self->area, variant->size);
	if (!lacks) {
		ASSERT_EQ(0, target_start(&self->target, toggle, &self->area));
		lacks = *self->area.lacks;
	}
	if (lacks) {
		target_end(&self->target);
		release(&self->area);
		SKIP(return, "%s", lacks);
	}
}

FIXTURE_TEARDOWN(protected)
{
	target_end(&self->target);
	release(&self->area);
	ptw_close(&self->ptw);
}

TEST_F(protected, never_empty)
{
	double end = seconds_now() + SECONDS;
	const char *flaw = NULL;
	char byte = 0;
	int looks;

	ASSERT_EQ(1, write(self->target.in, &byte, 1));
	for (looks = 0; looks < LOOKS && !flaw && seconds_now() < end; looks++)
		flaw = look(&self->ptw, self->target.pid, &self->area);
	EXPECT_GOOD(flaw);
	TH_LOG("%d looks at %zu pages of %zu kB", looks, self->area.nr,
	       self->area.size >> 10);
}

/*
 * Where no page was ever touched there are empty entries above the level of the
 * pages, which have the lock of their level: that of the pages isn't there
 * (kernels that keep page-table locks apart from struct page, such as those with
 * lockdep, crash over it).
 */
TEST(hugetlb_never_touched)
{
	const size_t size = 4UL << 30;
	struct ptw_dump dump;
	struct ptw_page page;
	struct ptw ptw;
	char *at;
	size_t i;

	ASSERT_OPEN(&ptw);
	if (sizeof(long) == 4)
		SKIP(return, "no room for so much memory");
	at = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
		  MAP_HUGETLB | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		SKIP(return, "the kernel has no hugetlb pages");
	ASSERT_EQ(0, ptw_dump(&ptw, getpid(), (uintptr_t)at,
			      (uintptr_t)at + size - 1, &dump));
	EXPECT_LT(0, dump.nr);
	for (i = 0; i < dump.nr; i++)
		EXPECT_EQ(PTWALK_KIND_NONE,
			  ptwalk_bits_kind(dump.record[i].extent.bits));
	for (i = 0; i < size; i += 512UL << 20) {
		EXPECT_EQ(0, ptw_translate_one(&ptw, getpid(),
					       (uintptr_t)at + i, &page));
		EXPECT_EQ(PTWALK_KIND_NONE, ptwalk_bits_kind(page.t.bits));
	}
	ptw_dump_free(&dump);
	munmap(at, size);
	ptw_close(&ptw);
}

TEST_HARNESS_MAIN
