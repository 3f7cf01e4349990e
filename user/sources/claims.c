// SPDX-License-Identifier: GPL-2.0
/*
 * The translations that a claims file makes. It is no interface of a process
 * that could be read page by page; check_claims() brings the values.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/jsonw.h"
#include "base/print.h"
#include "sources/source.h"

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

const struct source source_claims = {
	.name = "claims",
	.help = "translations claimed by a file (--claims)",
	.at_rest = true,
	.expect = expect_claims,
	.text = claims_text,
	.json = claims_json,
};
