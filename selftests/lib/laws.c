// SPDX-License-Identifier: GPL-2.0
#include "laws.h"
#include "system.h"

#define FLAGS(p)	ptwalk_bits_flags((p)->bits)
#define KIND_OF(p)	ptwalk_bits_kind((p)->bits)
#define HAS(p, flag)	(FLAGS(p) & PTWALK_FLAG_##flag)
#define IN_VMA(p, flag)	((p)->vma & PTWALK_VMA_FLAG_##flag)
#define PRESENT(p)	(KIND_OF(p) == PTWALK_KIND_PRESENT)
#define IS(p, kind)	(KIND_OF(p) == PTWALK_KIND_##kind)

/* Entries that keep the bits of the one that they stand for. */
static bool keeps_bits(const struct look_page *p)
{
	return PRESENT(p) || IS(p, SWAP) || IS(p, MIGRATION);
}

/* The page of the file isn't there any more, or anew. */
static bool may_remove(const struct moments *m)
{
	return m->may & MAY_REMOVE && !HAS(m->before, ANON);
}

/* What others have, or could read again from a file, isn't discarded. */
static bool may_discard(const struct moments *m)
{
	return may_remove(m) ||
	       (m->may & MAY_DISCARD &&
		(!IN_VMA(m->before, SHARED) || IN_VMA(m->before, MIXEDMAP)));
}

/* Nobody can look at it any more. */
static bool is_barred(const struct moments *m)
{
	return m->may & MAY_BAR && IS(m->after, MARKER) &&
	       m->after->value & (PTWALK_MARKER_GUARD | PTWALK_MARKER_POISONED);
}

static bool contents(const struct moments *m)
{
	const struct look_page *a = m->after;

	if (!m->known || IS(a, NO_VMA) || (a->read && a->sum == m->sum))
		return true;
	if (!may_discard(m))
		return false;
	/* A private page of a file is the file's again. */
	return (!IN_VMA(m->before, ANONYMOUS) && !may_remove(m)) ||
	       (a->read && a->sum == look_sum_of_zeros(m->page_size));
}

static bool is_dirty(const struct look_page *p)
{
	return PRESENT(p) && (HAS(p, DIRTY) || p->page.flags & PTWALK_PAGE_FLAG_DIRTY);
}

/*
 * Who drops an entry leaves what it said to the folio, which is found again by
 * touching the page. Who copies an entry may leave it to the other one.
 */
static bool stays_dirty(const struct moments *m)
{
	const struct look_page *a = m->after, *o = m->other;

	if (is_dirty(a))
		return true;
	if (o && PRESENT(o) && is_dirty(o) && (!PRESENT(a) || o->value == a->value))
		return true;
	return (IS(a, NONE) || IS(a, MARKER)) && a->touched.flags & PTWALK_PAGE_FLAG_DIRTY;
}

/* KSM's page was exchanged for a copy. */
static bool is_unmerged(const struct moments *m)
{
	return m->may & MAY_UNMERGE && HAS(m->before, KSM) && PRESENT(m->after) &&
	       !HAS(m->after, KSM);
}

/* What is on the disk may go, if the next write to it is noticed. */
static bool is_written_back(const struct moments *m)
{
	return m->may & MAY_WRITE_BACK && !m->stale && !HAS(m->before, ANON) &&
	       !(PRESENT(m->after) && HAS(m->after, WRITE));
}

/* Documentation/kernel-bugs/ksm-merge-marks.txt */
static bool is_merged_by_bug(const struct moments *m)
{
	return m->may & MAY_LOSE_MARKS && HAS(m->after, KSM) && !HAS(m->before, KSM);
}

/*
 * A clean anonymous page without PG_swapbacked is thrown away when memory is
 * short (MADV_FREE); others are written to the swap area first.
 */
