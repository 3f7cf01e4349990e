// SPDX-License-Identifier: GPL-2.0
#include "stride.h"

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
