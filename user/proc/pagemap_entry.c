// SPDX-License-Identifier: GPL-2.0
/* An entry of pagemap taken apart. */
#include <stdio.h>
#include <string.h>
#include "base/jsonw.h"
#include "base/put.h"
#include "proc/pagemap_bits.h"
#include "proc/pagemap_entry.h"

static const char *const bits[64] = {
	[55] = "soft-dirty",
	[56] = "exclusive",
	[57] = "uffd-wp",
	[58] = "guard",
	[61] = "file",
	[62] = "swap",
	[63] = "present",
};
const struct names names_pagemap = { bits, 64 };

static unsigned int old_shift(uint64_t entry)
{
	return entry >> PM_OLD_SHIFT_SHIFT & PM_OLD_SHIFT_MASK;
}

/*
 * Decides by what cannot be. Kernels with the old format wrote the shift of
 * the page size, 12 or more, into each entry of a mapped page. Every number
 * from 12 on sets bit 59 or 60, which are zero in today's format, or both 57
 * and 58, which exclude each other there.
 */
static enum decode_format guess_format(uint64_t entry, const char **why,
				       bool *ambiguous)
{
	unsigned int shift = old_shift(entry);

	*ambiguous = false;
	*why = NULL;
	if (!entry) {
		*why = "all bits are zero, which means the same in both formats";
		return DECODE_NEW;
	}
	if (shift >= 12) {
		*ambiguous = shift > 34;
		if (*ambiguous)
			*why = "bits 59 and 60 must be zero in today's format, yet bits 55 to 60 are no likely page shift either";
		else if (entry & PM_MUST_BE_ZERO)
			*why = "bits 59 and 60 are zero in today's format";
		else
			*why = "bits 57 and 58 exclude each other in today's format";
		return DECODE_OLD;
	}
	*ambiguous = (entry & PM_GUARD) && (entry & PM_PRESENT);
	if (*ambiguous)
		*why = "a guard region is never present, yet bits 55 to 60 are no page shift either";
	return DECODE_NEW;
}

const char *decode_unlikely(const struct decoded *d)
{
	const uint64_t entry = d->entry;

	if (entry & PM_PRESENT && entry & PM_SWAP)
		return "present and swapped at once";
	if (!d->present && !d->swapped && d->pfn)
		return "neither present nor swapped, yet bits 0 to 54 are set";
	if (d->ambiguous || (d->format == DECODE_NEW && entry & PM_MUST_BE_ZERO))
		return "bits 55 to 60 are those of no format";
	if (d->present && d->pfn >> (52 - 12))
		return "no physical address has more than 52 bits";
	if (d->swapped && d->swap_offset >> 40)
		return "no swap area has so many pages";
	if (d->present && d->format == DECODE_NEW && entry & PM_GUARD)
		return "a guard region is never present";
	return NULL;
}

void decode(uint64_t entry, enum decode_format format, struct decoded *out)
{
	memset(out, 0, sizeof(*out));
	out->entry = entry;
	if (format == DECODE_AUTO)
		format = guess_format(entry, &out->why, &out->ambiguous);
	out->format = format;
	out->present = entry & PM_PRESENT;
	out->swapped = !out->present && (entry & PM_SWAP);
	if (out->swapped) {
		out->swap_type = entry & PM_SWAP_TYPE_MASK;
		out->swap_offset = (entry & PM_PFN_MASK) >> PM_SWAP_TYPE_BITS;
	} else {
		out->pfn = entry & PM_PFN_MASK;
	}
	out->flags = entry & ~PM_PFN_MASK;
	if (format == DECODE_OLD) {
		out->page_shift = old_shift(entry);
		out->flags &= ~(PM_OLD_SHIFT_MASK << PM_OLD_SHIFT_SHIFT);
	}
}

bool decode_paddr(const struct decoded *d, unsigned int page_shift,
		  uint64_t *paddr)
{
	if (d->format == DECODE_OLD && d->page_shift)
		page_shift = d->page_shift;
	*paddr = d->pfn << page_shift;
	return d->present && *paddr >> page_shift == d->pfn;
}

/* The flags that are told behind all else, each with a blank before it. */
static void set_words(struct decode_words *last, uint64_t flags)
{
	if (last->flags == flags)
		return;
	last->flags = flags;
	last->len = 0;
	if (!flags)
		return;
	last->text[0] = ' ';
	names_mask(&names_pagemap, flags, " ", last->text + 1, sizeof(last->text) - 1);
	last->len = strlen(last->text);
}

static char *put_pieces(char *to, uint64_t pieces)
{
	return put_text(put_decimal(put_text(to, " in "), pieces, 0), " scattered pieces");
}

char *decode_put(char *to, struct decode_words *last, const struct decoded *d)
{
	uint64_t flags = d->flags & ~PM_PRESENT;

	if (d->swapped)
		flags &= ~PM_SWAP;
	if (d->hidden && d->present) {
		to = put_text(to, "present, pfn hidden");
	} else if (d->hidden && d->swapped) {
		to = put_text(to, "swapped, place hidden");
	} else if (d->present && d->pieces) {
		to = put_pieces(put_text(to, "present"), d->pieces);
	} else if (d->present) {
		to = put_hex(put_text(to, "present pfn "), d->pfn);
	} else if (d->swapped) {
		to = put_decimal(put_text(to, "swapped type "), d->swap_type, 0);
		to = d->pieces ? put_pieces(to, d->pieces) :
				 put_hex(put_text(to, " offset "), d->swap_offset);
	} else if (d->pfn) {
		to = put_hex(put_text(to, "absent with "), d->pfn);
		to = put_text(to, " in bits 0 to 54");
	} else {
		to = put_text(to, "absent");
	}
	set_words(last, flags);
	return put_bytes(to, last->text, last->len);
}

void decode_text(const struct decoded *d, char *buf, size_t size)
{
	struct decode_words words = { 0 };
	char text[DECODE_TEXT_SIZE];

	*decode_put(text, &words, d) = '\0';
	snprintf(buf, size, "%s", text);
}

void decode_place_json(const struct decoded *d)
{
	jsonw_hex("entry", d->entry);
	jsonw_bool("present", d->present);
	jsonw_bool("swapped", d->swapped);
	if (d->hidden) {
		jsonw_bool("hidden", true);
	} else if (d->present) {
		jsonw_hex("pfn", d->pfn);
	} else if (d->swapped) {
		jsonw_number("swap_type", d->swap_type);
		jsonw_hex("swap_offset", d->swap_offset);
	} else if (d->pfn) {
		jsonw_hex("frame_bits", d->pfn);
	}
	if (d->format == DECODE_OLD)
		jsonw_number("page_shift", d->page_shift);
}

void decode_json(const struct decoded *d)
{
	decode_place_json(d);
	jsonw_mask("flags", &names_pagemap, d->flags);
}
