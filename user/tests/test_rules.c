// SPDX-License-Identifier: GPL-2.0
/*
 * For each rule a page that it is about, with the value that it stands for;
 * that value with any bit changed, and the same value for pages and kernels
 * next to it, must be mismatches.
 */
#include "check/rules.h"
#include "tests.h"

#define PAGE	PTWALK_FLAG_PAGE
#define ANON	PTWALK_FLAG_ANON
#define ONCE	PTWALK_FLAG_EXCLUSIVE
#define HEAD	PTWALK_FLAG_HEAD_EXCLUSIVE
#define SHARED	PTWALK_FLAG_MAYBE_SHARED
#define PMDS	PTWALK_FLAG_PMD_SHARED
#define SD	PTWALK_FLAG_SOFT_DIRTY
#define WP	PTWALK_FLAG_UFFD_WP
#define ZERO	PTWALK_FLAG_ZERO
#define DEVMAP	PTWALK_FLAG_DEVMAP
#define NONE	PTWALK_FLAG_PROT_NONE

#define RAM	PTWALK_FLAG_RAM
#define KSM	PTWALK_FLAG_KSM
#define LARGE	PTWALK_FLAG_LARGE

#define PMD	PTWALK_LEVEL_PMD
#define PUD	PTWALK_LEVEL_PUD

#define SCAN	.source = &test_scan
#define FLAGS	.source = &test_kpageflags
#define COUNT	.source = &test_kpagecount
#define CGROUP	.source = &test_kpagecgroup
#define CORE	.source = &test_mincore
#define OTHER(categories)	((uint64_t)(categories) << 16)

static const struct ptwalk_vma plain = { .flags = PTWALK_VMA_FLAG_READ };
static const struct ptwalk_vma dirty = {
	.flags = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_SOFTDIRTY,
};
static const struct ptwalk_vma pfnmap = {
	.flags = PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_IO,
};
static const struct ptwalk_vma pfnmap_file = {
	.flags = PTWALK_VMA_FLAG_PFNMAP, .dev_minor = 6, .inode = 5,
};
static const struct ptwalk_vma mixedmap_file = {
	.flags = PTWALK_VMA_FLAG_MIXEDMAP, .dev_minor = 6, .inode = 5,
};
static const struct ptwalk_vma pfnmap_dirty = {
	.flags = PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_SOFTDIRTY,
};
static const struct ptwalk_vma mixedmap = {
	.flags = PTWALK_VMA_FLAG_MIXEDMAP,
};
static const struct ptwalk_vma anonymous = {
	.flags = PTWALK_VMA_FLAG_ANONYMOUS,
};
static const struct ptwalk_vma io = { .flags = PTWALK_VMA_FLAG_IO };
static const struct ptwalk_vma hugetlb = {
	.flags = PTWALK_VMA_FLAG_HUGETLB,
	.page_shift = 21,
};
static const struct ptwalk_vma uffd_wp = {
	.flags = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_UFFD_WP,
};
static const struct ptwalk_vma hugetlb_uffd_wp = {
	.flags = PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_UFFD_WP,
	.page_shift = 21,
};
static const struct ptwalk_vma hugetlb_dirty = {
	.flags = PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_SOFTDIRTY,
};

struct subject {
	unsigned int kind, level, aux;
	uint32_t flags;
	uint64_t value;
	const struct ptwalk_vma *vma;
	bool gate;
	const struct ptwalk_page *facts;
};

/* The second page of a folio of four that is mapped once. */
static const struct ptwalk_page tail = {
	.counts = 4 | 1ULL << 32,
	.folio_counts = 4,
	.place = 2 | 1ULL << 32,
};

static const struct ptwalk_page head = {
	.counts = 4 | 1ULL << 32,
	.folio_counts = 4,
	.place = 2,
};

