/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of page-table entries that the common helpers of the kernel don't
 * decode. The header of each architecture defines:
 *
 * PTWALK_ARCH_FLAGS	mask of the enum ptwalk_flag that arch_flags() can set
 * arch_flags(val, level)	these flags of a present entry
 * arch_memtype(val, level)	memory type index of a present entry
 * arch_memtypes(types)	fills the table of memory types (at most
 *			PTWALK_MEMTYPES), returns its length
 *
 * and may define:
 *
 * PTWALK_PHYS_BITS	width of a physical address
 * arch_ptep_get(ptep)	the PTE by itself, if ptep_get() adds something to it
 * arch_pte_raw(pte)	something faster than pte_val() for PTEs that are only
 *			compared, and arch_ptes_are_raw(), whether it is the same
 * arch_pte_pfn(pte, addr)	PFN that a present PTE maps at @addr, if
 *			pte_pfn() returns another one
 * PTWALK_PTE_PFN_BITS	bits of a PTE that hold the PFN and nothing else, as
 *			one number, from bit PAGE_SHIFT on; not used for
 *			PROT_NONE entries
 * PTWALK_PTE_SWAP_BITS	bits of a PTE that is swapped out that hold its offset
 *			and nothing else, of which __swp_offset() makes it
 * PTWALK_PTE_PLAIN	bit that only present PTEs have whose PFN is that of
 *			PTWALK_PTE_PFN_BITS, unchanged
 * arch_kernel_memtype(pfn, index)	memory type index of the kernel's own
 *			mapping of RAM; false if there is none
 * arch_pkey(val)	protection key of a present entry, if entries have one
 * arch_table_end(mm)	end of what the tables of a process map, if it isn't
 *			mm->task_size
 * arch_large_flags(val, level)	all flags of a leaf above the PTE level, if
 *			its bits are in other places than those of a PTE
 */
#ifndef PTWALK_ARCH_H
#define PTWALK_ARCH_H

#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/types.h>
#include "../uapi/linux/ptwalk_record.h"

#define PTWALK_MEMTYPES	16

#if defined(CONFIG_X86)
#include "x86.h"
#elif defined(CONFIG_ARM64)
#include "arm64.h"
#elif defined(CONFIG_ARM)
#include "arm.h"
#elif defined(CONFIG_PPC_BOOK3S_64)
#include "powerpc.h"
#elif defined(CONFIG_RISCV)
#include "riscv.h"
#elif defined(CONFIG_S390)
#include "s390.h"
#else
#include "generic.h"
#endif

#ifndef arch_ptep_get
#define arch_ptep_get(ptep)	ptep_get(ptep)
#endif

#ifndef arch_pte_raw
#define arch_pte_raw(pte)	((u64)pte_val(pte))
#define arch_ptes_are_raw()	true
#endif

#ifndef arch_pte_pfn
#define arch_pte_pfn(pte, addr)	((void)(addr), pte_pfn(pte))
#endif

#ifndef arch_pkey
#define arch_pkey(val)	((void)(val), 0)
#endif

#ifndef arch_table_end
#define arch_table_end(mm)	((mm)->task_size)
#endif

#ifndef PTWALK_PTE_PFN_BITS
#define PTWALK_PTE_PFN_BITS	0
#endif

#ifndef PTWALK_PTE_SWAP_BITS
#define PTWALK_PTE_SWAP_BITS	0
#endif

#ifndef PTWALK_PTE_PLAIN
#define PTWALK_PTE_PLAIN	0
#endif

#ifdef arch_kernel_memtype
#define PTWALK_KERNEL_MEMTYPES	1
#else
#define PTWALK_KERNEL_MEMTYPES	0
static inline bool arch_kernel_memtype(unsigned long pfn, u32 *index)
{
	return false;
}
#endif

#ifndef PTWALK_PHYS_BITS
#ifdef MAX_PHYSMEM_BITS
#define PTWALK_PHYS_BITS	MAX_PHYSMEM_BITS
#else
#define PTWALK_PHYS_BITS	BITS_PER_LONG
#endif
#endif

#endif /* PTWALK_ARCH_H */
