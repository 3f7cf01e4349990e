// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "pagemap_bits.h"
#include "rules.h"
#include "source.h"

static uint32_t flags_of(const struct page_truth *truth)
{
	return ptwalk_bits_flags(truth->bits);
}

static unsigned int kind_of(const struct page_truth *truth)
{
	return ptwalk_bits_kind(truth->bits);
}

static bool vma_has(const struct page_truth *truth, uint64_t flag)
{
	return truth->vma && (truth->vma->flags & flag);
}

/* The kernel's page walker goes into this VMA, page table by page table. */
static bool walked(const struct page_truth *truth)
{
	return truth->vma && !vma_has(truth, PTWALK_VMA_FLAG_PFNMAP) &&
	       !vma_has(truth, PTWALK_VMA_FLAG_HUGETLB);
}

/* The same, and hugetlb's own part of the walker reads the entry. */
static bool walked_hugetlb(const struct page_truth *truth)
{
	return vma_has(truth, PTWALK_VMA_FLAG_HUGETLB) &&
	       !vma_has(truth, PTWALK_VMA_FLAG_PFNMAP);
}

static bool present_pmd(const struct page_truth *truth)
{
	return walked(truth) && kind_of(truth) == PTWALK_KIND_PRESENT &&
	       ptwalk_bits_level(truth->bits) == PTWALK_LEVEL_PMD;
}

/* A page that the kernel keeps a map count of, as it doesn't of zero pages. */
static bool counted(const struct page_truth *truth)
{
	return (flags_of(truth) & PTWALK_FLAG_PAGE) &&
	       !(flags_of(truth) & PTWALK_FLAG_ZERO);
}

static void set_bit_to(struct expectation *out, uint64_t bit, bool on)
{
	out->value = on ? out->value | bit : out->value & ~bit;
}

/* What is left of a page that the walker takes for a hole in its VMA. */
static void show_hole(const struct page_truth *truth, struct expectation *out)
{
	out->value = vma_has(truth, PTWALK_VMA_FLAG_SOFTDIRTY) ?
		     PM_SOFT_DIRTY : 0;
	out->step = 0;
}

static bool pfnmap_holds(const struct env *env, const struct page_truth *truth)
{
	return vma_has(truth, PTWALK_VMA_FLAG_PFNMAP) &&
	       kind_of(truth) != PTWALK_KIND_NONE;
}

static void pfnmap_shows(const struct env *env, const struct page_truth *truth,
			 struct expectation *out)
{
	show_hole(truth, out);
}

static bool gate_holds(const struct env *env, const struct page_truth *truth)
{
	return truth->gate && kind_of(truth) == PTWALK_KIND_NO_VMA;
}

static void gate_shows(const struct env *env, const struct page_truth *truth,
		       struct expectation *out)
{
	out->no_data = true;
}

static bool hugetlb_nonpresent_holds(const struct env *env,
				     const struct page_truth *truth)
{
	return walked_hugetlb(truth) &&
	       kind_of(truth) != PTWALK_KIND_PRESENT &&
	       kind_of(truth) != PTWALK_KIND_NONE;
}

static void hugetlb_nonpresent_shows(const struct env *env,
				     const struct page_truth *truth,
				     struct expectation *out)
{
	bool wp = out->value & PM_UFFD_WP;

	show_hole(truth, out);
	set_bit_to(out, PM_UFFD_WP, wp);
}

static bool hugetlb_soft_dirty_holds(const struct env *env,
				     const struct page_truth *truth)
{
	return walked_hugetlb(truth) &&
	       kind_of(truth) == PTWALK_KIND_PRESENT &&
	       (flags_of(truth) & PTWALK_FLAG_SOFT_DIRTY) &&
	       !vma_has(truth, PTWALK_VMA_FLAG_SOFTDIRTY);
}

static void hugetlb_soft_dirty_shows(const struct env *env,
				     const struct page_truth *truth,
				     struct expectation *out)
{
	set_bit_to(out, PM_SOFT_DIRTY, false);
}

