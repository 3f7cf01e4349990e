/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arm: the bits are those of the Linux entries (asm/pgtable.h). With two levels
 * there is a second table, which the hardware reads, and the memory type is a
 * software encoding; with three levels (LPAE) there is only one table.
 */

#define PTWALK_ARCH_FLAGS	(PTWALK_FLAG_USER | PTWALK_FLAG_EXEC | \
				 PTWALK_FLAG_PROT_NONE)

#define PTWALK_PHYS_BITS	(IS_ENABLED(CONFIG_ARM_LPAE) ? 40 : 32)

static inline u32 arch_flags(u64 val, enum ptwalk_level level)
{
	u32 flags = 0;

	if (val & L_PTE_USER)
		flags |= PTWALK_FLAG_USER;
	if (!(val & L_PTE_XN))
		flags |= PTWALK_FLAG_EXEC;
	if (val & L_PTE_NONE)
		flags |= PTWALK_FLAG_PROT_NONE;
	return flags;
}

static inline u32 arch_memtype(u64 val, enum ptwalk_level level)
{
	return (val & L_PTE_MT_MASK) >> 2;
}

static inline size_t arch_memtypes(u8 *types)
{
	memset(types, PTWALK_MEMORY_TYPE_UNKNOWN, PTWALK_MEMTYPES);
	types[L_PTE_MT_UNCACHED >> 2] = PTWALK_MEMORY_TYPE_DEVICE_NGNRNE;
	types[L_PTE_MT_DEV_SHARED >> 2] = PTWALK_MEMORY_TYPE_DEVICE_NGNRE;
	types[L_PTE_MT_BUFFERABLE >> 2] = PTWALK_MEMORY_TYPE_NORMAL_NC;
	types[L_PTE_MT_WRITETHROUGH >> 2] = PTWALK_MEMORY_TYPE_NORMAL_WT;
	types[L_PTE_MT_WRITEBACK >> 2] = PTWALK_MEMORY_TYPE_NORMAL;
	types[L_PTE_MT_WRITEALLOC >> 2] = PTWALK_MEMORY_TYPE_NORMAL;
	return (L_PTE_MT_MASK >> 2) + 1;
}
