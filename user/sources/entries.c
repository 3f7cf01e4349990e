// SPDX-License-Identifier: GPL-2.0
/* How a file of 64-bit entries answers requests. */
#include <errno.h>
#include "proc/raw_reads.h"
#include "sources/entries.h"

#define ENTRY		sizeof(uint64_t)
#define BEFORE_END	513	/* more than a table has entries, with pages of 4 KiB */
#define OVER_END	600

static const struct source_fault
parts = { .must = "it must be refused", .does = "a read of half an entry is answered" },
empty = { .must = "it must find none", .does = "a read of no entry is refused" },
refused = { .must = "it must find the end", .does = "a read behind the end is refused" },
over = {
	.must = "what is before it, and behind it nothing",
	.does = "a read over the end, or behind it, finds something else",
},
lacks = {
	.must = "it must find all that is before it",
	.does = "the end is found before a page that ptwalk may map",
},
moves = {
	.must = "by as much as it found",
	.does = "a read moves the position on by something else",
};

static bool answers_parts(int fd)
{
	static const struct {
		size_t size;
		uint64_t at;
	} part[] = { { 8, 4 }, { 8, 1 }, { 12, 0 }, { 7, 8 }, { 1, 0 } };
	uint64_t value[2];

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		if (raw_pread(fd, value, part[i].size, part[i].at) != -EINVAL)
			return true;
	return false;
}

/* The number of entries: the first one that isn't there; or a negative errno. */
static int64_t find_nr_entries(int fd, uint64_t most)
{
	uint64_t low = 0, high = 1, mid, value;
	ssize_t n = 1;

	/* Not from above: arm64 takes the upper byte of an address for a tag. */
	while (n > 0 && high < most) {
		n = raw_pread(fd, &value, ENTRY, high * ENTRY);
		low = n > 0 ? high + 1 : low;
		high = n > 0 ? 2 * high : high;
	}
	while (n >= 0 && low < high) {
		mid = low + (high - low) / 2;
		n = raw_pread(fd, &value, ENTRY, mid * ENTRY);
		low = n > 0 ? mid + 1 : low;
		high = n > 0 ? high : mid;
	}
	return n < 0 ? n : (int64_t)low;
}

/* From some entries before the end on, and behind it. */
static const struct source_fault *try_end(int fd, uint64_t end)
{
	const uint64_t before = end < BEFORE_END ? end : BEFORE_END;
	uint64_t value[OVER_END];
	int64_t moved = 0;
	ssize_t n = raw_read(fd, value, sizeof(value), (end - before) * ENTRY, &moved);
	ssize_t behind = raw_pread(fd, value, ENTRY, (end + 1) * ENTRY);

	if (n == -ENOMEM || behind == -ENOMEM)
		return NULL;
	if (n != (ssize_t)(before * ENTRY) || behind)
		return &over;
	return moved != n ? &moves : NULL;
}

void entries_try(int fd, uint64_t most, unsigned int shift, struct source_fault *fault)
{
	const struct source_fault *found = NULL;
	uint64_t value[2];
	int64_t end = 0, moved = 0;
	ssize_t n = raw_read(fd, value, sizeof(value), 0, &moved);

	if (answers_parts(fd))
		found = &parts;
	else if (raw_pread(fd, value, 0, 0) < 0)
		found = &empty;
	else if (n >= 0 && moved != n)
		found = &moves;
	else if (most)
		end = find_nr_entries(fd, most);
	if (end < 0 && end != -ENOMEM)
		found = &refused;
	else if (end > 0)
		found = try_end(fd, end);
	if (end >= 0 && shift && !found && raw_maps((uint64_t)end << shift))
		found = &lacks;
	/* Of frames there are more when memory is added. */
	if (found && (end <= 0 || find_nr_entries(fd, most) == end))
		*fault = *found;
}
