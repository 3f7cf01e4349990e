/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ptwalk.yaml */
/* YNL-GEN uapi header */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#ifndef _UAPI_LINUX_PTWALK_H
#define _UAPI_LINUX_PTWALK_H

#define PTWALK_FAMILY_NAME	"ptwalk"
#define PTWALK_FAMILY_VERSION	1

#define PTWALK_MAX_ADDRESSES	128
#define PTWALK_BITS_KIND_SHIFT	0
#define PTWALK_BITS_LEVEL_SHIFT	8
#define PTWALK_BITS_LIST_SHIFT	15
#define PTWALK_BITS_AUX_SHIFT	16
#define PTWALK_BITS_PKEY_SHIFT	24
#define PTWALK_BITS_FLAGS_SHIFT	32
#define PTWALK_MIXED_SHIFT	60
#define PTWALK_MIXED_MAX	16

/**
 * enum ptwalk_kind - The kind of an entry. It decides what the word value
 *   holds.
 * @PTWALK_KIND_NONE: An empty entry inside a VMA. value is 0.
 * @PTWALK_KIND_PRESENT: Maps memory. value is the PFN.
 * @PTWALK_KIND_SWAP: Swapped out. value is the offset in the swap area, aux
 *   its type.
 * @PTWALK_KIND_MIGRATION: Under migration. value is the PFN, aux the swap type
 *   used.
 * @PTWALK_KIND_HWPOISON: Hardware-poisoned. value is the PFN, aux the swap
 *   type used.
 * @PTWALK_KIND_DEVICE_PRIVATE: Unaddressable device memory. value is the PFN.
 * @PTWALK_KIND_DEVICE_EXCLUSIVE: Held by a device for atomic access. value is
 *   the PFN.
 * @PTWALK_KIND_MARKER: A marker, which maps no page. value is a mask of enum
 *   marker.
 * @PTWALK_KIND_BAD: An upper-level entry that is neither a table nor a leaf;
 *   value is 0.
 * @PTWALK_KIND_UNKNOWN: A non-present entry of a type that the module does not
 *   know. value is the swap offset, aux the swap type.
 * @PTWALK_KIND_NO_VMA: The address is in no VMA; no table was read.
 * @PTWALK_KIND_OTHER: Holds no frame of those that a walk was to look for,
 *   whatever else it holds. value is 0.
 * @PTWALK_KIND_MIXED: No kind of an entry - the pages of a mixed list may be
 *   of several. It has the list bit.
 */
enum ptwalk_kind {
	PTWALK_KIND_NONE,
	PTWALK_KIND_PRESENT,
	PTWALK_KIND_SWAP,
	PTWALK_KIND_MIGRATION,
	PTWALK_KIND_HWPOISON,
	PTWALK_KIND_DEVICE_PRIVATE,
	PTWALK_KIND_DEVICE_EXCLUSIVE,
	PTWALK_KIND_MARKER,
	PTWALK_KIND_BAD,
	PTWALK_KIND_UNKNOWN,
	PTWALK_KIND_NO_VMA,
	PTWALK_KIND_OTHER,
	PTWALK_KIND_MIXED,
};

/*
 * The page table level of an entry.
 */
enum ptwalk_level {
	PTWALK_LEVEL_PTE,
	PTWALK_LEVEL_PMD,
	PTWALK_LEVEL_PUD,
	PTWALK_LEVEL_P4D,
	PTWALK_LEVEL_PGD,
};