static const struct {
	const char *rule;		/* NULL: must be a mismatch */
	unsigned int major, minor;
	struct subject page;
	uint64_t seen;
	bool no_data;
	bool no_mapcount;
	bool no_sharing;		/* of tables for hugetlb */
	bool arm;			/* 32-bit, not x86-64 */
	const struct source *source;	/* NULL: pagemap */
	bool known_bugs;
} cases[] = {
	{ "pfnmap-hidden", 6, 1,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap },
	  0 },
	{ "pfnmap-hidden", 7, 3,
	  { PTWALK_KIND_PRESENT, PMD, 0, 0, 0xfe000, &pfnmap }, 0 },
	{ "pfnmap-hidden", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 1, &pfnmap_dirty },
	  0x0080000000000000 },
	{ "pfnmap-hidden", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | SD, 1, &pfnmap }, 0 },
	/* The other soft-dirty, a wrong PFN, a lost page beside it. */
	{ NULL, 6, 12, { PTWALK_KIND_PRESENT, 0, 0, 0, 1, &pfnmap_dirty }, 0 },
	{ NULL, 6, 12, { PTWALK_KIND_PRESENT, 0, 0, 0, 1, &pfnmap },
	  0x0080000000000000 },
	{ NULL, 6, 12, { PTWALK_KIND_PRESENT, 0, 0, 0, 1, &pfnmap },
	  0x8000000000000002 },
	{ NULL, 6, 12, { PTWALK_KIND_PRESENT, 0, 0, 0, 1, &pfnmap },
	  0, .no_data = true },
	{ NULL, 6, 12, { PTWALK_KIND_PRESENT, 0, 0, 0, 1, &mixedmap }, 0 },
	{ NULL, 6, 12, { PTWALK_KIND_PRESENT, 0, 0, 0, 1, &io }, 0 },
	{ NULL, 6, 12, { PTWALK_KIND_NONE, 0, 0, 0, 0, &pfnmap }, 1 },
	{ NULL, 6, 12, { PTWALK_KIND_NONE, 0, 0, 0, 0, &pfnmap },
	  0x0080000000000000 },

	{ "gate-vma", 6, 12, { PTWALK_KIND_NO_VMA, .gate = true }, 0,
	  .no_data = true },
	{ NULL, 6, 12, { PTWALK_KIND_NO_VMA, .gate = true },
	  0x8000000000001234 },
	{ NULL, 6, 12, { PTWALK_KIND_NONE, 0, 0, 0, 0, &plain }, 0,
	  .no_data = true },
	{ NULL, 6, 12, { PTWALK_KIND_NO_VMA }, 0x8000000000001234 },

	{ "hugetlb-nonpresent", 6, 1,
	  { PTWALK_KIND_MIGRATION, PMD, 30, PAGE, 0x12200, &hugetlb }, 0 },
	{ "hugetlb-nonpresent", 7, 2,
	  { PTWALK_KIND_MIGRATION, PMD, 30, PAGE | WP, 0x12200,
	    &hugetlb_dirty }, 0x0280000000000000 },
	{ "hugetlb-nonpresent", 6, 12,
	  { PTWALK_KIND_MARKER, PMD, 27, 0, PTWALK_MARKER_UFFD_WP, &hugetlb },
	  0x0200000000000000 },
	{ "hugetlb-nonpresent", 6, 12,
	  { PTWALK_KIND_MARKER, PMD, 27, 0, PTWALK_MARKER_POISONED, &hugetlb },
	  0 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_MIGRATION, PMD, 30, PAGE, 0x12200, &plain }, 0 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_MIGRATION, PMD, 30, PAGE | SD, 0x12200, &hugetlb },
	  0x0080000000000000 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ONCE, 0x12200, &hugetlb }, 0 },
	{ NULL, 6, 12, { PTWALK_KIND_SWAP, 0, 3, 0, 6, &plain }, 0 },

	{ "hugetlb-soft-dirty", 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | SD, 0x12200,
	    &hugetlb }, 0x8100000000012200 },
	{ "hugetlb-soft-dirty", 7, 3,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | SD, 0x12200,
	    &hugetlb }, 0x8100000000012200 },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | SD, 0x12200,
	    &hugetlb_dirty }, 0x8100000000012200 },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | SD, 0x12200,
	    &plain }, 0x8100000000012200 },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE, 0x12200,
	    &hugetlb }, 0x8180000000012200 },

	{ "hugetlb-exclusive", 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ONCE | PMDS, 0x12200,
	    &hugetlb }, 0xa000000000012200 },
	{ "hugetlb-exclusive", 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE, 0x12200, &hugetlb },
	  0xa100000000012200 },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ONCE | PMDS, 0x12200,
	    &hugetlb }, 0xa000000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ONCE, 0x12200, &hugetlb },
	  0xa000000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | SHARED, 0x12200, &hugetlb },
	  0xa100000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ONCE | PMDS, 0x12200,
	    &plain }, 0xa000000000012200 },

	{ "hugetlb-share-count-bug", 7, 2,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | ONCE, 0x40000,
	    &hugetlb }, 0x8000000000040000, .known_bugs = true },
	{ "hugetlb-share-count-bug", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ONCE, 0x12210, &hugetlb },
	  0xa000000000012210, .known_bugs = true },
	/* It's a bug; other levels, kernels and builds don't have it. */
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | ONCE, 0x40000,
	    &hugetlb }, 0x8000000000040000 },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE, 0x12200,
	    &hugetlb }, 0x8000000000012200, .known_bugs = true },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | ONCE, 0x40000,
	    &hugetlb }, 0x8000000000040000, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | ONCE, 0x40000,
	    &hugetlb }, 0x8000000000040000, .known_bugs = true,
	  .no_sharing = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | ONCE, 0x40000,
	    &plain }, 0x8000000000040000, .known_bugs = true },
	/* The bit can be lost; it is never invented, and no other is lost. */
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | SHARED, 0x40000,
	    &hugetlb }, 0x8100000000040000, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ONCE, 0x40000, &hugetlb },
	  0x8000000000040000, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | ONCE, 0x40000,
	    &hugetlb }, 0x8000000000040001, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PUD, 0, PAGE | ANON | ONCE | WP, 0x40000,
	    &hugetlb }, 0x8000000000040000, .known_bugs = true },

	{ "thp-exclusive-head", 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | HEAD, 0x12200,
	    &plain }, 0x8100000000012200 },
	{ "thp-exclusive-head", 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE, 0x12200,
	    &plain }, 0x8000000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | HEAD, 0x12200,
	    &plain }, 0x8100000000012200 },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | HEAD, 0x12200,
	    &plain }, 0x8100000000012200 },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON, 0x12200, &plain },
	  0x8100000000012200 },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | HEAD, 0x12200, &hugetlb },
	  0xa100000000012200 },

	{ "no-page-mapcount", 7, 2,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | ONCE | SHARED, 0x12200,
	    &plain }, 0x8000000000012200, .no_mapcount = true },
	{ "no-page-mapcount", 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON, 0x12200, &plain },
	  0x8100000000012200, .no_mapcount = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | ONCE | SHARED, 0x12200,
	    &plain }, 0x8000000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | ONCE | SHARED, 0x12200,
	    &plain }, 0x8000000000012200, .no_mapcount = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | SHARED, 0x12200,
	    &plain }, 0x8100000000012200, .no_mapcount = true },

	{ "huge-zero-file", 6, 1,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO, 0x12200, &plain },
	  0xa000000000012200 },
	{ "huge-zero-file", 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO | PTWALK_FLAG_SPECIAL, 0x12200,
	    &dirty }, 0xa080000000012200 },
	{ NULL, 7, 3,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO, 0x12200, &plain },
	  0xa000000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, ZERO, 0x3000, &plain },
	  0xa000000000003000 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON, 0x12200, &plain },
	  0xa000000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO, 0x12200, &plain },
	  0xa100000000012200 },

	{ "huge-zero-file", 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO | RAM | PTWALK_FLAG_SPECIAL,
	    0x12200, &anonymous }, 0xa000000000012200 },
	{ NULL, 7, 3,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO | RAM | PTWALK_FLAG_SPECIAL,
	    0x12200, &anonymous }, 0xa000000000012200 },

	{ "special-pmd-bug", 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PTWALK_FLAG_SPECIAL | RAM, 0x12200,
	    &mixedmap }, 0xa000000000012200, .known_bugs = true },
	{ "special-pmd-bug", 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PTWALK_FLAG_SPECIAL | RAM, 0x12200,
	    &mixedmap }, 0xa000000000012200, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PTWALK_FLAG_SPECIAL | RAM, 0x12200,
	    &mixedmap }, 0xa000000000012200 },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PTWALK_FLAG_SPECIAL, 0xfe000,
	    &mixedmap }, 0xa0000000000fe000, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL | RAM, 0x12200,
	    &mixedmap }, 0xa000000000012200, .known_bugs = true },
	{ NULL, 7, 3,
	  { PTWALK_KIND_PRESENT, PMD, 0, PTWALK_FLAG_SPECIAL | RAM, 0x12200,
	    &mixedmap }, 0xa000000000012200, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PTWALK_FLAG_SPECIAL | RAM, 0x12200,
	    &pfnmap }, 0xa000000000012200, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PTWALK_FLAG_SPECIAL | RAM, 0x12200,
	    &plain }, 0xa000000000012200, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PTWALK_FLAG_SPECIAL | RAM, 0x12200,
	    &mixedmap }, 0xa100000000012200, .known_bugs = true },

	{ "dax-pmd-file", 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, DEVMAP, 0x12200, &mixedmap },
	  0xa000000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, DEVMAP, 0x12200, &mixedmap },
	  0xa000000000012200 },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, 0, 0x12200, &mixedmap },
	  0xa000000000012200 },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, DEVMAP, 0x12200, &mixedmap },
	  0xa000000000012200 },

	{ "arm-pmd-none-bug", 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | NONE, 0x12200,
	    &plain }, 0, .known_bugs = true, .arm = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | NONE, 0x12200,
	    &plain }, 0, .arm = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | NONE, 0x12200,
	    &plain }, 0, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE, 0x12200,
	    &plain }, 0, .known_bugs = true, .arm = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | ONCE | NONE, 0x12200,
	    &plain }, 0, .known_bugs = true, .arm = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE | NONE, 0x12200,
	    &plain }, 0x8100000000012201, .known_bugs = true, .arm = true },
	{ "scan-arm-pmd-none-bug", 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | RAM | NONE, 0x12200, &plain },
	  0x8050, SCAN, .known_bugs = true, .arm = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | RAM | NONE, 0x12200, &plain },
	  0x8050, SCAN, .arm = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | RAM | NONE, 0x12200, &plain },
	  0x8050, SCAN, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | RAM | NONE, 0x12200, &plain },
	  0x8000, SCAN, .known_bugs = true, .arm = true },

	{ "nonpresent-exclusive", 6, 1,
	  { PTWALK_KIND_DEVICE_PRIVATE, 0, 28, PAGE | ANON | ONCE, 0x12345,
	    &plain }, 0x41000000002468bc },
	{ "nonpresent-exclusive", 6, 1,
	  { PTWALK_KIND_DEVICE_EXCLUSIVE, 0, 28, PAGE | ANON | ONCE, 0x12345,
	    &plain }, 0x41000000002468bc },
	{ NULL, 6, 1,
	  { PTWALK_KIND_HWPOISON, 0, 31, PAGE | ANON, 0x12345,
	    &plain }, 0x41000000002468bf },
	{ NULL, 6, 12,
	  { PTWALK_KIND_DEVICE_PRIVATE, 0, 28, PAGE | ANON | ONCE, 0x12345,
	    &plain }, 0x41000000002468bc },
	{ NULL, 6, 1,
	  { PTWALK_KIND_DEVICE_PRIVATE, 0, 28, PAGE | ANON, 0x12345,
	    &plain }, 0x41000000002468bc },
	{ NULL, 6, 1,
	  { PTWALK_KIND_MIGRATION, 0, 30, PAGE | ANON | ONCE, 0x12345,
	    &plain }, 0x41000000002468be },
	{ NULL, 6, 1,
	  { PTWALK_KIND_SWAP, 0, 3, PTWALK_FLAG_SWAP_EXCLUSIVE, 6, &plain },
	  0x41000000000000c3 },

	{ "guard-unshown", 6, 14,
	  { PTWALK_KIND_MARKER, 0, 27, 0, PTWALK_MARKER_GUARD, &plain },
	  0x400000000000009b },
	{ NULL, 6, 18,
	  { PTWALK_KIND_MARKER, 0, 27, 0, PTWALK_MARKER_GUARD, &plain },
	  0x400000000000009b },
	{ NULL, 6, 14,
	  { PTWALK_KIND_MARKER, 0, 27, 0, PTWALK_MARKER_POISONED, &plain },
	  0x440000000000005b },

	{ "scan-pfnmap-hidden", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap },
	  0, SCAN },
	{ "scan-pfnmap-hidden", 7, 3,
	  { PTWALK_KIND_NONE, 0, 0, 0, 0, &pfnmap_dirty }, 0, SCAN },
	{ NULL, 7, 3,
	  { PTWALK_KIND_NONE, 0, 0, 0, 0, &pfnmap_dirty }, 0x80, SCAN },
	{ NULL, 7, 3, { PTWALK_KIND_NONE, 0, 0, 0, 0, &plain }, 0, SCAN },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0,
	    &mixedmap }, 0, SCAN },

	{ "scan-gate-vma", 6, 12, { PTWALK_KIND_NO_VMA, .gate = true }, 0,
	  .no_data = true, SCAN },
	{ NULL, 6, 12, { PTWALK_KIND_NO_VMA, .gate = true }, 0x8008, SCAN },
	{ NULL, 6, 12, { PTWALK_KIND_NONE, 0, 0, 0, 0, &plain }, 0,
	  .no_data = true, SCAN },

	{ "scan-hugetlb-empty", 6, 12,
	  { PTWALK_KIND_NONE, PMD, 0, 0, 0, &hugetlb }, 0x8040, SCAN },
	{ NULL, 6, 12,
	  { PTWALK_KIND_NONE, PUD, 0, 0, 0, &hugetlb }, 0x8040, SCAN },
	{ NULL, 6, 12,
	  { PTWALK_KIND_NONE, PMD, 0, 0, 0, &plain }, 0x8040, SCAN },
	{ NULL, 6, 12,
	  { PTWALK_KIND_NONE, PMD, 0, 0, 0, &hugetlb }, 0x8048, SCAN },

	{ "scan-hugetlb-nonpresent", 7, 2,
	  { PTWALK_KIND_MIGRATION, PMD, 30, PAGE | LARGE, 0x12200, &hugetlb },
	  0x8050, SCAN },
	{ NULL, 7, 2,
	  { PTWALK_KIND_MIGRATION, PMD, 30, PAGE | LARGE, 0x12200, &plain },
	  0x8050, SCAN },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | LARGE, 0x12200, &hugetlb },
	  0x8048, SCAN },
	{ NULL, 7, 2,
	  { PTWALK_KIND_MIGRATION, PMD, 30, PAGE | ANON, 0x12200, &hugetlb },
	  0x8054, SCAN },

	{ "scan-huge-zero-bug", 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO | RAM, 0x12200, &anonymous },
	  0x8048, SCAN, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO | RAM, 0x12200, &anonymous },
	  0x8048, SCAN },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, ZERO | RAM, 0x3000, &anonymous },
	  0x8008, SCAN, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | RAM, 0x12200,
	    &anonymous }, 0x8068, SCAN, .known_bugs = true },

	{ "scan-unpopulated-bug", 6, 12,
	  { PTWALK_KIND_NONE, 0, 0, 0, 0, &plain },
	  0x8000 | OTHER(0x8002), SCAN, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_NONE, 0, 0, 0, 0, &plain },
	  0x8000 | OTHER(0x8002), SCAN },
	{ NULL, 6, 12,
	  { PTWALK_KIND_NONE, PMD, 0, 0, 0, &plain },
	  0x8000 | OTHER(0x8002), SCAN, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain },
	  0x8008 | OTHER(0x8002), SCAN, .known_bugs = true },

	{ NULL, 7, 3,
	  { PTWALK_KIND_NONE, 0, 0, 0, 0, &plain },
	  0x8000 | OTHER(0x8002), SCAN, .known_bugs = true },
	{ NULL, 6, 16,
	  { PTWALK_KIND_PRESENT, PMD, 0, ZERO | RAM, 0x12200, &anonymous },
	  0x8048, SCAN, .known_bugs = true },

	/* Written, as all that lost its protection: where a table is, and not. */
	{ "scan-hole-bug", 6, 12,
	  { PTWALK_KIND_NONE, PMD, 0, 0, 0, &uffd_wp }, 0x8000, SCAN,
	  .known_bugs = true },
	{ "scan-hole-bug", 6, 12,
	  { PTWALK_KIND_NONE, 0, 0, 0, 0, &uffd_wp }, 0x8000, SCAN,
	  .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_NONE, PMD, 0, 0, 0, &uffd_wp }, 0x8000, SCAN },
	{ NULL, 7, 3,
	  { PTWALK_KIND_NONE, PMD, 0, 0, 0, &uffd_wp }, 0x8000, SCAN,
	  .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_MARKER, 0, 27, 0, PTWALK_MARKER_POISONED, &uffd_wp },
	  0x8010, SCAN, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_MARKER, 0, 27, WP, PTWALK_MARKER_UFFD_WP, &uffd_wp },
	  0x8012, SCAN, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &uffd_wp },
	  0x8008, SCAN, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_NONE, PMD, 0, 0, 0, &uffd_wp }, 0, SCAN,
	  .known_bugs = true },

	{ "scan-hugetlb-unwritten", 7, 3,
	  { PTWALK_KIND_NONE, PUD, 0, 0, 0, &hugetlb_uffd_wp }, 0x8000, SCAN },
	{ NULL, 7, 3,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | RAM, 0x12200,
	    &hugetlb_uffd_wp }, 0x8048, SCAN },
	{ NULL, 7, 3,
	  { PTWALK_KIND_NONE, PUD, 0, 0, 0, &uffd_wp }, 0x8000, SCAN },

	{ "kpageflags-no-frame", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap },
	  UINT64_MAX, FLAGS },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL | RAM, 0xfebc0,
	    &pfnmap }, UINT64_MAX, FLAGS },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 0xfebc0, &plain },
	  UINT64_MAX, FLAGS },

	{ "kpageflags-nopage-bug", 7, 2,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap },
	  0, FLAGS, .known_bugs = true },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap },
	  0, FLAGS },
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 0xfebc0, &plain },
	  0, FLAGS, .known_bugs = true },

	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap },
	  0, FLAGS, .known_bugs = true },

	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain },
	  0x201808, FLAGS, .known_bugs = true },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain },
	  0x201808, FLAGS, .known_bugs = true },
	{ "kpageflags-ksm-bug", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain },
	  0x201808, FLAGS, .known_bugs = true },
	{ "kpageflags-ksm-bug", 6, 12,
	  { PTWALK_KIND_MIGRATION, 0, 30, PAGE | ANON | RAM, 1, &plain },
	  0x201000, FLAGS, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | RAM, 1, &plain },
	  0x201808, FLAGS },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | RAM, 1, &plain }, 0x200800,
	  FLAGS, .known_bugs = true },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | KSM | RAM, 1, &plain },
	  0x001808, FLAGS, .known_bugs = true },

	{ "kpagecount-no-frame", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap },
	  UINT64_MAX, COUNT },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, ZERO | RAM, 0xfebc0, &plain },
	  UINT64_MAX, COUNT },
	{ "kpagecgroup-no-frame", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap },
	  UINT64_MAX, CGROUP },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, ZERO | RAM, 0xfebc0, &plain },
	  UINT64_MAX, CGROUP },

	{ "kpagecgroup-tail", 6, 1,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | LARGE | RAM, 5, &plain,
	    .facts = &tail }, 0, CGROUP },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | LARGE | RAM, 4, &plain,
	    .facts = &head }, 0, CGROUP },
	{ NULL, 6, 1,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | LARGE | RAM, 5, &plain,
	    .facts = &tail }, 77, CGROUP },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | ANON | LARGE | RAM, 5, &plain,
	    .facts = &tail }, 0, CGROUP },

	{ "mincore-pfnmap-hidden", 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap_file },
	  0, CORE },
	{ NULL, 7, 3,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap_file },
	  0, CORE },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap }, 0, CORE },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PAGE | RAM, 0xfebc0, &mixedmap_file }, 0, CORE },
	{ NULL, 6, 12,
	  { PTWALK_KIND_PRESENT, 0, 0, PTWALK_FLAG_SPECIAL, 0xfebc0, &pfnmap_file },
	  (uint64_t)-14, CORE },

	/* The kernel's bug; its own test is below. */
	{ NULL, 7, 2,
	  { PTWALK_KIND_PRESENT, PMD, 0, PAGE | ANON | ONCE, 0x12200,
	    &hugetlb }, 0x8000000000012200 },
};

