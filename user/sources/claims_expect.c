// SPDX-License-Identifier: GPL-2.0
/* What a claim must say of a page. */
#include "sources/source.h"

/* A claim is compared as the physical address of the start of its page. */
void expect_claims(const struct env *env, const struct page_truth *truth,
		   struct expectation *out)
{
	unsigned int shift = env->kernel->page_shift;

	out->mask = UINT64_MAX;
	out->no_data = false;
	if (ptwalk_bits_kind(truth->bits) == PTWALK_KIND_PRESENT) {
		out->value = truth->value << shift;
		out->step = 1ULL << shift;
	} else {
		out->value = CLAIM_UNMAPPED;
		out->step = 0;
	}
}
