// SPDX-License-Identifier: GPL-2.0
/* Huge pages, transparent and hugetlb. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "build_huge.h"

#define PTR(p)	((u64)(uintptr_t)(p))

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT	26
#endif

static char *thp_place(struct mapping *m, size_t *size)
{
	*size = mapping_level_size(m, PTWALK_LEVEL_PMD);
	if (!(m->info.features & PTWALK_FEATURE_THP) || !*size ||
	    access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK)) {
		mapping_lacks(m, "the kernel has no transparent huge pages");
		return NULL;
	}
	return mapping_place(m, *size, *size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

char *thp_write(struct mapping *m, size_t *size)
{
	char *at = thp_place(m, size);
	struct proc_vma vma;

	if (!at)
		return NULL;
	if (madvise(at, *size, MADV_HUGEPAGE)) {
		mapping_lacks(m, "MADV_HUGEPAGE: %s", strerror(errno));
		return NULL;
	}
	mapping_write(m, at, *size / m->page_size);
	if (!proc_vma(m->pid, PTR(at), &vma) && vma.anon_huge != *size)
		madvise(at, *size, 25);		/* MADV_COLLAPSE */
	if (proc_vma(m->pid, PTR(at), &vma) || vma.anon_huge != *size) {
		mapping_lacks(m, "the kernel gave no huge page");
		return NULL;
	}
	return at;
}

struct expect expect_thp(struct mapping *m, const char *at, size_t pages)
{
	struct expect e = expect_anon(m, at, pages);

	e.level = PTWALK_LEVEL_PMD;
	e.set |= PTWALK_FLAG_LARGE | PTWALK_FLAG_HEAD_EXCLUSIVE;
	e.vma_set |= PTWALK_VMA_FLAG_HUGEPAGE;
	e.kpage_set |= KPF_THP_;
	return e;
}

BUILDER(thp)
{
	size_t size;
	char *at = thp_write(m, &size);

	if (!at)
		return;
	mapping_expect(m, expect_thp(m, at, size / m->page_size));
	/* 2 MiB with the 12 bits of a fraction are 2^33 (smaps_account()). */
	if (sizeof(long) < 8)
		m->bug = "pss-overflow";
}

/* The checks look at some pages in the middle of it only. */
BUILDER(thp_offset)
{
	size_t size, skip = 3;
	char *at = thp_write(m, &size);
	struct expect *e;
	u64 first;

	if (!at)
		return;
	if (!mapping_frame(m, at, &first))
		return;
	m->start += skip * m->page_size;
	m->pages = 7;
	e = mapping_expect(m, expect_thp(m, at + skip * m->page_size, m->pages));
	e->pfn = first + skip;
}

/* One page is unmapped: the others stay where they are, in small entries. */
BUILDER(thp_parted)
{
	size_t size, hole = 5, pages;
	char *at = thp_write(m, &size);
	struct expect *e;

	if (!at)
		return;
	pages = size / m->page_size;
	/* Or khugepaged makes one of them again. */
	madvise(at, size, MADV_NOHUGEPAGE);
	if (madvise(at + hole * m->page_size, m->page_size, MADV_DONTNEED))
		return mapping_broken(m, "MADV_DONTNEED: %s", strerror(errno));
	e = mapping_expect(m, expect_anon(m, at, hole));
	/* Older kernels moved the bit to the pages when they split the entry. */
	e->set &= ~PTWALK_FLAG_DIRTY;
	e = mapping_expect(m, *e);
	e->addr = PTR(at) + (hole + 1) * m->page_size;
	e->pages = pages - hole - 1;
	e = mapping_expect(m, expect_empty(at + hole * m->page_size, 1));
	e->level = PTWALK_LEVEL_PTE;
}

/* A second process has the same huge page, in a huge entry of its own. */
static void hold_still(void *arg, int nr)
{
}

BUILDER(thp_forked)
{
	size_t size;
	char *at = thp_write(m, &size);
	struct expect *e;

	if (!at)
		return;
	if (target_start(&m->target, hold_still, NULL))
		return mapping_broken(m, "no second process");
	e = mapping_expect(m, expect_thp(m, at, size / m->page_size));
	e->set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_HEAD_EXCLUSIVE);
	e->clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_EXCLUSIVE;
	e->pagemap_set &= ~PM_EXCLUSIVE;
	e->pagemap_clear |= PM_EXCLUSIVE;
	mapping_relate(m, PTR(at), PTR(at), true);
	m->relation[0].pid[1] = m->target.pid;
}