#define NR_CASES	(sizeof(cases) / sizeof(cases[0]))

static struct page_truth page_of(const struct subject *s)
{
	struct page_truth page = test_page(s->kind, s->level, s->aux, s->flags,
					   s->value, s->vma);

	page.gate = s->gate;
	page.facts = s->facts;
	return page;
}

static const struct source *source_of(size_t i)
{
	return cases[i].source ? cases[i].source : &test_pagemap;
}

/* A run on a kernel that has all there is to compare. */
static struct env env_of(const struct ptwalk_kernel *kernel, bool known_bugs)
{
	return (struct env){
		.kernel = kernel,
		.scan_categories = 0x1ff,
		.memcg = true,
		.known_bugs = known_bugs,
	};
}

static struct ptwalk_kernel kernel_of(size_t i)
{
	struct ptwalk_kernel kernel = test_kernel(cases[i].major,
						  cases[i].minor);

	if (cases[i].no_mapcount)
		kernel.features &= ~PTWALK_FEATURE_PAGE_MAPCOUNT;
	if (cases[i].arm)
		strcpy(kernel.machine, "armv7l");
	if (cases[i].no_sharing)
		kernel.flags &= ~PTWALK_FLAG_PMD_SHARED;
	return kernel;
}

static void apply(void **state)
{
	struct ptwalk_kernel kernel = { 0 };
	struct env env = env_of(&kernel, false);
	struct page_truth page;
	struct outcome run;
	const char *name;
	size_t i;

	for (i = 0; i < NR_CASES; i++) {
		kernel = kernel_of(i);
		page = page_of(&cases[i].page);
		env.known_bugs = cases[i].known_bugs;
		run = compare_page(&env, source_of(i), &page, cases[i].seen,
				   !cases[i].no_data);
		name = run.rules ? rules[__builtin_ctzll(run.rules)].name :
				   "none";
		if (!cases[i].rule && run.verdict != VERDICT_MISMATCH)
			fail_msg("case %zu: %s by %s, not a mismatch", i,
				 verdict_name[run.verdict], name);
		if (cases[i].rule && (run.verdict != VERDICT_EXPLAINED ||
				      strcmp(name, cases[i].rule)))
			fail_msg("case %zu: %s by %s, not explained by %s", i,
				 verdict_name[run.verdict], name,
				 cases[i].rule);
	}
}

