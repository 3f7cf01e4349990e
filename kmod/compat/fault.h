/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions in how drivers map memory. */
#ifndef PTWALK_COMPAT_FAULT_H
#define PTWALK_COMPAT_FAULT_H

#include <linux/mm.h>

/*
 * Linux 6.17, 21aa65bf82a7: functions that map a PFN take it as a plain number;
 * before, as a pfn_t with flags. The header of that is gone since.
 */
#if __has_include(<linux/pfn_t.h>)
#include <linux/pfn_t.h>
static inline pfn_t ptwalk_pfn(unsigned long pfn)
{
	return __pfn_to_pfn_t(pfn, pfn_valid(pfn) ? 0 : PFN_DEV);
}
#else
static inline unsigned long ptwalk_pfn(unsigned long pfn)
{
	return pfn;
}
#endif

/* Linux 6.3, bc292ab00f6c: vm_flags is changed by functions only. */
static inline void ptwalk_vm_flags_set(struct vm_area_struct *vma,
				       unsigned long flags)
{
#ifdef PTWALK_HAS_vm_flags_set
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

#endif /* PTWALK_COMPAT_FAULT_H */
