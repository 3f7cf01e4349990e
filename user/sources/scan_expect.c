// SPDX-License-Identifier: GPL-2.0
/*
 * What Documentation/admin-guide/mm/pagemap.rst says that PAGEMAP_SCAN
 * reports. Where a kernel does otherwise by design, that is a rule (check/rules.c).
 *
 * PAGE_IS_WRITTEN is compared in mappings that userfaultfd write-protects:
 * there it means the same on all kernels. Memory that isn't populated counts
 * as written, for where it was protected a marker would stand. Elsewhere what
 * it means has changed again and again, and two scans of the same kernel must
 * agree on it, no more.
 * PAGE_IS_WPALLOWED in such mappings depends on how they were registered,
 * which no page table tells. PAGE_IS_ACCESSED is about mappings that
 * userfaultfd protects from reading, and there means that a page isn't.
 */
#include "proc/pagemap_bits.h"
#include "sources/source.h"

static uint64_t entry_categories(const struct page_truth *truth)
{
	unsigned int kind = ptwalk_bits_kind(truth->bits);
	uint32_t flags = ptwalk_bits_flags(truth->bits);
	bool file = page_is_file(truth);
	uint64_t categories = 0;

	if (kind == PTWALK_KIND_PRESENT) {
		categories |= SCAN_PRESENT;
		if (file)
			categories |= SCAN_FILE;
		if (flags & PTWALK_FLAG_ZERO)
			categories |= SCAN_PFNZERO;
	} else {
		categories |= SCAN_SWAPPED;
		if (kind_has_frame(kind) && file)
			categories |= SCAN_FILE;
		if (kind == PTWALK_KIND_MARKER &&
		    (truth->value & PTWALK_MARKER_GUARD))
			categories |= SCAN_GUARD;
	}
	if ((truth->vma->flags & PTWALK_VMA_FLAG_HUGETLB) ||
	    ptwalk_bits_level(truth->bits) == PTWALK_LEVEL_PMD)
		categories |= SCAN_HUGE;
	if (flags & PTWALK_FLAG_SOFT_DIRTY)
		categories |= SCAN_SOFT_DIRTY;
	if (!(flags & PTWALK_FLAG_UFFD_WP)) {
		categories |= SCAN_WRITTEN;
		if (truth->vma->flags & PTWALK_VMA_FLAG_UFFD_RWP)
			categories |= SCAN_ACCESSED;
	}
	return categories;
}

void expect_scan(const struct env *env, const struct page_truth *truth,
		 struct expectation *out)
{
	unsigned int kind = ptwalk_bits_kind(truth->bits);
	uint64_t left_out = SCAN_WRITTEN;

	out->value = 0;
	out->step = 0;
	out->mask = SCAN_COMPARED;
	out->no_data = false;
	if (kind == PTWALK_KIND_NO_VMA || !truth->vma)
		return;

	out->value = SCAN_REPORTED;
	if (kind != PTWALK_KIND_NONE && kind != PTWALK_KIND_BAD)
		out->value |= entry_categories(truth);
	if (truth->vma->flags & PTWALK_VMA_FLAG_SOFTDIRTY)
		out->value |= SCAN_SOFT_DIRTY;
	if (truth->vma->flags & PTWALK_VMA_FLAG_UFFD_WP) {
		left_out |= SCAN_WPALLOWED;
		if (kind == PTWALK_KIND_NONE)
			out->value |= SCAN_WRITTEN;
		if (kind != PTWALK_KIND_BAD)
			left_out &= ~SCAN_WRITTEN;
	}
	out->value &= env->scan_categories | SCAN_REPORTED;
	out->mask &= ~left_out;
	out->value &= out->mask;
}
