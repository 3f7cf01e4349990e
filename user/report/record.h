/* SPDX-License-Identifier: GPL-2.0 */
/* The module's records as text and as JSON, for translate and dump. */
#ifndef PTWALK_REPORT_RECORD_H
#define PTWALK_REPORT_RECORD_H

#include "module/truth.h"

#define RECORD_MASK	1280	/* the names of all bits of a mask */

/**
 * struct record_words - what the bits of an entry say, as members of an object
 * @bits: They. The next entry mostly has the same.
 * @before: Kind, level and page_size; @after memory_type, pkey and flags.
 *
 * All zero is a valid one.
 */
struct record_words {
	uint64_t bits;
	size_t before_len, after_len;
	char before[128], after[RECORD_MASK];
};

/*
 * Members of an object that say what @value and @bits mean: kind, level, page_size,
 * pfn, paddr (of a present page, plus @offset), swap_type, swap_offset, marker,
 * memory_type, flags.
 */
void record_json(struct record_words *words, const struct ptwalk_kernel *info,
		 uint64_t value, uint64_t bits, uint64_t offset);

/* A line without its end: range, permissions, offset, device, name, flags. */
void record_vma(const struct ptwalk_vma *vma, const char *name);
/* The members of an object that is one; if it is @recorded, there is no page_prot. */
void record_vma_json(const struct ptwalk_vma *vma, bool recorded, const char *name);

#endif /* PTWALK_REPORT_RECORD_H */