/* A huge entry that allows nothing has its frame stored otherwise on x86. */
BUILDER(thp_prot_none)
{
	size_t size;
	char *at = thp_write(m, &size);
	struct expect *e;
	u64 before;

	if (!at)
		return;
#ifdef __arm__
	/* Documentation/kernel-bugs/arm-pmd-prot-none.txt */
	return mapping_lacks(m, "to unmap such a page crashes 32-bit arm");
#endif
	if (!mapping_frame(m, at, &before))
		return;
	if (mprotect(at, size, PROT_NONE))
		return mapping_broken(m, "mprotect: %s", strerror(errno));
	/* smaps passes over it: Documentation/kernel-bugs/smaps-thp-prot-none.txt. */
	if (kernel_since(6, 1) && !kernel_since(6, 12))
		m->bug = "thp-prot-none-bug";
	e = mapping_expect(m, expect_thp(m, at, size / m->page_size));
	e->set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_USER);
	e->set |= PTWALK_FLAG_PROT_NONE;
	e->clear &= ~PTWALK_FLAG_PROT_NONE;
	e->clear |= PTWALK_FLAG_WRITE | PTWALK_FLAG_NUMA_HINT;
	e->vma_set &= ~(PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE);
	e->pfn = before;
}

/* The first half is unmapped; the folio stays whole until memory is short. */
BUILDER(thp_cut)
{
	size_t size, half, skip;
	char *at = thp_write(m, &size);
	struct expect *e;
	u64 before;

	if (!at)
		return;
	half = size / 2;
	skip = half / m->page_size;
	if (!mapping_frame(m, at, &before))
		return;
	if (munmap(at, half))
		return mapping_broken(m, "munmap: %s", strerror(errno));
	m->start += half;
	m->pages = skip;
	e = mapping_expect(m, expect_anon(m, at + half, skip));
	e->set &= ~PTWALK_FLAG_DIRTY;
	e->pfn = before + skip;
}

/* A large folio that is smaller than a PMD maps, and so mapped by PTEs. */
static void build_mthp(struct mapping *m, size_t size)
{
	char enabled[128], stat[128];
	struct expect *e;
	long long before;
	char *at;

	snprintf(enabled, sizeof(enabled),
		 "/sys/kernel/mm/transparent_hugepage/hugepages-%zukB/enabled", size >> 10);
	snprintf(stat, sizeof(stat),
		 "/sys/kernel/mm/transparent_hugepage/hugepages-%zukB/stats/anon_fault_alloc",
		 size >> 10);
	if (access(enabled, W_OK) || size <= m->page_size)
		return mapping_lacks(m, "the kernel has no %zuK folios of anonymous memory",
				     size >> 10);
	at = mapping_place(m, size, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!at)
		return;
	if (proc_write(enabled, "madvise") || madvise(at, size, MADV_HUGEPAGE))
		return mapping_lacks(m, "such folios can't be had: %s", strerror(errno));
	before = proc_number(stat);
	mapping_write(m, at, size / m->page_size);
	/* Other tests want their memory in other sizes. */
	proc_write(enabled, "never");
	if (proc_number(stat) <= before)
		return mapping_lacks(m, "the kernel gave no %zuK folio", size >> 10);
	e = mapping_expect(m, expect_anon(m, at, size / m->page_size));
	e->set |= PTWALK_FLAG_LARGE;
#ifdef __aarch64__
	/* 16 entries make a contiguous block where a page has 4K. */
	if (m->page_size == 4096 && size >= 65536)
		e->set |= PTWALK_FLAG_CONT;
#endif
	e->vma_set |= PTWALK_VMA_FLAG_HUGEPAGE;
	e->kpage_set |= KPF_THP_;
}

BUILDER(mthp_16k)
{
	build_mthp(m, 16 << 10);
}

BUILDER(mthp_64k)
{
	build_mthp(m, 64 << 10);
}

BUILDER(mthp_256k)
{
	build_mthp(m, 256 << 10);
}

BUILDER(mthp_1m)
{
	build_mthp(m, 1 << 20);
}

/* How often there was no memory for a huge page, or for its entry. */
static long long huge_failures(void)
{
	return proc_vmstat("thp_zero_page_alloc_failed") +
	       proc_vmstat("thp_fault_fallback");
}

