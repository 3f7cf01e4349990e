/* SPDX-License-Identifier: GPL-2.0 */
/* The module's records in words and in JSON, for translate and dump. */
#ifndef PTWALK_REPORT_RECORD_H
#define PTWALK_REPORT_RECORD_H

#include <jansson.h>
#include "lib/truth.h"

#define RECORD_SIZE	24
#define RECORD_RANGE	48
#define RECORD_TEXT	128
#define RECORD_FLAGS	512

/* "4K", "2M", "1G"; bytes that make no round number stay a number. */
const char *record_size(uint64_t bytes, char buf[RECORD_SIZE]);

/* "0xSTART-0xEND", END exclusive, as a RANGE of the command line is. */
const char *record_range(uint64_t start, uint64_t last, char buf[RECORD_RANGE]);

/* Bytes that an entry covers at the level where @bits stands. */
uint64_t record_entry_size(const struct kernel_info *info, uint64_t bits);

/* "wb", "device-ngnre"; "index 3" for what the module named no type. */
const char *record_memory_type(const struct kernel_info *info, uint64_t bits,
			       char buf[RECORD_SIZE]);

/* The same with where it is from: "wc (PAT entry 1)", "normal (MAIR index 0)". */
const char *record_memory_decoded(const struct kernel_info *info, uint64_t bits,
				  char buf[RECORD_TEXT]);

/*
 * What stands where no page is mapped: "swap type 0 offset 0x1f2", "in no
 * VMA", "migrating, frame 0x4711".
 */
const char *record_absent(uint64_t value, uint64_t bits, char buf[RECORD_TEXT]);

/* "write,user,dirty", or "-". */
const char *record_flags(uint64_t bits, char buf[RECORD_FLAGS]);

/*
 * Adds to @object what @value and @bits say: kind, level, page_size, pfn,
 * paddr (of a present page, plus @offset), swap_type, swap_offset, marker,
 * memory_type, flags.
 */
void record_json(json_t *object, const struct kernel_info *info,
		 uint64_t value, uint64_t bits, uint64_t offset);

/* A line without its end: range, permissions, offset, device, name, flags. */
void record_vma(const struct truth_vma *vma, const char *name);
json_t *record_vma_json(const struct truth_vma *vma, const char *name);

#endif /* PTWALK_REPORT_RECORD_H */
