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

/* Entries behind a border where the read begins that has nothing before it. */
#define INSIDE		4

struct stride stride_at_border(struct stride s, uint64_t table, uint64_t low)
{
	const uint64_t wanted = s.first + s.skip;
	uint64_t end = s.first + s.nr, border = (end - 1) - (end - 1) % table;

	if (!border || border < s.first)
		return s;
	if (wanted <= border) {
		end = border + 1;
		if (s.first > border - 2)
			s.first = border - 2;
	} else if (wanted < border + INSIDE) {
		s.first = border - 1;
		if (end > border + INSIDE)
			end = border + INSIDE;
	} else {
		s.first = border + INSIDE;
	}
	if (s.first < low)
		s.first = low;
	s.nr = end - s.first;
	s.skip = wanted - s.first;
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

#define LONG_OF		16	/* parts there is one with a long margin, */
#define LONGEST_OF	31	/* and of those one with the longest */

#define PICK(array, nr)	(array)[(nr) % (sizeof(array) / sizeof((array)[0]))]

struct margin margin_of(uint64_t nr)
{
	static const struct margin shorts[] = {
		{ 0, 0 }, { 1, 0 }, { 0, 1 }, { 3, 4 }, { 33, 0 }, { 0, 0 },
		{ 35, 1 }, { 63, 0 },
	};
	static const struct margin longs[] = {
		{ 511, 1 }, { 0, 513 }, { 1030, 0 },
	};
	static const struct margin longest = { 16500, 3 };	/* > 128 KiB */

	if (nr % LONG_OF)
		return PICK(shorts, nr);
	nr /= LONG_OF;
	return nr % LONGEST_OF ? PICK(longs, nr) : longest;
}

void long_end_choose(struct long_end *end, uint64_t index)
{
	if (end->chosen || index < LONG_READ - 1)
		return;
	end->index = index;
	end->chosen = true;
}

bool long_end_among(const struct long_end *end, uint64_t first, uint64_t last)
{
	return end->chosen && end->index >= first && end->index <= last;
}

unsigned int long_end_margin(const struct long_end *end, uint64_t first)
{
	const uint64_t nr = end->index - first + 1;

	return nr < LONG_READ ? LONG_READ - nr : 0;
}
