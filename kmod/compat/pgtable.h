/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions and architectures in reading page tables.
 * The code outside of this folder is written for Linux 7.2.
 */
#ifndef PTWALK_COMPAT_PGTABLE_H
#define PTWALK_COMPAT_PGTABLE_H

#include <linux/highmem.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/pgtable.h>

/*
 * Reads a PMD that may change at the same time, so that both halves match where
 * it is wider than a word. arm with LPAE reads it at once. x86 with PAE takes
 * two reads: a present entry doesn't become another one without a TLB flush,
 * which waits for CPUs that have interrupts disabled, as __pte_offset_map()
 * has. Linux 6.2, dab6e717429e: before, pmd_read_atomic().
 */
static inline pmd_t ptwalk_pmdp_get(pmd_t *pmdp)
{
#if defined(CONFIG_GUP_GET_PXX_LOW_HIGH)
	unsigned long flags;
	pmd_t pmd;

	local_irq_save(flags);
	pmd = pmdp_get_lockless(pmdp);
	local_irq_restore(flags);
	return pmd;
#elif defined(CONFIG_GUP_GET_PTE_LOW_HIGH)
	return pmd_read_atomic(pmdp);
#else
	return READ_ONCE(*pmdp);
#endif
}

/*
 * Linux 6.8, eba2591d99d1 (also in 6.6.51): entries of the upper levels are
 * read by functions.
 */
#ifndef PTWALK_HAS_pudp_get
#define pudp_get(pudp)	READ_ONCE(*(pudp))
#define p4dp_get(p4dp)	READ_ONCE(*(p4dp))
#define pgdp_get(pgdp)	READ_ONCE(*(pgdp))
#endif

/*
 * arm with two levels: a pgd_t is an array, and of the volatile one of its
 * pgdp_get() no function takes the address. There is no such level, and what
 * is noted of it is one word.
 */
#if defined(CONFIG_ARM) && !defined(CONFIG_ARM_LPAE)
#undef pgdp_get
#define pgdp_get(pgdp)	(*(pgdp))
#endif

/*
 * Linux 7.3: the userfaultfd bit is used for read protection (VM_UFFD_RWP),
 * too, and the names of its helpers have no _wp. An inaccessible entry may be
 * read-protected.
 */
#ifdef VM_UFFD_RWP
#define pte_uffd_wp(pte)	pte_uffd(pte)
#define pte_swp_uffd_wp(pte)	pte_swp_uffd(pte)
#define ptwalk_uffd_rwp(vma, pte)	((vma)->vm_flags & VM_UFFD_RWP && pte_uffd(pte))
#else
#define VM_UFFD_RWP			VM_NONE
#define ptwalk_uffd_rwp(vma, pte)	false
#endif

/* Linux 6.4, 428e106ae1ad: removing the tag of an address depends on its mm. */
#ifndef untagged_addr_remote
#define untagged_addr_remote(mm, addr)	untagged_addr(addr)
#endif

/*
 * Maps the PTE table that a PMD, read before, points to; returns the entry for
 * @addr. The RCU read lock is held. __pte_offset_map() isn't exported.
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
 * pte_lockptr() needs pmd_page(), which on 64-bit powerpc is out of line and
 * not exported. So the page of the PTE table is found from its address there.
 * Since Linux 6.12 CONFIG_SPLIT_PTE_PTLOCKS says whether tables have locks of
 * their own; before, USE_SPLIT_PTE_PTLOCKS does.
 */
#if defined(USE_SPLIT_PTE_PTLOCKS) && !defined(CONFIG_SPLIT_PTE_PTLOCKS)
#define PTWALK_OWN_PTE_LOCKPTR	\
	(IS_ENABLED(CONFIG_PPC_BOOK3S_64) && USE_SPLIT_PTE_PTLOCKS)
#else
#define PTWALK_OWN_PTE_LOCKPTR	\
	(IS_ENABLED(CONFIG_PPC_BOOK3S_64) && IS_ENABLED(CONFIG_SPLIT_PTE_PTLOCKS))
#endif
static inline spinlock_t *ptwalk_pte_lockptr(struct mm_struct *mm, pmd_t *pmd)
{
#if PTWALK_OWN_PTE_LOCKPTR
	struct page *page = virt_to_page((void *)pmd_page_vaddr(*pmd));

	/* Linux 6.6, 1865484af6b2: the lock is in a struct ptdesc. */
#ifdef PTWALK_HAS_ptdesc
	return ptlock_ptr(page_ptdesc(page));
#else
	return ptlock_ptr(page);
#endif
#else
	return pte_lockptr(mm, pmd);
#endif
}

/*
 * Linux 6.8, edf955647269: p4d_offset() and pud_offset() of riscv are out of
 * line, and some versions don't export them.
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
 * Returns a pointer to the PMD below a PUD that was read before. With folded
 * PMDs that is the pointer to the PUD; the generic pmd_offset_lockless() would
 * return one to the local copy of the PUD.
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

/* From Linux 6.18 on some architectures (riscv) detect this at boot. */
static inline bool ptwalk_has_soft_dirty(void)
{
#ifdef pgtable_supports_soft_dirty
	return pgtable_supports_soft_dirty();
#else
	return IS_ENABLED(CONFIG_MEM_SOFT_DIRTY);
#endif
}

static inline bool ptwalk_has_uffd_wp(void)
{
#if defined(pgtable_supports_uffd)
	return pgtable_supports_uffd();
#elif defined(pgtable_supports_uffd_wp)
	return pgtable_supports_uffd_wp();
#else
	return IS_ENABLED(CONFIG_HAVE_ARCH_USERFAULTFD_WP);
#endif
}

/*
 * arm with LPAE marks a large leaf that allows no access with a software bit,
 * L_PMD_SECT_NONE, which pmd_present() doesn't look at.
 */
static inline bool ptwalk_pmd_present(pmd_t pmd)
{
#if defined(CONFIG_ARM) && defined(CONFIG_ARM_LPAE)
	if (pmd_val(pmd) & L_PMD_SECT_NONE)
		return true;
#endif
	return pmd_present(pmd);
}

#endif /* PTWALK_COMPAT_PGTABLE_H */
