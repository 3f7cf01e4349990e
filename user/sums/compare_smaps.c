// SPDX-License-Identifier: GPL-2.0
/* The fields of smaps and smaps_rollup. Pure. */
#include <errno.h>
#include <stdlib.h>
#include "module/version.h"
#include "sums/job.h"

static uint64_t pss_kb(uint64_t pss)
{
	return pss >> TOTALS_PSS_SHIFT >> 10;
}

static uint64_t page_pss(const struct job *j, uint64_t pages)
{
	return pages << j->info->page_shift << TOTALS_PSS_SHIFT;
}

static bool smaps_has_all(const struct smaps_vma *v, uint32_t fields)
{
	return (v->has & fields) == fields;
}

/* A field of @j->line. */
static void put_smaps(struct job *j, enum smaps_field field, struct bounds b)
{
	static const char *const where[NR_SMAPS_FIELDS] = {
		[SMAPS_SIZE] = "show_smap(), fs/proc/task_mmu.c",
		[SMAPS_KERNEL_PAGE_SIZE] = "vma_kernel_pagesize(), mm/hugetlb.c",
		[SMAPS_MMU_PAGE_SIZE] = "vma_mmu_pagesize(), mm/hugetlb.c",
		[SMAPS_ANON_HUGE_PAGES] = "smaps_pmd_entry(), fs/proc/task_mmu.c",
		[SMAPS_SHMEM_PMD_MAPPED] = "smaps_pmd_entry(), fs/proc/task_mmu.c",
		[SMAPS_FILE_PMD_MAPPED] = "smaps_pmd_entry(), fs/proc/task_mmu.c",
		[SMAPS_SHARED_HUGETLB] = "smaps_hugetlb_range(), fs/proc/task_mmu.c",
		[SMAPS_PRIVATE_HUGETLB] = "smaps_hugetlb_range(), fs/proc/task_mmu.c",
		[SMAPS_SWAP] = "smaps_pte_entry(), fs/proc/task_mmu.c",
		[SMAPS_SWAP_PSS] = "smaps_pte_entry(), fs/proc/task_mmu.c",
		[SMAPS_THP_ELIGIBLE] = "__thp_vma_allowable_orders(), mm/huge_memory.c",
		[SMAPS_PROTECTION_KEY] = "show_smap(), fs/proc/task_mmu.c",
	};
	const struct smaps_vma *v = j->line;
	const bool absent = !smaps_has_all(v, 1U << field);

	if (absent && !proc_field_due(&smaps_field[field], j->info))
		return;
	if (!absent && job_matches(j, j->source, b, v->value[field]))
		return;
	job_put(j, (struct figure){
		.source = j->source, .field = smaps_field[field].name,
		.where = absent ? "show_smap(), fs/proc/task_mmu.c" :
			 where[field] ? where[field] :
				"smaps_account(), fs/proc/task_mmu.c",
		.unit = field < SMAPS_THP_ELIGIBLE ? "kB" : "",
		.low = b.low, .high = b.high,
		.seen = v->value[field], .absent = absent, .why = &slacks[b.why], .bug = b.bug,
		.bug_low = b.bug_low, .bug_high = b.bug_high });
}

/* So many pages, and @absent more or not. */
static struct bounds with_absent(const struct job *j, uint64_t pages, uint64_t absent)
{
	return (struct bounds){ job_kb(j, pages), job_kb(j, pages + absent), ABSENT_PAGES };
}

/* A share of @pss, and @absent pages more or not; @whole is lost by a bug. */
static struct bounds pss_share_of(const struct job *j, uint64_t pss,
				  uint64_t absent, uint64_t whole)
{
	struct bounds b = {
		.low = pss_kb(pss),
		.high = pss_kb(pss + page_pss(j, absent)),
		.why = ABSENT_PAGES,
	};

	if (job_is_32_bit(j) && whole) {
		b.bug = &kernel_bugs[PSS_OVERFLOW];
		b.bug_low = pss_kb(pss - whole);
		b.bug_high = pss_kb(pss - whole + page_pss(j, absent));
	}
	return b;
}

