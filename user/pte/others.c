// SPDX-License-Identifier: GPL-2.0
/*
 * riscv64: arch/riscv/include/asm/pgtable-bits.h, pgtable-64.h and pgtable.h.
 * s390x: arch/s390/include/asm/pgtable.h. ppc64le: arch/powerpc/include/asm/book3s/64/
 * pgtable.h, radix and hash.
 */
#include <linux/ptwalk_record.h>
#include "module/version.h"
#include "pte/pte.h"

static const char *riscv_type(uint64_t v, struct pte *out)
{
	out->index = FIELD64(v, 62, 61);
	if (out->index == 3)
		pte_note(out, "bits 61 and 62 are both set: the encoding of T-Head cores, whose types are in bits 59 to 63");
	return out->index == 1 ? "nc" : out->index == 2 ? "io" : "pma";
}

void pte_riscv64(uint64_t value, const struct pte_request *r, struct pte *out)
{
	const unsigned int shift = 12 + 9 * r->level;
	uint64_t pfn = FIELD64(value, 53, 10), lowest;

	/* PROT_NONE has bit 5 without bit 0; a swap entry has neither. */
	if (!(value & (BIT64(0) | BIT64(5)))) {
		const bool later = r->version >= KERNEL(6, 3);

		if (later && value & BIT64(6))
			out->flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
		if (later && value & BIT64(3))
			out->flags |= PTWALK_FLAG_SOFT_DIRTY;
		if (later && value & BIT64(4))
			out->flags |= PTWALK_FLAG_UFFD_WP;
		if (later)
			pte_swap(out, FIELD64(value, 11, 7), value >> 12);
		else
			pte_swap(out, FIELD64(value, 10, 6), value >> 11);
		return;
	}
	if (value & BIT64(0) && !FIELD64(value, 3, 1)) {
		out->kind = r->level ? PTE_TABLE : PTE_BAD;
		out->paddr = pfn << 12;
		return;
	}
	out->kind = PTE_PRESENT;
	out->bytes = BIT64(shift);
	out->flags = (value & BIT64(2) ? PTWALK_FLAG_WRITE : 0) |
		     (value & BIT64(3) ? PTWALK_FLAG_EXEC : 0) |
		     (value & BIT64(4) ? PTWALK_FLAG_USER : 0) |
		     (value & BIT64(6) ? PTWALK_FLAG_YOUNG : 0) |
		     (value & BIT64(7) ? PTWALK_FLAG_DIRTY : 0) |
		     (value & BIT64(8) ? PTWALK_FLAG_SPECIAL : 0) |
		     (value & BIT64(59) ? PTWALK_FLAG_SOFT_DIRTY : 0) |
		     (value & BIT64(60) ? PTWALK_FLAG_UFFD_WP : 0);
	if (!(value & BIT64(0)))
		out->flags |= PTWALK_FLAG_PROT_NONE;
	else if (value & BIT64(5))
		out->flags |= PTWALK_FLAG_GLOBAL;
	if (value & BIT64(9) && r->version < KERNEL(6, 17))
		out->flags |= PTWALK_FLAG_DEVMAP;
	out->memory_type = riscv_type(value, out);
	/* Svnapot: the lowest bit of the PFN that is set says how large the block is. */
	if (value & BIT64(63) && out->index != 3 && pfn && !r->level) {
		lowest = pfn & -pfn;
		pfn -= lowest;
		out->flags |= PTWALK_FLAG_CONT;
		pte_note(out, "one of %llu entries of a block, whose first page this is",
			 (unsigned long long)lowest * 2);
	}
	out->paddr = pfn << 12;
	if (FIELD64(value, 58, 54))
		pte_note(out, "bits 54 to 58 are reserved");
}

/* Segment and region-third entries: Linux 6.15 moved the bits of software. */
static void s390_large(uint64_t v, const struct pte_request *r, struct pte *out)
{
	const bool later = r->version >= KERNEL(6, 15);
	/* On 6.1, region-third entries have the other two places. */
	const bool turned = r->level == 2 && r->version < KERNEL(6, 12);
	const uint64_t write = later ? 0x8000 : turned ? 1 : 2;
	const uint64_t read = later ? 0x4000 : turned ? 2 : 1;

	out->kind = PTE_PRESENT;
	out->bytes = r->level == 1 ? BIT64(20) : BIT64(31);
	out->paddr = v & ~(out->bytes - 1);
	out->flags = PTWALK_FLAG_USER | (v & 0x1000 ? PTWALK_FLAG_YOUNG : 0) |
		     (v & 0x2000 ? PTWALK_FLAG_DIRTY : 0) |
		     (v & (later ? 0x2 : 0x4000) ? PTWALK_FLAG_SOFT_DIRTY : 0) |
		     (v & 0x100 ? 0 : PTWALK_FLAG_EXEC) | (v & write ? PTWALK_FLAG_WRITE : 0) |
		     (v & read ? 0 : PTWALK_FLAG_PROT_NONE) |
		     (v & 0x200 ? PTE_HW_READONLY : 0) | (v & 0x20 ? PTE_INVALID : 0);
	out->memory_type = "wb";
	pte_note(out, "Linux 6.15 moved the read, write and soft-dirty bits of such entries");
}

