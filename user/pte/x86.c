// SPDX-License-Identifier: GPL-2.0
/*
 * x86: arch/x86/include/asm/pgtable_types.h, pgtable_64.h, pgtable-2level.h,
 * pgtable-3level.h and pgtable-invert.h; Intel SDM volume 3, 4.3 to 4.5.
 */
#include <linux/ptwalk_record.h>
#include "module/version.h"
#include "pte/pte.h"

#define P	BIT64(0)
#define RW	BIT64(1)
#define USER	BIT64(2)
#define PWT	BIT64(3)
#define PCD	BIT64(4)
#define PSE	BIT64(7)	/* of a PTE: PAT */
#define G	BIT64(8)	/* without P: PROT_NONE */
#define NX	BIT64(63)


/* As Linux sets the PAT (pat_bp_init() in arch/x86/mm/pat/memtype.c). */
static const char *const pat[8] = { "wb", "wc", "uc-minus", "uc", "wb", "wp", "uc-minus", "wt" };

static void permissions(uint64_t v, bool has_nx, struct pte *out)
{
	if (v & RW)
		out->flags |= PTWALK_FLAG_WRITE;
	if (v & USER)
		out->flags |= PTWALK_FLAG_USER;
	if (!has_nx || !(v & NX))
		out->flags |= PTWALK_FLAG_EXEC;
	if (v & BIT64(5))
		out->flags |= PTWALK_FLAG_YOUNG;
}

/* The bits that software has; SOFTW4 and SOFTW5 changed hands. */
static void software(uint64_t v, const struct pte_request *r, bool is_64, struct pte *out)
{
	const uint64_t saved = is_64 ? BIT64(58) : BIT64(10);

	if (v & BIT64(6))
		out->flags |= PTWALK_FLAG_DIRTY;
	if (v & BIT64(9))
		out->flags |= PTWALK_FLAG_SPECIAL;
	if (is_64 && v & BIT64(10))
		out->flags |= PTWALK_FLAG_UFFD_WP;
	if (is_64 && v & BIT64(11))
		out->flags |= PTWALK_FLAG_SOFT_DIRTY;
	if (r->version >= KERNEL(6, 6)) {
		if (v & saved)
			out->flags |= PTE_SAVED_DIRTY | PTWALK_FLAG_DIRTY;
		if (is_64 && v & saved)
			pte_note(out, "bit 58 was devmap before Linux 6.6");
		if (is_64 && v & BIT64(57) && r->version < KERNEL(6, 17))
			out->flags |= PTWALK_FLAG_DEVMAP;
		else if (is_64 && v & BIT64(57))
			pte_note(out, "bit 57, which was devmap from Linux 6.6 to 6.16, is set");
	} else if (is_64) {
		if (v & BIT64(58))
			out->flags |= PTWALK_FLAG_DEVMAP;
		if (v & BIT64(57))
			pte_note(out, "bit 57 is set, which nothing uses before Linux 6.6");
	}
}

/* Takes the encryption bit, which isn't inverted, out of those of the frame. */
static uint64_t encryption(uint64_t v, uint64_t frame, const struct pte_request *r,
			   struct pte *out)
{
	if (!r->c_bit)
		return frame;
	if (!(v & BIT64(r->c_bit)) == r->c_shares)
		out->flags |= PTWALK_FLAG_ENCRYPTED;
	return frame & ~BIT64(r->c_bit);
}

/*
 * Whether what isn't present holds its frame or swap offset inverted, against L1TF. The
 * version of a stable kernel doesn't tell; then that of both which can be is taken.
 */
static bool is_inverted(const struct pte_request *r, bool can_be_plain, bool can_be_inverted,
			struct pte *out)
{
	if (r->version >= KERNEL(4, 19))
		return true;
	if (can_be_plain || !can_be_inverted)
		return false;
	pte_note(out, "as of Linux 4.19, and of stable kernels from August 2018 on");
	return true;
}

/* @frame: Its bits for a physical address. */
static void leaf(uint64_t v, uint64_t frame, const struct pte_request *r, bool is_64,
		 bool has_nx, struct pte *out)
{
	const uint64_t address = encryption(v, frame, r, out);
	uint64_t stored = v;

	out->kind = PTE_PRESENT;
	permissions(v, has_nx, out);
	software(v, r, is_64, out);
	if (!(v & P))
		out->flags |= PTWALK_FLAG_PROT_NONE;
	else if (v & G)
		out->flags |= PTWALK_FLAG_GLOBAL;
	/* pgtable-invert.h */
	if (!(v & P) && has_nx &&
	    is_inverted(r, !((v & address) >> 46), !((~v & address) >> 46), out)) {
		stored = ~v;
		pte_note(out, "the frame is stored inverted, against L1TF");
	}
	out->paddr = stored & address;
	out->index = (v & PWT ? 1 : 0) | (v & PCD ? 2 : 0) |
		     (v & (r->level ? BIT64(12) : PSE) ? 4 : 0);
	out->memory_type = pat[out->index];
	if (!r->c_bit && out->paddr >> 46)
		pte_note(out, "an address beyond 64 TiB: is it the bit of SME or SEV (--c-bit 47 or 51), or of TDX (--shared-bit)?");
}

