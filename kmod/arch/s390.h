/* SPDX-License-Identifier: GPL-2.0 */
/*
 * s390: asm/pgtable.h. Entries have no memory type (memory of a PCI function is
 * recognized by its address) and no user bit: user space has an address space
 * of its own.
 */

#define PTWALK_ARCH_FLAGS	(PTWALK_FLAG_USER | PTWALK_FLAG_EXEC | \
				 PTWALK_FLAG_PROT_NONE)

static inline u32 arch_flags(u64 val, enum ptwalk_level level)
{
	return PTWALK_FLAG_USER |
	       (val & _PAGE_NOEXEC ? 0 : PTWALK_FLAG_EXEC) |
	       (val & _PAGE_READ ? 0 : PTWALK_FLAG_PROT_NONE);
}

/*
 * A process begins with three levels, and mmap() adds those that it needs
 * (crst_table_upgrade()); above that, an index would wrap.
 */
#define arch_table_end(mm)	((mm)->context.asce_limit)

/* Segment and region-third entries have these bits in the same places. */
static inline u32 arch_large_flags(u64 val, enum ptwalk_level level)
{
	u32 flags = PTWALK_FLAG_USER;

	if (val & _SEGMENT_ENTRY_WRITE)
		flags |= PTWALK_FLAG_WRITE;
	if (val & _SEGMENT_ENTRY_YOUNG)
		flags |= PTWALK_FLAG_YOUNG;
	if (val & _SEGMENT_ENTRY_DIRTY)
		flags |= PTWALK_FLAG_DIRTY;
	if (val & _SEGMENT_ENTRY_SOFT_DIRTY)
		flags |= PTWALK_FLAG_SOFT_DIRTY;
	if (!(val & _SEGMENT_ENTRY_NOEXEC))
		flags |= PTWALK_FLAG_EXEC;
	if (!(val & _SEGMENT_ENTRY_READ))
		flags |= PTWALK_FLAG_PROT_NONE;
	return flags;
}

#define arch_large_flags	arch_large_flags

static inline u32 arch_memtype(u64 val, enum ptwalk_level level)
{
	return 0;
}

static inline size_t arch_memtypes(u8 *types)
{
	types[0] = PTWALK_MEMORY_TYPE_WB;
	return 1;
}