/**
 * enum ptwalk_flag - Flags of an entry. Those before page are read from the
 *   entry itself, page and those after it from the page that it maps.
 * @PTWALK_FLAG_WRITE: The entry allows writing; of a migration entry, it will.
 * @PTWALK_FLAG_USER: The entry is accessible from user mode.
 * @PTWALK_FLAG_EXEC: The entry allows execution.
 * @PTWALK_FLAG_YOUNG: The accessed bit is set.
 * @PTWALK_FLAG_DIRTY: The dirty bit is set.
 * @PTWALK_FLAG_GLOBAL: The translation is global in the TLB.
 * @PTWALK_FLAG_SPECIAL: The special bit is set; the kernel uses no struct page
 *   for it.
 * @PTWALK_FLAG_SOFT_DIRTY: The soft-dirty bit of the entry itself, not of its
 *   VMA.
 * @PTWALK_FLAG_UFFD_WP: Write-protected by userfaultfd; of an inaccessible
 *   entry in a uffd-rwp VMA (from Linux 7.3), protected from reading, too.
 * @PTWALK_FLAG_PROT_NONE: Holds a page but no access is allowed (PROT_NONE or
 *   NUMA hint).
 * @PTWALK_FLAG_CONT: Part of a contiguous block of entries (arm64, riscv).
 * @PTWALK_FLAG_DEVMAP: Marked devmap (ZONE_DEVICE, up to Linux 6.16).
 * @PTWALK_FLAG_SWAP_EXCLUSIVE: The swapped or migrating anonymous page is
 *   exclusive.
 * @PTWALK_FLAG_NUMA_HINT: Protection removed for a NUMA hinting fault.
 * @PTWALK_FLAG_PAGE: Maps a struct page whose mappings the kernel counts.
 * @PTWALK_FLAG_ANON: The page is anonymous memory. Not said of hwpoison
 *   entries of hugetlb, whose page the kernel may have taken apart.
 * @PTWALK_FLAG_EXCLUSIVE: The page is mapped exactly once, in all of the
 *   system. Not said of migration and hwpoison entries, behind which a folio
 *   may be split.
 * @PTWALK_FLAG_ZERO: The zero page, or the huge zero page.
 * @PTWALK_FLAG_KSM: The page was merged by KSM.
 * @PTWALK_FLAG_LARGE: The page belongs to a large folio. Not said of migration
 *   and hwpoison entries.
 * @PTWALK_FLAG_HUGETLB: The page belongs to hugetlb.
 * @PTWALK_FLAG_HEAD_EXCLUSIVE: The first page of the leaf is mapped exactly
 *   once; set on leaves above the pte level only.
 * @PTWALK_FLAG_MAYBE_SHARED: The folio's own estimate says that several
 *   processes may map it; where the kernel keeps none, the folio is mapped
 *   more than once.
 * @PTWALK_FLAG_PMD_SHARED: The PMD table that holds the hugetlb entry is
 *   shared.
 * @PTWALK_FLAG_RAM: The PFN is online memory with a struct page, and is RAM.
 * @PTWALK_FLAG_TYPE_DIFFERS: The kernel's direct mapping of the page has
 *   another memory type; set on entries at the pte level of VM_PFNMAP and
 *   VM_MIXEDMAP mappings.
 * @PTWALK_FLAG_STALE: The entry needs a struct page and there is none; the
 *   memory was removed while it was mapped. The kernel may crash at such an
 *   entry.
 * @PTWALK_FLAG_ONLINE: The PFN has a struct page among those of online memory
 *   without being RAM, such as firmware and legacy VGA memory on a PC. Set for
 *   frames that the kernel doesn't count as mapped, which then lack ram.
 * @PTWALK_FLAG_ENCRYPTED: The entry maps encrypted memory: it has the
 *   encryption bit of AMD's SME or SEV, or lacks the bit for shared memory of
 *   Intel's TDX or of vTOM of SEV-SNP, on a machine that has one. Neither is
 *   part of the PFN. What a guest maps without this flag is shared with its
 *   host.
 */
enum ptwalk_flag {
	PTWALK_FLAG_WRITE = 1,
	PTWALK_FLAG_USER = 2,
	PTWALK_FLAG_EXEC = 4,
	PTWALK_FLAG_YOUNG = 8,
	PTWALK_FLAG_DIRTY = 16,
	PTWALK_FLAG_GLOBAL = 32,
	PTWALK_FLAG_SPECIAL = 64,
	PTWALK_FLAG_SOFT_DIRTY = 128,
	PTWALK_FLAG_UFFD_WP = 256,
	PTWALK_FLAG_PROT_NONE = 512,
	PTWALK_FLAG_CONT = 1024,
	PTWALK_FLAG_DEVMAP = 2048,
	PTWALK_FLAG_SWAP_EXCLUSIVE = 4096,
	PTWALK_FLAG_NUMA_HINT = 8192,
	PTWALK_FLAG_PAGE = 16384,
	PTWALK_FLAG_ANON = 32768,
	PTWALK_FLAG_EXCLUSIVE = 65536,
	PTWALK_FLAG_ZERO = 131072,
	PTWALK_FLAG_KSM = 262144,
	PTWALK_FLAG_LARGE = 524288,
	PTWALK_FLAG_HUGETLB = 1048576,
	PTWALK_FLAG_HEAD_EXCLUSIVE = 2097152,
	PTWALK_FLAG_MAYBE_SHARED = 4194304,
	PTWALK_FLAG_PMD_SHARED = 8388608,
	PTWALK_FLAG_RAM = 16777216,
	PTWALK_FLAG_TYPE_DIFFERS = 33554432,
	PTWALK_FLAG_STALE = 67108864,
	PTWALK_FLAG_ONLINE = 134217728,
	PTWALK_FLAG_ENCRYPTED = 268435456,
};

