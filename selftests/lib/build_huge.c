// SPDX-License-Identifier: GPL-2.0
/* Huge pages, transparent and hugetlb. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mapping.h"

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

static char *thp_write(struct mapping *m, size_t *size)
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

static struct expect expect_thp(struct mapping *m, const char *at, size_t pages)
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
	struct expect e;

	if (!at)
		return;
	e = expect_thp(m, at, size / m->page_size);
	mapping_expect(m, &e);
	/* 2 MiB with the 12 bits of a fraction are 2^33 (smaps_account()). */
	if (sizeof(long) < 8)
		m->bug = "pss-overflow";
}

/* The checks look at some pages in the middle of it only. */
BUILDER(thp_offset)
{
	size_t size, skip = 3;
	char *at = thp_write(m, &size);
	struct ptw_page first;
	struct expect e;
	struct ptw ptw;

	if (!at)
		return;
	if (ptw_open(&ptw) || ptw_translate_one(&ptw, m->pid, PTR(at), &first))
		return mapping_broken(m, "the first page can't be translated");
	ptw_close(&ptw);
	m->start += skip * m->page_size;
	m->pages = 7;
	e = expect_thp(m, at + skip * m->page_size, m->pages);
	e.pfn = first.t.value + skip;
	mapping_expect(m, &e);
}

/* One page is unmapped: the others stay where they are, in small entries. */
BUILDER(thp_parted)
{
	size_t size, hole = 5, pages;
	char *at = thp_write(m, &size);
	struct expect e;

	if (!at)
		return;
	pages = size / m->page_size;
	if (madvise(at + hole * m->page_size, m->page_size, MADV_DONTNEED))
		return mapping_broken(m, "MADV_DONTNEED: %s", strerror(errno));
	/* Or khugepaged makes one of them again. */
	madvise(at, size, MADV_NOHUGEPAGE);
	e = expect_anon(m, at, hole);
	/* Older kernels moved the bit to the pages when they split the entry. */
	e.set &= ~PTWALK_FLAG_DIRTY;
	mapping_expect(m, &e);
	e.addr = PTR(at) + (hole + 1) * m->page_size;
	e.pages = pages - hole - 1;
	mapping_expect(m, &e);
	e = (struct expect) {
		.addr = PTR(at) + hole * m->page_size,
		.pages = 1,
		.kinds = KIND(NONE),
		.level = PTWALK_LEVEL_PTE,
		.pfn = ANY_PFN,
		.pagemap_clear = ~PM_SOFT_DIRTY,
	};
	mapping_expect(m, &e);
}

/* A large folio that is smaller than a PMD maps, and so mapped by PTEs. */
BUILDER(mthp)
{
	const char *dir = "/sys/kernel/mm/transparent_hugepage/hugepages-64kB";
	size_t size = 64 << 10;
	char enabled[128], stat[128];
	struct expect e;
	long long before;
	char *at;

	snprintf(enabled, sizeof(enabled), "%s/enabled", dir);
	snprintf(stat, sizeof(stat), "%s/stats/anon_fault_alloc", dir);
	if (access(enabled, W_OK) || size <= m->page_size)
		return mapping_lacks(m, "the kernel has no 64K folios of anonymous memory");
	at = mapping_place(m, size, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!at)
		return;
	if (proc_write(enabled, "madvise") || madvise(at, size, MADV_HUGEPAGE))
		return mapping_lacks(m, "64K folios can't be had: %s", strerror(errno));
	before = proc_number(stat);
	mapping_write(m, at, size / m->page_size);
	if (proc_number(stat) <= before)
		return mapping_lacks(m, "the kernel gave no 64K folio");
	e = expect_anon(m, at, size / m->page_size);
	e.set |= PTWALK_FLAG_LARGE;
	e.vma_set |= PTWALK_VMA_FLAG_HUGEPAGE;
	e.kpage_set |= KPF_THP_;
	mapping_expect(m, &e);
}

