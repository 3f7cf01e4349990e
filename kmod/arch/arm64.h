/* SPDX-License-Identifier: GPL-2.0 */
/* arm64: Arm ARM (DDI 0487), D8.3 (descriptors) and D19.2 (MAIR_EL1). */
#include <linux/bitfield.h>
#include <asm/sysreg.h>

#define PTWALK_ARCH_FLAGS	(PTWALK_FLAG_USER | PTWALK_FLAG_EXEC | \
				 PTWALK_FLAG_GLOBAL | PTWALK_FLAG_CONT | \
				 PTWALK_FLAG_PROT_NONE)

static inline u32 arch_flags(u64 val, enum ptwalk_level level)
{
	u32 flags = 0;

	if (val & PTE_USER)
		flags |= PTWALK_FLAG_USER;
	if (!(val & PTE_UXN))
		flags |= PTWALK_FLAG_EXEC;
	if (!(val & PTE_NG))
		flags |= PTWALK_FLAG_GLOBAL;
	if (val & PTE_CONT)
		flags |= PTWALK_FLAG_CONT;
	if (!(val & PTE_VALID))
		flags |= PTWALK_FLAG_PROT_NONE;
	return flags;
}

/*
 * Linux 6.9, 5a00bfd6a52c: ptep_get() adds the accessed and dirty bits of all
 * entries of a contiguous block; __ptep_get() returns the entry itself.
 */
#ifdef ptep_get
#define arch_ptep_get(ptep)	__ptep_get(ptep)
#endif

/* Linux 6.12: permission overlays (FEAT_S1POE). */
#ifdef PTE_PO_IDX_MASK
#define arch_pkey(val)	FIELD_GET(PTE_PO_IDX_MASK, val)
#endif

static inline u32 arch_memtype(u64 val, enum ptwalk_level level)
{
	return (val & PTE_ATTRINDX_MASK) >> 2;
}

static inline size_t arch_memtypes(u8 *types)
{
	u64 mair = read_sysreg(mair_el1);
	size_t i;

	for (i = 0; i < 8; i++) {
		switch (mair >> (i * 8) & 0xff) {
		case 0x00:
			types[i] = PTWALK_MEMORY_TYPE_DEVICE_NGNRNE;
			break;
		case 0x04:
			types[i] = PTWALK_MEMORY_TYPE_DEVICE_NGNRE;
			break;
		case 0x0c:
			types[i] = PTWALK_MEMORY_TYPE_DEVICE_GRE;
			break;
		case 0x44:
			types[i] = PTWALK_MEMORY_TYPE_NORMAL_NC;
			break;
		case 0xbb:
			types[i] = PTWALK_MEMORY_TYPE_NORMAL_WT;
			break;
		case 0xf0:
			types[i] = PTWALK_MEMORY_TYPE_NORMAL_TAGGED;
			break;
		case 0xff:
			types[i] = PTWALK_MEMORY_TYPE_NORMAL;
			break;
		default:
			types[i] = PTWALK_MEMORY_TYPE_UNKNOWN;
		}
	}
	return 8;
}
