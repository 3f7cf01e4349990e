/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between kernel versions and architectures in reading page
 * tables. The code outside of this folder is written for Linux 7.2.
 */
#ifndef PTWALK_COMPAT_PGTABLE_H
#define PTWALK_COMPAT_PGTABLE_H

#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/version.h>

/* Linux 6.2, dab6e717429e: pmd_read_atomic() became pmdp_get_lockless(). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define pmdp_get_lockless(pmdp)	pmd_read_atomic(pmdp)
#endif

/*
 * Linux 7.3: the userfaultfd bit serves read protection (VM_UFFD_RWP) too, and
 * its helpers lost their _wp.
 */
#ifdef VM_UFFD_RWP
#define pte_uffd_wp(pte)	pte_uffd(pte)
#define pte_swp_uffd_wp(pte)	pte_swp_uffd(pte)
#endif

/* Linux 6.4, 428e106ae1ad: untagging takes the mm that the address is of. */
#ifndef untagged_addr_remote
#define untagged_addr_remote(mm, addr)	untagged_addr(addr)
#endif

/*
 * Linux 6.9, 5a00bfd6a52c (arm64): ptep_get() gathers the accessed and dirty
 * bits of a contiguous block; __ptep_get() gives the entry as it stands.
 */
#if defined(CONFIG_ARM64) && defined(ptep_get)
#define ptwalk_ptep_get(ptep)	__ptep_get(ptep)
#else
#define ptwalk_ptep_get(ptep)	ptep_get(ptep)
#endif

/*
 * Maps the PTE table below a PMD that was read before; the RCU read lock must
 * be held. __pte_offset_map() does this in the kernel and is not exported.
 */
static inline pte_t *ptwalk_pte_map(pmd_t *pmd, unsigned long addr)
{
#ifdef CONFIG_HIGHPTE
	return (pte_t *)kmap_local_page(pmd_page(*pmd)) + pte_index(addr);
#else
	return pte_offset_kernel(pmd, addr);
#endif
}

static inline void ptwalk_pte_unmap(pte_t *table)
{
#ifdef CONFIG_HIGHPTE
	kunmap_local(table);
#endif
}

/*
 * Linux 6.8, edf955647269: riscv has p4d_offset() and pud_offset() out of line,
 * and some versions don't export them.
 */
#if defined(CONFIG_RISCV) && defined(CONFIG_64BIT)
static inline p4d_t *ptwalk_p4d_offset(pgd_t *pgdp, unsigned long addr)
{
	return pgtable_l5_enabled ? pgd_pgtable(*pgdp) + p4d_index(addr) :
				    (p4d_t *)pgdp;
}

static inline pud_t *ptwalk_pud_offset(p4d_t *p4dp, unsigned long addr)
{
	return pgtable_l4_enabled ? p4d_pgtable(*p4dp) + pud_index(addr) :
				    (pud_t *)p4dp;
}
#else
#define ptwalk_p4d_offset	p4d_offset
#define ptwalk_pud_offset	pud_offset
#endif

/*
 * The place of a PMD below a PUD that was read before. A folded PMD is the
 * place of the PUD itself, which the generic pmd_offset_lockless() misses: it
 * gives the place of the copy.
 */
static inline pmd_t *ptwalk_pmd_offset(pud_t *pudp, pud_t pud,
				       unsigned long addr)
{
#ifdef __PAGETABLE_PMD_FOLDED
	return pmd_offset(pudp, addr);
#else
	return pmd_offset_lockless(pudp, pud, addr);
#endif
}

#endif /* PTWALK_COMPAT_PGTABLE_H */
