/* SPDX-License-Identifier: GPL-2.0 */
/* How PTEs are read: each by itself, and where that can be, without a call. */
#ifndef PTWALK_PTE_H
#define PTWALK_PTE_H

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
 * Whether ptwalk_pte_value() returns what pte_val(ptep_get()) does. On x86-64,
 * only Xen PV has a pte_val() of its own (pv_ops.mmu.pte_val), and the feature is
 * set at boot before the first process runs.
 */
static __always_inline bool ptwalk_ptes_are_values(void)
{
#ifdef CONFIG_X86_64
	return !cpu_feature_enabled(X86_FEATURE_XENPV);
#else
	return false;
#endif
}

static __always_inline u64 ptwalk_pte_value(pte_t *ptep)
{
#ifdef CONFIG_X86_64
	return READ_ONCE(ptep->pte);
#else
	return pte_val(ptwalk_ptep_get(ptep));
#endif
}

/*
 * The same, for bits that only change under the page-table lock, which is held: the
 * compiler may read it as part of what is computed.
 */
static __always_inline u64 ptwalk_pte_still(const pte_t *ptep)
{
#ifdef CONFIG_X86_64
	return ptep->pte;
#else
	return pte_val(ptwalk_ptep_get((pte_t *)ptep));
#endif
}

/* pte_none() of such a value. */
static __always_inline bool ptwalk_value_is_none(u64 val)
{
#ifdef CONFIG_X86_64
	return pte_none((pte_t) { .pte = val });
#else
	return pte_none(__pte(val));
#endif
}

#endif /* PTWALK_PTE_H */