static void assert_same_expected(const struct expected *a, const struct expected *b)
{
	assert_int_equal(a->nr, b->nr);
	for (unsigned int set = 0; set < a->nr; set++) {
		const struct expectation *x = &a->expectation[set];
		const struct expectation *y = &b->expectation[set];

		assert_int_equal(a->rules[set], b->rules[set]);
		assert_int_equal(a->valid[set], b->valid[set]);
		assert_int_equal(x->value, y->value);
		assert_int_equal(x->step, y->step);
		assert_int_equal(x->mask, y->mask);
		assert_int_equal(x->no_data, y->no_data);
	}
}

/* What is known of a page is expected of those like it, and of no others. */
static void known_kinds(void **state)
{
	static const int above[] = { 0, 9, -4, 1, 0, 7 };
	struct ptwalk_kernel kernel = { 0 };
	struct env env = env_of(&kernel, false);
	struct expected expected;
	struct expected_of known;
	struct page_truth page;

	for (size_t i = 0; i < NR_CASES; i++) {
		kernel = kernel_of(i);
		page = page_of(&cases[i].page);
		if (page.facts)
			continue;
		known.vma = NULL;
		for (int j = 0; j < 6; j++) {
			page.value += above[j];
			/* The last ones are of another kind. */
			page.bits ^= j > 3 ? (uint64_t)PTWALK_FLAG_SOFT_DIRTY <<
					     PTWALK_BITS_FLAGS_SHIFT : 0;
			expect_all(&env, source_of(i), &page, &expected);
			assert_same_expected(expect_like(&env, source_of(i), &page,
							 &known), &expected);
		}
	}
}

