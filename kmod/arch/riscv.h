/* SPDX-License-Identifier: GPL-2.0 */
/* riscv: privileged specification, Sv39 and up; Svpbmt; Svnapot. */

#define PTWALK_ARCH_FLAGS	(PTWALK_FLAG_USER | PTWALK_FLAG_EXEC | \
				 PTWALK_FLAG_GLOBAL | PTWALK_FLAG_CONT | \
				 PTWALK_FLAG_PROT_NONE)

#define PTWALK_RISCV_NAPOT	BIT_ULL(63)

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
	if (IS_ENABLED(CONFIG_64BIT) && val & PTWALK_RISCV_NAPOT)
		flags |= PTWALK_FLAG_CONT;
	return flags;
}

/* Bits 61 and 62, reserved as zero without Svpbmt. */
static inline u32 arch_memtype(u64 val, enum ptwalk_level level)
{
	return IS_ENABLED(CONFIG_64BIT) ? val >> 61 & 3 : 0;
}

static inline size_t arch_memtypes(u8 *types)
{
	types[0] = PTWALK_MEMORY_TYPE_PMA;
	types[1] = PTWALK_MEMORY_TYPE_NC;
	types[2] = PTWALK_MEMORY_TYPE_IO;
	types[3] = PTWALK_MEMORY_TYPE_UNKNOWN;
	return 4;
}