/*
 * Flags of a page or its folio, in an order that no version changes.
 */
enum ptwalk_page_flag {
	PTWALK_PAGE_FLAG_LOCKED = 1,
	PTWALK_PAGE_FLAG_WRITEBACK = 2,
	PTWALK_PAGE_FLAG_REFERENCED = 4,
	PTWALK_PAGE_FLAG_UPTODATE = 8,
	PTWALK_PAGE_FLAG_DIRTY = 16,
	PTWALK_PAGE_FLAG_LRU = 32,
	PTWALK_PAGE_FLAG_ACTIVE = 64,
	PTWALK_PAGE_FLAG_WORKINGSET = 128,
	PTWALK_PAGE_FLAG_SWAPBACKED = 256,
	PTWALK_PAGE_FLAG_UNEVICTABLE = 512,
	PTWALK_PAGE_FLAG_MLOCKED = 1024,
	PTWALK_PAGE_FLAG_SWAPCACHE = 2048,
	PTWALK_PAGE_FLAG_RESERVED = 4096,
	PTWALK_PAGE_FLAG_PRIVATE = 8192,
	PTWALK_PAGE_FLAG_HWPOISON = 16384,
	PTWALK_PAGE_FLAG_ANON = 32768,
	PTWALK_PAGE_FLAG_KSM = 65536,
	PTWALK_PAGE_FLAG_SHMEM = 131072,
	PTWALK_PAGE_FLAG_HUGETLB = 262144,
	PTWALK_PAGE_FLAG_LARGE = 524288,
	PTWALK_PAGE_FLAG_MAYBE_PINNED = 1048576,
	PTWALK_PAGE_FLAG_FREE = 2097152,
	PTWALK_PAGE_FLAG_TRUNCATED = 4194304,
};

/*
 * Bits of a marker entry, as in the kernel's swapops.h.
 */
enum ptwalk_marker {
	PTWALK_MARKER_UFFD_WP = 1,
	PTWALK_MARKER_POISONED = 2,
	PTWALK_MARKER_GUARD = 4,
};

/*
 * Flags of a VMA, in an order that no kernel version changes.
 */
enum ptwalk_vma_flag {
	PTWALK_VMA_FLAG_READ = 1,
	PTWALK_VMA_FLAG_WRITE = 2,
	PTWALK_VMA_FLAG_EXEC = 4,
	PTWALK_VMA_FLAG_SHARED = 8,
	PTWALK_VMA_FLAG_MAYREAD = 16,
	PTWALK_VMA_FLAG_MAYWRITE = 32,
	PTWALK_VMA_FLAG_MAYEXEC = 64,
	PTWALK_VMA_FLAG_MAYSHARE = 128,
	PTWALK_VMA_FLAG_GROWSDOWN = 256,
	PTWALK_VMA_FLAG_GROWSUP = 512,
	PTWALK_VMA_FLAG_PFNMAP = 1024,
	PTWALK_VMA_FLAG_MIXEDMAP = 2048,
	PTWALK_VMA_FLAG_IO = 4096,
	PTWALK_VMA_FLAG_HUGETLB = 8192,
	PTWALK_VMA_FLAG_SOFTDIRTY = 16384,
	PTWALK_VMA_FLAG_UFFD_MISSING = 32768,
	PTWALK_VMA_FLAG_UFFD_WP = 65536,
	PTWALK_VMA_FLAG_UFFD_MINOR = 131072,
	PTWALK_VMA_FLAG_LOCKED = 262144,
	PTWALK_VMA_FLAG_LOCKONFAULT = 524288,
	PTWALK_VMA_FLAG_DONTCOPY = 1048576,
	PTWALK_VMA_FLAG_DONTEXPAND = 2097152,
	PTWALK_VMA_FLAG_DONTDUMP = 4194304,
	PTWALK_VMA_FLAG_ACCOUNT = 8388608,
	PTWALK_VMA_FLAG_NORESERVE = 16777216,
	PTWALK_VMA_FLAG_HUGEPAGE = 33554432,
	PTWALK_VMA_FLAG_NOHUGEPAGE = 67108864,
	PTWALK_VMA_FLAG_MERGEABLE = 134217728,
	PTWALK_VMA_FLAG_WIPEONFORK = 268435456,
	PTWALK_VMA_FLAG_SYNC = 536870912,
	PTWALK_VMA_FLAG_SEQ_READ = 1073741824,
	PTWALK_VMA_FLAG_RAND_READ = 2147483648,
	PTWALK_VMA_FLAG_SEALED = 4294967296,
	PTWALK_VMA_FLAG_SHADOW_STACK = 8589934592,
	PTWALK_VMA_FLAG_MTE = 17179869184,
	PTWALK_VMA_FLAG_DROPPABLE = 34359738368,
	PTWALK_VMA_FLAG_MAYBE_GUARD = 68719476736,
	PTWALK_VMA_FLAG_UFFD_RWP = 137438953472,
	PTWALK_VMA_FLAG_ANONYMOUS = 274877906944,
	PTWALK_VMA_FLAG_SHMEM = 549755813888,
	PTWALK_VMA_FLAG_HEAP = 1099511627776,
	PTWALK_VMA_FLAG_STACK = 2199023255552,
	PTWALK_VMA_FLAG_THP_DISABLED = 4398046511104,
};