BUILDER(huge_zero_page)
{
	long long failed;
	size_t size;
	char *at = thp_place(m, &size);

	if (!at)
		return;
	if (madvise(at, size, MADV_HUGEPAGE))
		return mapping_lacks(m, "MADV_HUGEPAGE: %s", strerror(errno));
	if (proc_number("/sys/kernel/mm/transparent_hugepage/use_zero_page") != 1)
		return mapping_lacks(m, "use_zero_page is off");
	failed = huge_failures();
	mapping_read(m, at, 1);
	if (huge_failures() != failed)
		return mapping_lacks(m, "the kernel had no memory for a huge page");
	mapping_expect(m, (struct expect) {
		.addr = PTR(at),
		.pages = size / m->page_size,
		.kinds = KIND(PRESENT),
		.level = PTWALK_LEVEL_PMD,
		.set = PTWALK_FLAG_ZERO,
		.clear = PTWALK_FLAG_WRITE | PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_ANONYMOUS,
		.pagemap_set = PM_PRESENT,
		.pagemap_clear = PM_SWAP,
		.kpage_set = KPF_ZERO_PAGE_,
		.kpage_clear = KPF_ANON_,
		.distinct = true,
	});
}

void hugetlb_put_back(struct mapping *m)
{
	char text[32];

	munmap((void *)(uintptr_t)m->start, m->pages * m->page_size);
	snprintf(text, sizeof(text), "%lld", m->saved_number);
	proc_write(m->saved, text);
}

bool hugetlb_reserve(struct mapping *m, u64 size)
{
	char path[128], text[32];
	long long free;

	snprintf(m->saved, sizeof(m->saved),
		 "/sys/kernel/mm/hugepages/hugepages-%llukB/nr_hugepages", size / 1024);
	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/hugepages/hugepages-%llukB/free_hugepages", size / 1024);
	m->saved_number = proc_number(m->saved);
	if (m->saved_number < 0) {
		mapping_lacks(m, "the kernel has no hugetlb pages of %llu kB", size / 1024);
		return false;
	}
	snprintf(text, sizeof(text), "%lld", m->saved_number + 1);
	proc_write(m->saved, text);
	free = proc_number(path);
	if (free > 0) {
		m->release = hugetlb_put_back;
		return true;
	}
	snprintf(text, sizeof(text), "%lld", m->saved_number);
	proc_write(m->saved, text);
	mapping_lacks(m, "no hugetlb page of %llu kB could be reserved", size / 1024);
	return false;
}

char *hugetlb_place(struct mapping *m, u64 size, int flags)
{
	char *at;

	if (size > SIZE_MAX / 4) {
		mapping_lacks(m, "no room for a page of %llu kB", size / 1024);
		return NULL;
	}
	if (!hugetlb_reserve(m, size))
		return NULL;
	at = mapping_place(m, size, size, PROT_READ | PROT_WRITE,
			   flags | MAP_ANONYMOUS | MAP_HUGETLB |
			   __builtin_ctzll(size) << MAP_HUGE_SHIFT, -1);
	return at;
}

/* The lowest level whose entries cover no more than @size. */
static int hugetlb_level(struct mapping *m, u64 size)
{
	int level, found = PTWALK_LEVEL_PTE;

	for (level = 0; level < PTWALK_LEVELS; level++)
		if (m->info.shift[level] && 1ULL << m->info.shift[level] <= size)
			found = level;
	return found;
}

struct expect hugetlb_expect(struct mapping *m, const char *at, u64 size,
			     bool shared)
{
	struct expect e = {
		.addr = PTR(at),
		.pages = size / m->page_size,
		.kinds = KIND(PRESENT),
		.level = hugetlb_level(m, size),
		.set = PTWALK_FLAG_WRITE | PTWALK_FLAG_USER |
		       PTWALK_FLAG_DIRTY | PTWALK_FLAG_PAGE |
		       PTWALK_FLAG_HUGETLB | PTWALK_FLAG_LARGE |
		       PTWALK_FLAG_RAM,
		.clear = PTWALK_FLAG_ZERO | PTWALK_FLAG_SPECIAL |
			 PTWALK_FLAG_MAYBE_SHARED | PTWALK_FLAG_PMD_SHARED,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_HUGETLB,
		.pagemap_set = PM_PRESENT,
		.pagemap_clear = PM_SWAP,
		.kpage_set = KPF_HUGE_,
		.kpage_clear = KPF_THP_ | KPF_NOPAGE_,
		.distinct = true,
	};

	if (1ULL << m->info.shift[e.level] != size)
		e.set |= PTWALK_FLAG_CONT;
	if (shared) {
		e.clear |= PTWALK_FLAG_ANON;
		e.vma_set |= PTWALK_VMA_FLAG_SHARED;
		e.pagemap_set |= PM_FILE;
	} else {
		e.set |= PTWALK_FLAG_ANON;
		e.pagemap_set |= PM_EXCLUSIVE;
		e.pagemap_clear |= PM_FILE;
	}
	if (e.level != PTWALK_LEVEL_PMD && kernel_since(6, 12) &&
	    m->info.flags & PTWALK_FLAG_PMD_SHARED) {
		m->bug = "hugetlb-share-count-bug";
		e.pagemap_lost = PM_EXCLUSIVE;
	}
	return e;
}

