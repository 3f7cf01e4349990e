/* SPDX-License-Identifier: GPL-2.0 */
/* Decodes a pagemap entry. Pure. */
#ifndef PTWALK_PROC_PAGEMAP_ENTRY_H
#define PTWALK_PROC_PAGEMAP_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/names.h"

extern const struct names names_pagemap;	/* bits of today's format */

enum decode_format {
	DECODE_AUTO,
	DECODE_NEW,	/* since Linux 4.2 */
	DECODE_OLD,	/* before: bits 55 to 60 are a page shift */
};

/**
 * struct decoded - the fields of a pagemap entry
 * @entry: As it was.
 * @format: DECODE_NEW or DECODE_OLD.
 * @why: What made decode() choose @format; NULL if it was told to, or if it is
 *	today's and nothing speaks against that.
 * @ambiguous: The other format would make sense as well.
 * @present: In memory: @pfn counts.
 * @swapped: Not in memory but elsewhere: @swap_type and @swap_offset count.
 * @page_shift: Of the old format; 0 in the new one.
 * @hidden: Set by a caller who knows that PFN and swap fields were withheld.
 * @pieces: Set by a caller for whom it stands for so many that differ in their place; or 0.
 * @flags: The bits from 55 on that are set, in the new format; bits 61 to 63
 *	in the old one.
 */
struct decoded {
	uint64_t entry;
	enum decode_format format;
	const char *why;
	bool ambiguous;
	bool present, swapped;
	bool hidden;
	uint64_t pieces;
	uint64_t pfn;
	unsigned int swap_type;
	uint64_t swap_offset;
	unsigned int page_shift;
	uint64_t flags;
};

void decode(uint64_t entry, enum decode_format format, struct decoded *out);

/* Why no pagemap shows this, or NULL: it may. */
const char *decode_unlikely(const struct decoded *d);

/*
 * The physical address of the first byte, in @paddr; the page shift is the
 * entry's own in the old format, @page_shift in the new one. False if the
 * entry isn't present, or the address has more than 64 bits.
 */
bool decode_paddr(const struct decoded *d, unsigned int page_shift,
		  uint64_t *paddr);

#define DECODE_TEXT_SIZE	160

/* "present pfn 0x1234 soft-dirty exclusive", without address and format. */
void decode_text(const struct decoded *d, char *buf, size_t size);

/*
 * The members of an object that is one; but with decode_place_json() all but flags,
 * which differ from entry to entry.
 */
void decode_json(const struct decoded *d);
void decode_place_json(const struct decoded *d);

/**
 * struct decode_words - what was written of flags
 * @flags: They. The next entry mostly has the same.
 *
 * All zero is a valid one.
 */
struct decode_words {
	uint64_t flags;
	size_t len;
	char text[DECODE_TEXT_SIZE];
};

/*
 * Puts what decode_text() writes at @to, less than DECODE_TEXT_SIZE bytes. Returns
 * the place behind them, as in base/put.h. @last is kept from line to line.
 */
char *decode_put(char *to, struct decode_words *last, const struct decoded *d);

#endif /* PTWALK_PROC_PAGEMAP_ENTRY_H */
