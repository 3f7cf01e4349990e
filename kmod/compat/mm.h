/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between kernel versions in struct mm_struct. */
#ifndef PTWALK_COMPAT_MM_H
#define PTWALK_COMPAT_MM_H

#include <linux/jhash.h>
#include <linux/mm_types.h>

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

#endif /* PTWALK_COMPAT_MM_H */