u64 hugetlb_default_size(void)
{
	long long kb = proc_field("/proc/meminfo", "Hugepagesize");

	return kb > 0 ? kb * 1024 : 0;
}

char *hugetlb_usual(struct mapping *m, int flags)
{
	u64 size = hugetlb_default_size();

	if (size)
		return hugetlb_place(m, size, flags);
	mapping_lacks(m, "the kernel has no hugetlb pages");
	return NULL;
}

char *hugetlb_write(struct mapping *m, int flags)
{
	char *at = hugetlb_usual(m, flags);

	if (at)
		mapping_write(m, at, 1);
	return at;
}

/*
 * Of the sizes that aren't the default, number @nr in ascending order, or in
 * descending order from -1 on; 0 if there are fewer.
 */
static u64 other_size(int nr)
{
	DIR *dir = opendir("/sys/kernel/mm/hugepages");
	u64 usual = hugetlb_default_size(), sizes[16], kb;
	struct dirent *entry;
	int found = 0, i;

	while (dir && (entry = readdir(dir))) {
		if (found == 16 ||
		    sscanf(entry->d_name, "hugepages-%llukB", &kb) != 1 ||
		    kb * 1024 == usual)
			continue;
		for (i = found++; i && sizes[i - 1] > kb * 1024; i--)
			sizes[i] = sizes[i - 1];
		sizes[i] = kb * 1024;
	}
	if (dir)
		closedir(dir);
	if (nr < 0)
		nr += found;
	return nr >= 0 && nr < found ? sizes[nr] : 0;
}

static bool is_exclusive(struct mapping *m)
{
	u64 entry;

	return proc_pagemap(m->pid, m->start, &entry, 1) == 1 && entry & PM_EXCLUSIVE;
}

