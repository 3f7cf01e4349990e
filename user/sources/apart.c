// SPDX-License-Identifier: GPL-2.0
/* A long read of a file with an entry for each frame, and its entries by themselves. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sources/apart.h"

#define EVEN		8	/* entries that are read alone, at the same distance */
#define ENTRIES		16	/* of all; the others are where the next one differs */
#define ROUNDS		4	/* in which one must differ, the first included */
#define ALIKE		64	/* so many are seen at once to be like those before */

/**
 * struct odd - an entry that was shown in two ways
 * @at: Its place in the long read.
 * @among: What that shows, and @alone a read of it alone.
 */
struct odd {
	size_t at;
	uint64_t among, alone;
};

/* Keeps those that differ in the same way again, and returns how many. */
static size_t keep(read_entries_fn *read, int fd, uint64_t first, uint64_t *value,
		   size_t nr, struct odd *odd, size_t nr_odd)
{
	size_t kept = 0;
	uint64_t alone;

	if (read(fd, first, value, nr) != (ssize_t)nr)
		return 0;
	for (size_t i = 0; i < nr_odd; i++)
		if (read(fd, first + odd[i].at, &alone, 1) == 1 &&
		    alone == odd[i].alone && value[odd[i].at] == odd[i].among)
			odd[kept++] = odd[i];
	return kept;
}

/*
 * Chooses entries to be read alone: if those behind some entry are those of other
 * frames, this shows where frames that are alike end, and that is elsewhere then.
 */
static size_t choose(const uint64_t *shown, size_t nr, size_t at[ENTRIES])
{
	size_t chosen = 0;

	for (; chosen < EVEN && chosen < nr; chosen++)
		at[chosen] = nr - 1 - chosen * (nr / EVEN);
	for (size_t i = nr; i > 1 && chosen + 1 < ENTRIES; i--) {
		while (i > ALIKE && !memcmp(shown + i - ALIKE, shown + i - ALIKE - 1,
					    ALIKE * sizeof(*shown)))
			i -= ALIKE;
		if (i < 2 || shown[i - 1] == shown[i - 2])
			continue;
		at[chosen++] = i - 1;
		at[chosen++] = i - 2;
	}
	return chosen;
}

void read_apart(read_entries_fn *read, int fd, uint64_t first, const uint64_t *shown,
		size_t nr, struct source_fault *fault)
{
	struct odd odd[ENTRIES];
	size_t at[ENTRIES], nr_at = choose(shown, nr, at), nr_odd = 0;
	uint64_t alone, *value;

	for (size_t i = 0; i < nr_at; i++)
		if (read(fd, first + at[i], &alone, 1) == 1 && alone != shown[at[i]])
			odd[nr_odd++] = (struct odd){ at[i], shown[at[i]], alone };
	value = nr_odd ? malloc(nr * sizeof(*value)) : NULL;
	if (!value)
		return;
	for (int round = 1; nr_odd && round < ROUNDS; round++)
		nr_odd = keep(read, fd, first, value, nr, odd, nr_odd);
	free(value);
	if (!nr_odd)
		return;
	fault->must = "each entry as a read of that one shows it";
	snprintf(fault->does, sizeof(fault->does),
		 "a read of %zu entries from 0x%" PRIx64 " on shows 0x%" PRIx64
		 " of 0x%" PRIx64 ", and one of that alone 0x%" PRIx64, nr, first,
		 odd[0].among, first + odd[0].at, odd[0].alone);
}
