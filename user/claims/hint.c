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

#define ENTRY_BITS	((1ULL << 55) - 1)	/* of a pagemap entry, a frame or a swap entry */
#define LEAST_LEFT	256	/* of a PFN that is shifted down: any number could be less */

/**
 * struct claimed - a claim that is wrong
 * @paddr: As it was given, if @mapped.
 * @pfn: In the entry: of the page that is mapped, or of one that isn't, or a swap offset.
 * @right: What the claim should be if a page is mapped, without the offset.
 * @offset: Of its address, in the page.
 */
struct claimed {
	const struct env *env;
	const struct page_truth *truth;
	const struct page_beside *beside;
	uint64_t paddr, pfn, right, offset;
	unsigned int shift;
	bool mapped;
};

/* With the offset in the page, or without. */
static bool is(const struct claimed *c, uint64_t page)
{
	return c->paddr == page || c->paddr == page + c->offset;
}

static bool is_frame(const struct claimed *c, uint64_t pfn)
{
	return is(c, pfn << c->shift);
}

static uint64_t mask(unsigned int bits)
{
	return (1ULL << bits) - 1;
}

/* Where the claimed page lies in its leaf. */
static uint64_t in_leaf(const struct claimed *c)
{
	const unsigned int level = ptwalk_bits_level(c->truth->bits);

	return c->truth->addr & mask(c->env->kernel->level_shift[level]) & ~mask(c->shift);
}

/* Reads the digits of a number as decimal ones; false if they can't be. */
static bool as_decimal(uint64_t number, uint64_t *decimal)
{
	char digits[17];

	snprintf(digits, sizeof(digits), "%" PRIx64, number);
	return !parse_decimal(digits, UINT64_MAX, decimal);
}

static bool no_offset(const struct claimed *c, unsigned int unused)
{
	return c->paddr == c->right;
}

static bool twice_offset(const struct claimed *c, unsigned int unused)
{
	return c->offset && c->paddr == c->right + 2 * c->offset;
}

static bool unshifted(const struct claimed *c, unsigned int unused)
{
	return c->pfn && is(c, c->pfn);
}

static bool shifted_twice(const struct claimed *c, unsigned int unused)
{
	return c->pfn && is(c, c->pfn << 2 * c->shift);
}

static bool shifted(const struct claimed *c, unsigned int by)
{
	return c->pfn && c->pfn << by >> by == c->pfn && is(c, c->pfn << by);
}

static bool shifted_down(const struct claimed *c, unsigned int by)
{
	return c->pfn >> by >= LEAST_LEFT && is(c, c->pfn >> by);
}

static bool decimal(const struct claimed *c, unsigned int unused)
{
	uint64_t number;

	return as_decimal(c->paddr, &number) &&
	       (number == c->right || number == c->right + c->offset);
}

static bool is_cut(const struct claimed *c, unsigned int bits)
{
	const uint64_t right = c->right + c->offset;

	return right >> bits && is(c, c->right & mask(bits));
}

static bool cut_pfn(const struct claimed *c, unsigned int bits)
{
	return c->pfn >> bits && is_frame(c, c->pfn & mask(bits));
}

static bool signed_32(const struct claimed *c, unsigned int unused)
{
	return c->right >> 31 && is(c, (uint64_t)(int64_t)(int32_t)c->right);
}

static bool swapped_bytes(const struct claimed *c, unsigned int unused)
{
	const uint64_t right = c->right + c->offset;

	return c->paddr == __builtin_bswap64(right) || c->paddr == __builtin_bswap32(right);
}

static bool swapped_pfn(const struct claimed *c, unsigned int unused)
{
	return is_frame(c, __builtin_bswap64(c->pfn)) || is_frame(c, __builtin_bswap32(c->pfn));
}

static bool virtual(const struct claimed *c, unsigned int unused)
{
	return is(c, c->truth->addr - c->offset);
}

static bool head(const struct claimed *c, unsigned int unused)
{
	return in_leaf(c) && is(c, c->right - in_leaf(c));
}

static bool leaf_twice(const struct claimed *c, unsigned int unused)
{
	return in_leaf(c) && is(c, c->right + in_leaf(c));
}

static bool zero(const struct claimed *c, unsigned int unused)
{
	return !c->paddr;
}