static void table(uint64_t v, uint64_t frame, const struct pte_request *r, bool has_nx,
		  struct pte *out)
{
	out->kind = PTE_TABLE;
	permissions(v, has_nx, out);
	out->paddr = v & encryption(v, frame, r, out);
}

/* No swap device has so many pages: 4 PiB. */
#define MANY_PAGES	BIT64(40)

/*
 * Before L1TF the offset wasn't inverted, and before Linux 4.8 the type came first; of PAE,
 * the lower half was empty. Returns whether that can be.
 */
static bool early_swap(uint64_t v, const struct pte_request *r, bool is_64, struct pte *out)
{
	const bool type_first = r->version < KERNEL(4, 8);

	out->kind = PTE_SWAP;
	if (!is_64) {
		out->type = FIELD64(v, 36, 32);
		out->offset = v >> 37;
		return !FIELD64(v, 31, 9);
	}
	if (v & (r->version < KERNEL(4, 14) ? PSE : RW))
		out->flags |= PTWALK_FLAG_SOFT_DIRTY;
	out->type = type_first ? FIELD64(v, 5, 1) : FIELD64(v, 13, 9);
	out->offset = type_first ? v >> 9 : v >> 14;
	return out->offset < MANY_PAGES;
}

static void wide_swap(uint64_t v, const struct pte_request *r, bool is_64, struct pte *out)
{
	struct pte early = *out;

	if (!is_inverted(r, early_swap(v, r, is_64, &early), ~v << 5 >> 14 < MANY_PAGES, out)) {
		*out = early;
		return;
	}
	if (v & RW)
		out->flags |= is_64 ? PTWALK_FLAG_SOFT_DIRTY : 0;
	if (is_64 && v & USER)
		out->flags |= PTWALK_FLAG_UFFD_WP;
	if (v & (is_64 ? BIT64(3) : PSE))
		out->flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
	pte_swap(out, v >> 59, ~v << 5 >> 14);
	if (is_64 && out->offset >= MANY_PAGES && v >> 9 < MANY_PAGES)
		pte_note(out, "no swap device is so large; of a kernel before Linux 4.19 or 4.8? See --kernel");
}

/* With entries of 64 bits, of which bit 63 is NX. */
static void wide(uint64_t v, const struct pte_request *r, bool is_64, struct pte *out)
{
	const unsigned int shift = 12 + 9 * r->level;
	const uint64_t frame = BIT64(52) - 1;

	/* pmd_present(): PSE stays set while a huge page is being split. */
	if (!(v & (P | G)) && !(r->level && v & PSE)) {
		wide_swap(v, r, is_64, out);
		return;
	}
	if (r->level && !(v & PSE)) {
		table(v, frame & ~0xfffULL, r, true, out);
		return;
	}
	if (r->level > (is_64 ? 2 : 1)) {
		out->kind = PTE_BAD;
		pte_note(out, "bit 7 must be zero at this level");
		return;
	}
	leaf(v, frame & ~(BIT64(shift) - 1), r, is_64, true, out);
	out->bytes = BIT64(shift);
	if (is_64 && v & P) {
		out->has_pkey = true;
		out->pkey = FIELD64(v, 62, 59);
	}
	if (v & P && FIELD64(v, 56, 52))
		pte_note(out, "bits 52 to 56 are set, which nothing uses");
	if (r->level && FIELD64(v, shift - 1, 13) && v & P)
		pte_note(out, "bits 13 to %u are reserved in a leaf", shift - 1);
}

void pte_x86_64(uint64_t value, const struct pte_request *r, struct pte *out)
{
	wide(value, r, true, out);
}

void pte_i386_pae(uint64_t value, const struct pte_request *r, struct pte *out)
{
	wide(value, r, false, out);
}

/* Two levels: a leaf at the upper one maps 4M. No inverted frames, and no NX. */
void pte_i386(uint64_t value, const struct pte_request *r, struct pte *out)
{
	const unsigned int shift = r->level ? 22 : 12;
	const uint64_t frame = 0xffffffffULL & ~(BIT64(shift) - 1);

	if (!(value & (P | G)) && !(r->level && value & PSE)) {
		if (r->version >= KERNEL(6, 3) && value & PSE)
			out->flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
		pte_swap(out, FIELD64(value, 5, 1), value >> 9);
	} else if (r->level && !(value & PSE)) {
		table(value, 0xfffff000ULL, r, false, out);
	} else {
		leaf(value, frame, r, false, false, out);
		out->bytes = BIT64(shift);
	}
}
