// SPDX-License-Identifier: GPL-2.0
/*
 * What move_pages(2) says of a page that it is not to move: its node; EFAULT if
 * it is the zero page or not mapped by the process; ENOENT if it isn't present.
 * From Linux 6.12 on it does. Before, its errors depended on the mapping, and
 * it saw no page of hugetlb, of secret memory, or that allows nothing.
 */
#include <errno.h>
#include "module/version.h"
#include "sources/source.h"

static bool is_here(const struct page_truth *truth)
{
	const uint32_t here = PTWALK_FLAG_PAGE | PTWALK_FLAG_RAM;

	return ptwalk_bits_kind(truth->bits) == PTWALK_KIND_PRESENT &&
	       (ptwalk_bits_flags(truth->bits) & here) == here;
}

/* Memory that older kernels see, too. */
static bool is_plain(const struct page_truth *truth)
{
	const uint64_t special = PTWALK_VMA_FLAG_HUGETLB |
				 PTWALK_VMA_FLAG_DONTDUMP |
				 PTWALK_VMA_FLAG_PFNMAP |
				 PTWALK_VMA_FLAG_MIXEDMAP | PTWALK_VMA_FLAG_IO;

	return is_here(truth) && truth->vma && !(truth->vma->flags & special) &&
	       !(ptwalk_bits_flags(truth->bits) & PTWALK_FLAG_PROT_NONE);
}

/* Huge pages of drivers in an entry of the PUD are taken for any page. */
static bool is_defined(const struct env *env, const struct page_truth *truth)
{
	if (kernel_version(env->kernel) < KERNEL(6, 12))
		return is_plain(truth);
	return is_here(truth) || !truth->vma ||
	       ptwalk_bits_level(truth->bits) <= PTWALK_LEVEL_PMD;
}

enum source_grain grain_move_pages(const struct env *env,
				   const struct page_truth *truth)
{
	if (!is_defined(env, truth))
		return SOURCE_SKIPS;
	return env->many_nodes && is_here(truth) ? SOURCE_FACTS : SOURCE_RUN;
}

void expect_move_pages(const struct env *env, const struct page_truth *truth,
		       struct expectation *out)
{
	uint64_t mask = UINT64_MAX;
	int status;

	if (ptwalk_bits_kind(truth->bits) == PTWALK_KIND_NO_VMA || !truth->vma ||
	    ptwalk_bits_flags(truth->bits) & PTWALK_FLAG_ZERO)
		status = -EFAULT;
	else if (!is_here(truth))
		status = -ENOENT;
	else if (truth->facts)
		status = truth->facts->place >> 8 & 0xffffff;
	else
		status = env->node;
	/* Of which node, only the facts tell; but no error. */
	if (env->many_nodes && is_here(truth) && !truth->facts) {
		status = 0;
		mask = 1ULL << 63;
	}
	*out = (struct expectation){
		.value = (int64_t)status & mask, .mask = mask,
	};
}
