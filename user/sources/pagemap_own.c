// SPDX-License-Identifier: GPL-2.0
/*
 * How pagemap answers requests, tried on ptwalk's own: what is so whatever process it
 * is about, and where the end of all addresses is, which must be known for it.
 */
#include <errno.h>
#include "proc/pagemap_raw.h"
#include "sources/pagemap_own.h"

#define ENTRY		sizeof(uint64_t)
#define BEFORE_END	513	/* more than a table has entries, with pages of 4 KiB */
#define OVER_END	600

enum wrong {
	REFUSED_EMPTY, REFUSED_BEHIND, REFUSED_END, LACKS_LAST, MOVES_ON,
	NR_WRONG,
};

static const struct source_fault faults[NR_WRONG] = {
	[REFUSED_EMPTY] = { "pagemap_read()", "it must find none",
			    "a read of no entry is refused" },
	[REFUSED_BEHIND] = { "pagemap_read()", "it must find the end",
			     "a read behind all addresses is refused" },
	[REFUSED_END] = { "pagemap_read()", "it must find what is before it",
			  "a read over the end of all addresses finds something else" },
	[LACKS_LAST] = { "pagemap_read()", "it must find all that is before it",
			 "the end is found before a page that ptwalk may map" },
	[MOVES_ON] = { "pagemap_read()", "by as much as it found",
		       "a read over the end of all addresses moves the position on by something else" },
};

/* What a read comes to that has to come to @want, if there was memory for it. */
static bool comes_to(ssize_t n, ssize_t want)
{
	return n == want || n == -ENOMEM;
}

/* From some pages before the end on, which is right in front of page @end. */
static const struct source_fault *try_over_end(int fd, uint64_t end)
{
	const uint64_t before = end < BEFORE_END ? end : BEFORE_END;
	uint64_t value[OVER_END];
	int64_t moved = 0;
	ssize_t n = pagemap_raw_read(fd, value, sizeof(value), (end - before) * ENTRY,
				     &moved);

	if (!comes_to(n, before * ENTRY))
		return &faults[REFUSED_END];
	return n >= 0 && moved != n ? &faults[MOVES_ON] : NULL;
}

/*
 * The last page that can be read is next to a power of two, or one before that; on
 * 32-bit systems it may be any.
 */
static const struct source_fault *try_end(int fd, unsigned int shift)
{
	uint64_t value[4], page, end;
	ssize_t n = 0;

	for (unsigned int bits = 8 * sizeof(long); !n && bits > shift; bits--) {
		page = (1ULL << (bits - shift)) - 2;
		n = pagemap_raw_pread(fd, value, ENTRY, page * ENTRY);
		if (!comes_to(n, n ? ENTRY : 0))
			return &faults[REFUSED_BEHIND];
	}
	if (n <= 0)
		return NULL;
	n = pagemap_raw_pread(fd, value, sizeof(value), page * ENTRY);
	if (n == -ENOMEM)
		return NULL;
	if (n < (ssize_t)ENTRY)
		return &faults[REFUSED_END];
	end = page + n / ENTRY;
	if (n < (ssize_t)sizeof(value))
		return pagemap_raw_maps(end << shift) ? &faults[LACKS_LAST] :
							try_over_end(fd, end);
	/* There is more; but not what was tried before, next to twice as much. */
	if (!pagemap_raw_pread(fd, value, ENTRY, (end - 1) * ENTRY))
		return &faults[REFUSED_END];
	return pagemap_raw_maps((2 * page + 2) << shift) ? &faults[LACKS_LAST] : NULL;
}

const struct source_fault *pagemap_own_fault(int fd, unsigned int shift)
{
	uint64_t value;

	if (pagemap_raw_pread(fd, &value, 0, 0) < 0)
		return &faults[REFUSED_EMPTY];
	return try_end(fd, shift);
}
