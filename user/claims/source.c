// SPDX-License-Identifier: GPL-2.0
/* The claims of a file as a source. */
#include <inttypes.h>
#include <stdio.h>
#include "base/jsonw.h"
#include "base/print.h"
#include "claims/claims.h"

static uint64_t paddr(const struct env *env, uint64_t addr, uint64_t value)
{
	return value + (addr & ((1ULL << env->kernel->page_shift) - 1));
}

static void claims_text(const struct env *env, uint64_t addr, uint64_t value,
			char *buf, size_t size)
{
	if (value == CLAIM_UNMAPPED)
		snprintf(buf, size, "not mapped");
	else
		snprintf(buf, size, "paddr 0x%" PRIx64,
			 paddr(env, addr, value));
}

static void claims_json(const struct env *env, uint64_t addr, uint64_t value)
{
	jsonw_bool("present", value != CLAIM_UNMAPPED);
	if (value != CLAIM_UNMAPPED)
		jsonw_hex("paddr", paddr(env, addr, value));
}

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
	if (page_kind(truth) == PTWALK_KIND_PRESENT) {
		out->value = truth->value << shift;
		out->step = 1ULL << shift;
	} else {
		out->value = CLAIM_UNMAPPED;
		out->step = 0;
	}
}

const struct source source_claims = {
	.name = "claims",
	.help = "translations claimed by a file (--claims)",
	.trait.at_rest = true,
	.expect = expect_claims,
	.text = claims_text,
	.json = claims_json,
};
