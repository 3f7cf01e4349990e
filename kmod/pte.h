/* SPDX-License-Identifier: GPL-2.0 */
/* How PTEs are read: each by itself. */
#ifndef PTWALK_PTE_H
#define PTWALK_PTE_H

#include <linux/mm.h>
#include <linux/pgtable.h>

/*
 * Linux 6.9, 5a00bfd6a52c (arm64): ptep_get() adds the accessed and dirty bits
 * of all entries of a contiguous block; __ptep_get() returns the entry itself.
 */
#if defined(CONFIG_ARM64) && defined(ptep_get)
#define ptwalk_ptep_get(ptep)	__ptep_get(ptep)
#else
#define ptwalk_ptep_get(ptep)	ptep_get(ptep)
#endif

/*
 * pte_val() without the call that it is where the kernel can run as a guest of Xen
 * PV, for PTEs that are only compared. Whether it is the same as pte_val():
 * ptwalk_ptes_are_raw().
 */
static inline u64 ptwalk_pte_raw(pte_t pte)
{
#ifdef CONFIG_X86
	return pte.pte;
#else
	return pte_val(pte);
#endif
}

static inline bool ptwalk_ptes_are_raw(void)
{
#ifdef CONFIG_X86
	return !cpu_feature_enabled(X86_FEATURE_XENPV);
#else
	return true;
#endif
}

#endif /* PTWALK_PTE_H */