static bool zero_pfn(const struct claimed *c, unsigned int unused)
{
	return is(c, 0);
}

static bool pagemap_entry(const struct claimed *c, unsigned int unused)
{
	return (c->paddr & ENTRY_BITS) == c->pfn && c->paddr & PM_PRESENT;
}

static bool table_entry(const struct claimed *c, unsigned int unused)
{
	return (c->paddr & mask(52) & ~mask(c->shift)) == c->right;
}

static bool equals_before(const struct claimed *c, unsigned int unused)
{
	return c->beside->before != SOURCE_NO_FRAME && is_frame(c, c->beside->before);
}

static bool behind(const struct claimed *c, unsigned int unused)
{
	return c->beside->behind != SOURCE_NO_FRAME && is_frame(c, c->beside->behind);
}

static bool follows_before(const struct claimed *c, unsigned int unused)
{
	return c->beside->before != SOURCE_NO_FRAME && is_frame(c, c->beside->before + 1);
}

static bool one_page(const struct claimed *c, unsigned int unused)
{
	return is_frame(c, c->pfn + 1) || is_frame(c, c->pfn - 1);
}

static uint64_t swap_entry(const struct claimed *c)
{
	return (c->pfn << 5 | (ptwalk_bits_aux(c->truth->bits) & 31)) & ENTRY_BITS;
}

static bool swap(const struct claimed *c, unsigned int unused)
{
	return is(c, swap_entry(c)) || is_frame(c, swap_entry(c));
}

static bool swap_pagemap(const struct claimed *c, unsigned int unused)
{
	return (c->paddr & ENTRY_BITS) == swap_entry(c) && c->paddr & PM_SWAP;
}

static bool in_entry(const struct claimed *c, unsigned int unused)
{
	return is(c, c->pfn) || is_frame(c, c->pfn);
}

static bool both_decimal(const struct claimed *c, unsigned int unused)
{
	uint64_t number;

	return as_decimal(c->truth->addr, &number) && as_decimal(c->paddr, &number);
}

static bool exchanged(const struct claimed *c, unsigned int unused)
{
	const unsigned int bits = c->env->kernel->phys_bits;

	return bits && bits < 64 && c->paddr >> bits && !(c->truth->addr >> bits);
}

static bool pfnmap(const struct claimed *c, unsigned int unused)
{
	return c->truth->vma && c->truth->vma->flags & PTWALK_VMA_FLAG_PFNMAP;
}

static bool prot_none(const struct claimed *c, unsigned int unused)
{
	return page_flags(c->truth) & PTWALK_FLAG_PROT_NONE;
}

/* What an entry is, and whether a physical address was claimed. */
enum {
	PRESENT = 1 << 0,
	UNCLAIMED = 1 << 1,	/* present, and claimed not to be mapped */
	SWAP = 1 << 2,
	HAS_PFN = 1 << 3,	/* not present, with a frame in it */
	EMPTY = 1 << 4,
	OUTSIDE = 1 << 5,	/* of every mapping */
	ABSENT = SWAP | HAS_PFN | EMPTY,
};

static unsigned int what_is(const struct claimed *c)
{
	switch (page_kind(c->truth)) {
	case PTWALK_KIND_PRESENT:
		return c->mapped ? PRESENT : UNCLAIMED;
	case PTWALK_KIND_SWAP:
		return c->mapped ? SWAP : 0;
	case PTWALK_KIND_NO_VMA:
		return c->mapped ? OUTSIDE : 0;
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_BAD:
		return c->mapped ? EMPTY : 0;
	default:
		return c->mapped ? HAS_PFN : 0;
	}
}

/**
 * struct mistake - what may have been done to the truth
 * @of: Of which entries.
 * @gives: Whether the claim comes of it, done with a number from @from to @to, or @step
 *	more each time.
 * @says: In words: a format of the number and of the size of a page in KiB.
 */
