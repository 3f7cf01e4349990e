// SPDX-License-Identifier: GPL-2.0
/* The differences that are by design, and the known bugs of kernels. */
#include <string.h>
#include "check/rules.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_bits.h"
#include "sources/source.h"

#define KIND(kind)	(1U << PTWALK_KIND_##kind)
#define LEVEL(level)	(1U << PTWALK_LEVEL_##level)
#define HAS(flag)	PTWALK_VMA_FLAG_##flag

/* The kernel's page walker goes into such a VMA, page table by page table. */
#define WALKED		.not_vma = HAS(PFNMAP) | HAS(HUGETLB)

/* The same, and hugetlb's own part of the walker reads the entry. */
#define HUGETLB_WALKED	.vma = HAS(HUGETLB), .not_vma = HAS(PFNMAP)

#define PRESENT_PMD	.kinds = KIND(PRESENT), .levels = LEVEL(PMD)

/* A page that the kernel keeps a map count of, as it doesn't of zero pages. */
#define COUNTED		.has = PTWALK_FLAG_PAGE, .lacks = PTWALK_FLAG_ZERO

static void set_bit_to(struct expectation *out, uint64_t bit, bool on)
{
	out->value = on ? out->value | bit : out->value & ~bit;
}

/* What is left of a page that the walker takes for a hole in its VMA. */
static void show_hole(const struct env *env, const struct page_truth *truth,
		      struct expectation *out)
{
	out->value = page_vma_has(truth, PTWALK_VMA_FLAG_SOFTDIRTY) ?
		     PM_SOFT_DIRTY : 0;
	out->step = 0;
}

static bool gate_holds(const struct env *env, const struct page_truth *truth)
{
	return truth->gate;
}

static void gate_shows(const struct env *env, const struct page_truth *truth,
		       struct expectation *out)
{
	out->no_data = true;
}

static void hugetlb_nonpresent_shows(const struct env *env,
				     const struct page_truth *truth,
				     struct expectation *out)
{
	bool wp = out->value & PM_UFFD_WP;

	show_hole(env, truth, out);
	set_bit_to(out, PM_UFFD_WP, wp);
}

static void hugetlb_exclusive_shows(const struct env *env,
				    const struct page_truth *truth,
				    struct expectation *out)
{
	set_bit_to(out, PM_EXCLUSIVE,
		   !(page_flags(truth) & (PTWALK_FLAG_MAYBE_SHARED |
					PTWALK_FLAG_PMD_SHARED)));
}

static bool shares_tables(const struct env *env, const struct page_truth *truth)
{
	return env->kernel->flags & PTWALK_FLAG_PMD_SHARED;
}

static bool counts_pages(const struct env *env, const struct page_truth *truth)
{
	return env->kernel->features & PTWALK_FEATURE_PAGE_MAPCOUNT;
}

static bool counts_folios(const struct env *env, const struct page_truth *truth)
{
	return !counts_pages(env, truth);
}

static void thp_head_shows(const struct env *env,
			   const struct page_truth *truth,
			   struct expectation *out)
{
	set_bit_to(out, PM_EXCLUSIVE,
		   page_flags(truth) & PTWALK_FLAG_HEAD_EXCLUSIVE);
}

static void no_mapcount_shows(const struct env *env,
			      const struct page_truth *truth,
			      struct expectation *out)
{
	set_bit_to(out, PM_EXCLUSIVE,
		   !(page_flags(truth) & PTWALK_FLAG_MAYBE_SHARED));
}

/* arm with three levels of tables; with two it has no huge pages. */
static bool is_arm(const struct env *env, const struct page_truth *truth)
{
	return !strncmp(env->kernel->machine, "arm", strlen("arm"));
}

/* Without a file, as of [vvar], mincore() says that all of it is there. */
static bool maps_file(const struct env *env, const struct page_truth *truth)
{
	return truth->vma->inode || truth->vma->dev_major || truth->vma->dev_minor;
}

/*
 * Of a hugetlb page that is not there, its table is: the walker calls the
 * function for entries only if it got as far as where such an entry stands.
 */
