// SPDX-License-Identifier: GPL-2.0
/* Why trackers of writes say what they say. */
#include "dirty/trackers.h"

const char *const tracker_name[NR_TRACKERS] = {
	[TRACKER_SOFT_DIRTY] = "soft-dirty",
	[TRACKER_UFFD_WP] = "uffd-wp",
	[TRACKER_WRITTEN] = "written",
	[TRACKER_DIRTY] = "dirty",
	[TRACKER_IN_CORE] = "in-core",
};

const char *const tracker_what[NR_TRACKERS] = {
	[TRACKER_SOFT_DIRTY] =
		"Bit 55 of pagemap: written to since 4 was written to clear_refs, or the whole mapping is newer than that.",
	[TRACKER_UFFD_WP] =
		"Bit 57 of pagemap: userfaultfd protects the page, which was not written to since.",
	[TRACKER_WRITTEN] =
		"PAGE_IS_WRITTEN of PAGEMAP_SCAN, from Linux 6.7 on: the entry is not protected by userfaultfd.",
	[TRACKER_DIRTY] =
		"The dirty bit of the entry: written to through it since it was made or cleaned.",
	[TRACKER_IN_CORE] =
		"What mincore() says: the page is in memory, written to or not.",
};

const char *const tracker_answer_name[NR_TRACKER_ANSWERS] = {
	[TRACKER_NO] = "no", [TRACKER_YES] = "yes", [TRACKER_NOTHING] = "-",
};

const struct tracker_reason_text tracker_reasons[NR_TRACKER_REASONS] = {
	[REASON_WRITTEN] = { "written",
		"the entry was made, or written to, since clear_refs" },
	[REASON_CLEAN] = { "clean",
		"not written to since clear_refs" },
	[REASON_PROTECTED] = { "protected",
		"userfaultfd protects it: not written to since then" },
	[REASON_UNPROTECTED] = { "unprotected",
		"userfaultfd doesn't protect it: written to since then, or never protected" },
	[REASON_DIRTY_BIT] = { "dirty-bit",
		"the processor or the kernel has set the entry's bit" },
	[REASON_NO_DIRTY_BIT] = { "no-dirty-bit",
		"not written to through this entry since it was made or cleaned" },
	[REASON_IN_CORE] = { "in-core",
		"it is in memory, written to or not" },
	[REASON_NOT_IN_CORE] = { "not-in-core",
		"it is not in memory" },
	[REASON_VMA_SOFT_DIRTY] = { "vma",
		"the VMA is new or was changed since clear_refs (VM_SOFTDIRTY): all of it counts" },
	[REASON_HUGETLB_SOFT_DIRTY] = { "hugetlb",
		"hugetlb keeps none by page: the flag of the VMA is told" },
	[REASON_HUGETLB_DIRTY] = { "hugetlb-made",
		"hugetlb makes entries that may be written to with the bit set" },
	[REASON_PFNMAP] = { "pfnmap",
		"pagemap passes over memory without struct pages: a hole" },
	[REASON_ZERO_PAGE] = { "zero-page",
		"the zero page: it was read, and nothing written" },
	[REASON_ZERO_UNPROTECTED] = { "zero-unprotected",
		"the zero page, mapped by a read without protection: not written to all the same" },
	[REASON_UNREGISTERED] = { "unregistered",
		"the VMA isn't registered with userfaultfd for this: every entry is unprotected" },
	[REASON_EMPTY] = { "empty",
		"there is no page" },
	[REASON_NO_TABLE] = { "no-table",
		"there is no page table, and so no entry that PAGEMAP_SCAN could call written" },
	[REASON_EMPTY_UNPROTECTED] = { "empty-unprotected",
		"there is no page and no marker: never protected while it was empty, or given back since" },
	[REASON_ABSENT] = { "absent",
		"an entry that isn't present has no such bit" },
	[REASON_NOT_ASKED] = { "not-asked",
		"of an extent of empty entries, only the first 4194304 pages are asked about" },
	[REASON_NO_SOFT_DIRTY] = { "no-soft-dirty",
		"the kernel has none (CONFIG_MEM_SOFT_DIRTY)" },
	[REASON_NO_UFFD_WP] = { "no-uffd-wp",
		"the kernel has none (CONFIG_HAVE_ARCH_USERFAULTFD_WP)" },
	[REASON_NO_SCAN] = { "no-scan",
		"the kernel has no PAGEMAP_SCAN (from Linux 6.7 on)" },
	[REASON_OTHERS_CORE] = { "of-others",
		"mincore() tells a process of its own memory alone" },
};

static struct tracker_verdict verdict(bool yes, enum tracker_reason if_yes,
				      enum tracker_reason if_no)
{
	return (struct tracker_verdict){
		yes ? TRACKER_YES : TRACKER_NO, yes ? if_yes : if_no,
	};
}

static struct tracker_verdict says_nothing(enum tracker_reason reason)
{
	return (struct tracker_verdict){ TRACKER_NOTHING, reason };
}

static bool page_has_flag(const struct tracked_page *p, uint32_t flag)
{
	return ptwalk_bits_flags(p->bits) & flag;
}

static bool is_kind(const struct tracked_page *p, uint32_t kind)
{
	return ptwalk_bits_kind(p->bits) == kind;
}

