// SPDX-License-Identifier: GPL-2.0
/* Why the kernel maps memory by small pages, and where it decides that. */
#include <stdio.h>
#include "huge/reasons.h"
#include "module/version.h"

#define ALWAYS(by)	{ { 0, by } }

/* The VMA, in mm/huge_memory.c. */
#define OF_VMA(detail)	{						\
	{ KERNEL(6, 8), "__thp_vma_allowable_orders()" detail },	\
	{ 0, "hugepage_vma_check()" detail },				\
}

#define SUITABLE(before) {						\
	{ KERNEL(6, 8), before "thp_vma_suitable_order()" },		\
	{ 0, before "transhuge_vma_suitable()" },			\
}

#define DISABLED(flag)							\
	{ KERNEL(6, 12), "vma_thp_disabled(), " flag },			\
	{ KERNEL(6, 8), "__thp_vma_allowable_orders(), " flag },	\
	{ 0, "hugepage_vma_check(), " flag }

/* The entries, in mm/khugepaged.c; its functions were renamed in Linux 7.1. */
#define RENAMED(older, newer)	{ { KERNEL(7, 1), newer }, { 0, older } }
#define OF_SCAN(result)							\
	RENAMED("hpage_collapse_scan_pmd(), " result, "collapse_scan_pmd(), " result)

const struct huge_reason_text huge_reasons[NR_HUGE_REASONS] = {
	/* Of any memory; khugepaged comes to its entries of some alone. */
	[HUGE_EMPTY] = {
		"empty", "nothing is mapped in it",
		ALWAYS("handle_mm_fault()") },
	[HUGE_HUGETLB] = {
		"hugetlb", "a hugetlb mapping, whose pages have a size of their own",
		OF_VMA(", VM_HUGETLB") },
	[HUGE_NO_THP] = {
		"no-thp", "the kernel or the processor has no transparent huge pages",
		{
			{ KERNEL(6, 12), "CONFIG_TRANSPARENT_HUGEPAGE, thp_disabled_by_hw()" },
			{ 0, "CONFIG_TRANSPARENT_HUGEPAGE, has_transparent_hugepage()" },
		} },
	[HUGE_SPECIAL] = {
		"special", "of a driver or the kernel: pfnmap, mixedmap, io or dontexpand",
		OF_VMA(", VM_NO_KHUGEPAGED") },
	[HUGE_TOO_SMALL] = {
		"too-small", "the VMA is smaller than a huge page",
		SUITABLE("") },
	[HUGE_SHMEM] = {
		"shmem", "neither shmem_enabled nor the mount's huge= allows it",
		{
			{ KERNEL(6, 12), "shmem_allowable_huge_orders()" },
			{ 0, "shmem_is_huge()" },
		} },
	[HUGE_NEVER] = {
		"never", "transparent_hugepage/enabled is never, for this size",
		OF_VMA("") },
	[HUGE_PRCTL] = {
		"thp-disabled", "prctl(PR_SET_THP_DISABLE) forbids it to the process",
		{
			{ KERNEL(6, 18), "vma_thp_disabled(), MMF_DISABLE_THP_COMPLETELY" },
			DISABLED("MMF_DISABLE_THP")
		} },
	[HUGE_NOHUGEPAGE] = {
		"nohugepage", "madvise(MADV_NOHUGEPAGE) forbids it",
		{ DISABLED("VM_NOHUGEPAGE") } },
	[HUGE_MADVISE] = {
		"madvise", "transparent_hugepage/enabled is madvise, without MADV_HUGEPAGE",
		OF_VMA("") },
	[HUGE_EDGE] = {
		"edge", "an aligned huge page would go beyond the VMA",
		SUITABLE("hugepage_vma_revalidate(), ") },
	[HUGE_FILE_OFFSET] = {
		"file-offset", "address and offset in the file aren't aligned alike",
		SUITABLE("") },
	[HUGE_FILE] = {
		"file", "the file can have none: by its file system, or without CONFIG_READ_ONLY_THP_FOR_FS",
		ALWAYS("file_thp_enabled()") },
	[HUGE_PARTIAL] = {
		"partial", "only a part of it is in the RANGE, or was read",
		ALWAYS("-") },
	[HUGE_MAX_NONE] = {
		"max-ptes-none", "more empty and zero-page entries than khugepaged/max_ptes_none",
		OF_SCAN("SCAN_EXCEED_NONE_PTE") },
	[HUGE_MAX_SWAP] = {
		"max-ptes-swap", "more swapped entries than khugepaged/max_ptes_swap",
		OF_SCAN("SCAN_EXCEED_SWAP_PTE") },
	[HUGE_MAX_SHARED] = {
		"max-ptes-shared", "more shared pages than khugepaged/max_ptes_shared",
		OF_SCAN("SCAN_EXCEED_SHARED_PTE") },
	[HUGE_USERFAULTFD] = {
		"userfaultfd", "userfaultfd protects entries, or waits for the empty ones",
		RENAMED("hpage_collapse_scan_pmd(), SCAN_PTE_UFFD_WP, userfaultfd_armed()",
			"collapse_scan_pmd(), SCAN_PTE_UFFD, userfaultfd_armed()") },
	[HUGE_NO_PAGE] = {
		"no-page", "an entry maps no page that the kernel counts",
		OF_SCAN("SCAN_PAGE_NULL") },
	[HUGE_NOT_ANON] = {
		"not-anon", "a page isn't anonymous",
		OF_SCAN("SCAN_PAGE_ANON") },
	[HUGE_PINNED] = {
		"pinned", "a page has references beside its mappings: pinned, or in use",
		OF_SCAN("SCAN_PAGE_COUNT") },
	[HUGE_READ_ONLY] = {
		"read-only", "no entry allows writing (before Linux 6.18)",
		ALWAYS("hpage_collapse_scan_pmd(), SCAN_PAGE_RO") },
	[HUGE_IDLE] = {
		"idle", "too few pages were accessed lately",
		OF_SCAN("SCAN_LACK_REFERENCED_PAGE") },
	[HUGE_COPIES] = {
		"copies", "private copies of the file's pages are in it",
		ALWAYS("retract_page_tables()") },
	[HUGE_PTE_MAPPED] = {
		"pte-mapped", "its folio is huge, but mapped by small entries still",
		RENAMED("hpage_collapse_scan_file(), SCAN_PTE_MAPPED_HUGEPAGE",
			"collapse_scan_file(), SCAN_PTE_MAPPED_HUGEPAGE") },
	[HUGE_NOT_YET] = {
		"not-yet", "nothing is against it: khugepaged has not come by, or got no huge page",
		RENAMED("khugepaged_scan_mm_slot()", "collapse_scan_mm_slot()") },
};

const char *huge_decided_by(enum huge_reason reason, unsigned int version)
{
	unsigned int i = 0;

	while (huge_reasons[reason].decided[i].since > version)
		i++;
	return huge_reasons[reason].decided[i].by;
}

const char *huge_decided_by_all(enum huge_reason reason, char buf[HUGE_DECIDED_BY])
{
	unsigned int i = 0, since;
	size_t used;

	used = snprintf(buf, HUGE_DECIDED_BY, "%s", huge_reasons[reason].decided[0].by);
	for (; used < HUGE_DECIDED_BY && huge_reasons[reason].decided[i].since; i++) {
		since = huge_reasons[reason].decided[i].since;
		used += snprintf(buf + used, HUGE_DECIDED_BY - used, "; before Linux %u.%u: %s",
				 since >> 16, since & 0xffff,
				 huge_reasons[reason].decided[i + 1].by);
	}
	return buf;
}
