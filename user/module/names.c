// SPDX-License-Identifier: GPL-2.0
/* Names of what the protocol numbers. */
#include <linux/ptwalk.h>
#include "module/names.h"

#define NAMES(array) { array, sizeof(array) / sizeof(*(array)) }
#define BIT_OF(flag) __builtin_ctzll(flag)

static const char *const kinds[] = {
	[PTWALK_KIND_NONE] = "none",
	[PTWALK_KIND_PRESENT] = "present",
	[PTWALK_KIND_SWAP] = "swap",
	[PTWALK_KIND_MIGRATION] = "migration",
	[PTWALK_KIND_HWPOISON] = "hwpoison",
	[PTWALK_KIND_DEVICE_PRIVATE] = "device-private",
	[PTWALK_KIND_DEVICE_EXCLUSIVE] = "device-exclusive",
	[PTWALK_KIND_MARKER] = "marker",
	[PTWALK_KIND_BAD] = "bad",
	[PTWALK_KIND_UNKNOWN] = "unknown",
	[PTWALK_KIND_NO_VMA] = "no-vma",
};
const struct names names_kind = NAMES(kinds);

static const char *const levels[] = {
	[PTWALK_LEVEL_PTE] = "pte",
	[PTWALK_LEVEL_PMD] = "pmd",
	[PTWALK_LEVEL_PUD] = "pud",
	[PTWALK_LEVEL_P4D] = "p4d",
	[PTWALK_LEVEL_PGD] = "pgd",
};
const struct names names_level = NAMES(levels);

static const char *const flags[] = {
	[BIT_OF(PTWALK_FLAG_WRITE)] = "write",
	[BIT_OF(PTWALK_FLAG_USER)] = "user",
	[BIT_OF(PTWALK_FLAG_EXEC)] = "exec",
	[BIT_OF(PTWALK_FLAG_YOUNG)] = "young",
	[BIT_OF(PTWALK_FLAG_DIRTY)] = "dirty",
	[BIT_OF(PTWALK_FLAG_GLOBAL)] = "global",
	[BIT_OF(PTWALK_FLAG_SPECIAL)] = "special",
	[BIT_OF(PTWALK_FLAG_SOFT_DIRTY)] = "soft-dirty",
	[BIT_OF(PTWALK_FLAG_UFFD_WP)] = "uffd-wp",
	[BIT_OF(PTWALK_FLAG_PROT_NONE)] = "prot-none",
	[BIT_OF(PTWALK_FLAG_CONT)] = "cont",
	[BIT_OF(PTWALK_FLAG_DEVMAP)] = "devmap",
	[BIT_OF(PTWALK_FLAG_SWAP_EXCLUSIVE)] = "swap-exclusive",
	[BIT_OF(PTWALK_FLAG_NUMA_HINT)] = "numa-hint",
	[BIT_OF(PTWALK_FLAG_PAGE)] = "page",
	[BIT_OF(PTWALK_FLAG_ANON)] = "anon",
	[BIT_OF(PTWALK_FLAG_EXCLUSIVE)] = "exclusive",
	[BIT_OF(PTWALK_FLAG_ZERO)] = "zero",
	[BIT_OF(PTWALK_FLAG_KSM)] = "ksm",
	[BIT_OF(PTWALK_FLAG_LARGE)] = "large",
	[BIT_OF(PTWALK_FLAG_HUGETLB)] = "hugetlb",
	[BIT_OF(PTWALK_FLAG_HEAD_EXCLUSIVE)] = "head-exclusive",
	[BIT_OF(PTWALK_FLAG_MAYBE_SHARED)] = "maybe-shared",
	[BIT_OF(PTWALK_FLAG_PMD_SHARED)] = "pmd-shared",
	[BIT_OF(PTWALK_FLAG_RAM)] = "ram",
	[BIT_OF(PTWALK_FLAG_TYPE_DIFFERS)] = "type-differs",
	[BIT_OF(PTWALK_FLAG_STALE)] = "stale",
	[BIT_OF(PTWALK_FLAG_ONLINE)] = "online",
};
const struct names names_flag = NAMES(flags);