/* Of which pagemap shows a hole. */
static bool pagemap_shows_hole(const struct tracked_page *p)
{
	return p->vma->flags & PTWALK_VMA_FLAG_PFNMAP;
}

static struct tracker_verdict of_soft_dirty(const struct tracked_page *p)
{
	const bool yes = p->tracked & TRACKED_SOFT_DIRTY;

	if (!(p->kernel->features & PTWALK_FEATURE_SOFT_DIRTY))
		return says_nothing(REASON_NO_SOFT_DIRTY);
	if (p->vma->flags & PTWALK_VMA_FLAG_HUGETLB)
		return verdict(yes, REASON_HUGETLB_SOFT_DIRTY, REASON_HUGETLB_SOFT_DIRTY);
	if (yes && p->vma->flags & PTWALK_VMA_FLAG_SOFTDIRTY &&
	    !page_has_flag(p, PTWALK_FLAG_SOFT_DIRTY))
		return verdict(true, REASON_VMA_SOFT_DIRTY, REASON_VMA_SOFT_DIRTY);
	if (pagemap_shows_hole(p))
		return verdict(yes, REASON_PFNMAP, REASON_PFNMAP);
	return verdict(yes, REASON_WRITTEN,
		       is_kind(p, PTWALK_KIND_NONE) ? REASON_EMPTY : REASON_CLEAN);
}

/* Why the entry is as it is, seen from userfaultfd; @yes: it isn't protected. */
static enum tracker_reason why_unprotected(const struct tracked_page *p)
{
	if (!(p->vma->flags & PTWALK_VMA_FLAG_UFFD_WP))
		return REASON_UNREGISTERED;
	if (is_kind(p, PTWALK_KIND_NONE))
		return REASON_EMPTY_UNPROTECTED;
	return page_has_flag(p, PTWALK_FLAG_ZERO) ? REASON_ZERO_UNPROTECTED : REASON_UNPROTECTED;
}

static struct tracker_verdict of_uffd_wp(const struct tracked_page *p)
{
	if (!(p->kernel->features & PTWALK_FEATURE_UFFD_WP))
		return says_nothing(REASON_NO_UFFD_WP);
	if (p->tracked & TRACKED_UFFD_WP)
		return verdict(true, REASON_PROTECTED, REASON_PROTECTED);
	if (pagemap_shows_hole(p))
		return says_nothing(REASON_PFNMAP);
	if (!(p->vma->flags & PTWALK_VMA_FLAG_UFFD_WP))
		return says_nothing(REASON_UNREGISTERED);
	return verdict(false, REASON_PROTECTED, why_unprotected(p));
}

static struct tracker_verdict of_written(const struct tracked_page *p)
{
	const bool yes = p->tracked & TRACKED_WRITTEN;

	if (!p->trackers->has_scan)
		return says_nothing(REASON_NO_SCAN);
	if (pagemap_shows_hole(p))
		return says_nothing(REASON_PFNMAP);
	if (yes)
		return verdict(true, why_unprotected(p), REASON_CLEAN);
	if (!is_kind(p, PTWALK_KIND_NONE))
		return verdict(false, REASON_WRITTEN, REASON_PROTECTED);
	/* An empty entry of a page table is called written, one of hugetlb isn't. */
	return verdict(false, REASON_WRITTEN, p->vma->flags & PTWALK_VMA_FLAG_HUGETLB ?
		       REASON_EMPTY : REASON_NO_TABLE);
}

static struct tracker_verdict of_dirty(const struct tracked_page *p)
{
	const bool yes = page_has_flag(p, PTWALK_FLAG_DIRTY);

	if (is_kind(p, PTWALK_KIND_NONE))
		return says_nothing(REASON_EMPTY);
	if (!is_kind(p, PTWALK_KIND_PRESENT))
		return says_nothing(REASON_ABSENT);
	if (page_has_flag(p, PTWALK_FLAG_ZERO))
		return verdict(yes, REASON_DIRTY_BIT, REASON_ZERO_PAGE);
	return verdict(yes, p->vma->flags & PTWALK_VMA_FLAG_HUGETLB ?
		       REASON_HUGETLB_DIRTY : REASON_DIRTY_BIT, REASON_NO_DIRTY_BIT);
}

static struct tracker_verdict of_in_core(const struct tracked_page *p)
{
	if (!p->trackers->is_own)
		return says_nothing(REASON_OTHERS_CORE);
	return verdict(p->tracked & TRACKED_IN_CORE, REASON_IN_CORE, REASON_NOT_IN_CORE);
}

struct tracker_verdict tracker_ask(enum tracker tracker, const struct tracked_page *page)
{
	if (page->tracked & TRACKED_NOTHING && tracker != TRACKER_DIRTY)
		return says_nothing(REASON_NOT_ASKED);
	switch (tracker) {
	case TRACKER_SOFT_DIRTY:
		return of_soft_dirty(page);
	case TRACKER_UFFD_WP:
		return of_uffd_wp(page);
	case TRACKER_WRITTEN:
		return of_written(page);
	case TRACKER_DIRTY:
		return of_dirty(page);
	default:
		return of_in_core(page);
	}
}