static bool has_hugetlb_table(const struct env *env, const struct page_truth *truth)
{
	unsigned int level = ptwalk_bits_level(truth->bits);

	return level < PTWALK_LEVELS &&
	       env->kernel->level_shift[level] <= truth->vma->page_shift;
}

static bool is_of_file(const struct env *env, const struct page_truth *truth)
{
	return page_is_file(truth);
}

/* Which frame is the last one no page table tells. */
static bool kpage_end_may(const struct env *env, const struct page_truth *truth)
{
	return true;
}

/* A page of a folio that isn't its first one, and is charged to somebody if it is told. */
static bool is_charged_tail(const struct env *env, const struct page_truth *truth)
{
	return truth->facts && truth->facts->place >> 32 &&
	       (!truth->has_cgroup || truth->cgroup);
}

/* What is charged to nobody shows 0 on all of its pages. */
static bool cgroup_tail_may(const struct env *env,
			    const struct page_truth *truth)
{
	if (truth->has_cgroup)
		return false;
	return !env->memcg || !(page_flags(truth) & PTWALK_FLAG_ANON) ||
	       (page_flags(truth) & PTWALK_FLAG_HUGETLB);
}

/* Whatever is documented, this is shown, in all bits. */
#define SHOWS_ONLY(shown)						\
	.clears = UINT64_MAX,						\
	.sets = (shown),						\
	.compares = UINT64_MAX

/* Frames that kpage files don't look at, as pfn_to_online_page() decides. */
#define NO_PAGE	{ .kinds = KIND(PRESENT), .lacks = PTWALK_FLAG_RAM | PTWALK_FLAG_ONLINE }

/* Of the three kpage files. */
#define NO_FRAME(file)							\
	.name = file "-no-frame",					\
	.source = file,							\
	.what = "The frame is no memory of the kernel (registers of a device, say), and its number is above the kernel's last: /proc/" \
		file " ends before it.",				\
	.decided_by = "kpage_read() (in older kernels " file		\
		"_read()) in fs/proc/page.c returns 0 from get_max_dump_pfn() on", \
	.about = NO_PAGE,						\
	.may = kpage_end_may,						\
	SHOWS_ONLY(KPAGE_END)

