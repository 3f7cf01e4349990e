/* SPDX-License-Identifier: GPL-2.0 */
/*
 * riscv: privileged specification, Sv39 and larger; Svpbmt or the memory types
 * of T-Head cores, chosen at boot (asm/pgtable-64.h); Svnapot.
 */

#define PTWALK_ARCH_FLAGS	(PTWALK_FLAG_USER | PTWALK_FLAG_EXEC | \
				 PTWALK_FLAG_GLOBAL | PTWALK_FLAG_CONT | \
				 PTWALK_FLAG_PROT_NONE)

#ifdef CONFIG_RISCV_ISA_SVNAPOT
/* All entries of a block hold its size and the PFN of its first page. */
static inline unsigned long arch_pte_pfn(pte_t pte, unsigned long addr)
{
	unsigned long pfn = pte_pfn(pte), size;

	if (!has_svnapot() || !pte_napot(pte))
		return pfn;
	size = napot_cont_size(napot_cont_order(pte));
	return pfn + ((addr & (size - 1)) >> PAGE_SHIFT);
}

#define arch_pte_pfn	arch_pte_pfn

static inline bool riscv_napot(u64 val)
{
	return has_svnapot() && pte_napot(__pte(val));
}
#else
static inline bool riscv_napot(u64 val)
{
	return false;
}
#endif

static inline u32 arch_flags(u64 val, enum ptwalk_level level)
{
	u32 flags = 0;

	if (val & _PAGE_USER)
		flags |= PTWALK_FLAG_USER;
	if (val & _PAGE_EXEC)
		flags |= PTWALK_FLAG_EXEC;
	if (!(val & _PAGE_PRESENT))
		flags |= PTWALK_FLAG_PROT_NONE;
	else if (val & _PAGE_GLOBAL)
		flags |= PTWALK_FLAG_GLOBAL;
	if (riscv_napot(val))
		flags |= PTWALK_FLAG_CONT;
	return flags;
}

static inline u32 arch_memtype(u64 val, enum ptwalk_level level)
{
#ifdef CONFIG_64BIT
	u64 type = val & _PAGE_MTMASK;

	if (type && type == _PAGE_NOCACHE)
		return 1;
	if (type && type == _PAGE_IO)
		return 2;
#endif
	return 0;
}

static inline size_t arch_memtypes(u8 *types)
{
	types[0] = PTWALK_MEMORY_TYPE_PMA;
	types[1] = PTWALK_MEMORY_TYPE_NC;
	types[2] = PTWALK_MEMORY_TYPE_IO;
	return 3;
}
