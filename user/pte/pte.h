/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Raw entries of page tables, of whatever architecture, as Linux uses their bits.
 * Pure: neither the module nor this machine is asked.
 */
#ifndef PTWALK_PTE_PTE_H
#define PTWALK_PTE_PTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/names.h"

/**
 * enum pte_kind - what an entry is
 * @PTE_EMPTY: Nothing.
 * @PTE_TABLE: It points to a table of the level below.
 * @PTE_PRESENT: It maps memory.
 * @PTE_SWAP: Swapped out, or one of the special types from 23 on: poisoned, under
 *	migration, of a device.
 * @PTE_MARKER: Of swap type 31: a marker (since Linux 5.19).
 * @PTE_BAD: Nothing that the kernel makes.
 */
enum pte_kind { PTE_EMPTY, PTE_TABLE, PTE_PRESENT, PTE_SWAP, PTE_MARKER, PTE_BAD };

/* Flags beyond those of enum ptwalk_flag, which are in the lower half. */
#define PTE_SAVED_DIRTY	(1ULL << 32)	/* x86: dirty, kept apart for shadow stacks */
#define PTE_PXN		(1ULL << 33)	/* ARM: not to be executed by the kernel */
#define PTE_GUARDED	(1ULL << 34)	/* arm64: branch targets are checked */
#define PTE_SHARED	(1ULL << 35)	/* ARM: shareable by the hardware */
#define PTE_PRIVILEGED	(1ULL << 36)	/* powerpc: not the user's */
#define PTE_HW_READONLY	(1ULL << 37)	/* written to by nobody until it faults */
#define PTE_INVALID	(1ULL << 38)	/* for the hardware; for Linux there is a page */

extern const struct names names_pte;	/* of all 64 flags */

#define PTE_NOTE	320

/**
 * struct pte_request - how a value is to be read
 * @level: 0 for pte, up to 4 for pgd.
 * @page_shift: log2 of the page size.
 * @version: Of the kernel, as KERNEL(6, 12).
 * @c_bit: Number of the encryption bit, or 0 without one.
 * @c_shares: It is that of shared memory: what lacks it is encrypted.
 */
struct pte_request {
	unsigned int level, page_shift, version, c_bit;
	bool c_shares;
};

/**
 * struct pte - an entry taken apart
 * @kind: What it is.
 * @flags: Mask of enum ptwalk_flag, and of those above.
 * @paddr: What it points to, if PTE_PRESENT or PTE_TABLE.
 * @bytes: What a leaf maps, or 0.
 * @type: Of a swap entry, with @offset: for a marker, its mask.
 * @memory_type: In words, or NULL; @index is the number in the entry.
 * @pkey: Protection key, if @has_pkey.
 * @note: What depends on version or processor, or can't be; "" without.
 */
struct pte {
	enum pte_kind kind;
	uint64_t flags, paddr, bytes;
	unsigned int type;
	uint64_t offset;
	const char *memory_type;
	unsigned int index, pkey;
	bool has_pkey;
	char note[PTE_NOTE];
};

/**
 * struct pte_arch - an architecture
 * @name: As in --arch; @also are other names, with commas around each.
 * @bits: Of an entry.
 * @page_shift: Usual one.
 * @levels: Mask of those that it has.
 * @decode: Takes an entry apart; @out is zero.
 */
struct pte_arch {
	const char *name, *also;
	unsigned int bits, page_shift, levels;
	void (*decode)(uint64_t value, const struct pte_request *r, struct pte *out);
};

extern const struct pte_arch pte_archs[];
extern const unsigned int nr_pte_archs;

/* The one of that name, or that of a kernel's `uname -m`; or NULL. */
const struct pte_arch *pte_arch_named(const char *name);

/* The number of a level by name, or -1. */
int pte_level_named(const char *name);
extern const char *const pte_level_name[5];
extern const char *const pte_kind_name[];

void pte_decode(const struct pte_arch *arch, uint64_t value,
		const struct pte_request *r, struct pte *out);

/*
 * Whether that may be an entry of a process's memory on @arch at @level: one that is
 * present, with an address below 64 TiB, and with no bit set that nobody sets.
 */
bool pte_is_likely(const struct pte_arch *arch, unsigned int level, uint64_t value);

/* The same entry in the other byte order. */
uint64_t pte_turned(const struct pte_arch *arch, uint64_t value);

/* For decoders. */
void pte_note(struct pte *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void pte_swap(struct pte *out, unsigned int type, uint64_t offset);
void pte_x86_64(uint64_t value, const struct pte_request *r, struct pte *out);
void pte_i386(uint64_t value, const struct pte_request *r, struct pte *out);
void pte_i386_pae(uint64_t value, const struct pte_request *r, struct pte *out);
void pte_arm64(uint64_t value, const struct pte_request *r, struct pte *out);
void pte_arm(uint64_t value, const struct pte_request *r, struct pte *out);
void pte_arm_lpae(uint64_t value, const struct pte_request *r, struct pte *out);
void pte_riscv64(uint64_t value, const struct pte_request *r, struct pte *out);
void pte_s390x(uint64_t value, const struct pte_request *r, struct pte *out);
void pte_ppc64(uint64_t value, const struct pte_request *r, struct pte *out);

#define BIT64(n)	(1ULL << (n))
/* Bits @high to @low. */
#define FIELD64(value, high, low)					\
	((value) >> (low) & (~0ULL >> (63 - ((high) - (low)))))

#endif /* PTWALK_PTE_PTE_H */
