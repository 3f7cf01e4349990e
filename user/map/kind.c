// SPDX-License-Identifier: GPL-2.0
/* The kinds of pages, and how each looks. */
#include "map/kind.h"

/* Colours that most people tell apart who don't see all of them: lightness differs, too. */
const struct map_kind_look map_kinds[NR_MAP_KINDS] = {
	[MAP_EMPTY] = { "empty", "nothing mapped", '.', "2",
			"#e8e8e8", "#373737" },
	[MAP_ANON] = { "anon", "anonymous", 'a', "34", "#0a497f", "#3180d3" },
	[MAP_FILE] = { "file", "file", 'f', "32", "#00be88", "#5fd9b6" },
	[MAP_SHMEM] = { "shmem", "shared memory", 's', "36",
			"#9dd9fc", "#e2f4ff" },
	[MAP_HUGETLB] = { "hugetlb", "hugetlb", 'h', "35",
			  "#4c1136", "#a73273" },
	[MAP_KSM] = { "ksm", "KSM", 'k', "35", "#6c52b9", "#a991e8" },
	[MAP_ZERO] = { "zero", "zero page", 'z', "2", "#959595", "#6e6e6e" },
	[MAP_SPECIAL] = { "special", "device, driver or kernel", 'd', "31",
			  "#c84b00", "#ec6311" },
	[MAP_SWAP] = { "swap", "swapped out", 'w', "33", "#edb200", "#ffd65a" },
	[MAP_AWAY] = { "away", "migrating, or held by a device", 'm', "33",
		       "#a27e24", "#cdaf35" },
	[MAP_MARKER] = { "marker", "marker", 'x', "2", "#383838", "#454545" },
	[MAP_POISON] = { "poison", "poisoned", 'p', "1;31",
			 "#af0000", "#aa0000" },
	[MAP_UNREAD] = { "unread", "could not be read", '?', "7",
			 "url(#hatch)", "url(#hatch)" },
};

static enum map_kind present_kind(const struct ptwalk_vma *vma, uint32_t flags)
{
	if (flags & PTWALK_FLAG_ZERO)
		return MAP_ZERO;
	if (!(flags & PTWALK_FLAG_PAGE))
		return MAP_SPECIAL;
	if (flags & PTWALK_FLAG_HUGETLB)
		return MAP_HUGETLB;
	if (flags & PTWALK_FLAG_KSM)
		return MAP_KSM;
	if (flags & PTWALK_FLAG_ANON)
		return MAP_ANON;
	/* What vm_insert_page() has mapped is counted, and a driver's all the same. */
	if (vma->flags & PTWALK_VMA_FLAG_MIXEDMAP)
		return MAP_SPECIAL;
	return vma->flags & PTWALK_VMA_FLAG_SHMEM ? MAP_SHMEM : MAP_FILE;
}

enum map_kind map_kind_of(const struct ptwalk_vma *vma, uint64_t bits)
{
	switch (ptwalk_bits_kind(bits)) {
	case PTWALK_KIND_NONE:
		return MAP_EMPTY;
	case PTWALK_KIND_PRESENT:
		return present_kind(vma, ptwalk_bits_flags(bits));
	case PTWALK_KIND_SWAP:
		return MAP_SWAP;
	case PTWALK_KIND_MIGRATION:
	case PTWALK_KIND_DEVICE_PRIVATE:
	case PTWALK_KIND_DEVICE_EXCLUSIVE:
		return MAP_AWAY;
	case PTWALK_KIND_HWPOISON:
		return MAP_POISON;
	case PTWALK_KIND_MARKER:
		return MAP_MARKER;
	default:
		return MAP_UNREAD;
	}
}