/**
 * enum ptwalk_feature - Properties of the kernel build that matter for a
 *   comparison.
 * @PTWALK_FEATURE_SOFT_DIRTY: CONFIG_MEM_SOFT_DIRTY.
 * @PTWALK_FEATURE_UFFD_WP: CONFIG_HAVE_ARCH_USERFAULTFD_WP.
 * @PTWALK_FEATURE_PTE_SPECIAL: CONFIG_ARCH_HAS_PTE_SPECIAL.
 * @PTWALK_FEATURE_PAGE_MAPCOUNT: Map counts are kept for each page, not only
 *   for the folio.
 * @PTWALK_FEATURE_THP: CONFIG_TRANSPARENT_HUGEPAGE.
 * @PTWALK_FEATURE_HUGETLB: CONFIG_HUGETLB_PAGE.
 * @PTWALK_FEATURE_MM_ID: Large folios know whether several processes may map
 *   them.
 * @PTWALK_FEATURE_PKEYS: The processor has protection keys, and the kernel
 *   uses them.
 * @PTWALK_FEATURE_WALK_PAGES: This module knows want-pages of a walk.
 * @PTWALK_FEATURE_WALK_OUTSIDE: This module knows outside of a walk.
 * @PTWALK_FEATURE_WALK_FRAMES: This module knows first-frame and last-frame of
 *   a walk.
 * @PTWALK_FEATURE_WALK_MIXED: This module knows want-mixed of a walk.
 * @PTWALK_FEATURE_FRAMES: This module has the operation frames, as older ones
 *   do.
 * @PTWALK_FEATURE_WALK_ENTRIES: This module knows entries-only of a walk.
 */
enum ptwalk_feature {
	PTWALK_FEATURE_SOFT_DIRTY = 1,
	PTWALK_FEATURE_UFFD_WP = 2,
	PTWALK_FEATURE_PTE_SPECIAL = 4,
	PTWALK_FEATURE_PAGE_MAPCOUNT = 8,
	PTWALK_FEATURE_THP = 16,
	PTWALK_FEATURE_HUGETLB = 32,
	PTWALK_FEATURE_MM_ID = 64,
	PTWALK_FEATURE_PKEYS = 128,
	PTWALK_FEATURE_WALK_PAGES = 256,
	PTWALK_FEATURE_WALK_OUTSIDE = 512,
	PTWALK_FEATURE_WALK_FRAMES = 1024,
	PTWALK_FEATURE_WALK_MIXED = 2048,
	PTWALK_FEATURE_FRAMES = 4096,
	PTWALK_FEATURE_WALK_ENTRIES = 8192,
};

/*
 * The memory type that an index in the word bits means.
 */
enum ptwalk_memory_type {
	PTWALK_MEMORY_TYPE_UNKNOWN,
	PTWALK_MEMORY_TYPE_WB,
	PTWALK_MEMORY_TYPE_WT,
	PTWALK_MEMORY_TYPE_WC,
	PTWALK_MEMORY_TYPE_UC,
	PTWALK_MEMORY_TYPE_UC_MINUS,
	PTWALK_MEMORY_TYPE_WP,
	PTWALK_MEMORY_TYPE_NORMAL,
	PTWALK_MEMORY_TYPE_NORMAL_NC,
	PTWALK_MEMORY_TYPE_NORMAL_WT,
	PTWALK_MEMORY_TYPE_NORMAL_TAGGED,
	PTWALK_MEMORY_TYPE_DEVICE_NGNRNE,
	PTWALK_MEMORY_TYPE_DEVICE_NGNRE,
	PTWALK_MEMORY_TYPE_DEVICE_GRE,
	PTWALK_MEMORY_TYPE_PMA,
	PTWALK_MEMORY_TYPE_NC,
	PTWALK_MEMORY_TYPE_IO,
};

