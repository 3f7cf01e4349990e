// SPDX-License-Identifier: GPL-2.0
/*
 * What mincore(2) says of a page: 1 if it is mapped, or on its way; 0 for empty
 * anonymous memory; ENOMEM in no mapping. What isn't mapped may still be in the
 * cache of a file or of swap, which the page tables don't tell.
 */
#include <errno.h>
#include "sources/source.h"

static bool is_in_no_mapping(const struct page_truth *truth)
{
	return ptwalk_bits_kind(truth->bits) == PTWALK_KIND_NO_VMA || !truth->vma;
}

/* Mapped memory of a file, even if it is private, is asked for in its cache. */
static bool is_of_no_file(const struct ptwalk_vma *vma)
{
	return vma->flags & PTWALK_VMA_FLAG_ANONYMOUS &&
	       !vma->inode && !vma->dev_major && !vma->dev_minor;
}

enum source_grain grain_mincore(const struct env *env,
				const struct page_truth *truth)
{
	if (is_in_no_mapping(truth))
		return SOURCE_RUN;
	switch (ptwalk_bits_kind(truth->bits)) {
	case PTWALK_KIND_PRESENT:
	case PTWALK_KIND_MIGRATION:
	case PTWALK_KIND_HWPOISON:
		return SOURCE_RUN;
	case PTWALK_KIND_NONE:
		return is_of_no_file(truth->vma) ? SOURCE_RUN : SOURCE_SKIPS;
	default:
		return SOURCE_SKIPS;
	}
}

void expect_mincore(const struct env *env, const struct page_truth *truth,
		    struct expectation *out)
{
	*out = (struct expectation){ .mask = UINT64_MAX };
	if (is_in_no_mapping(truth))
		out->value = (int64_t)-ENOMEM;
	else if (ptwalk_bits_kind(truth->bits) != PTWALK_KIND_NONE)
		out->value = 1;
}
