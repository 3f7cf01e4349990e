/* SPDX-License-Identifier: GPL-2.0 */
/* What memory types mean for a driver, on any processor. Pure. */
#ifndef PTWALK_MODULE_MEMORY_TYPES_H
#define PTWALK_MODULE_MEMORY_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include "module/client.h"

/**
 * enum caching - how the processor treats memory of a type
 * @CACHING_UNKNOWN: The entry doesn't tell it.
 * @CACHING_FULL: As it treats ordinary memory.
 * @CACHING_THROUGH: Reads are cached, writes go through.
 * @CACHING_COMBINING: Not cached, but writes are gathered and may be reordered.
 * @CACHING_NONE: Not cached: every access reaches the device, in order.
 */
enum caching {
	CACHING_UNKNOWN,
	CACHING_FULL,
	CACHING_THROUGH,
	CACHING_COMBINING,
	CACHING_NONE,
};

/* Of an enum ptwalk_memory_type. */
enum caching memtype_caching(unsigned int type);

/* The enum ptwalk_memory_type of a present entry; UNKNOWN if not told. */
unsigned int memtype_of(const struct ptwalk_kernel *kernel, uint64_t bits);

/* "wb", "device-ngnre"; "index 3" for what the module named no type. */
#define MEMTYPE_TEXT	24
const char *memtype_text(const struct ptwalk_kernel *kernel, uint64_t bits,
			 char buf[MEMTYPE_TEXT]);

/*
 * The types that a word of @len bytes means, as a mask of 1 << enum
 * ptwalk_memory_type: the name of one, "uc-", or what all processors have
 * under some name: "cached", "combining", "uncached", "device". 0: none.
 */
uint32_t memtype_parse(const char *word, size_t len);

/* Of the same words and @best, which may be NULL, the one that was meant; see parse_nearer(). */
const char *memtype_nearest(const char *word, const char *best);

/* Those that entries of this kernel can have. */
uint32_t memtypes_there(const struct ptwalk_kernel *kernel);

/* The names of the types of a mask, ", " between them. */
void memtypes_text(uint32_t mask, char *buf, size_t size);

#endif /* PTWALK_MODULE_MEMORY_TYPES_H */