static bool hugetlb_exclusive_holds(const struct env *env,
				    const struct page_truth *truth)
{
	return walked_hugetlb(truth) &&
	       kind_of(truth) == PTWALK_KIND_PRESENT && counted(truth);
}

static void hugetlb_exclusive_shows(const struct env *env,
				    const struct page_truth *truth,
				    struct expectation *out)
{
	set_bit_to(out, PM_EXCLUSIVE,
		   !(flags_of(truth) & (PTWALK_FLAG_MAYBE_SHARED |
					PTWALK_FLAG_PMD_SHARED)));
}

static bool thp_head_holds(const struct env *env,
			   const struct page_truth *truth)
{
	return present_pmd(truth) && counted(truth) &&
	       (env->kernel->features & PTWALK_FEATURE_PAGE_MAPCOUNT);
}

static void thp_head_shows(const struct env *env,
			   const struct page_truth *truth,
			   struct expectation *out)
{
	set_bit_to(out, PM_EXCLUSIVE,
		   flags_of(truth) & PTWALK_FLAG_HEAD_EXCLUSIVE);
}

static bool no_mapcount_holds(const struct env *env,
			      const struct page_truth *truth)
{
	return walked(truth) && kind_of(truth) == PTWALK_KIND_PRESENT &&
	       counted(truth) &&
	       !(env->kernel->features & PTWALK_FEATURE_PAGE_MAPCOUNT);
}

static void no_mapcount_shows(const struct env *env,
			      const struct page_truth *truth,
			      struct expectation *out)
{
	set_bit_to(out, PM_EXCLUSIVE,
		   !(flags_of(truth) & PTWALK_FLAG_MAYBE_SHARED));
}

/*
 * From 6.17 on the huge zero page is mapped as special; in anonymous memory
 * nothing else is.
 */
static bool is_huge_zero(const struct page_truth *truth)
{
	uint32_t flags = flags_of(truth);

	return (flags & PTWALK_FLAG_ZERO) ||
	       ((flags & PTWALK_FLAG_SPECIAL) && (flags & PTWALK_FLAG_RAM) &&
		vma_has(truth, PTWALK_VMA_FLAG_ANONYMOUS));
}

static bool huge_zero_holds(const struct env *env,
			    const struct page_truth *truth)
{
	return present_pmd(truth) && !counted(truth) && is_huge_zero(truth);
}

static bool special_pmd_holds(const struct env *env,
			      const struct page_truth *truth)
{
	return present_pmd(truth) && !counted(truth) &&
	       !is_huge_zero(truth) &&
	       (flags_of(truth) & PTWALK_FLAG_SPECIAL) &&
	       (flags_of(truth) & PTWALK_FLAG_RAM);
}

static bool dax_pmd_holds(const struct env *env,
			  const struct page_truth *truth)
{
	return present_pmd(truth) && !counted(truth) &&
	       !is_huge_zero(truth) &&
	       !(flags_of(truth) & PTWALK_FLAG_SPECIAL) &&
	       (flags_of(truth) & PTWALK_FLAG_DEVMAP);
}

static void pmd_file_shows(const struct env *env,
			   const struct page_truth *truth,
			   struct expectation *out)
{
	set_bit_to(out, PM_FILE, true);
}

static bool nonpresent_exclusive_holds(const struct env *env,
				       const struct page_truth *truth)
{
	unsigned int kind = kind_of(truth);

	return walked(truth) && (flags_of(truth) & PTWALK_FLAG_PAGE) &&
	       (flags_of(truth) & PTWALK_FLAG_EXCLUSIVE) &&
	       (kind == PTWALK_KIND_HWPOISON ||
		kind == PTWALK_KIND_DEVICE_PRIVATE ||
		kind == PTWALK_KIND_DEVICE_EXCLUSIVE);
}

static void nonpresent_exclusive_shows(const struct env *env,
				       const struct page_truth *truth,
				       struct expectation *out)
{
	set_bit_to(out, PM_EXCLUSIVE, true);
}

static bool guard_holds(const struct env *env, const struct page_truth *truth)
{
	return walked(truth) && kind_of(truth) == PTWALK_KIND_MARKER &&
	       (truth->value & PTWALK_MARKER_GUARD);
}

