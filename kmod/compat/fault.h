/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernel versions in how drivers map memory. */
#ifndef PTWALK_COMPAT_FAULT_H
#define PTWALK_COMPAT_FAULT_H

#include <linux/mm.h>
#include <linux/version.h>

/*
 * Linux 6.17, 21aa65bf82a7: PFNs are given as plain numbers; before, as a
 * pfn_t with flags, of a header that is gone since.
 */
#if __has_include(<linux/pfn_t.h>)
#include <linux/pfn_t.h>
#define ptwalk_pfn(pfn)	__pfn_to_pfn_t(pfn, pfn_valid(pfn) ? 0 : PFN_DEV)
#else
#define ptwalk_pfn(pfn)	(pfn)
#endif

/* Linux 6.3, bc292ab00f6c: the flags of a VMA are changed by functions. */
static inline void ptwalk_vm_flags_set(struct vm_area_struct *vma,
				       unsigned long flags)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags |= flags;
#else
	vm_flags_set(vma, flags);
#endif
}

/* Linux 6.6, 1d024e7a8dab: huge_fault() is told an order. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
typedef enum page_entry_size ptwalk_fault_size_t;

static inline bool ptwalk_fault_is_pmd(ptwalk_fault_size_t size)
{
	return size == PE_SIZE_PMD;
}

static inline bool ptwalk_fault_is_pud(ptwalk_fault_size_t size)
{
	return size == PE_SIZE_PUD;
}
#else
typedef unsigned int ptwalk_fault_size_t;

static inline bool ptwalk_fault_is_pmd(ptwalk_fault_size_t order)
{
	return order == PMD_SHIFT - PAGE_SHIFT;
}

static inline bool ptwalk_fault_is_pud(ptwalk_fault_size_t order)
{
	return order == PUD_SHIFT - PAGE_SHIFT;
}
#endif

#endif /* PTWALK_COMPAT_FAULT_H */
