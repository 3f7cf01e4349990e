/* SPDX-License-Identifier: GPL-2.0 */
/* A way to scan: what the ioctl PAGEMAP_SCAN is asked, whatever pages it is about. */
#ifndef PTWALK_SOURCES_SCAN_WAY_H
#define PTWALK_SOURCES_SCAN_WAY_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "proc/pagemap_bits.h"
#include "sources/source.h"

/**
 * struct way - one way to scan
 * @regions: Length of the vector.
 * @max_pages: As for the ioctl; 0 for no limit.
 * @within: It ends within a page, all of which it has.
 * @required: Categories that a page must have.
 * @inverted: Categories that count as the opposite.
 * @any_of: Categories of which it must have at least one; 0 for no matter.
 * @wanted: Categories that are asked for.
 */
struct way {
	size_t regions;
	uint64_t max_pages;
	bool within;
	uint64_t required, inverted, any_of, wanted;
};

#define WAY_TEXT	176

/* As ptwalk's messages name it. The vector of one with a filter is as long as it must be. */
static inline void way_text(const struct way *way, char *buf, size_t size)
{
	const bool filter = way->required | way->inverted | way->any_of;
	int len = 0;

	if (!filter || way->max_pages)
		len = snprintf(buf, size, "a vector of %zu", way->regions);
	if (way->max_pages)
		len += snprintf(buf + len, size - len, ", max_pages %" PRIu64, way->max_pages);
	if (filter)
		snprintf(buf + len, size - len, "%scategory_mask 0x%" PRIx64
			 ", category_inverted 0x%" PRIx64 ", category_anyof_mask 0x%" PRIx64
			 ", return_mask 0x%" PRIx64, len ? ", " : "", way->required,
			 way->inverted, way->any_of, way->wanted);
}

/* But for where it ends. */
static inline struct pm_scan_arg way_arg(const struct way *way, uint64_t start,
					 struct page_region *region)
{
	return (struct pm_scan_arg){
		.size = sizeof(struct pm_scan_arg),
		.start = start,
		.vec = (uintptr_t)region,
		.vec_len = way->regions,
		.max_pages = way->max_pages,
		.category_mask = way->required,
		.category_inverted = way->inverted,
		.category_anyof_mask = way->any_of,
		.return_mask = way->wanted,
	};
}

/* What it must say of a page that one without a filter calls so. */
static inline uint64_t way_filtered(const struct way *way, uint64_t value)
{
	uint64_t tested = value ^ way->inverted;

	if (!(value & SCAN_REPORTED) ||
	    (tested & way->required) != way->required ||
	    (way->any_of && !(tested & way->any_of)))
		return 0;
	return (value & way->wanted) | SCAN_REPORTED;
}

/*
 * Whether limits, filters and the end of the vector are heeded where there are more
 * regions than the kernel gathers at once; of @categories, which it knows. Leaves
 * @fault alone if they are.
 */
void scan_own(uint64_t categories, struct source_fault *fault);

#endif /* PTWALK_SOURCES_SCAN_WAY_H */