static const char *const page_flags[] = {
	[BIT_OF(PTWALK_PAGE_FLAG_LOCKED)] = "locked",
	[BIT_OF(PTWALK_PAGE_FLAG_WRITEBACK)] = "writeback",
	[BIT_OF(PTWALK_PAGE_FLAG_REFERENCED)] = "referenced",
	[BIT_OF(PTWALK_PAGE_FLAG_UPTODATE)] = "uptodate",
	[BIT_OF(PTWALK_PAGE_FLAG_DIRTY)] = "dirty",
	[BIT_OF(PTWALK_PAGE_FLAG_LRU)] = "lru",
	[BIT_OF(PTWALK_PAGE_FLAG_ACTIVE)] = "active",
	[BIT_OF(PTWALK_PAGE_FLAG_WORKINGSET)] = "workingset",
	[BIT_OF(PTWALK_PAGE_FLAG_SWAPBACKED)] = "swapbacked",
	[BIT_OF(PTWALK_PAGE_FLAG_UNEVICTABLE)] = "unevictable",
	[BIT_OF(PTWALK_PAGE_FLAG_MLOCKED)] = "mlocked",
	[BIT_OF(PTWALK_PAGE_FLAG_SWAPCACHE)] = "swapcache",
	[BIT_OF(PTWALK_PAGE_FLAG_RESERVED)] = "reserved",
	[BIT_OF(PTWALK_PAGE_FLAG_PRIVATE)] = "private",
	[BIT_OF(PTWALK_PAGE_FLAG_HWPOISON)] = "hwpoison",
	[BIT_OF(PTWALK_PAGE_FLAG_ANON)] = "anon",
	[BIT_OF(PTWALK_PAGE_FLAG_KSM)] = "ksm",
	[BIT_OF(PTWALK_PAGE_FLAG_SHMEM)] = "shmem",
	[BIT_OF(PTWALK_PAGE_FLAG_HUGETLB)] = "hugetlb",
	[BIT_OF(PTWALK_PAGE_FLAG_LARGE)] = "large",
};
const struct names names_page_flag = NAMES(page_flags);

static const char *const markers[] = {
	[BIT_OF(PTWALK_MARKER_UFFD_WP)] = "uffd-wp",
	[BIT_OF(PTWALK_MARKER_POISONED)] = "poisoned",
	[BIT_OF(PTWALK_MARKER_GUARD)] = "guard",
};
const struct names names_marker = NAMES(markers);

static const char *const vma_flags[] = {
	[BIT_OF(PTWALK_VMA_FLAG_READ)] = "read",
	[BIT_OF(PTWALK_VMA_FLAG_WRITE)] = "write",
	[BIT_OF(PTWALK_VMA_FLAG_EXEC)] = "exec",
	[BIT_OF(PTWALK_VMA_FLAG_SHARED)] = "shared",
	[BIT_OF(PTWALK_VMA_FLAG_MAYREAD)] = "mayread",
	[BIT_OF(PTWALK_VMA_FLAG_MAYWRITE)] = "maywrite",
	[BIT_OF(PTWALK_VMA_FLAG_MAYEXEC)] = "mayexec",
	[BIT_OF(PTWALK_VMA_FLAG_MAYSHARE)] = "mayshare",
	[BIT_OF(PTWALK_VMA_FLAG_GROWSDOWN)] = "growsdown",
	[BIT_OF(PTWALK_VMA_FLAG_GROWSUP)] = "growsup",
	[BIT_OF(PTWALK_VMA_FLAG_PFNMAP)] = "pfnmap",
	[BIT_OF(PTWALK_VMA_FLAG_MIXEDMAP)] = "mixedmap",
	[BIT_OF(PTWALK_VMA_FLAG_IO)] = "io",
	[BIT_OF(PTWALK_VMA_FLAG_HUGETLB)] = "hugetlb",
	[BIT_OF(PTWALK_VMA_FLAG_SOFTDIRTY)] = "softdirty",
	[BIT_OF(PTWALK_VMA_FLAG_UFFD_MISSING)] = "uffd-missing",
	[BIT_OF(PTWALK_VMA_FLAG_UFFD_WP)] = "uffd-wp",
	[BIT_OF(PTWALK_VMA_FLAG_UFFD_MINOR)] = "uffd-minor",
	[BIT_OF(PTWALK_VMA_FLAG_LOCKED)] = "locked",
	[BIT_OF(PTWALK_VMA_FLAG_LOCKONFAULT)] = "lockonfault",
	[BIT_OF(PTWALK_VMA_FLAG_DONTCOPY)] = "dontcopy",
	[BIT_OF(PTWALK_VMA_FLAG_DONTEXPAND)] = "dontexpand",
	[BIT_OF(PTWALK_VMA_FLAG_DONTDUMP)] = "dontdump",
	[BIT_OF(PTWALK_VMA_FLAG_ACCOUNT)] = "account",
	[BIT_OF(PTWALK_VMA_FLAG_NORESERVE)] = "noreserve",
	[BIT_OF(PTWALK_VMA_FLAG_HUGEPAGE)] = "hugepage",
	[BIT_OF(PTWALK_VMA_FLAG_NOHUGEPAGE)] = "nohugepage",
	[BIT_OF(PTWALK_VMA_FLAG_MERGEABLE)] = "mergeable",
	[BIT_OF(PTWALK_VMA_FLAG_WIPEONFORK)] = "wipeonfork",
	[BIT_OF(PTWALK_VMA_FLAG_SYNC)] = "sync",
	[BIT_OF(PTWALK_VMA_FLAG_SEQ_READ)] = "seq-read",
	[BIT_OF(PTWALK_VMA_FLAG_RAND_READ)] = "rand-read",
	[BIT_OF(PTWALK_VMA_FLAG_SEALED)] = "sealed",
	[BIT_OF(PTWALK_VMA_FLAG_SHADOW_STACK)] = "shadow-stack",
	[BIT_OF(PTWALK_VMA_FLAG_MTE)] = "mte",
	[BIT_OF(PTWALK_VMA_FLAG_DROPPABLE)] = "droppable",
	[BIT_OF(PTWALK_VMA_FLAG_MAYBE_GUARD)] = "maybe-guard",
	[BIT_OF(PTWALK_VMA_FLAG_UFFD_RWP)] = "uffd-rwp",
	[BIT_OF(PTWALK_VMA_FLAG_ANONYMOUS)] = "anonymous",
	[BIT_OF(PTWALK_VMA_FLAG_SHMEM)] = "shmem",
};
const struct names names_vma_flag = NAMES(vma_flags);

