// SPDX-License-Identifier: GPL-2.0
/*
 * arm64: arch/arm64/include/asm/pgtable-prot.h, pgtable-hwdef.h, memory.h and
 * pgtable.h (swap entries). arm: arch/arm/include/asm/pgtable-2level.h, whose
 * entries are those of Linux, beside those of the hardware, and pgtable-3level.h
 * (LPAE). ARM DDI 0487, D8.3.
 */
#include <linux/ptwalk_record.h>
#include "module/version.h"
#include "pte/pte.h"

#define VALID	BIT64(0)
#define TABLE	BIT64(1)

/* By the index, as Linux sets MAIR_EL1 (MT_* in memory.h). */
static const char *const mair[8] = {
	"normal", "normal-tagged", "normal-nc", "device-ngnrne", "device-ngnre",
};

/* Bits of the address: with 64K pages the upper four are in bits 12 to 15. */
static uint64_t address(uint64_t v, const struct pte_request *r, unsigned int shift)
{
	uint64_t low = v & (BIT64(50) - 1) & ~(BIT64(shift) - 1);

	if (r->page_shift == 16)
		return (low & (BIT64(48) - 1)) | FIELD64(v, 15, 12) << 48;
	return low;
}

static void arm64_leaf(uint64_t v, const struct pte_request *r, unsigned int shift,
		       struct pte *out)
{
	const bool hw_dirty = v & BIT64(51) && !(v & BIT64(7));

	out->kind = PTE_PRESENT;
	out->bytes = BIT64(shift);
	out->paddr = address(v, r, shift);
	out->index = FIELD64(v, 4, 2);
	out->memory_type = mair[out->index] ? mair[out->index] : "unknown";
	out->flags = (v & BIT64(51) ? PTWALK_FLAG_WRITE : 0) |
		     (v & BIT64(6) ? PTWALK_FLAG_USER : 0) |
		     (v & BIT64(54) ? 0 : PTWALK_FLAG_EXEC) |
		     (v & BIT64(10) ? PTWALK_FLAG_YOUNG : 0) |
		     (v & BIT64(55) || hw_dirty ? PTWALK_FLAG_DIRTY : 0) |
		     (v & BIT64(11) ? 0 : PTWALK_FLAG_GLOBAL) |
		     (v & BIT64(56) ? PTWALK_FLAG_SPECIAL : 0) |
		     (v & BIT64(52) ? PTWALK_FLAG_CONT : 0) |
		     (v & VALID ? 0 : PTWALK_FLAG_PROT_NONE) |
		     (v & BIT64(7) ? PTE_HW_READONLY : 0) |
		     (v & BIT64(53) ? PTE_PXN : 0) | (v & BIT64(50) ? PTE_GUARDED : 0) |
		     (FIELD64(v, 9, 8) ? PTE_SHARED : 0);
	if (v & BIT64(57) && r->version < KERNEL(6, 17))
		out->flags |= PTWALK_FLAG_DEVMAP;
	else if (v & BIT64(57))
		pte_note(out, "bit 57, which was devmap before Linux 6.17, is set");
	if (v & BIT64(58) && r->version >= KERNEL(6, 10))
		out->flags |= PTWALK_FLAG_UFFD_WP;
	if (v & VALID && r->version >= KERNEL(6, 12)) {
		out->has_pkey = true;
		out->pkey = FIELD64(v, 62, 60);
	}
	if (v & VALID && v & BIT64(63))
		pte_note(out, "bit 63 is set, which nothing uses");
}

/* What tells an entry without VALID from one that is swapped out. */
static bool arm64_is_kept(uint64_t v, const struct pte_request *r)
{
	if (r->version >= KERNEL(6, 10))
		return v & BIT64(11);		/* PTE_PRESENT_INVALID */
	return v & (r->level ? BIT64(58) | BIT64(59) : BIT64(58));
}

void pte_arm64(uint64_t value, const struct pte_request *r, struct pte *out)
{
	const unsigned int shift = r->page_shift + (r->page_shift - 3) * r->level;

	if (!(value & VALID) && !arm64_is_kept(value, r)) {
		if (value & BIT64(2))
			out->flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
		if (r->version < KERNEL(6, 10)) {
			pte_swap(out, FIELD64(value, 7, 3), FIELD64(value, 57, 8));
			return;
		}
		if (value & BIT64(3))
			out->flags |= PTWALK_FLAG_UFFD_WP;
		pte_swap(out, FIELD64(value, 10, 6), FIELD64(value, 61, 12));
		if (out->kind == PTE_SWAP)
			pte_note(out, "before Linux 6.10, type and offset were in bits 3 and 8 on");
	} else if (r->level && value & VALID && value & TABLE) {
		out->kind = PTE_TABLE;
		out->paddr = address(value, r, r->page_shift);
	} else if (r->level > 2 || (!r->level && value & VALID && !(value & TABLE))) {
		out->kind = PTE_BAD;
		pte_note(out, "bits 0 and 1 are neither those of a table nor of a leaf");
	} else {
		arm64_leaf(value, r, shift, out);
	}
}