/* What a rule excuses is one value, not one of several. */
static void narrow(void **state)
{
	struct ptwalk_kernel kernel = { 0 };
	struct env env = env_of(&kernel, true);
	const struct expectation *e;
	struct expected expected;
	struct page_truth page;
	struct outcome run;
	uint64_t seen, compared;
	bool allowed;
	unsigned int set;
	size_t i;
	int bit;

	for (i = 0; i < NR_CASES; i++) {
		if (!cases[i].rule || cases[i].no_data)
			continue;
		kernel = kernel_of(i);
		page = page_of(&cases[i].page);
		expect_all(&env, source_of(i), &page, &expected);
		assert_in_range(expected.nr, 2, COMPARE_MAX_SETS);
		for (compared = 0, set = 0; set < expected.nr; set++)
			compared |= expected.expectation[set].mask;
		for (bit = 0; bit < 64; bit++) {
			seen = cases[i].seen ^ 1ULL << bit;
			allowed = !(compared & 1ULL << bit);
			for (set = 0; set < expected.nr; set++) {
				if (!expected.valid[set])
					continue;
				e = &expected.expectation[set];
				allowed |= !((e->value ^ seen) & e->mask);
			}
			run = compare_page(&env, source_of(i), &page, seen,
					   true);
			if (allowed != (run.verdict != VERDICT_MISMATCH))
				fail_msg("case %zu, bit %d", i, bit);
			if (cases[i].source)
				continue;
			/* No set of rules may leave more than X or F open. */
			if (allowed && bit != 55 && bit != 56 && bit != 61 &&
			    bit != 58)
				fail_msg("case %zu: bit %d is excused", i,
					 bit);
		}
	}
}

