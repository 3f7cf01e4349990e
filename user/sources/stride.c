// SPDX-License-Identifier: GPL-2.0
/* Reads of a few entries at a time, which begin and end where they like. */
#include "sources/stride.h"

struct stride stride_at(uint64_t wanted, unsigned int length,
			unsigned int phase, uint64_t low, uint64_t high)
{
	struct stride s = { .nr = length };

	s.skip = wanted < phase ? wanted : (wanted - phase) % length;
	if (s.skip > wanted - low) {
		s.nr -= s.skip - (wanted - low);
		s.skip = wanted - low;
	}
	s.first = wanted - s.skip;
	if (s.nr > high - s.first)
		s.nr = high - s.first + 1;
	return s;
}

void stride_keep_off(const struct ranges *left_out, uint64_t first, uint64_t last,
		     uint64_t *low, uint64_t *high)
{
	for (size_t i = 0; i < left_out->nr; i++) {
		const struct range *r = &left_out->range[i];

		if (r->last < first && r->last >= *low)
			*low = r->last + 1;
		if (r->start > last && r->start <= *high)
			*high = r->start - 1;
	}
}