static const char *const arm_types[16] = {
	[0] = "device-ngnrne", [1] = "normal-nc", [2] = "normal-wt", [3] = "normal",
	[4] = "device-ngnre", [7] = "normal",
};

static void arm_swap(uint64_t v, const struct pte_request *r, struct pte *out)
{
	const bool later = r->version >= KERNEL(6, 3);

	if (later && v & BIT64(7))
		out->flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
	pte_swap(out, FIELD64(v, 6, 2), FIELD64(v, 31, later ? 8 : 7));
}

static void arm_type(struct pte *out)
{
	out->memory_type = arm_types[out->index] ? arm_types[out->index] : "unknown";
}

void pte_arm(uint64_t value, const struct pte_request *r, struct pte *out)
{
	if (r->level) {
		out->kind = FIELD64(value, 1, 0) == 1 ? PTE_TABLE :
			    FIELD64(value, 1, 0) == 2 ? PTE_PRESENT : PTE_BAD;
		out->paddr = value & (out->kind == PTE_TABLE ? ~0x3ffULL : ~0xfffffULL);
		out->bytes = out->kind == PTE_PRESENT ? BIT64(20) : 0;
		if (out->kind == PTE_PRESENT)
			pte_note(out, "a section of 1M; its attributes are those of the hardware");
		return;
	}
	if (!(value & VALID)) {
		arm_swap(value, r, out);
		return;
	}
	out->kind = PTE_PRESENT;
	out->bytes = 4096;
	out->paddr = value & 0xfffff000ULL;
	out->index = FIELD64(value, 5, 2);
	arm_type(out);
	out->flags = (value & BIT64(1) ? PTWALK_FLAG_YOUNG : 0) |
		     (value & BIT64(6) ? PTWALK_FLAG_DIRTY : 0) |
		     (value & BIT64(7) ? 0 : PTWALK_FLAG_WRITE) |
		     (value & BIT64(8) ? PTWALK_FLAG_USER : 0) |
		     (value & BIT64(9) ? 0 : PTWALK_FLAG_EXEC) |
		     (value & BIT64(10) ? PTE_SHARED : 0) |
		     (value & BIT64(11) ? PTWALK_FLAG_PROT_NONE : 0);
}

void pte_arm_lpae(uint64_t value, const struct pte_request *r, struct pte *out)
{
	const unsigned int shift = r->level ? 21 : 12;

	/* set_pmd_at(): a huge page without access lacks both bits. */
	const bool no_access = r->level && value & BIT64(57);

	if (!FIELD64(value, 1, 0) && !no_access) {
		arm_swap(value, r, out);
		return;
	}
	if (!r->level && FIELD64(value, 1, 0) == 1) {
		out->kind = PTE_BAD;
		pte_note(out, "bits 0 and 1 are not those of a page");
		return;
	}
	if (r->level && value & TABLE) {
		out->kind = PTE_TABLE;
		out->paddr = value & 0xfffffff000ULL;
		return;
	}
	out->kind = PTE_PRESENT;
	out->bytes = BIT64(shift);
	out->paddr = value & 0xffffffffffULL & ~(BIT64(shift) - 1);
	out->index = FIELD64(value, 4, 2);
	arm_type(out);
	out->flags = (value & BIT64(6) ? PTWALK_FLAG_USER : 0) |
		     (value & BIT64(10) ? PTWALK_FLAG_YOUNG : 0) |
		     (value & BIT64(54) ? 0 : PTWALK_FLAG_EXEC) |
		     (value & BIT64(55) ? PTWALK_FLAG_DIRTY : 0) |
		     (value & BIT64(56) ? PTWALK_FLAG_SPECIAL : 0) |
		     (value & BIT64(57) ? PTWALK_FLAG_PROT_NONE : 0) |
		     (value & BIT64(58) ? 0 : PTWALK_FLAG_WRITE) |
		     (value & BIT64(7) ? PTE_HW_READONLY : 0) |
		     (FIELD64(value, 9, 8) ? PTE_SHARED : 0);
}
