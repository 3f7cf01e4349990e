/* SPDX-License-Identifier: GPL-2.0 */
/* Architectures without a header: only the common helpers are used. */

#define PTWALK_ARCH_FLAGS	0

static inline u32 arch_flags(u64 val, enum ptwalk_level level)
{
	return 0;
}

static inline u32 arch_memtype(u64 val, enum ptwalk_level level)
{
	return 0;
}

static inline size_t arch_memtypes(u8 *types)
{
	return 0;
}
