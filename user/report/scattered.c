// SPDX-License-Identifier: GPL-2.0
/* Extents behind each other that differ in nothing but their frames, as one line. */
#include <inttypes.h>
#include <stdio.h>
#include "report/scattered.h"

bool scattered_add(struct scattered *s, const struct ptwalk_kernel *info,
		   const struct ptwalk_extent *e)
{
	const struct ptwalk_extent *first = s->extent;

	if (s->nr && (first->bits != e->bits ||
		      first->addr + (s->pages << info->page_shift) != e->addr))
		return false;
	s->repeated = !s->nr ||
		      (s->repeated && first->value == e->value && first->pages >= e->pages);
	if (s->nr < SCATTERED)
		s->extent[s->nr] = *e;
	s->nr++;
	s->pages += e->pages;
	return true;
}

/* Some architectures have several zero pages in a row, and map one by the address. */
bool scattered_text(const struct scattered *s, const struct ptwalk_kernel *info,
		    char text[SCATTERED_TEXT])
{
	const struct ptwalk_extent *first = s->extent;
	const bool zero = s->nr && ptwalk_bits_flags(first->bits) & PTWALK_FLAG_ZERO;

	if (s->nr <= (zero ? 1 : SCATTERED))
		return false;
	if (zero && s->repeated &&
	    first->pages << info->page_shift <= entry_size(info, first->bits))
		snprintf(text, SCATTERED_TEXT, "the zero page, 0x%" PRIx64,
			 (uint64_t)first->value << info->page_shift);
	else
		snprintf(text, SCATTERED_TEXT, "%s in %zu pieces",
			 zero ? "zero pages," : "scattered:", s->nr);
	return true;
}