/* Fields that add up the pages' shares. */
static void compare_pss(struct job *j, const struct totals *t)
{
	static const enum smaps_field field[NR_CLASSES] = {
		[CLASS_ANON] = SMAPS_PSS_ANON,
		[CLASS_FILE] = SMAPS_PSS_FILE,
		[CLASS_SHMEM] = SMAPS_PSS_SHMEM,
	};
	uint64_t absent = totals_absent(t);
	struct bounds b = { .why = NOT_TOLD };
	/* By class, smaps has none. */
	const int classes = j->source == FIGURE_ROLLUP ? NR_CLASSES : 0;

	if (j->info->features & PTWALK_FEATURE_PAGE_MAPCOUNT) {
		put_smaps(j, SMAPS_PSS, pss_share_of(j, t->pss, absent, t->whole));
		put_smaps(j, SMAPS_PSS_DIRTY,
			  pss_share_of(j, t->pss_dirty, absent, t->whole_dirty));
		put_smaps(j, SMAPS_LOCKED,
			  pss_share_of(j, t->pss_locked, t->locked ? absent : 0,
				       t->whole_locked));
		for (int c = 0; c < classes; c++)
			put_smaps(j, field[c],
				  pss_share_of(j, t->pss_class[c], t->absent[c],
					       t->whole_class[c]));
		return;
	}

	b.high = job_kb(j, totals_present(t) + absent);
	put_smaps(j, SMAPS_PSS, b);
	put_smaps(j, SMAPS_PSS_DIRTY, b);
	b.high = job_kb(j, t->locked);
	put_smaps(j, SMAPS_LOCKED, b);
	for (int c = 0; c < classes; c++) {
		b.high = job_kb(j, t->present[c] + t->absent[c]);
		put_smaps(j, field[c], b);
	}
}

/* Shared_ and Private_, Clean and Dirty, and the two sums that are certain. */
static void compare_sharing(struct job *j, const struct totals *t)
{
	const struct smaps_vma *v = j->line;
	static const enum smaps_field field[2][2] = {
		{ SMAPS_SHARED_CLEAN, SMAPS_SHARED_DIRTY },
		{ SMAPS_PRIVATE_CLEAN, SMAPS_PRIVATE_DIRTY },
	};
	uint64_t absent = totals_absent(t);
	uint64_t seen[2], all = job_kb(j, totals_present(t) + absent);

	for (int private = 0; private < 2; private++) {
		for (int dirty = 0; dirty < 2; dirty++)
			put_smaps(j, field[private][dirty],
				  with_absent(j, t->split[private][dirty], absent));
		seen[private] = v->value[field[private][0]] +
				v->value[field[private][1]];
	}
	if (!smaps_has_all(v, 1U << SMAPS_SHARED_CLEAN | 1U << SMAPS_SHARED_DIRTY |
			   1U << SMAPS_PRIVATE_CLEAN | 1U << SMAPS_PRIVATE_DIRTY))
		return;
	job_put(j, (struct figure){
		.source = j->source, .field = "Private_*", .unit = "kB",
		.where = "smaps_page_accumulate(), fs/proc/task_mmu.c",
		.low = job_kb(j, t->exclusive), .high = job_kb(j, t->exclusive + absent),
		.seen = seen[1], .why = &slacks[ABSENT_PAGES] });
	job_put(j, (struct figure){
		.source = j->source, .field = "Shared_*+Private_*", .unit = "kB",
		.where = "smaps_page_accumulate(), fs/proc/task_mmu.c",
		.low = all, .high = all, .seen = seen[0] + seen[1] });
}

static uint64_t pmd_class(const struct totals *t, enum totals_class class)
{
	return t->absent[class] ? t->pmd[class] : t->detailed_pmd[class];
}

