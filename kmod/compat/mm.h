/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between kernel versions in address spaces. */
#ifndef PTWALK_COMPAT_MM_H
#define PTWALK_COMPAT_MM_H

#include <linux/jhash.h>
#include <linux/mm_types.h>

/**
 * ptwalk_mm_seq() - a number that changes when the VMAs of a process do
 * @mm: Its address space.
 *
 * With per-VMA locks (Linux 6.4, 5e31275cc997) the kernel counts how often the
 * mmap lock has been held for writing, without which no VMA changes. Linux 6.13,
 * eb449bd96954: the count is a seqcount, which is even under the read lock.
 * Other kernels count nothing of the kind. There only a change of the number of
 * VMAs or of their sizes is seen.
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
