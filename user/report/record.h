/* SPDX-License-Identifier: GPL-2.0 */
/* The module's records as text and as JSON, for translate and dump. */
#ifndef PTWALK_REPORT_RECORD_H
#define PTWALK_REPORT_RECORD_H

#include <jansson.h>
#include "module/truth.h"

/*
 * Adds to @object what @value and @bits say: kind, level, page_size, pfn,
 * paddr (of a present page, plus @offset), swap_type, swap_offset, marker,
 * memory_type, flags.
 */
void record_json(json_t *object, const struct ptwalk_kernel *info,
		 uint64_t value, uint64_t bits, uint64_t offset);

/* A line without its end: range, permissions, offset, device, name, flags. */
void record_vma(const struct ptwalk_vma *vma, const char *name);
json_t *record_vma_json(const struct ptwalk_vma *vma, const char *name);

#endif /* PTWALK_REPORT_RECORD_H */
