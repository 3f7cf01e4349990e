// SPDX-License-Identifier: GPL-2.0
/* What a claim must say of a page. */
#include "sources/source.h"

/*
 * A physical address may be any number: that of an address inside a page may be
 * less than where the address is in it, and must not become "not mapped".
 */
uint64_t claim_value(uint64_t vaddr, uint64_t paddr, unsigned int page_shift)
{
	uint64_t value = paddr - (vaddr & ((1ULL << page_shift) - 1));

	return value == CLAIM_UNMAPPED ? value - 1 : value;
}

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