/* See hugetlb-share-count-bug in check/rules.c, which is the same in pagemap. */
static bool reads_share_count(const struct job *j)
{
	return j->info->flags & PTWALK_FLAG_PMD_SHARED &&
	       kernel_version(j->info) >= KERNEL(6, 12);
}

/* Pages that nobody else maps, in tables where they may be called shared, are away from @b. */
static void put_hugetlb(struct job *j, const struct totals *t, enum smaps_field field,
			struct bounds b)
{
	const uint64_t seen = j->line->value[field];
	const bool more = seen > b.high;
	const uint64_t off = more ? seen - b.high : b.low - seen;

	if (reads_share_count(j) && more == (field == SMAPS_SHARED_HUGETLB) &&
	    (more || seen < b.low) && off <= job_kb(j, t->hugetlb_other_tables)) {
		b.bug = &kernel_bugs[HUGETLB_SHARE_COUNT];
		b.bug_low = b.bug_high = seen;
	}
	put_smaps(j, field, b);
}

static void compare_hugetlb(struct job *j, const struct totals *t)
{
	const uint64_t absent = t->hugetlb_absent;
	const struct smaps_vma *v = j->line;

	put_hugetlb(j, t, SMAPS_SHARED_HUGETLB, with_absent(j, t->hugetlb_shared, absent));
	put_hugetlb(j, t, SMAPS_PRIVATE_HUGETLB,
		    with_absent(j, t->hugetlb - t->hugetlb_shared, absent));
	if (smaps_has_all(v, 1U << SMAPS_SHARED_HUGETLB | 1U << SMAPS_PRIVATE_HUGETLB))
		job_put(j, (struct figure){
			.source = j->source, .field = "*_Hugetlb", .unit = "kB",
			.where = "smaps_hugetlb_range(), fs/proc/task_mmu.c",
			.low = job_kb(j, t->hugetlb),
			.high = job_kb(j, t->hugetlb + absent),
			.seen = v->value[SMAPS_SHARED_HUGETLB] +
				v->value[SMAPS_PRIVATE_HUGETLB],
			.why = &slacks[ABSENT_PAGES] });
}

/* smaps got at huge pages as ptrace does, which such entries stop. */
static uint64_t lost_to_prot_none(const struct job *j, const struct totals *t)
{
	return j->info->major == 6 && j->info->minor < 12 ?
		       job_kb(j, t->pmd_prot_none) : 0;
}

/* Of shmem, a large folio is swapped in one piece. */
static bool swaps_large_folios(const struct job *j)
{
	return kernel_version(j->info) >= KERNEL(6, 12) && !j->shown->thp.absent &&
	       j->info->levels & 1U << PTWALK_LEVEL_PMD;
}

/* Both bugs add to what may be in swap, and the second one knows no better limit. */
static struct bounds swap_bounds(const struct job *j, const struct totals *t,
				 uint64_t seen)
{
	const unsigned int huge = j->info->level_shift[PTWALK_LEVEL_PMD] -
				  j->info->page_shift;
	const uint64_t unseen = totals_swap_unseen(t);
	const uint64_t with_kept = unseen + t->shmem_kept;
	struct bounds b = {
		.low = job_kb(j, t->swap),
		.high = job_kb(j, t->swap + unseen),
		.why = SHMEM_SWAP,
		.bug_low = job_kb(j, t->swap + unseen) + 1,
	};

	if (t->shmem_kept && seen <= job_kb(j, t->swap + with_kept)) {
		b.bug = &kernel_bugs[SHMEM_READONLY_SWAP];
		b.bug_high = job_kb(j, t->swap + with_kept);
	} else if (with_kept && swaps_large_folios(j)) {
		b.bug = &kernel_bugs[SHMEM_SWAP_ORDER];
		b.bug_high = job_kb(j, t->swap + (with_kept << huge));
	}
	return b;
}