static const struct mistake {
	unsigned int of;
	bool (*gives)(const struct claimed *c, unsigned int number);
	const char *says;
	unsigned char from, to, step;
} mistakes[] = {
	{ PRESENT, no_offset, "without the offset in the page" },
	{ PRESENT, zero_pfn, "PFN 0, as pagemap shows it without CAP_SYS_ADMIN" },
	{ PRESENT, twice_offset, "with the offset in the page twice" },
	{ PRESENT, unshifted, "the PFN, not shifted by PAGE_SHIFT" },
	{ PRESENT, shifted_twice, "the PFN, shifted by PAGE_SHIFT twice" },
	{ PRESENT, shifted, "the PFN, shifted by %u: pages have %lluK here", 1, 30, 1 },
	{ PRESENT, shifted_down, "the PFN, shifted down by %u: pages have %lluK here", 1, 30, 1 },
	{ PRESENT, decimal, "the right address in decimal: give it in hexadecimal" },
	{ PRESENT, is_cut, "cut off at %u bits", 32, 40, 4 },
	{ PRESENT, cut_pfn, "the PFN, cut off at %u bits", 16, 32, 16 },
	{ PRESENT, signed_32, "32 bits, taken for a signed number" },
	{ PRESENT, swapped_bytes, "the right address, byte-swapped" },
	{ PRESENT, swapped_pfn, "the PFN, byte-swapped" },
	{ PRESENT | ABSENT, virtual, "the virtual address" },
	{ PRESENT, head, "the first page of the leaf: the offset in it is missing" },
	{ PRESENT, leaf_twice, "with the offset in the leaf twice" },
	{ PRESENT, pagemap_entry, "a pagemap entry: the PFN is in bits 0 to 54" },
	{ PRESENT, table_entry, "a page-table entry, with its flags (ptwalk decode --pte)" },
	{ ABSENT | OUTSIDE, zero, "absent given as 0: that is a physical address; give -" },
	{ SWAP, swap_pagemap, "a pagemap entry of a swapped page: bit 62 says so; give -" },
	{ SWAP, swap, "swap type and offset taken for a PFN: bit 62 of pagemap says swapped" },
	{ SWAP, in_entry, "a swap offset: the page isn't in memory" },
	{ HAS_PFN, swap, "swap type and offset taken for a PFN: bit 62 of pagemap says swapped" },
	{ HAS_PFN, in_entry, "the frame in an entry that isn't present" },
	{ PRESENT | ABSENT, equals_before, "the frame of the page before: off by one page" },
	{ PRESENT | ABSENT, behind, "the frame of the page behind: off by one page" },
	{ PRESENT | ABSENT, follows_before,
	  "the frame behind that of the page before: frames aren't consecutive here" },
	{ PRESENT, one_page, "off by one page" },
	/* At any number of bits, unless any small number could be what is left. */
	{ PRESENT, is_cut, "cut off at %u bits", 20, 60, 4 },
	{ PRESENT, is_cut, "cut off at %u bits, or some more", 20, 60, 1 },
	{ OUTSIDE, both_decimal, "both look decimal: addresses are hexadecimal" },
	{ OUTSIDE, exchanged, "no physical address is so large: the virtual one comes first" },
	{ UNCLAIMED, pfnmap, "pagemap shows nothing here by design (pfnmap-hidden)" },
	{ UNCLAIMED, prot_none, "present, without access: PROT_NONE, or a NUMA hint" },
};

static bool comes_of(const struct mistake *m, const struct claimed *c, unsigned int *number)
{
	for (*number = m->from; *number <= m->to; *number += m->step)
		if (m->gives(c, *number))
			return true;
		else if (!m->step)
			return false;
	return false;
}

const char *claims_hint(const struct env *env, const struct page_truth *truth,
			const struct page_beside *beside, uint64_t value,
			char buf[CLAIMS_HINT])
{
	const unsigned int shift = env->kernel->page_shift;
	struct claimed c = {
		.env = env,
		.truth = truth,
		.beside = beside,
		.shift = shift,
		.offset = truth->addr & mask(shift),
		.pfn = truth->value,
		.right = truth->value << shift,
		.mapped = value != CLAIM_UNMAPPED,
	};
	const struct mistake *end = mistakes + sizeof(mistakes) / sizeof(mistakes[0]);
	const unsigned int what = what_is(&c);
	unsigned int number;

	c.paddr = value + c.offset;
	for (const struct mistake *m = mistakes; m < end; m++)
		if (m->of & what && comes_of(m, &c, &number)) {
			snprintf(buf, CLAIMS_HINT, m->says, number, 1ULL << (shift - 10));
			return buf;
		}
	return NULL;
}