static bool dirty(const struct moments *m)
{
	const struct look_page *a = m->after;

	if (!is_dirty(m->before) || IS(a, NO_VMA) || stays_dirty(m))
		return true;
	if (may_discard(m) || is_written_back(m))
		return true;
	if (!(m->may & MAY_CLEAN) && !is_unmerged(m))
		return false;
	return IS(a, SWAP) || (a->page.flags & PTWALK_PAGE_FLAG_ANON &&
			       a->page.flags & PTWALK_PAGE_FLAG_SWAPBACKED);
}

/* Nobody would learn of a write to it. */
static bool is_untracked(const struct look_page *p)
{
	return PRESENT(p) && HAS(p, WRITE) && !HAS(p, SOFT_DIRTY) &&
	       !IN_VMA(p, SOFTDIRTY) && !IN_VMA(p, PFNMAP);
}

/* Documentation/kernel-bugs/uffd-wp-soft-dirty.txt */
static bool is_untracked_by_bug(const struct moments *m)
{
	return m->may & MAY_UNTRACK && IN_VMA(m->before, SHARED);
}

/* Linux keeps none of hugetlb. */
static bool soft_dirty(const struct moments *m)
{
	const struct look_page *b = m->before, *a = m->after;

	if (!(m->info->features & PTWALK_FEATURE_SOFT_DIRTY) || IN_VMA(b, HUGETLB) ||
	    IS(a, NO_VMA))
		return true;
	if (is_untracked(a) && !is_untracked(b) && !is_untracked_by_bug(m))
		return false;
	if (m->may & MAY_CLEAR_SOFT_DIRTY || is_merged_by_bug(m))
		return true;
	if (!keeps_bits(b) || !HAS(b, SOFT_DIRTY) || HAS(a, SOFT_DIRTY))
		return true;
	if (!HAS(b, ANON) && !IS(b, SWAP) && m->may & MAY_DROP &&
	    (!keeps_bits(a) || m->may & MAY_FAULT_IN))
		return true;
	return !keeps_bits(a) && may_discard(m);
}

static bool soft_dirty_vma(const struct moments *m)
{
	return !IN_VMA(m->before, SOFTDIRTY) || IN_VMA(m->after, SOFTDIRTY) ||
	       IS(m->after, NO_VMA) || m->may & MAY_CLEAR_SOFT_DIRTY;
}

/* soft-dirty has a law of its own. */
static bool vma_flags(const struct moments *m)
{
	u64 changed = m->before->vma ^ m->after->vma;

	return IS(m->after, NO_VMA) || IS(m->before, NO_VMA) ||
	       !(changed & ~(m->vma_may | PTWALK_VMA_FLAG_SOFTDIRTY));
}

/* Nobody could end the protection. */
static bool is_left_protected(const struct look_page *p)
{
	return HAS(p, UFFD_WP) && !IN_VMA(p, UFFD_WP);
}

static bool uffd_wp(const struct moments *m)
{
	if (IS(m->after, NO_VMA))
		return true;
	if (is_left_protected(m->after) && !is_left_protected(m->before))
		return m->may & MAY_LEAVE_PROTECTED;
	if (HAS(m->before, UFFD_WP))
		return HAS(m->after, UFFD_WP) || m->may & MAY_CLEAR_UFFD_WP ||
		       (IS(m->after, NONE) && may_discard(m)) || is_merged_by_bug(m);
	if (m->may & MUST_SET_UFFD_WP && (PRESENT(m->after) || IS(m->after, SWAP)))
		return HAS(m->after, UFFD_WP);
	if (m->may & MUST_SET_UFFD_WP_ANYWHERE && IS(m->after, NONE) &&
	    !IN_VMA(m->before, HUGETLB))
		return false;
	return !HAS(m->after, UFFD_WP) || m->may & MAY_SET_UFFD_WP;
}

static bool permissions(const struct moments *m)
{
	const struct look_page *a = m->after;
	bool open = !HAS(a, PROT_NONE) && HAS(a, USER);

	if (!PRESENT(a) && !IS(a, MIGRATION))
		return true;
	if (HAS(a, WRITE) && (!IN_VMA(a, WRITE) || HAS(a, UFFD_WP) || HAS(a, ZERO) ||
			      HAS(a, KSM)))
		return false;
	if (!PRESENT(a) || !open)
		return true;
	if (!(a->vma & (PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE | PTWALK_VMA_FLAG_EXEC)))
		return false;
	return !HAS(a, EXEC) || IN_VMA(a, EXEC) || !kernel_forbids_execution();
}

