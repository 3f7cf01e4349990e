/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plain record that stands between the walk and the protocol: the walk
 * and what decodes entries know nothing of netlink attributes, and the netlink
 * code knows nothing of page-table entries.
 */
#ifndef PTWALK_RECORD_H
#define PTWALK_RECORD_H

#include <linux/types.h>
#include "uapi/linux/ptwalk_record.h"

/**
 * struct ptwalk_sink - where extents go
 * @next: The slot for the next extent.
 * @end: One past the last slot.
 * @last: The extent that was added last, or NULL.
 *
 * The memory is the caller's, aligned for u64, and bounded: it is filled under
 * page-table locks, so nothing is allocated here.
 */
struct ptwalk_sink {
	struct ptwalk_extent *next;
	struct ptwalk_extent *end;
	struct ptwalk_extent *last;
};

bool ptwalk_sink_add(struct ptwalk_sink *sink, u64 addr, u64 value, u64 pages,
		     u64 bits);

/* True for the kinds whose value ascends by one with each page. */
static inline bool ptwalk_kind_ascends(u32 kind)
{
	return kind >= PTWALK_KIND_PRESENT && kind <= PTWALK_KIND_DEVICE_EXCLUSIVE;
}

#endif /* PTWALK_RECORD_H */
