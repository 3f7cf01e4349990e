/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that a seed decides, the same on all machines. */
#ifndef PTWALK_BASE_RANDOM_H
#define PTWALK_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* Any value is a seed. */
struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = (random->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* A number below @below, or 0. */
static inline uint64_t random_below(struct random *random, uint64_t below)
{
	return below ? random_next(random) % below : 0;
}

/* Whether it is one time in @nr. */
static inline bool random_one_in(struct random *random, uint64_t nr)
{
	return !random_below(random, nr);
}

/*
 * A number from 1 to 1 << @bits, more often a small one: as often from one power of two
 * to the next as between any others, and often near a power of two, where buffers end.
 */
static inline uint64_t random_size(struct random *random, unsigned int bits)
{
	const uint64_t power = 1ULL << random_below(random, bits + 1);

	switch (random_below(random, 4)) {
	case 0:
		return power;
	case 1:
		return power > 1 ? power - 1 : 1;
	case 2:
		return power < 1ULL << bits ? power + 1 : power;
	default:
		return power - random_below(random, power / 2);
	}
}

#endif /* PTWALK_BASE_RANDOM_H */