static void compare_smaps_totals(struct job *j, const struct totals *t)
{
	uint64_t present = totals_present(t), absent = totals_absent(t);
	uint64_t anon = t->present[CLASS_ANON] + t->absent[CLASS_ANON];

	j->lost = lost_to_prot_none(j, t);
	put_smaps(j, SMAPS_RSS, exactly(job_kb(j, present + absent)));
	compare_pss(j, t);
	compare_sharing(j, t);
	put_smaps(j, SMAPS_REFERENCED, (struct bounds){
		job_kb(j, t->referenced), job_kb(j, present + absent), YOUNG_PAGES });
	put_smaps(j, SMAPS_ANONYMOUS, exactly(job_kb(j, anon)));
	put_smaps(j, SMAPS_KSM, exactly(job_kb(j, t->ksm)));
	put_smaps(j, SMAPS_LAZYFREE, with_absent(j, t->lazyfree, t->absent[CLASS_ANON]));
	put_smaps(j, SMAPS_ANON_HUGE_PAGES, exactly(job_kb(j, t->pmd[CLASS_ANON])));
	put_smaps(j, SMAPS_SHMEM_PMD_MAPPED, exactly(job_kb(j, pmd_class(t, CLASS_SHMEM))));
	put_smaps(j, SMAPS_FILE_PMD_MAPPED, exactly(job_kb(j, pmd_class(t, CLASS_FILE))));
	j->lost = 0;
	compare_hugetlb(j, t);
	put_smaps(j, SMAPS_SWAP, swap_bounds(j, t, j->line->value[SMAPS_SWAP]));
	put_smaps(j, SMAPS_SWAP_PSS, (struct bounds){
		job_kb(j, t->swap_exclusive), job_kb(j, t->swap), SWAP_COUNT });
}

/*
 * The letters of the flags that the module knows, and the number of all: each
 * bit of vm_flags has some, "??" if need be, but for the protection key and, on
 * arm64, VM_MTE_ALLOWED.
 */
static void compare_vm_flags(struct job *j, const struct smaps_vma *v,
			     const struct ptwalk_vma *vma)
{
	static const char where[] = "show_smap_vma_flags(), fs/proc/task_mmu.c";
	const bool absent = !v->nr_flags;
	const uint64_t late = smaps_vm_flags_nameless(j->info);
	uint64_t known = smaps_vm_flags_known() & j->info->vma_flags;
	uint64_t flags = vma->flags & known, seen = v->vm_flags & known;
	uint64_t silent = !!(j->info->vma_flags & PTWALK_VMA_FLAG_MTE);
	uint64_t nr = __builtin_popcountll(vma->raw_flags) -
		      __builtin_popcount(vma->pkey);

	if ((unsigned int)__builtin_popcountll(flags & late & ~seen) <= v->unknown_flags)
		seen |= flags & late;
	job_put(j, (struct figure){
		.source = FIGURE_SMAPS, .field = "VmFlags", .unit = "flags",
		.where = where, .low = flags, .high = flags, .seen = seen,
		.absent = absent });
	if (vma->raw_flags && !absent)
		job_put(j, (struct figure){
			.source = FIGURE_SMAPS, .field = "number of VmFlags",
			.unit = "", .where = where, .low = nr - silent,
			.high = nr, .seen = v->nr_flags,
			.why = &slacks[SILENT_FLAGS] });
}

/* Whether an aligned huge page of that size fits into a mapping. */
static bool huge_page_fits(const struct ptwalk_vma *vma, uint64_t size)
{
	uint64_t first = (vma->last + 1) & -size;

	return first >= size && first - size >= vma->start &&
	       first - 1 <= vma->last;
}

/* Sizes of huge pages that a mapping of anonymous memory may have. */
static uint64_t sizes_of(const struct job *j, const struct ptwalk_vma *vma)
{
	const struct thp_settings *thp = &j->shown->thp;

	return vma->flags & PTWALK_VMA_FLAG_HUGEPAGE ? thp->advised : thp->always;
}

