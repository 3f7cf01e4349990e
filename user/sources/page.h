/* SPDX-License-Identifier: GPL-2.0 */
/* A page as the page tables map it, and what an interface must show for it. */
#ifndef PTWALK_SOURCES_PAGE_H
#define PTWALK_SOURCES_PAGE_H

#include <stdbool.h>
#include "module/truth.h"

/**
 * struct env - what all comparisons of a run share
 * @kernel: The kernel whose interfaces are under test.
 * @pfn_hidden: The interface was opened without the privilege to see PFNs.
 * @known_bugs: Take what a rule calls a bug of the kernel for explained.
 * @around_bugs: The same of sources whose bugs show with very many pages.
 * @careful: What can crash the kernel by bad luck isn't read: nobody named it.
 * @scan_categories: Those that this kernel's PAGEMAP_SCAN knows.
 * @memcg: Memory is charged to cgroups.
 * @many_nodes: There are several NUMA nodes; or else only @node, which is 0 in a
 *	recording: that has the facts of each page where there are several.
 */
struct env {
	const struct ptwalk_kernel *kernel;
	bool pfn_hidden;
	bool known_bugs, around_bugs, careful;
	uint64_t scan_categories;
	bool memcg;
	bool many_nodes;
	int node;
};

/**
 * struct page_truth - a page as the page tables have it
 * @addr: Its address.
 * @value: As in struct ptwalk_extent, for this very page.
 * @bits: As in struct ptwalk_extent.
 * @vma: The VMA that it lies in; NULL for PTWALK_KIND_NO_VMA.
 * @facts: Of the page behind it, if they were asked for, or NULL.
 * @has_cgroup: With the facts, what the page is charged to was told: @cgroup.
 * @gate: /proc/PID/maps lists it, but the process has no VMA there.
 */
struct page_truth {
	uint64_t addr;
	uint64_t value;
	uint64_t bits;
	const struct ptwalk_vma *vma;
	const struct ptwalk_page *facts;
	uint64_t cgroup;
	bool has_cgroup;
	bool gate;
};

#define SOURCE_NO_FRAME	UINT64_MAX

/**
 * struct page_beside - frames of the pages right before and right behind a page
 * @before: A PFN, or SOURCE_NO_FRAME: no page is present there, or nobody has looked.
 * @behind: The same.
 */
struct page_beside {
	uint64_t before, behind;
};

static inline uint32_t page_flags(const struct page_truth *page)
{
	return ptwalk_bits_flags(page->bits);
}

static inline unsigned int page_kind(const struct page_truth *page)
{
	return ptwalk_bits_kind(page->bits);
}

static inline bool page_vma_has(const struct page_truth *page, uint64_t flag)
{
	return page->vma && (page->vma->flags & flag);
}

/* The @nr-th page (from 0) of an extent that starts with @first. */
struct page_truth page_at(const struct page_truth *first, uint64_t nr,
			  unsigned int page_shift);

/*
 * Whether the page behind an entry is one of a file or of shared memory. Of hugetlb
 * pages that failed PTWALK_FLAG_ANON isn't said: private ones are taken for anonymous.
 */
bool page_is_file(const struct page_truth *page);

/**
 * struct expectation - what an interface must show for pages in a row
 * @value: For the first page.
 * @step: What is added for each page that follows, as its value of the truth
 *	is one higher; of kinds whose value doesn't ascend it is 0.
 * @mask: The bits that are compared.
 * @no_data: The interface must end before the page instead.
 */
struct expectation {
	uint64_t value;
	uint64_t step;
	uint64_t mask;
	bool no_data;
};

#endif /* PTWALK_SOURCES_PAGE_H */