const struct rule rules[] = {
	{
		.name = "pfnmap-hidden",
		.source = "pagemap",
		.what = "The mapping was made with remap_pfn_range(), vmf_insert_pfn() or the like (VM_PFNMAP). Whatever the page tables map there, pagemap shows a hole: zero, or bit 55 alone where the VMA is soft-dirty. It shows the same where nothing is mapped, as it reads no entries of such mappings: these pages are explained, too.",
		.decided_by = "walk_page_test() in mm/pagewalk.c does not walk VM_PFNMAP mappings and calls pagemap_pte_hole() for them",
		.blind = true,
		.about = { .kinds = ANY_KIND, .vma = HAS(PFNMAP) },
		.shows = show_hole,
	}, {
		.name = "gate-vma",
		.source = "pagemap",
		.what = "The gate area ([vsyscall] on x86, [vectors] on arm) is listed in maps but belongs to the kernel's address space, not to the process: pagemap ends before it, a read gets 0 bytes.",
		.decided_by = "pagemap_read() in fs/proc/task_mmu.c stops at mm->task_size; show_map() lists get_gate_vma()",
		.about = { .kinds = KIND(NO_VMA) },
		.holds = gate_holds,
		.shows = gate_shows,
	}, {
		.name = "hugetlb-nonpresent",
		.source = "pagemap",
		.what = "A hugetlb page that is not present (under migration, poisoned, a marker) shows neither bit 62 nor a swap type or offset; only bit 57 for userfaultfd, and bit 55 where the VMA is soft-dirty.",
		.decided_by = "pagemap_hugetlb_range() in fs/proc/task_mmu.c looks at pte_swp_uffd_wp_any() of such entries, and at nothing else",
		.about = { .kinds = ~(KIND(PRESENT) | KIND(NONE)), HUGETLB_WALKED },
		.shows = hugetlb_nonpresent_shows,
	}, {
		.name = "hugetlb-soft-dirty",
		.source = "pagemap",
		.what = "The entry of a hugetlb page has its soft-dirty bit set, but pagemap shows bit 55 for hugetlb only where the whole VMA is soft-dirty.",
		.decided_by = "pagemap_hugetlb_range() in fs/proc/task_mmu.c checks VM_SOFTDIRTY, not the entry's bit",
		.about = { .kinds = KIND(PRESENT), .vma = HAS(HUGETLB),
			   .not_vma = HAS(PFNMAP) | HAS(SOFTDIRTY),
			   .has = PTWALK_FLAG_SOFT_DIRTY },
		.clears = PM_SOFT_DIRTY,
	}, {
		.name = "hugetlb-exclusive",
		.source = "pagemap",
		.what = "For hugetlb, bit 56 says that the folio is mapped at most once and that its page table is not shared between processes, not that it is mapped exactly once.",
		.decided_by = "pagemap_hugetlb_range() in fs/proc/task_mmu.c: folio_likely_mapped_shared() (from 6.15 on folio_maybe_mapped_shared()) and hugetlb_pmd_shared()",
		.since = KERNEL(6, 11),
		.about = { .kinds = KIND(PRESENT), HUGETLB_WALKED, COUNTED },
		.shows = hugetlb_exclusive_shows,
	}, {
		.name = "hugetlb-share-count-bug",
		.source = "pagemap",
		.what = "A bug of the kernel: a hugetlb page that is not mapped by an entry of the PMD level (1 GiB on x86-64; 1 GiB and 64 KiB on arm64) may lack bit 56 although no one else maps it. Either all such pages of one page table lack it, or none; that isn't compared.",
		.decided_by = "pagemap_hugetlb_range() in fs/proc/task_mmu.c calls hugetlb_pmd_shared() for any table, but only pagetable_pmd_ctor() sets pt_share_count to 0: other tables have the old page->index of their page there. pt_share_count is used since ca1a47cd3f5f (stable: 6.12.74); page_count() before that was right",
		.since = KERNEL(6, 12),
		.bug = true,
		/*
		 * Tables of the PMD level can be shared, and only they begin with a share
		 * count of 0. Where pages stand in other tables, one that is read there is
		 * garbage.
		 */
		.about = { .kinds = KIND(PRESENT), .levels = ~LEVEL(PMD), HUGETLB_WALKED,
			   .has = PTWALK_FLAG_PAGE,
			   .lacks = PTWALK_FLAG_ZERO | PTWALK_FLAG_MAYBE_SHARED },
		.holds = shares_tables,
		.clears = PM_EXCLUSIVE,
	}, {
		.name = "thp-exclusive-head",
		.source = "pagemap",
		.what = "All pages of a transparent huge page that is mapped as a whole show in bit 56 whether the first page is mapped exactly once, not whether each page is.",
		.decided_by = "pagemap_pmd_range() in fs/proc/task_mmu.c calls page_mapcount() once, for pmd_page(); done page by page since 6.11 (commit 2c1f057e5be6)",
		.before = KERNEL(6, 11),
		.about = { PRESENT_PMD, WALKED, COUNTED },
		.holds = counts_pages,
		.shows = thp_head_shows,
	}, {
		.name = "thp-exclusive-head-bug",
		.source = "pagemap",
		.what = "A bug of the kernel: all pages of a transparent huge page that is mapped as a whole show in bit 56 whether the first page is mapped exactly once. 6.11 had fixed that.",
		.decided_by = "pagemap_pmd_range_thp() in fs/proc/task_mmu.c (up to 6.18 pagemap_pmd_range()) gives __folio_page_mapped_exclusively() the folio's first page instead of page + idx",
		.since = KERNEL(6, 15),
		.bug = true,
		.about = { PRESENT_PMD, WALKED, COUNTED },
		.holds = counts_pages,
		.shows = thp_head_shows,
	}, {
		.name = "no-page-mapcount",
		.source = "pagemap",
		.what = "This kernel keeps no map count for each page of a large folio (CONFIG_PAGE_MAPCOUNT is off). Bit 56 says instead that no other process is known to map any page of the folio.",
		.decided_by = "__folio_page_mapped_exclusively() in fs/proc/task_mmu.c: !folio_maybe_mapped_shared()",
		.since = KERNEL(6, 15),
		.about = { .kinds = KIND(PRESENT), WALKED, COUNTED },
		.holds = counts_folios,
		.shows = no_mapcount_shows,
	}, {
		.name = "huge-zero-file",
		.source = "pagemap",
		.what = "The huge zero page, which stands for memory that was read but never written, shows bit 61 as if it belonged to a file.",
		.decided_by = "pagemap_pmd_range() in fs/proc/task_mmu.c takes pmd_page() without calling vm_normal_page_pmd(), which it calls since 7.3",
		.before = KERNEL(7, 3),
		.about = { PRESENT_PMD, WALKED, .has = PTWALK_FLAG_ZERO },
		.sets = PM_FILE,
	}, {
		.name = "special-pmd-bug",
		.source = "pagemap",
		.what = "A bug of the kernel: memory that a driver mapped with vmf_insert_pfn_pmd() in a VM_MIXEDMAP mapping shows bit 61, as a page with a map count does; mapped by PTEs it doesn't. Where the driver maps a device's memory instead of RAM, reading pagemap can crash the kernel; check leaves such pages out.",
		.decided_by = "pagemap_pmd_range_thp() in fs/proc/task_mmu.c (up to 6.18 pagemap_pmd_range()) takes the folio of pmd_page() without calling vm_normal_page_pmd(), which it calls since 7.3",
		.since = KERNEL(6, 12),
		.before = KERNEL(7, 3),
		.bug = true,
		.about = { PRESENT_PMD, WALKED, .vma = HAS(MIXEDMAP), .has = PTWALK_FLAG_SPECIAL,
			   .lacks = PTWALK_FLAG_PAGE | PTWALK_FLAG_ZERO,
			   .any = PTWALK_FLAG_RAM | PTWALK_FLAG_ONLINE },
		/* The same without a struct page that could be read, as of a device's memory. */
		.crashes = { PRESENT_PMD, WALKED, .vma = HAS(MIXEDMAP),
			     .has = PTWALK_FLAG_SPECIAL,
			     .lacks = PTWALK_FLAG_RAM | PTWALK_FLAG_ONLINE | PTWALK_FLAG_ZERO },
		.sets = PM_FILE,
	}, {
		.name = "stale-page-bug",
		.source = "pagemap",
		.what = "A bug of the kernel: if a device is removed while a process maps its memory, such as a DAX file system whose disk is unbound, the entries stay in the page tables though the struct pages are gone. Reading pagemap or smaps of them can crash the kernel, and so can the end of the process; check leaves out such pages and the sums of the process.",
		.decided_by = "memunmap_pages() unmaps nothing from processes; vm_normal_page() in mm/memory.c, and pagemap_pmd_range() in fs/proc/task_mmu.c for huge devmap entries, take the struct page of any PFN that an entry has",
		.bug = true,
		.crashes = { .kinds = KIND(PRESENT), .has = PTWALK_FLAG_STALE },
		.sums = true,
	}, {
		.name = "dax-pmd-file",
		.source = "pagemap",
		.what = "A huge page of a DAX file shows bit 61, which its small pages do not.",
		.decided_by = "pagemap_pmd_range() in fs/proc/task_mmu.c takes pmd_page() of a devmap entry; vm_normal_page() gives none for small ones. There are no such entries since 6.17",
		.before = KERNEL(6, 17),
		.about = { PRESENT_PMD, WALKED, .has = PTWALK_FLAG_DEVMAP,
			   .lacks = PTWALK_FLAG_PAGE | PTWALK_FLAG_ZERO | PTWALK_FLAG_SPECIAL },
		.sets = PM_FILE,
	}, {
		.name = "arm-pmd-none-bug",
		.source = "pagemap",
		.what = "A bug of the kernel (32-bit arm with LPAE): a transparent huge page that mprotect() made inaccessible (PROT_NONE) shows nothing at all, as if no page were there. Unmapping it can crash the kernel.",
		.decided_by = "pmd_present() in arch/arm/include/asm/pgtable-3level.h looks at L_PMD_SECT_VALID, which set_pmd_at() clears of PROT_NONE entries, and not at L_PMD_SECT_NONE; pagemap_pmd_range() in fs/proc/task_mmu.c calls it",
		.bug = true,
		.about = { PRESENT_PMD, WALKED, .has = PTWALK_FLAG_PROT_NONE },
		.holds = is_arm,
		.shows = show_hole,
	}, {
		.name = "nonpresent-exclusive",
		.source = "pagemap",
		.what = "A page that is held by a device shows bit 56 if its map count is 1, although it is not present.",
		.decided_by = "pte_to_pagemap_entry() in fs/proc/task_mmu.c calls page_mapcount() for all but migration entries; since 6.11 for present entries only",
		.before = KERNEL(6, 11),
		.about = { .kinds = KIND(DEVICE_PRIVATE) | KIND(DEVICE_EXCLUSIVE), WALKED,
			   .has = PTWALK_FLAG_PAGE | PTWALK_FLAG_EXCLUSIVE },
		.sets = PM_EXCLUSIVE,
	}, {
		.name = "guard-unshown",
		.source = "pagemap",
		.what = "A guard region (MADV_GUARD_INSTALL) shows as a swapped page of the marker's type; bit 58 for guard regions came later.",
		.decided_by = "pte_to_pagemap_entry() in fs/proc/task_mmu.c knows PM_GUARD_REGION since 6.15; guard regions exist since 6.13",
		.since = KERNEL(6, 13),
		.before = KERNEL(6, 15),
		.about = { .kinds = KIND(MARKER), WALKED, .value = PTWALK_MARKER_GUARD },
		.clears = PM_GUARD,
	}, {
		.name = "scan-pfnmap-hidden",
		.source = "pagemap-scan",
		.what = "The mapping was made with remap_pfn_range(), vmf_insert_pfn() or the like (VM_PFNMAP). PAGEMAP_SCAN leaves it out: no page of it is reported in any category, mapped or not.",
		.decided_by = "pagemap_scan_test_walk() in fs/proc/task_mmu.c returns 1 for VM_PFNMAP",
		.about = { .kinds = ANY_KIND, .vma = HAS(PFNMAP) },
		SHOWS_ONLY(0),
	}, {
		.name = "scan-gate-vma",
		.source = "pagemap-scan",
		.what = "The gate area ([vsyscall] on x86, [vectors] on arm) is listed in maps but belongs to the kernel's address space, not to the process: PAGEMAP_SCAN refuses its addresses.",
		.decided_by = "pagemap_scan_get_args() in fs/proc/task_mmu.c calls access_ok(); show_map() lists get_gate_vma()",
		.about = { .kinds = KIND(NO_VMA) },
		.holds = gate_holds,
		.shows = gate_shows,
	}, {
		.name = "scan-hugetlb-empty",
		.source = "pagemap-scan",
		.what = "Memory of a hugetlb mapping that was never touched shows PAGE_IS_HUGE although no page is there, if a page table exists because a neighbour needs it.",
		.decided_by = "pagemap_hugetlb_category() in fs/proc/task_mmu.c begins with PAGE_IS_HUGE; where there is no table, pagemap_scan_pte_hole() is called instead",
		.about = { .kinds = KIND(NONE), HUGETLB_WALKED },
		.holds = has_hugetlb_table,
		.sets = SCAN_HUGE,
	}, {
		.name = "scan-hugetlb-nonpresent",
		.source = "pagemap-scan",
		.what = "A hugetlb page of a file that is under migration or poisoned doesn't show PAGE_IS_FILE, as small pages do.",
		.decided_by = "pagemap_hugetlb_category() in fs/proc/task_mmu.c checks PAGE_IS_FILE of present pages only",
		.about = { .kinds = KIND(MIGRATION) | KIND(HWPOISON), HUGETLB_WALKED },
		.holds = is_of_file,
		.clears = SCAN_FILE,
	}, {
		.name = "scan-huge-zero-bug",
		.source = "pagemap-scan",
		.what = "A bug of the kernel: the huge zero page doesn't show PAGE_IS_PFNZERO.",
		.decided_by = "pagemap_thp_category() in fs/proc/task_mmu.c compares with the PFN of the small zero page, is_zero_pfn(pmd_pfn()), where it must call is_huge_zero_pmd(), as it does since 6.16 (stable: 6.12.36)",
		.since = KERNEL(6, 7),
		.before = KERNEL(6, 16),
		.bug = true,
		.about = { PRESENT_PMD, WALKED, .has = PTWALK_FLAG_ZERO },
		.clears = SCAN_PFNZERO,
	}, {
		.name = "scan-arm-pmd-none-bug",
		.source = "pagemap-scan",
		.what = "A bug of the kernel (32-bit arm with LPAE): a transparent huge page that mprotect() made inaccessible (PROT_NONE) shows PAGE_IS_SWAPPED instead of PAGE_IS_PRESENT.",
		.decided_by = "pmd_present() in arch/arm/include/asm/pgtable-3level.h looks at L_PMD_SECT_VALID, which set_pmd_at() clears of PROT_NONE entries, and not at L_PMD_SECT_NONE; pagemap_thp_category() in fs/proc/task_mmu.c calls it",
		.since = KERNEL(6, 7),
		.bug = true,
		.about = { PRESENT_PMD, WALKED, .has = PTWALK_FLAG_PROT_NONE },
		.holds = is_arm,
		.clears = SCAN_PRESENT | SCAN_FILE | SCAN_PFNZERO,
		.sets = SCAN_SWAPPED,
	}, {
		.name = "scan-unpopulated-bug",
		.source = "pagemap-scan",
		.way = "pagemap-scan",
		.what = "A bug of the kernel: empty entries are PAGE_IS_WRITTEN in a scan for that category alone, but not in a scan for several.",
		.decided_by = "pagemap_scan_pmd_entry() in fs/proc/task_mmu.c has a fast path for PAGE_IS_WRITTEN that reports empty entries as written; pagemap_page_category() gives them no category. Fixed in 7.2 (stable: 6.12.103)",
		.since = KERNEL(6, 7),
		.before = KERNEL(7, 3),
		.bug = true,
		.about = { .kinds = KIND(NONE), .levels = LEVEL(PTE), WALKED },
		.sets = (SCAN_REPORTED | SCAN_WRITTEN) << SCAN_OTHER_SHIFT,
	}, {
		.name = "scan-hole-bug",
		.source = "pagemap-scan",
		.what = "A bug of the kernel: in a mapping that userfaultfd write-protects, empty entries without a marker aren't protected, and so must count as written, but PAGEMAP_SCAN doesn't report PAGE_IS_WRITTEN.",
		.decided_by = "pagemap_page_category() and, where there is no page table, pagemap_scan_pte_hole() in fs/proc/task_mmu.c give them no category. Fixed in 7.2 (stable: 6.12.103)",
		.since = KERNEL(6, 7),
		.before = KERNEL(7, 3),
		.bug = true,
		.about = { .kinds = KIND(NONE), .vma = HAS(UFFD_WP), WALKED },
		.clears = SCAN_WRITTEN,
	}, {
		.name = "scan-hugetlb-unwritten",
		.source = "pagemap-scan",
		.what = "In a hugetlb mapping that userfaultfd write-protects, empty entries are not PAGE_IS_WRITTEN, as they are elsewhere.",
		.decided_by = "pagemap_hugetlb_category() in fs/proc/task_mmu.c gives empty entries PAGE_IS_HUGE only, and pagemap_scan_pte_hole() leaves hugetlb out",
		.about = { .kinds = KIND(NONE), .vma = HAS(HUGETLB) | HAS(UFFD_WP),
			   .not_vma = HAS(PFNMAP) },
		.clears = SCAN_WRITTEN,
	}, {
		NO_FRAME("kpageflags"),
	}, {
		.name = "kpageflags-nopage-bug",
		.source = "kpageflags",
		.what = "A bug of the kernel: a frame that is no memory of the kernel shows 0, like a page without flags, instead of NOPAGE.",
		.decided_by = "kpage_read() in fs/proc/page.c sets the value to 0 if pfn_to_online_page() finds none; kpageflags_read() called stable_page_flags(NULL), which still handles that. The change of March 2025 that introduced kpage_read() lost it",
		.since = KERNEL(6, 15),
		.bug = true,
		.about = NO_PAGE,
		.clears = UINT64_MAX,
	}, {
		.name = "kpageflags-ksm-bug",
		.source = "kpageflags",
		.what = "A bug of the kernel: each anonymous page shows KSM, whether it was merged or not.",
		.decided_by = "stable_page_flags() in fs/proc/page.c tests mapping & PAGE_MAPPING_KSM, which includes the bit of all anonymous memory, and must compare all bits of PAGE_MAPPING_FLAGS; 6.1 calls PageKsm(), 7.2 compares all",
		.since = KERNEL(6, 9),
		.before = KERNEL(7, 2),
		.bug = true,
		.about = { .kinds = KIND(PRESENT) | KIND(MIGRATION),
			   .has = PTWALK_FLAG_RAM | PTWALK_FLAG_PAGE | PTWALK_FLAG_ANON,
			   .lacks = PTWALK_FLAG_ZERO | PTWALK_FLAG_KSM },
		.sets = KPF_BIT(KSM),
	}, {
		.name = "kpageflags-compound-bug",
		.source = "kpageflags",
		.what = "A bug of the kernel (of 64 bits): reading kpageflags of a frame while it becomes part of a compound page, such as a transparent huge page, can crash the kernel, if no page behind it is mapped up to the end of memory or to a hole in it. Otherwise the frame may show MMAP, though nobody maps it yet. check reads only the frames that are compared, and, unless --source names kpageflags, no large folios other than hugetlb; --without kpageflags reads none.",
		.decided_by = "stable_page_flags() in fs/proc/page.c calls page_mapped() without a reference; folio_mapped() in mm/util.c reads as many pages as compound_nr of the second one says, which is the upper half of TAIL_MAPPING until prep_compound_page() in mm/page_alloc.c is done. Since 6.2 there is no such loop",
		.since = KPAGEFLAGS_CRASHES_SINCE,
		.before = KPAGEFLAGS_CRASHES_BEFORE,
		.bug = true,
		.risk = true,
	}, {
		NO_FRAME("kpagecount"),
	}, {
		NO_FRAME("kpagecgroup"),
	}, {
		.name = "kpagecgroup-tail",
		.source = "kpagecgroup",
		.what = "Only the first page of a large folio shows the cgroup that all of it is charged to; the others show 0.",
		.decided_by = "page_cgroup_ino() in mm/memcontrol.c reads memcg_data of the page itself, which is set for the folio's first page only; since 6.4 it calls page_folio()",
		.before = KERNEL(6, 4),
		.about = { .kinds = KIND(PRESENT) },
		.holds = is_charged_tail,
		.may = cgroup_tail_may,
		.clears = UINT64_MAX,
		.compares = KPAGE_INODE_MASK | KPAGE_CHARGED,
	}, {
		.name = "mincore-pfnmap-hidden",
		.source = "mincore",
		.what = "The mapping was made with remap_pfn_range(), vmf_insert_pfn() or the like (VM_PFNMAP), of a file: mincore() searches the file's page cache, where it has no pages. To a caller who neither owns the file nor may write to it, it reports every page as present.",
		.decided_by = "walk_page_test() in mm/pagewalk.c calls mincore_unmapped_range() in mm/mincore.c for VM_PFNMAP mappings; can_do_mincore() decides who may see. Since 7.3 do_mincore() calls walk_page_range_vma(), which makes no such test, so that the entries are read",
		.before = KERNEL(7, 3),
		.about = { .kinds = ANY_KIND, .vma = HAS(PFNMAP) },
		.holds = maps_file,
		.may = maps_file,
		SHOWS_ONLY(0),
	},
};

const unsigned int nr_rules = sizeof(rules) / sizeof(rules[0]);
_Static_assert(sizeof(rules) / sizeof(rules[0]) <= RULES_MAX, "a set is a u64");