static void s390_upper(uint64_t v, const struct pte_request *r, struct pte *out)
{
	/* A common segment marks a swap entry. */
	if (r->version >= KERNEL(6, 15) && r->level < 3 && v & 0x10 && !(v & 1)) {
		pte_swap(out, FIELD64(v, 10, 6), v >> 12);
	} else if (r->level < 3 && v & 0x400) {
		s390_large(v, r, out);
	} else if (v & 0x20) {
		/* pmd_none() and its like want this value, and the type of the table. */
		out->kind = v & ~0x2cULL ? PTE_BAD : PTE_EMPTY;
		if (out->kind == PTE_BAD)
			pte_note(out, "invalid, but not the empty entry");
	} else {
		out->kind = PTE_TABLE;
		out->paddr = v & (r->level == 1 ? ~0x7ffULL : ~0xfffULL);
	}
}

void pte_s390x(uint64_t value, const struct pte_request *r, struct pte *out)
{
	if (r->level) {
		s390_upper(value, r, out);
		return;
	}
	if (value == 0x400)
		return;
	if ((value & 0x201) == 0x200) {
		if (value & 0x2)
			out->flags |= PTWALK_FLAG_SOFT_DIRTY;
		if (value & 0x800)
			out->flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
		pte_swap(out, FIELD64(value, 6, 2), value >> 12);
		return;
	}
	if (!(value & 1)) {
		out->kind = PTE_BAD;
		pte_note(out, "neither present nor a swap entry");
		return;
	}
	out->kind = PTE_PRESENT;
	out->bytes = 4096;
	out->paddr = value & ~0xfffULL;
	out->memory_type = "wb";
	out->flags = PTWALK_FLAG_USER | (value & 0x2 ? PTWALK_FLAG_SOFT_DIRTY : 0) |
		     (value & 0x4 ? PTWALK_FLAG_YOUNG : 0) |
		     (value & 0x8 ? PTWALK_FLAG_DIRTY : 0) |
		     (value & 0x10 ? 0 : PTWALK_FLAG_PROT_NONE) |
		     (value & 0x20 ? PTWALK_FLAG_WRITE : 0) |
		     (value & 0x40 ? PTWALK_FLAG_SPECIAL : 0) |
		     (value & 0x100 ? 0 : PTWALK_FLAG_EXEC) |
		     (value & 0x200 ? PTE_HW_READONLY : 0) | (value & 0x400 ? PTE_INVALID : 0);
}

void pte_ppc64(uint64_t value, const struct pte_request *r, struct pte *out)
{
	static const char *const types[4] = { "wb", "wb", "io", "nc" };
	const uint64_t frame = (BIT64(53) - 1) & ~(BIT64(r->page_shift) - 1);
	unsigned int shift = r->page_shift;

	if (r->level)
		shift = (r->level == 1 ? 21 : 30) + (r->level > 2 ? 9 : 0);
	if (!(value & (BIT64(63) | BIT64(61)))) {
		if (value & 0x200)
			out->flags |= PTWALK_FLAG_SOFT_DIRTY;
		if (value & 0x20)
			out->flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
		pte_swap(out, value & 31, (value & frame) >> r->page_shift);
		return;
	}
	if (!(value & BIT64(62))) {
		out->kind = r->level ? PTE_TABLE : PTE_BAD;
		out->paddr = value & (BIT64(60) - 1) & ~0xffULL;
		return;
	}
	out->kind = PTE_PRESENT;
	out->bytes = BIT64(shift);
	out->paddr = value & frame & ~(BIT64(shift) - 1);
	out->index = FIELD64(value, 5, 4);
	out->memory_type = types[out->index];
	out->flags = (value & 1 ? PTWALK_FLAG_EXEC : 0) | (value & 2 ? PTWALK_FLAG_WRITE : 0) |
		     (value & 8 ? PTE_PRIVILEGED : PTWALK_FLAG_USER) |
		     (value & 7 ? 0 : PTWALK_FLAG_PROT_NONE) |
		     (value & 0x80 ? PTWALK_FLAG_DIRTY : 0) |
		     (value & 0x100 ? PTWALK_FLAG_YOUNG : 0) |
		     (value & 0x200 ? PTWALK_FLAG_SOFT_DIRTY : 0) |
		     (value & 0x400 ? PTWALK_FLAG_SPECIAL : 0) |
		     (value & BIT64(63) ? 0 : PTE_INVALID);
	if (value & 0x800 && r->version < KERNEL(6, 17))
		out->flags |= PTWALK_FLAG_DEVMAP;
}