enum {
	PTWALK_A_INFO_PAGE_SHIFT = 1,
	PTWALK_A_INFO_LEVEL,
	PTWALK_A_INFO_FLAGS,
	PTWALK_A_INFO_KINDS,
	PTWALK_A_INFO_VMA_FLAGS,
	PTWALK_A_INFO_FEATURES,
	PTWALK_A_INFO_SWAP_TYPE_BITS,
	PTWALK_A_INFO_SWAP_TYPE,
	PTWALK_A_INFO_MEMORY_TYPES,
	PTWALK_A_INFO_ZERO_PFN,
	PTWALK_A_INFO_PHYS_BITS,

	__PTWALK_A_INFO_MAX,
	PTWALK_A_INFO_MAX = (__PTWALK_A_INFO_MAX - 1)
};

enum {
	PTWALK_A_LEVEL_INFO_LEVEL = 1,
	PTWALK_A_LEVEL_INFO_SHIFT,
	PTWALK_A_LEVEL_INFO_ENTRIES,
	PTWALK_A_LEVEL_INFO_ENTRY_SIZE,

	__PTWALK_A_LEVEL_INFO_MAX,
	PTWALK_A_LEVEL_INFO_MAX = (__PTWALK_A_LEVEL_INFO_MAX - 1)
};

enum {
	PTWALK_A_SWAP_TYPE_KIND = 1,
	PTWALK_A_SWAP_TYPE_TYPE,

	__PTWALK_A_SWAP_TYPE_MAX,
	PTWALK_A_SWAP_TYPE_MAX = (__PTWALK_A_SWAP_TYPE_MAX - 1)
};

enum {
	PTWALK_A_VMA_START = 1,
	PTWALK_A_VMA_LAST,
	PTWALK_A_VMA_FLAGS,
	PTWALK_A_VMA_RAW_FLAGS,
	PTWALK_A_VMA_PAGE_PROT,
	PTWALK_A_VMA_PGOFF,
	PTWALK_A_VMA_PAGE_SHIFT,
	PTWALK_A_VMA_DEV_MAJOR,
	PTWALK_A_VMA_DEV_MINOR,
	PTWALK_A_VMA_INODE,
	PTWALK_A_VMA_OPS,
	PTWALK_A_VMA_PKEY,

	__PTWALK_A_VMA_MAX,
	PTWALK_A_VMA_MAX = (__PTWALK_A_VMA_MAX - 1)
};

enum {
	PTWALK_A_TRANSLATE_PAD = 1,
	PTWALK_A_TRANSLATE_PID,
	PTWALK_A_TRANSLATE_ADDRESSES,
	PTWALK_A_TRANSLATE_WANT_PAGES,
	PTWALK_A_TRANSLATE_TRANSLATIONS,
	PTWALK_A_TRANSLATE_TRANSLATION_BYTES,
	PTWALK_A_TRANSLATE_PAGES,
	PTWALK_A_TRANSLATE_PAGE_BYTES,
	PTWALK_A_TRANSLATE_VMA,
	PTWALK_A_TRANSLATE_LEVELS,
	PTWALK_A_TRANSLATE_CGROUPS,

	__PTWALK_A_TRANSLATE_MAX,
	PTWALK_A_TRANSLATE_MAX = (__PTWALK_A_TRANSLATE_MAX - 1)
};

enum {
	PTWALK_A_WALK_PAD = 1,
	PTWALK_A_WALK_PID,
	PTWALK_A_WALK_START,
	PTWALK_A_WALK_LAST,
	PTWALK_A_WALK_RUNS,
	PTWALK_A_WALK_RUN_BYTES,
	PTWALK_A_WALK_VMA,
	PTWALK_A_WALK_LEVELS,
	PTWALK_A_WALK_WANT_PAGES,
	PTWALK_A_WALK_OUTSIDE,
	PTWALK_A_WALK_FIRST_FRAME,
	PTWALK_A_WALK_LAST_FRAME,
	PTWALK_A_WALK_WANT_MIXED,
	PTWALK_A_WALK_MIXED,
	PTWALK_A_WALK_ENTRIES_ONLY,

	__PTWALK_A_WALK_MAX,
	PTWALK_A_WALK_MAX = (__PTWALK_A_WALK_MAX - 1)
};

enum {
	PTWALK_CMD_INFO = 1,
	PTWALK_CMD_TRANSLATE,
	PTWALK_CMD_WALK,

	__PTWALK_CMD_MAX,
	PTWALK_CMD_MAX = (__PTWALK_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_PTWALK_H */
