// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "area.h"
#include "proc.h"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT	26
#endif

#define SMALL_PAGES	512
#define MF_MOVE		2	/* MPOL_MF_MOVE of linux/mempolicy.h */

u64 area_address(const struct area *area, size_t i)
{
	return (uintptr_t)area->at + i * area->page_size;
}

int area_nodes(void)
{
	int nr = 0;
	char path[64];

	do
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", nr);
	while (!access(path, F_OK) && ++nr);
	return nr;
}

void area_move_to(const struct area *area, int node)
{
	static void *page[AREA_MAX_PAGES];
	static int to[AREA_MAX_PAGES], status[AREA_MAX_PAGES];
	size_t i, nr = area->kind == SMALL ? area->pages : 1;

	for (i = 0; i < nr; i++) {
		page[i] = (void *)(uintptr_t)area_address(area, i);
		to[i] = node;
	}
	syscall(SYS_move_pages, 0, nr, page, to, status, MF_MOVE);
}

void area_fill(const struct area *area)
{
	size_t i;

	if (area->kind == THP)
		madvise(area->at, area_size(area), MADV_HUGEPAGE);
	else if (area->kind == SMALL)
		madvise(area->at, area_size(area), MADV_NOHUGEPAGE);
	for (i = 0; i < area->pages; i++)
		*(volatile size_t *)(area->at + i * area->page_size) = i;
}

/* How many hugetlb pages each node had; -1 if none was asked for. */
static long long hugetlb_before[2] = { -1, -1 };

static void hugetlb_path(char *path, size_t path_size, size_t size, int node,
			 const char *file)
{
	snprintf(path, path_size,
		 "/sys/devices/system/node/node%d/hugepages/hugepages-%zukB/%s", node,
		 size >> 10, file);
}

/*
 * One more on each, for the page and for where it goes. Returns what is
 * missing, or NULL.
 */
static const char *hugetlb_on_each(size_t size)
{
	char path[128], text[32];
	int node;

	for (node = 0; node < 2; node++) {
		hugetlb_path(path, sizeof(path), size, node, "nr_hugepages");
		hugetlb_before[node] = proc_number(path);
		snprintf(text, sizeof(text), "%lld", hugetlb_before[node] + 1);
		if (hugetlb_before[node] < 0 || proc_write(path, text))
			return "the kernel has no hugetlb pages of that size";
		hugetlb_path(path, sizeof(path), size, node, "free_hugepages");
		if (proc_number(path) < 1)
			return "no hugetlb page is free on a node";
	}
	return NULL;
}

void area_release(struct area *area)
{
	char path[128], text[32];
	int node;

	if (area->at)
		munmap(area->at, area_size(area));
	area->at = NULL;
	for (node = 0; node < 2; node++) {
		if (hugetlb_before[node] < 0)
			continue;
		hugetlb_path(path, sizeof(path), area_size(area), node, "nr_hugepages");
		snprintf(text, sizeof(text), "%lld", hugetlb_before[node]);
		proc_write(path, text);
	}
}

const char *area_find_room(struct area *area, const struct ptw_info *info,
			   enum area_kind kind)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	u32 shift = info->shift[PTWALK_LEVEL_PMD];
	const char *lacks;
	size_t size;
	char *at;

	*area = (struct area){ .kind = kind, .page_size = sysconf(_SC_PAGESIZE) };
	area->pages = kind != SMALL && shift ? 1UL << (shift - info->page_shift) : SMALL_PAGES;
	if (kind == THP && !(info->features & PTWALK_FEATURE_THP))
		return "the kernel has no transparent huge pages";
	if (area->pages > AREA_MAX_PAGES)
		return "huge pages are too large";
	size = area_size(area);
	lacks = kind == HUGETLB ? hugetlb_on_each(size) : NULL;
	if (lacks)
		return lacks;
	at = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (at == MAP_FAILED)
		return "there is no room";
	area->at = (char *)(((uintptr_t)at + size - 1) / size * size);
	flags |= MAP_FIXED | MAP_HUGETLB | __builtin_ctzll(size) << MAP_HUGE_SHIFT;
	if (kind == HUGETLB &&
	    mmap(area->at, size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		return "hugetlb pages can't be mapped";
	return NULL;
}