static u32 memory_type_of(const struct moments *m, const struct look_page *p)
{
	u32 index = ptwalk_bits_aux(p->bits);

	return index < m->info->nr_memtypes ? m->info->memtypes[index] : 0;
}

static bool memory_type(const struct moments *m)
{
	return !PRESENT(m->before) || !PRESENT(m->after) ||
	       memory_type_of(m, m->before) == memory_type_of(m, m->after);
}

/* Nobody gets by a hint, and do_numa_page() asks the VMA for its key. */
static bool pkey(const struct moments *m)
{
	return !PRESENT(m->before) || !PRESENT(m->after) || m->may & MAY_SET_PKEY ||
	       HAS(m->after, NUMA_HINT) ||
	       ptwalk_bits_pkey(m->before->bits) == ptwalk_bits_pkey(m->after->bits);
}

/* Who may write to an anonymous page without a fault has it alone. */
static bool is_alone(const struct moments *m, u64 bits)
{
	const struct look_page p = { .bits = bits };

	if (!PRESENT(&p) || !HAS(&p, ANON) || !HAS(&p, WRITE) || HAS(&p, EXCLUSIVE))
		return true;
	/* Nobody counts the mappings of such a page. */
	return HAS(&p, LARGE) && !HAS(&p, HUGETLB) &&
	       !(m->info->features & PTWALK_FEATURE_PAGE_MAPCOUNT);
}

static bool exclusive(const struct moments *m)
{
	const struct look_page *a = m->after, *o = m->other;

	if (IS(a, SWAP) && HAS(a, SWAP_EXCLUSIVE) &&
	    o && IS(o, SWAP) && o->value == a->value)
		return false;
	return is_alone(m, a->bits) && is_alone(m, a->protected_bits);
}

static bool frame(const struct moments *m)
{
	const struct look_page *b = m->before, *a = m->after;

	if (m->may & MUST_UNMAP)
		return IS(a, NO_VMA);
	if (m->may & MUST_UNMERGE && HAS(a, KSM))
		return false;
	if (!PRESENT(b) || m->wrote)
		return true;
	switch (KIND_OF(a)) {
	case PTWALK_KIND_PRESENT:
		return a->value == b->value || m->may & MAY_MOVE || is_unmerged(m) ||
		       (HAS(a, ZERO) && HAS(b, ZERO));
	case PTWALK_KIND_SWAP:
		return HAS(b, ANON) && m->may & MAY_SWAP;
	case PTWALK_KIND_NONE:
		/* Whatever splits a VMA of hugetlb drops its shared tables: unshare_pmds(). */
		return may_discard(m) || HAS(b, PMD_SHARED) ||
		       (!HAS(b, ANON) && m->may & MAY_DROP);
	case PTWALK_KIND_MARKER:
		return !HAS(b, ANON) && HAS(a, UFFD_WP) && m->may & MAY_DROP;
	case PTWALK_KIND_NO_VMA:
		return m->may & MAY_UNMAP;
	}
	return false;
}

