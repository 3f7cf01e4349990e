/* SPDX-License-Identifier: GPL-2.0 */
/* What two readings of a process's page tables differ in. Pure. */
#ifndef PTWALK_WATCH_CHANGES_H
#define PTWALK_WATCH_CHANGES_H

#include "base/names.h"
#include "module/truth.h"

/**
 * enum change_kind - what happened to a page between two readings
 * @CHANGE_MAPPED: There was none, or a marker.
 * @CHANGE_UNMAPPED: There is none any more.
 * @CHANGE_REMAPPED: It is at another address, in the same frame: mremap(). With it
 *	come there, where it is now, the changes of its entry on the way.
 * @CHANGE_REPLACED: One of another mapping is there; with CHANGE_REMAPPED, which has
 *	come from elsewhere.
 * @CHANGE_MOVED: It has another frame.
 * @CHANGE_COPIED: It has another frame, and is anonymous where it was a page of
 *	a file or the zero page, or it was mapped several times and is mapped
 *	once and dirty now: a copy on write.
 * @CHANGE_SWAPPED_OUT: To a swap area, or to another place there.
 * @CHANGE_SWAPPED_IN: From there.
 * @CHANGE_MIGRATING: A migration entry has taken its place.
 * @CHANGE_POISONED: A hwpoison entry has.
 * @CHANGE_SPLIT: A leaf of a lower level maps it.
 * @CHANGE_COLLAPSED: One of a higher level does, which was made of smaller pages; also
 *	of those that were missing among them, instead of CHANGE_MAPPED.
 * @CHANGE_WRITTEN: The dirty bit was set.
 * @CHANGE_CLEANED: It was cleared.
 * @CHANGE_SOFT_DIRTY: The soft-dirty bit was set.
 * @CHANGE_SOFT_CLEAN: It was cleared.
 * @CHANGE_UFFD_WP: The uffd-wp bit was set.
 * @CHANGE_UFFD_UNWP: It was cleared.
 * @CHANGE_ALLOWED: The entry allows more: writing, execution, or any access.
 * @CHANGE_DENIED: It allows less.
 * @CHANGE_RETYPED: It has another memory type.
 * @CHANGE_SHARED: It isn't mapped exactly once any more.
 * @CHANGE_EXCLUSIVE: It is now.
 * @CHANGE_YOUNG: The accessed bit was set.
 * @CHANGE_OLD: It was cleared.
 */
enum change_kind {
	CHANGE_MAPPED,
	CHANGE_UNMAPPED,
	CHANGE_REMAPPED,
	CHANGE_REPLACED,
	CHANGE_MOVED,
	CHANGE_COPIED,
	CHANGE_SWAPPED_OUT,
	CHANGE_SWAPPED_IN,
	CHANGE_MIGRATING,
	CHANGE_POISONED,
	CHANGE_SPLIT,
	CHANGE_COLLAPSED,
	CHANGE_WRITTEN,
	CHANGE_CLEANED,
	CHANGE_SOFT_DIRTY,
	CHANGE_SOFT_CLEAN,
	CHANGE_UFFD_WP,
	CHANGE_UFFD_UNWP,
	CHANGE_ALLOWED,
	CHANGE_DENIED,
	CHANGE_RETYPED,
	CHANGE_SHARED,
	CHANGE_EXCLUSIVE,
	CHANGE_YOUNG,
	CHANGE_OLD,
	NR_CHANGES
};

extern const struct names names_change;

/* Pages are known again by their place in the VMA, which old recordings don't have. */
#define CHANGES_PLACES	((1U << CHANGE_REMAPPED) | (1U << CHANGE_REPLACED))

/* The kernel clears accessed bits all the time, and map counts are others'. */
#define CHANGES_ALL	(((1U << NR_CHANGES) - 1) & ~CHANGES_PLACES)
#define CHANGES_USUAL							\
	(CHANGES_ALL & ~(1U << CHANGE_YOUNG | 1U << CHANGE_OLD |		\
			 1U << CHANGE_SHARED | 1U << CHANGE_EXCLUSIVE))

/**
 * struct change_side - a page at one of the moments
 * @bits: As in struct ptwalk_extent; of PTWALK_KIND_NO_VMA outside of VMAs.
 * @value: Likewise.
 * @vma: The VMA, or NULL.
 */
struct change_side {
	uint64_t bits, value;
	const struct ptwalk_vma *vma;
};

/**
 * struct change - consecutive pages to which the same happened
 * @addr: Address of the first one.
 * @pages: How many.
 * @what: Mask of 1 << enum change_kind.
 * @other: Of CHANGE_REMAPPED, where the first page is now if it isn't at @addr
 *	any more, and else where it was.
 * @before: The first page before.
 * @after: The first page after.
 */
struct change {
	uint64_t addr, pages;
	uint32_t what;
	uint64_t other;
	struct change_side before, after;
};

/* Of CHANGE_REMAPPED: whether the pages have gone from the address. */
bool change_is_away(const struct change *change);

/*
 * Calls @each with all changes, in the order of addresses, of the kinds in the
 * mask @kinds; with CHANGES_PLACES in it, CHANGE_REMAPPED takes the place of
 * CHANGE_UNMAPPED and CHANGE_MAPPED. @each returns 0 to go on, anything else to
 * stop; that is then returned, or -ENOMEM.
 */
int changes_between(const struct ptwalk_kernel *kernel, const struct truth *before,
		    const struct truth *after, uint32_t kinds,
		    int (*each)(const struct change *change, void *arg),
		    void *arg);

#endif /* PTWALK_WATCH_CHANGES_H */
