// SPDX-License-Identifier: GPL-2.0
/*
 * The TLB may keep the entries of a block as one, made of any of them (arm64: ARM DDI 0487,
 * D8.7, contiguous bit; riscv: privileged specification, Svnapot). So what differs in
 * another is sometimes used and sometimes not. Accessed and dirty may differ: the processor
 * sets them in any of the entries (contpte_ptep_get()), and they are left out here as in
 * contpte_ptep_get_lockless().
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "lint/contiguous.h"
#include "module/entry.h"

unsigned int contiguous_entries(const struct ptwalk_kernel *kernel, enum ptwalk_level level)
{
	if (!strcmp(kernel->machine, "riscv64"))
		return level == PTWALK_LEVEL_PTE ? 16 : 0;
	if (strcmp(kernel->machine, "aarch64") || level > PTWALK_LEVEL_PMD)
		return 0;
	switch (kernel->page_shift) {
	case 12:
		return 16;
	case 14:
		return level == PTWALK_LEVEL_PTE ? 128 : 32;
	case 16:
		return 32;
	default:
		return 0;
	}
}

/* Bits that all entries of a block have alike, and what they are about. */
static const struct {
	uint32_t flags;
	const char *what;
} alike[] = {
	{ PTWALK_FLAG_CONT, "in being part of a block" },
	{ PTWALK_FLAG_PROT_NONE, "in being valid" },
	{ PTWALK_FLAG_WRITE, "in the right to write" },
	{ PTWALK_FLAG_USER | PTWALK_FLAG_EXEC, "in other rights" },
	{ PTWALK_FLAG_GLOBAL, "in being global" },
	{ PTWALK_FLAG_SPECIAL | PTWALK_FLAG_DEVMAP | PTWALK_FLAG_SOFT_DIRTY |
	  PTWALK_FLAG_UFFD_WP, "in a bit of the kernel's" },
};

/* In what two pages of a block differ that must not, or NULL. */
static const char *block_difference(const struct ptwalk_extent *a, const struct ptwalk_extent *b,
				    unsigned int page_shift)
{
	const uint32_t flags = ptwalk_bits_flags(a->bits) ^ ptwalk_bits_flags(b->bits);

	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		if (flags & alike[i].flags)
			return alike[i].what;
	if (ptwalk_bits_aux(a->bits) != ptwalk_bits_aux(b->bits))
		return "in the memory type";
	if (ptwalk_bits_pkey(a->bits) != ptwalk_bits_pkey(b->bits))
		return "in the protection key";
	if (b->value - a->value != (b->addr - a->addr) >> page_shift)
		return "in the frame, which doesn't follow";
	return NULL;
}

void contiguous_add(struct contiguous *block, const struct ptwalk_kernel *kernel,
		    const struct ptwalk_extent *e)
{
	const uint32_t flags = ptwalk_bits_flags(e->bits);

	if (!block->seen)
		block->first = *e;
	block->seen += e->pages;
	block->end = e->addr + (e->pages << kernel->page_shift);
	block->marked |= flags & PTWALK_FLAG_CONT && !(flags & PTWALK_FLAG_PROT_NONE);
	if (block->how)
		return;
	block->how = block_difference(&block->first, e, kernel->page_shift);
	block->other = e->addr;
}

bool contiguous_broken(const struct contiguous *block, const struct ptwalk_kernel *kernel,
		       char text[CONTIGUOUS_TEXT])
{
	const enum ptwalk_level level = ptwalk_bits_level(block->first.bits);
	const unsigned int entries = contiguous_entries(kernel, level);
	const unsigned int shift = kernel->level_shift[level];
	const uint64_t pages = (uint64_t)entries << (shift - kernel->page_shift);

	if (!block->marked)
		return false;
	if (block->how)
		snprintf(text, CONTIGUOUS_TEXT, "entry %" PRIu64 " of %u differs from entry %" PRIu64 " %s",
			 (block->other - block->start) >> shift, entries,
			 (block->first.addr - block->start) >> shift, block->how);
	else if (block->seen != pages)
		snprintf(text, CONTIGUOUS_TEXT, "%" PRIu64 " of %u entries aren't present",
			 (pages - block->seen) >> (shift - kernel->page_shift), entries);
	else if (block->first.value % pages)
		snprintf(text, CONTIGUOUS_TEXT, "the first frame isn't a multiple of %" PRIu64,
			 pages);
	else
		return false;
	return true;
}
