/* SPDX-License-Identifier: GPL-2.0 */
/* What a page of a picture is: the kinds that have a colour each. Pure. */
#ifndef PTWALK_MAP_KIND_H
#define PTWALK_MAP_KIND_H

#include "lib/ptwalk.h"

/**
 * enum map_kind - kinds of pages
 * @MAP_EMPTY: Nothing is mapped.
 * @MAP_ANON: Anonymous memory.
 * @MAP_FILE: Pages of files, in the page cache.
 * @MAP_SHMEM: Those of tmpfs and shared memory.
 * @MAP_HUGETLB: Those of hugetlb.
 * @MAP_KSM: Merged by KSM.
 * @MAP_ZERO: The zero page.
 * @MAP_SPECIAL: A device's memory, a driver's, or the kernel's own: what has no
 *	struct page that is counted, or was put there by vm_insert_page().
 * @MAP_SWAP: Swapped out.
 * @MAP_AWAY: With a page that isn't mapped: migrating, or held by a device.
 * @MAP_MARKER: A marker.
 * @MAP_POISON: Poisoned by a hardware error.
 * @MAP_UNREAD: What couldn't be read, or isn't understood.
 */
enum map_kind {
	MAP_EMPTY,
	MAP_ANON,
	MAP_FILE,
	MAP_SHMEM,
	MAP_HUGETLB,
	MAP_KSM,
	MAP_ZERO,
	MAP_SPECIAL,
	MAP_SWAP,
	MAP_AWAY,
	MAP_MARKER,
	MAP_POISON,
	MAP_UNREAD,
	NR_MAP_KINDS
};

/**
 * struct map_kind_look - how a kind is shown
 * @name: In JSON, and as the class of shapes.
 * @text: In words.
 * @symbol: On a terminal; of a huge leaf its capital.
 * @sgr: Its colour there: the parameters of the escape sequence.
 * @light: Its colour on white, @dark on black.
 */
struct map_kind_look {
	const char *name, *text;
	char symbol;
	const char *sgr, *light, *dark;
};

extern const struct map_kind_look map_kinds[NR_MAP_KINDS];

/* The kind of an entry of @vma. */
enum map_kind map_kind_of(const struct ptwalk_vma *vma, uint64_t bits);

#endif /* PTWALK_MAP_KIND_H */