/* A bug that very many pages show is passed over, and nothing else is. */
static void around_bugs(void **state)
{
	static const struct source flags = {
		.name = "kpageflags",
		.trait.bugs = true,
		.trait.framed = true,
		.grain = grain_kpageflags,
		.expect = expect_kpageflags,
	};
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel, .around_bugs = true };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, 0, 0,
					   PAGE | ANON | RAM, 0x12345, &plain);
	const uint64_t right = 1 << 3 | 1 << 11 | 1 << 12, ksm = 1 << 21;
	struct outcome run;

	run = compare_page(&env, &flags, &page, right | ksm, true);
	assert_int_equal(run.verdict, VERDICT_EXPLAINED);
	assert_string_equal(rules[__builtin_ctzll(run.rules)].name,
			    "kpageflags-ksm-bug");
	for (int bit = 0; bit < 64; bit++) {
		env.around_bugs = bit != 21;
		run = compare_page(&env, &flags, &page,
				   (right | ksm) ^ (env.around_bugs ?
						    1ULL << bit : 0), true);
		/* Those that nobody decides by the page tables aren't compared. */
		if (run.verdict != VERDICT_MISMATCH &&
		    run.verdict != VERDICT_EXPLAINED)
			fail_msg("bit %d: %s", bit, verdict_name[run.verdict]);
		if (bit == 3 || bit == 11 || bit == 12 || bit == 10 || bit == 21 ||
		    bit == 15 || bit == 20)
			assert_int_equal(run.verdict, VERDICT_MISMATCH);
	}
	env.around_bugs = true;
	run = compare_page(&env, &test_kpageflags, &page, right | ksm, true);
	assert_int_equal(run.verdict, VERDICT_MISMATCH);
	assert_true(compare_difference(&env, &test_kpageflags, &page,
				       right | ksm).excess == ksm);
	assert_true(compare_difference(&env, &flags, &page,
				       right | ksm | 1 << 15).excess == 1 << 15);
}

