// SPDX-License-Identifier: GPL-2.0
/*
 * The mistakes that decoders of pagemap and of page tables make, by what comes of
 * them: each is tried on the truth, and one that gives what was claimed is named.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/parse.h"
#include "claims/claims.h"
#include "claims/hint.h"
#include "proc/pagemap_bits.h"

#define SWAP_BITS	((1ULL << 55) - 1)	/* of a pagemap entry, a frame or a swap entry */

#define MOST_SHIFT	30
#define LEAST_LEFT	256	/* of a PFN that is shifted down */

/**
 * struct claimed - a claim that is wrong
 * @paddr: As it was given.
 * @right: What it should be, if a page is mapped.
 * @offset: Of its address, in the page.
 */
struct claimed {
	const struct env *env;
	const struct page_truth *truth;
	uint64_t paddr, right, offset;
	unsigned int shift;
};

/* With the offset in the page, or without. */
static bool is(const struct claimed *c, uint64_t page)
{
	return c->paddr == page || c->paddr == page + c->offset;
}

static uint64_t leaf_of(const struct claimed *c)
{
	return 1ULL << c->env->kernel->level_shift[ptwalk_bits_level(c->truth->bits)];
}

/* Reads the digits of a number as decimal ones; false if they can't be. */
static bool as_decimal(uint64_t number, uint64_t *decimal)
{
	char digits[17];

	snprintf(digits, sizeof(digits), "%" PRIx64, number);
	return !parse_decimal(digits, UINT64_MAX, decimal);
}

/* A number that is wider than @bits, with those alone. */
static bool is_cut(uint64_t number, uint64_t cut, unsigned int bits)
{
	return number >> bits && cut == (number & ((1ULL << bits) - 1));
}

static const char *widths(const struct claimed *c, char buf[CLAIMS_HINT])
{
	static const unsigned char of_address[] = { 32, 36, 40 }, of_pfn[] = { 16, 32 };
	const uint64_t right = c->right + c->offset;
	uint64_t decimal;

	if (as_decimal(c->paddr, &decimal) && (decimal == right || decimal == c->right))
		return "the right address in decimal: give it in hexadecimal";

	for (size_t i = 0; i < sizeof(of_address); i++)
		if (is_cut(right, c->paddr, of_address[i])) {
			snprintf(buf, CLAIMS_HINT, "cut off at %u bits", of_address[i]);
			return buf;
		}
	for (size_t i = 0; i < sizeof(of_pfn); i++)
		if (is_cut(c->truth->value, c->paddr >> c->shift, of_pfn[i])) {
			snprintf(buf, CLAIMS_HINT, "the PFN, cut off at %u bits", of_pfn[i]);
			return buf;
		}
	if (right >> 31 && c->paddr == (uint64_t)(int64_t)(int32_t)right)
		return "32 bits, taken for a signed number";
	return NULL;
}

static const char *byte_orders(const struct claimed *c)
{
	const uint64_t right = c->right + c->offset;
	const uint64_t pfn = c->truth->value;

	if (c->paddr == __builtin_bswap64(right) || c->paddr == __builtin_bswap32(right))
		return "the right address, byte-swapped";
	if (is(c, __builtin_bswap64(pfn) << c->shift) ||
	    is(c, (uint64_t)__builtin_bswap32(pfn) << c->shift))
		return "the PFN, byte-swapped";
	return NULL;
}

/* By any other number of bits. What is left of few bits could be anything. */
static const char *other_shift(const struct claimed *c, char buf[CLAIMS_HINT])
{
	const uint64_t pfn = c->truth->value;

	for (unsigned int by = 1; by <= MOST_SHIFT; by++) {
		if (by != c->shift && pfn << by >> by == pfn && is(c, pfn << by)) {
			snprintf(buf, CLAIMS_HINT, "the PFN, shifted by %u instead of %u: pages have %lluK here",
				 by, c->shift, 1ULL << (c->shift - 10));
			return buf;
		}
		if (pfn >> by >= LEAST_LEFT && is(c, pfn >> by)) {
			snprintf(buf, CLAIMS_HINT, "the PFN, shifted down by %u instead of up by %u",
				 by, c->shift);
			return buf;
		}
	}
	return NULL;
}

