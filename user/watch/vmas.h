/* SPDX-License-Identifier: GPL-2.0 */
/* What became of the VMAs between two readings. Pure. */
#ifndef PTWALK_WATCH_VMAS_H
#define PTWALK_WATCH_VMAS_H

#include "base/names.h"
#include "module/truth.h"

/**
 * enum vma_word - what became of a VMA
 * @VMA_NEW: It is only in the later reading.
 * @VMA_GONE: It is only in the earlier one.
 * @VMA_GREW: It maps more.
 * @VMA_SHRANK: It maps less.
 * @VMA_SPLIT: It is several now.
 * @VMA_MERGED: It was several.
 * @VMA_MOVED: It is, or a part of it, at another address.
 * @VMA_CHANGED: None of these, but its rights or flags are others.
 */
enum vma_word {
	VMA_NEW, VMA_GONE, VMA_GREW, VMA_SHRANK, VMA_SPLIT, VMA_MERGED, VMA_MOVED,
	VMA_CHANGED, NR_VMA_WORDS
};

extern const struct names names_vma_word;

/**
 * struct vma_change - VMAs of the earlier reading, and what became of them
 * @what: Mask of 1 << enum vma_word.
 * @before: They, @nr_before of them, in the order of addresses.
 * @after: The same of the later reading.
 */
struct vma_change {
	uint32_t what;
	const struct ptwalk_vma *const *before, *const *after;
	size_t nr_before, nr_after;
};

/*
 * Calls @each with all that isn't as it was, in the order of addresses. VMAs at the
 * same addresses belong together if they are of the same file at the same offset, or
 * all of none; and those of the heap. @places: the offsets of both are known; without
 * them none is VMA_MOVED. Returns 0 or -ENOMEM.
 */
int vmas_compare(unsigned int page_shift, bool places, const struct truth *before,
		 const struct truth *after,
		 void (*each)(const struct vma_change *change, void *arg), void *arg);

#endif /* PTWALK_WATCH_VMAS_H */
