/* SPDX-License-Identifier: GPL-2.0 */
/*
 * powerpc, 64-bit Book3S: the bits that radix page tables (Power ISA 3.0, book
 * III, 6.7.10) and the Linux page tables for a hash MMU have in common
 * (asm/book3s/64/pgtable.h). They are the same at all levels.
 */

#define PTWALK_ARCH_FLAGS	(PTWALK_FLAG_USER | PTWALK_FLAG_EXEC | \
				 PTWALK_FLAG_PROT_NONE)

static inline u32 arch_flags(u64 val, enum ptwalk_level level)
{
	return (val & _PAGE_PRIVILEGED ? 0 : PTWALK_FLAG_USER) |
	       (val & _PAGE_EXEC ? PTWALK_FLAG_EXEC : 0) |
	       (val & _PAGE_RWX ? 0 : PTWALK_FLAG_PROT_NONE);
}

/* Only the tables for a hash MMU have keys, and arch_pkeys_enabled() is for them. */
#ifdef CONFIG_PPC_MEM_KEYS
#define arch_pkey(val)	hash__pte_to_pkey_bits(val)
#endif

/* The attribute field has two bits; _PAGE_TOLERANT has both set. */
static inline u32 arch_memtype(u64 val, enum ptwalk_level level)
{
	return (val & _PAGE_TOLERANT) / _PAGE_SAO;
}

static inline size_t arch_memtypes(u8 *types)
{
	types[0] = PTWALK_MEMORY_TYPE_WB;
	types[1] = PTWALK_MEMORY_TYPE_WB;
	types[_PAGE_NON_IDEMPOTENT / _PAGE_SAO] = PTWALK_MEMORY_TYPE_IO;
	types[_PAGE_TOLERANT / _PAGE_SAO] = PTWALK_MEMORY_TYPE_NC;
	return 4;
}