static const char *const features[] = {
	[BIT_OF(PTWALK_FEATURE_SOFT_DIRTY)] = "soft-dirty",
	[BIT_OF(PTWALK_FEATURE_UFFD_WP)] = "uffd-wp",
	[BIT_OF(PTWALK_FEATURE_PTE_SPECIAL)] = "pte-special",
	[BIT_OF(PTWALK_FEATURE_PAGE_MAPCOUNT)] = "page-mapcount",
	[BIT_OF(PTWALK_FEATURE_THP)] = "thp",
	[BIT_OF(PTWALK_FEATURE_HUGETLB)] = "hugetlb",
	[BIT_OF(PTWALK_FEATURE_MM_ID)] = "mm-id",
	[BIT_OF(PTWALK_FEATURE_PKEYS)] = "pkeys",
};
const struct names names_feature = NAMES(features);

static const char *const memory_types[] = {
	[PTWALK_MEMORY_TYPE_UNKNOWN] = "unknown",
	[PTWALK_MEMORY_TYPE_WB] = "wb",
	[PTWALK_MEMORY_TYPE_WT] = "wt",
	[PTWALK_MEMORY_TYPE_WC] = "wc",
	[PTWALK_MEMORY_TYPE_UC] = "uc",
	[PTWALK_MEMORY_TYPE_UC_MINUS] = "uc-minus",
	[PTWALK_MEMORY_TYPE_WP] = "wp",
	[PTWALK_MEMORY_TYPE_NORMAL] = "normal",
	[PTWALK_MEMORY_TYPE_NORMAL_NC] = "normal-nc",
	[PTWALK_MEMORY_TYPE_NORMAL_WT] = "normal-wt",
	[PTWALK_MEMORY_TYPE_NORMAL_TAGGED] = "normal-tagged",
	[PTWALK_MEMORY_TYPE_DEVICE_NGNRNE] = "device-ngnrne",
	[PTWALK_MEMORY_TYPE_DEVICE_NGNRE] = "device-ngnre",
	[PTWALK_MEMORY_TYPE_DEVICE_GRE] = "device-gre",
	[PTWALK_MEMORY_TYPE_PMA] = "pma",
	[PTWALK_MEMORY_TYPE_NC] = "nc",
	[PTWALK_MEMORY_TYPE_IO] = "io",
};
const struct names names_memory_type = NAMES(memory_types);

static const char *const domains[] = {
	[PTWALK_DOMAIN_NONE] = "none",
	[PTWALK_DOMAIN_BLOCKED] = "blocked",
	[PTWALK_DOMAIN_IDENTITY] = "identity",
	[PTWALK_DOMAIN_DMA] = "dma",
	[PTWALK_DOMAIN_DMA_LAZY] = "dma-lazy",
	[PTWALK_DOMAIN_UNMANAGED] = "unmanaged",
	[PTWALK_DOMAIN_OPAQUE] = "opaque",
};
const struct names names_domain = NAMES(domains);

static const char *const device_flags[] = {
	[BIT_OF(PTWALK_DEVICE_FLAG_DMA)] = "dma",
	[BIT_OF(PTWALK_DEVICE_FLAG_COHERENT)] = "coherent",
	[BIT_OF(PTWALK_DEVICE_FLAG_BOUNCE)] = "bounce",
};
const struct names names_device_flag = NAMES(device_flags);