/*
 * Whether a mapping may have transparent huge pages: 1, 0, or -1 if it depends on
 * what isn't known. Of files and of shared memory that is the file system, and
 * settings of its own; madvise() and prctl() can forbid it to all. @bug, which
 * begins as NULL, is one that makes 1 of it.
 */
static int thp_eligible(const struct job *j, const struct ptwalk_vma *vma,
			const struct slack **bug)
{
	/* VM_NO_KHUGEPAGED; kernels differ in that. */
	const uint64_t special = PTWALK_VMA_FLAG_PFNMAP |
				 PTWALK_VMA_FLAG_MIXEDMAP | PTWALK_VMA_FLAG_IO |
				 PTWALK_VMA_FLAG_DONTEXPAND;
	const uint64_t no = PTWALK_VMA_FLAG_NOHUGEPAGE |
			    PTWALK_VMA_FLAG_THP_DISABLED;
	uint64_t sizes;

	if (!j->shown->thp.known ||
	    !(j->info->vma_flags & PTWALK_VMA_FLAG_THP_DISABLED))
		return -1;
	if (vma->flags & no || j->shown->thp.absent)
		return 0;
	if (!(vma->flags & PTWALK_VMA_FLAG_ANONYMOUS) || vma->flags & special)
		return -1;
	for (sizes = sizes_of(j, vma); sizes; sizes &= sizes - 1) {
		if (huge_page_fits(vma, sizes & -sizes))
			return 1;
		if ((sizes & -sizes) > vma->last + 1)
			*bug = &kernel_bugs[THP_ELIGIBLE_LOW];
	}
	return 0;
}

static void compare_thp_eligible(struct job *j, const struct ptwalk_vma *vma)
{
	const struct slack *bug = NULL;
	int eligible = thp_eligible(j, vma, &bug);

	if (eligible < 0 && smaps_has_all(j->line, 1U << SMAPS_THP_ELIGIBLE))
		return;
	put_smaps(j, SMAPS_THP_ELIGIBLE, (struct bounds){
		.low = eligible > 0, .high = !!eligible,
		.bug = bug, .bug_low = 1, .bug_high = 1 });
}

void compare_page_size(struct job *j, enum figure_source source,
		       const struct smaps_vma *v, const struct ptwalk_vma *vma)
{
	j->source = source;
	j->line = v;
	put_smaps(j, SMAPS_KERNEL_PAGE_SIZE, exactly(1ULL << vma->page_shift >> 10));
}

void compare_smaps_vma(struct job *j, const struct smaps_vma *v,
		       const struct ptwalk_vma *vma, const struct totals *t)
{
	j->source = FIGURE_SMAPS;
	j->line = v;
	put_smaps(j, SMAPS_SIZE, exactly((vma->last - vma->start + 1) >> 10));
	compare_page_size(j, FIGURE_SMAPS, v, vma);
	put_smaps(j, SMAPS_MMU_PAGE_SIZE, exactly(1ULL << vma->page_shift >> 10));
	compare_smaps_totals(j, t);
	compare_thp_eligible(j, vma);
	if (j->info->features & PTWALK_FEATURE_PKEYS)
		put_smaps(j, SMAPS_PROTECTION_KEY, exactly(vma->pkey));
	if (v->nr_flags || vma->raw_flags)
		compare_vm_flags(j, v, vma);
}

void compare_rollup(struct job *j)
{
	const struct counted *c = j->counted;
	const struct smaps_vma *v = &j->shown->rollup.vma[0];
	const char *where = "show_smaps_rollup(), fs/proc/task_mmu.c";

	j->source = FIGURE_ROLLUP;
	j->line = v;
	compare_smaps_totals(j, &c->sum);
	if (!c->sum.vmas)
		return;
	job_put_line(j, FIGURE_ROLLUP, where, "start", c->start, v->start);
	job_put_line(j, FIGURE_ROLLUP, where, "end", c->last, v->last);
}