/* Shifted by something else than the page size. */
static const char *shifts(const struct claimed *c, char buf[CLAIMS_HINT])
{
	const uint64_t pfn = c->truth->value;

	if (!pfn)
		return NULL;
	if (is(c, pfn))
		snprintf(buf, CLAIMS_HINT, "the PFN, not shifted by %u", c->shift);
	else if (is(c, pfn << 2 * c->shift))
		snprintf(buf, CLAIMS_HINT, "the PFN, shifted by %u twice", c->shift);
	else if (c->shift != 12 && is(c, pfn << 12))
		snprintf(buf, CLAIMS_HINT, "the PFN, shifted by 12 as for pages of 4K: they have %lluK here",
			 1ULL << (c->shift - 10));
	else
		return other_shift(c, buf);
	return buf;
}

/* The page is mapped, elsewhere than claimed. */
static const char *of_frame(const struct claimed *c, char buf[CLAIMS_HINT])
{
	const uint64_t right = c->right + c->offset, page = 1ULL << c->shift;
	const uint64_t first = c->right - (c->truth->addr & (leaf_of(c) - 1) & ~(page - 1));
	const char *hint = shifts(c, buf);

	if (!hint)
		hint = widths(c, buf);
	if (!hint)
		hint = byte_orders(c);
	if (hint)
		return hint;
	if (c->paddr == c->right)
		return "without the offset in the page";
	if (c->paddr == c->truth->addr)
		return "the virtual address";
	if (first != c->right && is(c, first))
		return "the first page of the leaf: the offset in it is missing";
	if (!c->paddr)
		return "PFN 0, as pagemap shows it without CAP_SYS_ADMIN";
	if ((c->paddr & SWAP_BITS) == c->truth->value && c->paddr & PM_PRESENT)
		return "a pagemap entry: the PFN is in bits 0 to 54";
	if ((c->paddr & ((1ULL << 52) - page)) == c->right)
		return "a page-table entry, with its flags (ptwalk decode --pte)";
	if (c->paddr == right + page || c->paddr == right - page)
		return "off by one page";
	return NULL;
}

/* No mapping is there: was the line read as it was meant? */
static const char *of_no_mapping(const struct claimed *c)
{
	const unsigned int bits = c->env->kernel->phys_bits;
	uint64_t decimal;

	if (as_decimal(c->truth->addr, &decimal) && as_decimal(c->paddr, &decimal))
		return "both look decimal: addresses are hexadecimal";
	if (bits && bits < 64 && c->paddr >> bits && !(c->truth->addr >> bits))
		return "no physical address is so large: the virtual one comes first";
	return NULL;
}

/* Nothing is mapped there, and a physical address was claimed. */
static const char *of_nothing(const struct claimed *c)
{
	const uint64_t value = c->truth->value;
	const unsigned int type = ptwalk_bits_aux(c->truth->bits);
	const uint64_t swap = (value << 5 | (type & 31)) & SWAP_BITS;
	unsigned int kind = ptwalk_bits_kind(c->truth->bits);

	if (!c->paddr)
		return "absent given as 0: that is a physical address; give -";
	if (kind == PTWALK_KIND_NO_VMA)
		return of_no_mapping(c);
	if (kind == PTWALK_KIND_NONE || kind == PTWALK_KIND_BAD)
		return NULL;
	if (is(c, swap << c->shift) || is(c, swap))
		return "swap type and offset taken for a PFN: bit 62 of pagemap says swapped";
	if (is(c, value << c->shift) || is(c, value))
		return kind == PTWALK_KIND_SWAP ?
		       "a swap offset: the page isn't in memory" :
		       "the frame in an entry that isn't present";
	return NULL;
}

const char *claims_hint(const struct env *env, const struct page_truth *truth,
			uint64_t value, char buf[CLAIMS_HINT])
{
	const unsigned int shift = env->kernel->page_shift;
	struct claimed c = {
		.env = env,
		.truth = truth,
		.shift = shift,
		.offset = truth->addr & ((1ULL << shift) - 1),
		.right = truth->value << shift,
	};

	c.paddr = value + c.offset;
	if (page_kind(truth) != PTWALK_KIND_PRESENT)
		return value == CLAIM_UNMAPPED ? NULL : of_nothing(&c);
	if (value != CLAIM_UNMAPPED)
		return of_frame(&c, buf);
	if (truth->vma && truth->vma->flags & PTWALK_VMA_FLAG_PFNMAP)
		return "pagemap shows nothing here by design (pfnmap-hidden)";
	if (page_flags(truth) & PTWALK_FLAG_PROT_NONE)
		return "present, without access: PROT_NONE, or a NUMA hint";
	return NULL;
}