/* What isn't present stays what it is: the place in the swap area, the marker. */
static bool absent(const struct moments *m)
{
	const struct look_page *b = m->before, *a = m->after;

	if (PRESENT(b) || m->wrote || (KIND_OF(a) == KIND_OF(b) && a->value == b->value))
		return true;
	if (IS(a, NO_VMA))
		return m->may & (MAY_UNMAP | MUST_UNMAP);
	/* With its contents a poisoned page loses its poison. */
	if (IS(b, MARKER) && !HAS(b, UFFD_WP) && IS(a, NONE))
		return m->may & MAY_BAR ||
		       (b->value & PTWALK_MARKER_POISONED && may_discard(m));
	if (m->may & MAY_FAULT_IN && (PRESENT(a) || (IS(b, SWAP) && IS(a, SWAP))))
		return true;
	if (IS(b, SWAP) && IS(a, NONE))
		return may_discard(m);
	if (IS(b, NONE) && IS(a, MARKER))
		return HAS(a, UFFD_WP) && m->may & MAY_SET_UFFD_WP;
	/* A marker of a userfaultfd goes with its protection. */
	return IS(b, MARKER) && HAS(b, UFFD_WP) && IS(a, NONE) &&
	       m->may & MAY_CLEAR_UFFD_WP;
}

const struct law laws[] = {
	{ "contents", "each page has the contents that it had",
	  "mprotect(2), mremap(2), fork(2), madvise(2)", contents },
	{ "dirty", "what was dirty is so still, in the entry or in the folio",
	  "zap_present_folio_ptes(), try_to_unmap_one(), try_to_migrate_one()", dirty },
	{ "soft-dirty", "what was soft-dirty is so still, and writing to the rest is noticed",
	  "Documentation/admin-guide/mm/soft-dirty.rst", soft_dirty },
	{ "soft-dirty-vma", "a VMA that was soft-dirty is so still",
	  "Documentation/admin-guide/mm/soft-dirty.rst", soft_dirty_vma },
	{ "vma", "the other flags of the VMA stay",
	  "vma_modify_flags(), copy_vma(), dup_mmap()", vma_flags },
	{ "uffd-wp", "what a userfaultfd protects is protected, and nothing else",
	  "Documentation/admin-guide/mm/userfaultfd.rst", uffd_wp },
	{ "permissions", "no entry allows more than its VMA",
	  "mprotect(2), vma_set_page_prot()", permissions },
	{ "memory-type", "the memory type stays",
	  "Documentation/arch/x86/pat.rst, pte_modify()", memory_type },
	{ "pkey", "the protection key stays", "pkeys(7), pte_modify()", pkey },
	{ "exclusive", "a writable anonymous page is mapped once",
	  "PG_anon_exclusive of page-flags.h, wp_can_reuse_anon_folio()", exclusive },
	{ "frame", "the page is where it was",
	  "pages move by migration, copy-on-write and collapse only", frame },
	{ "absent", "an entry without a page stays what it is",
	  "change_pte_range(), move_ptes(), copy_nonpresent_pte()", absent },
	{ "sums", "Rss and Swap of smaps are what the entries say",
	  "Documentation/filesystems/proc.rst", NULL },
};

const size_t nr_laws = sizeof(laws) / sizeof(laws[0]);

u32 laws_broken(const struct moments *m)
{
	u32 broken = 0;

	for (size_t i = 0; i < nr_laws && !is_barred(m); i++)
		if (laws[i].holds && !laws[i].holds(m))
			broken |= 1U << i;
	return broken;
}

/* hugetlb isn't in Rss, and Swap of shared memory isn't in the entries. */
u32 laws_broken_sums(const struct look *look)
{
	u64 rss = 0, swap = 0;
	bool anonymous = true;

	for (size_t i = 0; i < look->nr; i++) {
		const struct look_page *p = &look->page[i];

		if (IN_VMA(p, HUGETLB) || IN_VMA(p, PFNMAP) || IS(p, MIGRATION))
			return 0;
		/* Documentation/kernel-bugs/smaps-thp-prot-none.txt */
		if (HAS(p, PROT_NONE) && ptwalk_bits_level(p->bits) && !kernel_since(6, 12))
			return 0;
		anonymous = anonymous && (IN_VMA(p, ANONYMOUS) || IS(p, NO_VMA));
		if (PRESENT(p) && HAS(p, PAGE))
			rss += look->page_size;
		if (IS(p, SWAP))
			swap += look->page_size;
	}
	if (!look->summed || (look->rss == rss && (!anonymous || look->swap == swap)))
		return 0;
	return 1U << (nr_laws - 1);
}
