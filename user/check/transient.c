// SPDX-License-Identifier: GPL-2.0
/* States that a page may be in for a moment while its process sleeps. */
#include <errno.h>
#include <string.h>
#include "check/transient.h"
#include "proc/pagemap_bits.h"
#include "sources/source.h"

/* What tells of other mappings of a page, in entries and in facts. */
#define COUNT_FLAGS							\
	(PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_HEAD_EXCLUSIVE |		\
	 PTWALK_FLAG_MAYBE_SHARED | PTWALK_FLAG_PMD_SHARED)

/* Others may change its map count while this process sleeps. */
static bool is_shareable(const struct page_truth *truth)
{
	uint32_t flags = page_flags(truth);

	return (flags & PTWALK_FLAG_PAGE) &&
	       (!(flags & PTWALK_FLAG_ANON) || (flags & PTWALK_FLAG_KSM) ||
		!(flags & PTWALK_FLAG_EXCLUSIVE));
}

static bool shows(const struct env *env, const struct source *source,
		  const struct page_truth *truth, uint64_t seen)
{
	return compare_page(env, source, truth, seen, true).verdict !=
	       VERDICT_MISMATCH;
}

/* The same with any part of @change changed. */
static bool shows_with(const struct env *env, const struct source *source,
		       const struct page_truth *truth, uint32_t change,
		       uint64_t seen)
{
	struct page_truth page = *truth;
	uint32_t part = change;

	for (;; part = (part - 1) & change) {
		page.bits = truth->bits ^ (uint64_t)part << PTWALK_BITS_FLAGS_SHIFT;
		if (shows(env, source, &page, seen))
			return true;
		if (!part)
			return false;
	}
}

/* As an entry of @kind that has the same page. */
static struct page_truth as_kind(const struct page_truth *truth,
				 unsigned int kind, unsigned int aux)
{
	const uint32_t kept = PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON |
			      PTWALK_FLAG_KSM | PTWALK_FLAG_RAM |
			      PTWALK_FLAG_LARGE | PTWALK_FLAG_HUGETLB |
			      PTWALK_FLAG_SOFT_DIRTY | PTWALK_FLAG_UFFD_WP;
	struct page_truth page = *truth;

	page.bits = ptwalk_bits(kind, ptwalk_bits_level(truth->bits), aux,
				kind == PTWALK_KIND_NONE ? 0 :
				page_flags(truth) & kept);
	if (kind == PTWALK_KIND_NONE)
		page.value = 0;
	return page;
}

/* What the kpage files show of a frame. */
static bool frame_shows(const struct env *env, const struct source *source,
			const struct page_truth *truth, uint64_t seen)
{
	struct expectation e;

	source->expect(env, truth, &e);
	if (seen == KPAGE_END)
		return false;
	if (!strcmp(source->name, "kpageflags"))
		return shows(env, source, truth, KPF_BIT(MMAP) |
			     (seen & ~KPF_BIT(SWAPCACHE)) |
			     (e.value & KPF_BIT(SWAPCACHE)));
	if (!strcmp(source->name, "kpagecgroup"))
		return false;
	return is_shareable(truth) || seen < e.value ||
	       page_flags(truth) & PTWALK_FLAG_LARGE;
}

static bool is_scan(const struct source *source)
{
	return source->rules && !strcmp(source->rules, "pagemap-scan");
}

/* Another entry that the page may have had, of @kind. */
static bool other_shows(const struct env *env, const struct source *source,
			const struct page_truth *truth, unsigned int kind,
			uint32_t change, uint64_t seen)
{
	uint64_t types = (1ULL << env->kernel->swap_type_bits) - 1;
	struct page_truth page;

	page = as_kind(truth, kind, kind == PTWALK_KIND_MIGRATION ?
		       seen & types : 0);
	return shows_with(env, source, &page, change, seen);
}

/* Swapped out for a moment, or in: another's access ends or begins that. */
static bool was_paged(const struct source *source,
		      const struct page_truth *truth, uint64_t seen)
{
	bool swapped = page_kind(truth) == PTWALK_KIND_SWAP;
	int64_t status = seen;

	if (!swapped && (page_kind(truth) != PTWALK_KIND_PRESENT ||
			 !(page_flags(truth) & PTWALK_FLAG_ANON) ||
			 page_vma_has(truth, PTWALK_VMA_FLAG_HUGETLB)))
		return false;
	if (!strcmp(source->name, "mincore"))
		return true;
	if (!strcmp(source->name, "move_pages"))
		return swapped ? status >= 0 : status == -ENOENT;
	if (is_scan(source))
		return seen & (swapped ? SCAN_PRESENT : SCAN_SWAPPED);
	if (strcmp(source_interface(source), "pagemap"))
		return true;
	return seen & (swapped ? PM_PRESENT : PM_SWAP);
}

bool transient_shows(const struct env *env, const struct source *source,
		     const struct page_truth *truth, uint64_t seen,
		     bool has_data)
{
	uint64_t moved = SCAN_PRESENT | SCAN_SWAPPED;
	uint32_t wp = 0, counts = is_shareable(truth) ? COUNT_FLAGS : 0;

	if (!has_data || !truth->vma)
		return false;
	if (source->trait.framed)
		return frame_shows(env, source, truth, seen);
	if (was_paged(source, truth, seen))
		return true;
	/* Others may fill a table that they share, and empty it. */
	if (page_kind(truth) == PTWALK_KIND_NONE &&
	    page_vma_has(truth, PTWALK_VMA_FLAG_HUGETLB))
		return true;
	if (page_vma_has(truth, PTWALK_VMA_FLAG_UFFD_WP)) {
		wp = PTWALK_FLAG_UFFD_WP;
		moved |= SCAN_WRITTEN | SCAN_REPORTED;
	}
	/* One of two scans may have met it on its way; a filter, then, left it out. */
	if (source->trait.filters)
		moved = SCAN_VALUE_MASK;
	if (is_scan(source) && !(seen >> SCAN_OTHER_SHIFT & SCAN_VALUE_MASK & ~moved))
		seen &= SCAN_VALUE_MASK;
	if (shows_with(env, source, truth, counts | wp, seen))
		return true;
	if (!(page_flags(truth) & PTWALK_FLAG_PAGE))
		return false;
	switch (page_kind(truth)) {
	case PTWALK_KIND_PRESENT:
		return other_shows(env, source, truth, PTWALK_KIND_MIGRATION,
				   wp, seen) ||
		       (page_vma_has(truth, PTWALK_VMA_FLAG_HUGETLB) &&
			other_shows(env, source, truth, PTWALK_KIND_NONE, 0,
				    seen));
	case PTWALK_KIND_MIGRATION:
		return other_shows(env, source, truth, PTWALK_KIND_PRESENT,
				   COUNT_FLAGS | wp, seen);
	default:
		return false;
	}
}