/* Leaves free pages behind that were tables of the PMD level. */
static void free_pmd_tables(struct mapping *m)
{
	const size_t nr = 64, reach = mapping_level_size(m, PTWALK_LEVEL_PUD);
	char *at;
	size_t i;

	if (!reach)
		return;
	at = mmap(NULL, nr * reach, PROT_READ,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return;
	for (i = 0; i < nr; i++)
		mapping_read(m, at + i * reach, 1);
	munmap(at, nr * reach);
	usleep(50000);		/* they are freed after a grace period */
}

/*
 * Whether such a page shows the bug is left to chance, which no test must be: it
 * is moved to new tables until it doesn't. What was a PMD table has a share count
 * of 0, so sooner or later one is found.
 */
static char *leave_soiled_table(struct mapping *m, char *at, u64 size)
{
	/* Where no process has tables yet: behind 16 TiB, a PGD entry further each time. */
	const u64 place = 1ULL << 44, step = 1ULL << 39;
	int i;

	for (i = 0; i < 32 && !is_exclusive(m); i++) {
		char *to = (char *)(uintptr_t)(place + i * step);

		free_pmd_tables(m);
		if (mremap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
			break;
		at = to;
		m->start = PTR(at);
	}
	return at;
}

static void build_hugetlb(struct mapping *m, u64 size, bool shared)
{
	struct expect *e;
	char *at;

	if (!size)
		return mapping_lacks(m, "the kernel has no such hugetlb size");
	at = hugetlb_place(m, size, shared ? MAP_SHARED : MAP_PRIVATE);
	if (!at)
		return;
	mapping_write(m, at, 1);
	e = mapping_expect(m, hugetlb_expect(m, at, size, shared));
	if (m->bug && !shared)
		e->addr = PTR(leave_soiled_table(m, at, size));
}

BUILDER(hugetlb_private)
{
	build_hugetlb(m, hugetlb_default_size(), false);
}

BUILDER(hugetlb_shared)
{
	build_hugetlb(m, hugetlb_default_size(), true);
}

BUILDER(hugetlb_smallest)
{
	if (other_size(0) == other_size(-1))
		return mapping_lacks(m, "the kernel has no third hugetlb size");
	build_hugetlb(m, other_size(0), false);
}

/* arm64's third of four: contiguous entries of the PMD level. */
BUILDER(hugetlb_second)
{
	if (!other_size(2))
		return mapping_lacks(m, "the kernel has no fourth hugetlb size");
	build_hugetlb(m, other_size(-2), false);
}

BUILDER(hugetlb_largest)
{
	build_hugetlb(m, other_size(-1), false);
}

/* A second process has the page, too, which is private to both. */
BUILDER(hugetlb_forked)
{
	char *at = hugetlb_write(m, MAP_PRIVATE);
	struct expect *e;

	if (!at)
		return;
	if (target_start(&m->target, hold_still, NULL))
		return mapping_broken(m, "no second process");
	e = mapping_expect(m, hugetlb_expect(m, at, m->pages * m->page_size, false));
	e->set &= ~PTWALK_FLAG_WRITE;
	e->set |= PTWALK_FLAG_MAYBE_SHARED;
	e->clear &= ~PTWALK_FLAG_MAYBE_SHARED;
	e->clear |= PTWALK_FLAG_WRITE;
	e->pagemap_set &= ~PM_EXCLUSIVE;
	e->pagemap_clear |= PM_EXCLUSIVE;
	mapping_relate(m, PTR(at), PTR(at), true);
	m->relation[0].pid[1] = m->target.pid;
}

BUILDER(hugetlb_prot_none)
{
	char *at = hugetlb_write(m, MAP_PRIVATE);
	struct expect *e;

	if (!at)
		return;
	if (mprotect(at, m->pages * m->page_size, PROT_NONE))
		return mapping_broken(m, "mprotect: %s", strerror(errno));
	e = mapping_expect(m, hugetlb_expect(m, at, m->pages * m->page_size, false));
	e->set &= ~(PTWALK_FLAG_WRITE | PTWALK_FLAG_USER);
	e->set |= PTWALK_FLAG_PROT_NONE;
	e->clear |= PTWALK_FLAG_WRITE;
}

static void read_first(void *arg, int nr)
{
	struct mapping *m = arg;

	mapping_read(m, (char *)(uintptr_t)m->start, 1);
}

/*
 * A whole PUD of a file that two processes map at the same place: they have
 * the PMD table in common. One page of it is enough.
 */
BUILDER(hugetlb_shared_table)
{
	u64 whole = mapping_level_size(m, PTWALK_LEVEL_PUD);
	u64 size = hugetlb_default_size();
	struct expect *e;
	char *at;

	if (!size || !whole || size != mapping_level_size(m, PTWALK_LEVEL_PMD))
		return mapping_lacks(m, "the kernel has no hugetlb pages that PMDs map");
	if (whole > 4ULL << 30)
		return mapping_lacks(m, "a PUD maps %llu GB", whole >> 30);
	if (!hugetlb_reserve(m, size))
		return;
	m->fd = memfd_create("ptwalk", MFD_CLOEXEC | MFD_HUGETLB);
	if (m->fd < 0 || ftruncate(m->fd, whole))
		return mapping_broken(m, "a memfd of hugetlb pages: %s", strerror(errno));
	at = mapping_place(m, whole, whole, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_NORESERVE, m->fd);
	if (!at)
		return;
	m->pages = size / m->page_size;
	mapping_write(m, at, 1);
	if (target_start(&m->target, read_first, m))
		return mapping_broken(m, "no second process");
	e = mapping_expect(m, hugetlb_expect(m, at, size, true));
	e->set |= PTWALK_FLAG_PMD_SHARED;
	/* Linux 6.1 takes the one table for the one who maps the page. */
	e->clear &= ~(PTWALK_FLAG_PMD_SHARED | PTWALK_FLAG_MAYBE_SHARED);
	mapping_relate(m, PTR(at), PTR(at), true);
	m->relation[0].pid[1] = m->target.pid;
}

BUILDER(hugetlb_untouched)
{
	char *at = hugetlb_usual(m, MAP_PRIVATE);

	if (at)
		mapping_expect(m, expect_empty(at, m->pages))->vma_set = PTWALK_VMA_FLAG_HUGETLB;
}