/* Only the way through the kernel that has the bug shows it. */
static void one_way(void **state)
{
	static const struct source pieces = {
		.name = "pagemap-scan-pieces",
		.rules = "pagemap-scan",
		.expect = expect_scan,
	};
	const uint64_t reported = 1 << 15, written = 1 << 1;
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = {
		.kernel = &kernel,
		.scan_categories = 0x1ff,
		.known_bugs = true,
	};
	struct page_truth page = test_page(PTWALK_KIND_NONE, 0, 0, 0, 0, &plain);
	uint64_t seen = reported | OTHER(reported | written);

	assert_int_equal(compare_page(&env, &test_scan, &page, seen,
				      true).verdict, VERDICT_EXPLAINED);
	assert_int_equal(compare_page(&env, &pieces, &page, seen, true).verdict,
			 VERDICT_MISMATCH);
}

/*
 * A rule that holds is seen to hold: what the documentation says instead is a
 * mismatch that names it, but for a bug, and for what page tables don't tell.
 */
static void outlived(void **state)
{
	static const char *const may[] = {
		"kpageflags-no-frame", "kpagecount-no-frame",
		"kpagecgroup-no-frame",
	};
	struct ptwalk_kernel kernel = { 0 };
	struct env env = env_of(&kernel, true);
	const struct rule *rule;
	struct expectation documented;
	struct page_truth page;
	uint64_t tried = 0, set;
	struct outcome run;
	bool wrong;
	size_t i, j;

	for (i = 0; i < NR_CASES; i++) {
		if (!cases[i].rule)
			continue;
		kernel = kernel_of(i);
		page = page_of(&cases[i].page);
		source_of(i)->expect(&env, &page, &documented);
		if (!cases[i].no_data &&
		    !((documented.value ^ cases[i].seen) & documented.mask))
			continue;
		run = compare_page(&env, source_of(i), &page, documented.value,
				   true);
		rule = rule_find(cases[i].rule);
		wrong = !rule->bug && !rule->before;
		for (j = 0; j < sizeof(may) / sizeof(may[0]); j++)
			wrong = wrong && strcmp(rule->name, may[j]);
		if (wrong != (run.verdict == VERDICT_MISMATCH))
			fail_msg("case %zu, %s: %s", i, cases[i].rule,
				 verdict_name[run.verdict]);
		set = 1ULL << (rule - rules);
		if (wrong && !(run.rules & set))
			fail_msg("case %zu: %s isn't named", i, cases[i].rule);
		tried |= wrong ? set : 0;
	}
	/* All that must be seen to hold had a case. */
	for (i = 0; i < nr_rules; i++) {
		for (j = 0; j < sizeof(may) / sizeof(may[0]); j++)
			if (!strcmp(rules[i].name, may[j]))
				break;
		if (!rules[i].bug && !rules[i].before && j == sizeof(may) / sizeof(may[0]) &&
		    !(tried & 1ULL << i))
			fail_msg("%s: no case", rules[i].name);
	}
}

