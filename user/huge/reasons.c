// SPDX-License-Identifier: GPL-2.0
/* Why the kernel maps memory by small pages, and where it decides that. */
#include "huge/reasons.h"

/*
 * The functions are those of Linux 7.3. In 6.1, hugepage_vma_check() decides of
 * the VMA; in 6.1 and 6.12, collapse_scan_pmd() is hpage_collapse_scan_pmd().
 */
#define OF_VMA	"__thp_vma_allowable_orders()"
#define OF_SCAN	"collapse_scan_pmd(), "

const struct huge_reason_text huge_reasons[NR_HUGE_REASONS] = {
	[HUGE_EMPTY] = {
		"empty", "nothing is mapped in it",
		"find_pmd_or_thp_or_none(), SCAN_NO_PTE_TABLE" },
	[HUGE_HUGETLB] = {
		"hugetlb", "a hugetlb mapping, whose pages have a size of their own",
		OF_VMA ", VM_HUGETLB" },
	[HUGE_NO_THP] = {
		"no-thp", "the kernel or the processor has no transparent huge pages",
		"CONFIG_TRANSPARENT_HUGEPAGE, thp_disabled_by_hw()" },
	[HUGE_SPECIAL] = {
		"special", "of a driver or the kernel: pfnmap, mixedmap, io or dontexpand",
		OF_VMA ", VM_NO_KHUGEPAGED" },
	[HUGE_TOO_SMALL] = {
		"too-small", "the VMA is smaller than a huge page",
		"thp_vma_suitable_order()" },
	[HUGE_SHMEM] = {
		"shmem", "neither shmem_enabled nor the mount's huge= allows it",
		"shmem_allowable_huge_orders()" },
	[HUGE_NEVER] = {
		"never", "transparent_hugepage/enabled is never, for this size",
		"thp_vma_allowable_orders()" },
	[HUGE_PRCTL] = {
		"thp-disabled", "prctl(PR_SET_THP_DISABLE) forbids it to the process",
		"vma_thp_disabled(), MMF_DISABLE_THP" },
	[HUGE_NOHUGEPAGE] = {
		"nohugepage", "madvise(MADV_NOHUGEPAGE) forbids it",
		"vma_thp_disabled(), VM_NOHUGEPAGE" },
	[HUGE_MADVISE] = {
		"madvise", "transparent_hugepage/enabled is madvise, without MADV_HUGEPAGE",
		"thp_vma_allowable_orders()" },
	[HUGE_EDGE] = {
		"edge", "an aligned huge page would go beyond the VMA",
		"hugepage_vma_revalidate(), thp_vma_suitable_order()" },
	[HUGE_FILE_OFFSET] = {
		"file-offset", "address and offset in the file aren't aligned alike",
		"thp_vma_suitable_order()" },
	[HUGE_FILE] = {
		"file", "the file can have none: by its file system, or without CONFIG_READ_ONLY_THP_FOR_FS",
		"file_thp_enabled()" },
	[HUGE_PARTIAL] = {
		"partial", "only a part of it is in the RANGE, or was read", "-" },
	[HUGE_MAX_NONE] = {
		"max-ptes-none", "more empty and zero-page entries than khugepaged/max_ptes_none",
		OF_SCAN "SCAN_EXCEED_NONE_PTE" },
	[HUGE_MAX_SWAP] = {
		"max-ptes-swap", "more swapped entries than khugepaged/max_ptes_swap",
		OF_SCAN "SCAN_EXCEED_SWAP_PTE" },
	[HUGE_MAX_SHARED] = {
		"max-ptes-shared", "more shared pages than khugepaged/max_ptes_shared",
		OF_SCAN "SCAN_EXCEED_SHARED_PTE" },
	[HUGE_USERFAULTFD] = {
		"userfaultfd", "userfaultfd protects entries, or waits for the empty ones",
		OF_SCAN "SCAN_PTE_UFFD, userfaultfd_armed()" },
	[HUGE_NO_PAGE] = {
		"no-page", "an entry maps no page that the kernel counts",
		OF_SCAN "SCAN_PAGE_NULL" },
	[HUGE_NOT_ANON] = {
		"not-anon", "a page isn't anonymous",
		OF_SCAN "SCAN_PAGE_ANON" },
	[HUGE_PINNED] = {
		"pinned", "a page has references beside its mappings: pinned, or in use",
		OF_SCAN "SCAN_PAGE_COUNT" },
	[HUGE_READ_ONLY] = {
		"read-only", "no entry allows writing (before Linux 6.18)",
		"hpage_collapse_scan_pmd(), SCAN_PAGE_RO" },
	[HUGE_IDLE] = {
		"idle", "too few pages were accessed lately",
		OF_SCAN "SCAN_LACK_REFERENCED_PAGE" },
	[HUGE_COPIES] = {
		"copies", "private copies of the file's pages are in it",
		"file_backed_vma_is_retractable()" },
	[HUGE_PTE_MAPPED] = {
		"pte-mapped", "its folio is huge, but mapped by small entries still",
		"collapse_scan_file(), SCAN_PTE_MAPPED_HUGEPAGE" },
	[HUGE_NOT_YET] = {
		"not-yet", "nothing is against it: khugepaged has not come by, or got no huge page",
		"collapse_scan_mm_slot()" },
};
