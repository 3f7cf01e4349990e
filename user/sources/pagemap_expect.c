// SPDX-License-Identifier: GPL-2.0
/*
 * What Documentation/admin-guide/mm/pagemap.rst says that pagemap shows.
 * Where a kernel does otherwise by design, that is a rule (check/rules.c).
 */
#include "proc/pagemap_bits.h"
#include "sources/source.h"

void expect_pagemap(const struct env *env, const struct page_truth *truth,
		    struct expectation *out)
{
	unsigned int kind = ptwalk_bits_kind(truth->bits);
	unsigned int shift = env->kernel->swap_type_bits;
	uint32_t flags = ptwalk_bits_flags(truth->bits);
	uint64_t frame = 0, step = 0, bits = 0;

	switch (kind) {
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_BAD:
	case PTWALK_KIND_NO_VMA:
		break;
	case PTWALK_KIND_PRESENT:
		bits |= PM_PRESENT;
		frame = truth->value;
		step = 1;
		/* The zero pages belong to nobody, and nobody counts them. */
		if ((flags & PTWALK_FLAG_PAGE) && !(flags & PTWALK_FLAG_ZERO)) {
			if (page_is_file(truth))
				bits |= PM_FILE;
			if (flags & PTWALK_FLAG_EXCLUSIVE)
				bits |= PM_EXCLUSIVE;
		}
		break;
	default:
		bits |= PM_SWAP;
		frame = ptwalk_bits_aux(truth->bits) | truth->value << shift;
		if (ptwalk_kind_ascends(kind))
			step = 1ULL << shift;
		if (kind_has_frame(kind) && page_is_file(truth))
			bits |= PM_FILE;
		if (kind == PTWALK_KIND_MARKER) {
			if (truth->value & PTWALK_MARKER_UFFD_WP)
				bits |= PM_UFFD_WP;
			if (truth->value & PTWALK_MARKER_GUARD)
				bits |= PM_GUARD;
		}
		break;
	}
	if (kind != PTWALK_KIND_NO_VMA && kind != PTWALK_KIND_NONE) {
		if (flags & PTWALK_FLAG_SOFT_DIRTY)
			bits |= PM_SOFT_DIRTY;
		if (flags & PTWALK_FLAG_UFFD_WP)
			bits |= PM_UFFD_WP;
	}
	if (truth->vma && (truth->vma->flags & PTWALK_VMA_FLAG_SOFTDIRTY))
		bits |= PM_SOFT_DIRTY;
	if (env->pfn_hidden)
		frame = step = 0;

	out->value = (frame & PM_PFN_MASK) | bits;
	out->step = step;
	out->mask = UINT64_MAX;
	out->no_data = false;
}

/* As a file shows it that was opened without the privilege to see frames. */
void expect_pagemap_hidden(const struct env *env,
			   const struct page_truth *truth,
			   struct expectation *out)
{
	struct env hidden = *env;

	hidden.pfn_hidden = true;
	expect_pagemap(&hidden, truth, out);
}