static void bugs(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(7, 2);
	struct env env = { .kernel = &kernel };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, PMD, 0,
					   PAGE | ANON | HEAD, 0x12200,
					   &plain);
	struct outcome run;

	run = compare_page(&env, &test_pagemap, &page, 0x8100000000012200,
			   true);
	assert_int_equal(run.verdict, VERDICT_MISMATCH);
	assert_string_equal(rules[__builtin_ctzll(run.rules)].name,
			    "thp-exclusive-head-bug");
	env.known_bugs = true;
	run = compare_page(&env, &test_pagemap, &page, 0x8100000000012200,
			   true);
	assert_int_equal(run.verdict, VERDICT_EXPLAINED);
	run = compare_page(&env, &test_pagemap, &page, 0xa100000000012200,
			   true);
	assert_int_equal(run.verdict, VERDICT_MISMATCH);
	kernel = test_kernel(6, 12);
	run = compare_page(&env, &test_pagemap, &page, 0x8100000000012200,
			   true);
	assert_int_equal(run.verdict, VERDICT_MISMATCH);
}

/* Two rules about two bits of one page. */
static void together(void **state)
{
	struct ptwalk_kernel kernel = test_kernel(6, 12);
	struct env env = { .kernel = &kernel };
	struct page_truth page = test_page(PTWALK_KIND_PRESENT, PMD, 0,
					   PAGE | ONCE | PMDS | SD, 0x12200,
					   &hugetlb);
	struct outcome run;

	run = compare_page(&env, &test_pagemap, &page, 0xa000000000012200,
			   true);
	assert_int_equal(run.verdict, VERDICT_EXPLAINED);
	assert_int_equal(__builtin_popcountll(run.rules), 2);
}

/* However a page is, no more rules hold than check/compare.c tries. */
static void few_at_once(void **state)
{
	static const struct source *const all[] = {
		&test_pagemap, &test_scan, &test_kpageflags, &test_kpagecount,
		&test_kpagecgroup,
	};
	enum { NR_SOURCES = sizeof(all) / sizeof(all[0]) };
	static const uint64_t vma_flags[] = {
		PTWALK_VMA_FLAG_PFNMAP, PTWALK_VMA_FLAG_HUGETLB,
		PTWALK_VMA_FLAG_SOFTDIRTY, PTWALK_VMA_FLAG_UFFD_WP,
		PTWALK_VMA_FLAG_MIXEDMAP,
	};
	static const uint32_t page_flags[] = {
		PAGE, ONCE, HEAD, ZERO, DEVMAP, SD, SHARED,
		PTWALK_FLAG_SPECIAL | PTWALK_FLAG_RAM,
	};
	static const unsigned int versions[][2] = {
		{ 6, 1 }, { 6, 12 }, { 6, 14 }, { 6, 18 }, { 7, 2 }, { 7, 3 },
	};
	struct ptwalk_kernel kernel;
	struct env env = { .kernel = &kernel };
	struct ptwalk_vma vma;
	struct page_truth page;
	unsigned int v, kind, level, f, b, flags, mapcount;

	for (v = 0; v < 6 * 32 * 2; v++) {
		mapcount = v & 1;
		kernel = test_kernel(versions[v / 64][0], versions[v / 64][1]);
		if (!mapcount)
			kernel.features &= ~PTWALK_FEATURE_PAGE_MAPCOUNT;
		memset(&vma, 0, sizeof(vma));
		for (b = 0; b < 5; b++)
			if (v / 2 % 32 & 1 << b)
				vma.flags |= vma_flags[b];
		for (f = 0; f < 256; f++) {
			for (flags = 0, b = 0; b < 8; b++)
				if (f & 1 << b)
					flags |= page_flags[b];
			for (kind = 0; kind <= PTWALK_KIND_NO_VMA; kind++)
				for (level = 0; level < 2; level++) {
					page = test_page(kind, level, 0, flags,
							 4, &vma);
					for (b = 0; b < NR_SOURCES; b++)
						assert_in_range(
							__builtin_popcountll(
							rules_for(&env,
								  all[b],
								  &page)),
							0, COMPARE_MAX_RULES);
				}
		}
	}
}

static void catalogue(void **state)
{
	unsigned int i, j;
	size_t c;
	bool tested;

	assert_null(rule_find("no-such-rule"));
	for (i = 0; i < nr_rules; i++) {
		assert_ptr_equal(rule_find(rules[i].name), &rules[i]);
		assert_non_null(rules[i].what);
		assert_non_null(rules[i].decided_by);
		/* By one that is of empty pages as well, it must be said. */
		if (rules[i].blind)
			assert_non_null(strstr(rules[i].what, "where nothing is mapped"));
		for (j = 0; j < i; j++)
			assert_string_not_equal(rules[i].name, rules[j].name);
		/* What is never asked about has its test in test_crash_risk.c. */
		tested = !strcmp(rules[i].name, "thp-exclusive-head-bug") ||
			 rules[i].sums || rules[i].risk;
		for (c = 0; c < NR_CASES; c++)
			tested |= cases[c].rule &&
				  !strcmp(cases[c].rule, rules[i].name);
		if (!tested)
			fail_msg("no test of rule %s", rules[i].name);
	}
}

SUITE(suite_rules,
      cmocka_unit_test(apply), cmocka_unit_test(known_kinds),
      cmocka_unit_test(narrow), cmocka_unit_test(outlived),
      cmocka_unit_test(around_bugs), cmocka_unit_test(one_way),
      cmocka_unit_test(bugs), cmocka_unit_test(together),
      cmocka_unit_test(few_at_once), cmocka_unit_test(catalogue));