BUILDER(huge_zero_page)
{
	size_t size;
	char *at = thp_place(m, &size);
	struct expect e;

	if (!at)
		return;
	if (madvise(at, size, MADV_HUGEPAGE))
		return mapping_lacks(m, "MADV_HUGEPAGE: %s", strerror(errno));
	if (proc_number("/sys/kernel/mm/transparent_hugepage/use_zero_page") != 1)
		return mapping_lacks(m, "use_zero_page is off");
	mapping_read(m, at, 1);
	e = (struct expect) {
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
	};
	mapping_expect(m, &e);
}

static void put_back_hugepages(struct mapping *m)
{
	char text[32];

	munmap((void *)(uintptr_t)m->start, m->pages * m->page_size);
	snprintf(text, sizeof(text), "%lld", m->saved_number);
	proc_write(m->saved, text);
}

/* Has one more huge page of @size ready, and has it put back at the end. */
static bool reserve_hugepage(struct mapping *m, u64 size)
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
	if (free > 0)
		return true;
	snprintf(text, sizeof(text), "%lld", m->saved_number);
	proc_write(m->saved, text);
	mapping_lacks(m, "no hugetlb page of %llu kB could be reserved", size / 1024);
	return false;
}

static char *hugetlb_place(struct mapping *m, u64 size, int flags)
{
	char *at;

	if (size > SIZE_MAX / 4) {
		mapping_lacks(m, "no room for a page of %llu kB", size / 1024);
		return NULL;
	}
	if (!reserve_hugepage(m, size))
		return NULL;
	m->release = put_back_hugepages;
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

static void expect_hugetlb(struct mapping *m, char *at, u64 size, bool shared)
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
	mapping_expect(m, &e);
}

static u64 default_size(void)
{
	long long kb = proc_field("/proc/meminfo", "Hugepagesize");

	return kb > 0 ? kb * 1024 : 0;
}

/* The smallest size, or the largest one, that isn't the default; or 0. */
static u64 other_size(bool largest)
{
	DIR *dir = opendir("/sys/kernel/mm/hugepages");
	u64 usual = default_size(), found = 0;
	struct dirent *entry;
	u64 kb;

	while (dir && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, "hugepages-%llukB", &kb) != 1 ||
		    kb * 1024 == usual)
			continue;
		if (!found || (largest ? kb * 1024 > found : kb * 1024 < found))
			found = kb * 1024;
	}
	if (dir)
		closedir(dir);
	return found;
}

static void build_hugetlb(struct mapping *m, u64 size, bool shared)
{
	char *at;

	if (!size)
		return mapping_lacks(m, "the kernel has no such hugetlb size");
	at = hugetlb_place(m, size, shared ? MAP_SHARED : MAP_PRIVATE);
	if (!at)
		return;
	mapping_write(m, at, 1);
	expect_hugetlb(m, at, size, shared);
}

BUILDER(hugetlb_private)
{
	build_hugetlb(m, default_size(), false);
}

BUILDER(hugetlb_shared)
{
	build_hugetlb(m, default_size(), true);
}

BUILDER(hugetlb_smallest)
{
	u64 size = other_size(false);

	if (size == other_size(true))
		return mapping_lacks(m, "the kernel has no third hugetlb size");
	build_hugetlb(m, size, false);
}

BUILDER(hugetlb_largest)
{
	build_hugetlb(m, other_size(true), false);
}

BUILDER(hugetlb_untouched)
{
	u64 size = default_size();
	struct expect e;
	char *at;

	if (!size)
		return mapping_lacks(m, "the kernel has no hugetlb pages");
	at = hugetlb_place(m, size, MAP_PRIVATE);
	if (!at)
		return;
	e = (struct expect) {
		.addr = PTR(at),
		.pages = size / m->page_size,
		.kinds = KIND(NONE),
		.level = ANY_LEVEL,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_HUGETLB,
		.pagemap_clear = ~PM_SOFT_DIRTY,
	};
	mapping_expect(m, &e);
}