static void guard_shows(const struct env *env, const struct page_truth *truth,
			struct expectation *out)
{
	set_bit_to(out, PM_GUARD, false);
}

const struct rule rules[] = {
	{
		.name = "pfnmap-hidden",
		.source = "pagemap",
		.what = "The mapping was made with remap_pfn_range(), vmf_insert_pfn() or the like (VM_PFNMAP). The page tables map memory there, but pagemap shows a hole: zero, or bit 55 alone where the VMA is soft-dirty.",
		.decided_by = "walk_page_test() in mm/pagewalk.c does not walk VM_PFNMAP mappings and calls pagemap_pte_hole() for them",
		.holds = pfnmap_holds,
		.shows = pfnmap_shows,
	}, {
		.name = "gate-vma",
		.source = "pagemap",
		.what = "The gate area ([vsyscall] on x86, [vectors] on arm) is listed in maps but belongs to the kernel's address space, not to the process: pagemap ends before it, a read gets 0 bytes.",
		.decided_by = "pagemap_read() in fs/proc/task_mmu.c stops at mm->task_size; show_map() lists get_gate_vma()",
		.holds = gate_holds,
		.shows = gate_shows,
	}, {
		.name = "hugetlb-nonpresent",
		.source = "pagemap",
		.what = "A hugetlb page that is not present (under migration, poisoned, a marker) shows neither bit 62 nor a swap type or offset; only bit 57 for userfaultfd, and bit 55 where the VMA is soft-dirty.",
		.decided_by = "pagemap_hugetlb_range() in fs/proc/task_mmu.c looks at pte_swp_uffd_wp_any() of such entries, and at nothing else",
		.holds = hugetlb_nonpresent_holds,
		.shows = hugetlb_nonpresent_shows,
	}, {
		.name = "hugetlb-soft-dirty",
		.source = "pagemap",
		.what = "The entry of a hugetlb page has its soft-dirty bit set, but pagemap shows bit 55 for hugetlb only where the whole VMA is soft-dirty.",
		.decided_by = "pagemap_hugetlb_range() in fs/proc/task_mmu.c asks for VM_SOFTDIRTY, not for the entry's bit",
		.holds = hugetlb_soft_dirty_holds,
		.shows = hugetlb_soft_dirty_shows,
	}, {
		.name = "hugetlb-exclusive",
		.source = "pagemap",
		.what = "For hugetlb, bit 56 says that the folio is mapped at most once and that its page table is not shared between processes, not that it is mapped exactly once.",
		.decided_by = "pagemap_hugetlb_range() in fs/proc/task_mmu.c: folio_likely_mapped_shared() (from 6.15 on folio_maybe_mapped_shared()) and hugetlb_pmd_shared()",
		.since = KERNEL(6, 11),
		.holds = hugetlb_exclusive_holds,
		.shows = hugetlb_exclusive_shows,
	}, {
		.name = "thp-exclusive-head",
		.source = "pagemap",
		.what = "All pages of a transparent huge page that is mapped as a whole show in bit 56 whether its first page is mapped exactly once, not each for itself.",
		.decided_by = "pagemap_pmd_range() in fs/proc/task_mmu.c calls page_mapcount() once, for pmd_page(); done page by page since 6.11 (commit 2c1f057e5be6)",
		.before = KERNEL(6, 11),
		.holds = thp_head_holds,
		.shows = thp_head_shows,
	}, {
		.name = "thp-exclusive-head-bug",
		.source = "pagemap",
		.what = "A bug of the kernel: all pages of a transparent huge page that is mapped as a whole show in bit 56 whether its first page is mapped exactly once. That had been mended in 6.11.",
		.decided_by = "pagemap_pmd_range_thp() in fs/proc/task_mmu.c (up to 6.18 pagemap_pmd_range()) gives __folio_page_mapped_exclusively() the folio's first page instead of page + idx",
		.since = KERNEL(6, 15),
		.bug = true,
		.holds = thp_head_holds,
		.shows = thp_head_shows,
	}, {
		.name = "no-page-mapcount",
		.source = "pagemap",
		.what = "This kernel keeps no map count for each page of a large folio (CONFIG_PAGE_MAPCOUNT is off). Bit 56 says instead that no other process is known to map any page of the folio.",
		.decided_by = "__folio_page_mapped_exclusively() in fs/proc/task_mmu.c: !folio_maybe_mapped_shared()",
		.since = KERNEL(6, 15),
		.holds = no_mapcount_holds,
		.shows = no_mapcount_shows,
	}, {
		.name = "huge-zero-file",
		.source = "pagemap",
		.what = "The huge zero page, which stands for memory that was read but never written, shows bit 61 as if it belonged to a file.",
		.decided_by = "pagemap_pmd_range() in fs/proc/task_mmu.c takes pmd_page() without asking vm_normal_page_pmd(); it asks since 7.3",
		.before = KERNEL(7, 3),
		.holds = huge_zero_holds,
		.shows = pmd_file_shows,
	}, {
		.name = "special-pmd-file",
		.source = "pagemap",
		.what = "A huge page that a driver or DAX mapped without having it counted (pmd_special) shows bit 61, which its small pages do not.",
		.decided_by = "pagemap_pmd_range() in fs/proc/task_mmu.c takes pmd_page() without asking vm_normal_page_pmd(); it asks since 7.3",
		.since = KERNEL(6, 12),
		.before = KERNEL(7, 3),
		.holds = special_pmd_holds,
		.shows = pmd_file_shows,
	}, {
		.name = "dax-pmd-file",
		.source = "pagemap",
		.what = "A huge page of a DAX file shows bit 61, which its small pages do not.",
		.decided_by = "pagemap_pmd_range() in fs/proc/task_mmu.c takes pmd_page() of a devmap entry; vm_normal_page() gives none for small ones",
		.before = KERNEL(7, 2),
		.holds = dax_pmd_holds,
		.shows = pmd_file_shows,
	}, {
		.name = "nonpresent-exclusive",
		.source = "pagemap",
		.what = "A page that is held by a device or poisoned shows bit 56 if its map count is 1, although it is not present.",
		.decided_by = "pte_to_pagemap_entry() in fs/proc/task_mmu.c asks page_mapcount() of all but migration entries; of present ones only since 6.11",
		.before = KERNEL(6, 11),
		.holds = nonpresent_exclusive_holds,
		.shows = nonpresent_exclusive_shows,
	}, {
		.name = "guard-unshown",
		.source = "pagemap",
		.what = "A guard region (MADV_GUARD_INSTALL) shows as a swapped page of the marker's type; bit 58, which tells it apart, came later.",
		.decided_by = "pte_to_pagemap_entry() in fs/proc/task_mmu.c knows PM_GUARD_REGION since 6.15; guard regions exist since 6.13",
		.since = KERNEL(6, 13),
		.before = KERNEL(6, 15),
		.holds = guard_holds,
		.shows = guard_shows,
	},
};

const unsigned int nr_rules = sizeof(rules) / sizeof(rules[0]);
_Static_assert(sizeof(rules) / sizeof(rules[0]) <= RULES_MAX, "a set is a u64");

static bool version_in(const struct rule *rule, const struct kernel_info *kernel)
{
	unsigned int version = KERNEL(kernel->major, kernel->minor);

	return version >= rule->since &&
	       (!rule->before || version < rule->before);
}

uint64_t rules_for(const struct env *env, const struct source *source,
		   const struct page_truth *truth)
{
	uint64_t set = 0;
	unsigned int i;

	for (i = 0; i < nr_rules; i++)
		if (!strcmp(rules[i].source, source->name) &&
		    version_in(&rules[i], env->kernel) &&
		    rules[i].holds(env, truth))
			set |= 1ULL << i;
	return set;
}

bool rules_have_bug(uint64_t set)
{
	for (; set; set &= set - 1)
		if (rules[__builtin_ctzll(set)].bug)
			return true;
	return false;
}

const struct rule *rule_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_rules; i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}
