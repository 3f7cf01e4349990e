/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contents of a page that distinguish it from every other page: a marker
 * word, its number, and words computed from the number and a seed. All words
 * are little-endian on every architecture.
 */
#ifndef PTWALK_TEST_PATTERN_H
#define PTWALK_TEST_PATTERN_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

#define PATTERN_MARK	0x7074776c6b3a2d29ULL

/* Word @index of page @number, as it stands in memory. */
static inline uint64_t pattern_word(uint64_t seed, uint64_t number, size_t index)
{
	uint64_t x = seed + number * 0xd1342543de82ef95ULL + index;

	if (index == 0)
		return htole64(PATTERN_MARK);
	if (index == 1)
		return htole64(number);
	/* The mixer of SplitMix64. */
	x *= 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return htole64(x ^ x >> 31);
}

/* A digest (FNV-1a) of a page that holds something else. */
static inline uint64_t pattern_digest(const unsigned char *page, size_t size)
{
	uint64_t digest = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < size; i++)
		digest = (digest ^ page[i]) * 0x100000001b3ULL;
	return digest;
}

#endif /* PTWALK_TEST_PATTERN_H */
