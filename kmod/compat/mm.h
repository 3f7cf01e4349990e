/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions in struct mm_struct and in its VMAs. */
#ifndef PTWALK_COMPAT_MM_H
#define PTWALK_COMPAT_MM_H

#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/sched/coredump.h>

/**
 * ptwalk_mm_seq() - a number that changes when the VMAs of a process do
 * @mm: Its address space.
 *
 * With per-VMA locks (Linux 6.4, 5e31275cc997) mm_lock_seq counts how often the
 * mmap lock was held for writing, which every change of a VMA requires. Linux
 * 6.13, eb449bd96954: it is a seqcount, which is even under the read lock.
 * Kernels without per-VMA locks have no such count: there only a change of the
 * number of VMAs or of their total size is noticed.
 *
 * Context: The mmap lock is held for reading.
 * Return: The number; never 0.
 */
static inline unsigned int ptwalk_mm_seq(const struct mm_struct *mm)
{
#if defined(CONFIG_PER_VMA_LOCK) && defined(PTWALK_HAS_mm_lock_seqcount)
	return mm->mm_lock_seq.sequence | 1;
#elif defined(CONFIG_PER_VMA_LOCK)
	return (unsigned int)mm->mm_lock_seq << 1 | 1;
#else
	return jhash_3words(mm->map_count, mm->total_vm, mm->data_vm, 0) | 1;
#endif
}

/* Flags of VMAs that older kernels lack, or that those of 32 bits do. */
#ifndef VM_SHADOW_STACK
#define VM_SHADOW_STACK	VM_NONE
#endif
#ifndef VM_SEALED
#define VM_SEALED	VM_NONE
#endif
#ifndef VM_DROPPABLE
#define VM_DROPPABLE	VM_NONE
#endif
#ifndef VM_MAYBE_GUARD
#define VM_MAYBE_GUARD	VM_NONE
#endif

/*
 * Linux 6.6, 11250fd12eb8: vma_is_initial_heap() and vma_is_initial_stack() are
 * what /proc/PID/maps goes by; until then it compared by itself.
 */
#ifdef PTWALK_HAS_vma_is_initial_heap
#define ptwalk_vma_is_heap(vma)		vma_is_initial_heap(vma)
#define ptwalk_vma_is_stack(vma)	vma_is_initial_stack(vma)
#else
static inline bool ptwalk_vma_is_heap(const struct vm_area_struct *vma)
{
	return vma->vm_start <= vma->vm_mm->brk &&
	       vma->vm_end >= vma->vm_mm->start_brk;
}

static inline bool ptwalk_vma_is_stack(const struct vm_area_struct *vma)
{
	return vma->vm_start <= vma->vm_mm->start_stack &&
	       vma->vm_end >= vma->vm_mm->start_stack;
}
#endif

/* Linux 6.18, bb6525f2f8c4: the flags of an address space are a bitmap. */
#ifdef PTWALK_HAS_mm_flags_test
#define ptwalk_mm_flag(flag, mm)	mm_flags_test(flag, mm)
#define ptwalk_mm_flag_clear(flag, mm)	mm_flags_clear(flag, mm)
#else
#define ptwalk_mm_flag(flag, mm)	test_bit(flag, &(mm)->flags)
#define ptwalk_mm_flag_clear(flag, mm)	clear_bit(flag, &(mm)->flags)
#endif

/**
 * ptwalk_vma_thp_disabled() - whether prctl() keeps huge pages from a VMA
 * @vma: The VMA.
 *
 * Linux 6.18, 9dc21bbd62ed: PR_SET_THP_DISABLE can leave out those that madvise()
 * has advised to have some.
 */
static inline bool ptwalk_vma_thp_disabled(const struct vm_area_struct *vma)
{
#ifdef MMF_DISABLE_THP_COMPLETELY
	return ptwalk_mm_flag(MMF_DISABLE_THP_COMPLETELY, vma->vm_mm) ||
	       (ptwalk_mm_flag(MMF_DISABLE_THP_EXCEPT_ADVISED, vma->vm_mm) &&
		!(vma->vm_flags & VM_HUGEPAGE));
#else
	return ptwalk_mm_flag(MMF_DISABLE_THP, vma->vm_mm);
#endif
}

#endif /* PTWALK_COMPAT_MM_H */
