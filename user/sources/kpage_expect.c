// SPDX-License-Identifier: GPL-2.0
/*
 * What Documentation/admin-guide/mm/pagemap.rst says that /proc/kpageflags,
 * /proc/kpagecount and /proc/kpagecgroup show of a frame that a process maps.
 * Where a kernel does otherwise by design, that is a rule (check/rules.c).
 *
 * Flags that come and go without the page tables having a part in it (locked,
 * LRU, dirty, ...) are not compared; nor are, but for pages whose facts are known
 * anyway, those that only the page tells.
 */
#include "module/version.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_bits.h"
#include "sources/source.h"

/* Flags that page tables decide, or that no mapped page can have. */
#define MAPPED_MASK							\
	(KPF_BIT(MMAP) | KPF_BIT(ANON) | KPF_BIT(KSM) | KPF_BIT(HUGE) |	\
	 KPF_BIT(COMPOUND_HEAD) | KPF_BIT(COMPOUND_TAIL) |		\
	 KPF_BIT(NOPAGE) | KPF_BIT(ZERO_PAGE) | KPF_BIT(SLAB) |		\
	 KPF_BIT(BUDDY) | KPF_BIT(OFFLINE) | KPF_BIT(PGTABLE))

/* Entries that tell a frame. */
static bool entry_has_frame(const struct page_truth *truth)
{
	switch (page_kind(truth)) {
	case PTWALK_KIND_PRESENT:
	case PTWALK_KIND_MIGRATION:
	case PTWALK_KIND_HWPOISON:
		return true;
	default:
		return false;
	}
}

/* The frame has a struct page that the files look at. */
static bool is_online(const struct page_truth *truth)
{
	return page_flags(truth) & (PTWALK_FLAG_RAM | PTWALK_FLAG_ONLINE);
}

/* The kernel counts the entry as a mapping of the page. */
static bool is_counted(const struct page_truth *truth)
{
	return ptwalk_bits_present(truth->bits) && (page_flags(truth) & PTWALK_FLAG_PAGE) &&
	       !(page_flags(truth) & PTWALK_FLAG_ZERO);
}

static unsigned int order_of(const struct ptwalk_page *facts)
{
	return facts->place & 0xff;
}

static uint64_t offset_of(const struct ptwalk_page *facts)
{
	return facts->place >> 32;
}

static void expect_nothing(struct expectation *out)
{
	*out = (struct expectation){ .mask = UINT64_MAX };
}

/*
 * How many pages the folio behind an entry has, as far as the entry tells: what
 * is huge and anonymous is no larger than its entry, and a hugetlb page as large as
 * those of its VMA. 0: not known. Such a folio is aligned.
 */
static uint64_t folio_pages(const struct env *env, const struct page_truth *truth)
{
	const unsigned int base = env->kernel->page_shift;
	unsigned int level = ptwalk_bits_level(truth->bits), shift = 0;
	uint32_t flags = page_flags(truth);

	if (!(flags & PTWALK_FLAG_LARGE))
		return 0;
	if (flags & PTWALK_FLAG_HUGETLB)
		shift = truth->vma ? truth->vma->page_shift : 0;
	else if ((flags & PTWALK_FLAG_ANON) && level == PTWALK_LEVEL_PMD)
		shift = env->kernel->level_shift[level];
	return shift > base ? 1ULL << (shift - base) : 0;
}

/* What follows is about one side of a folio's first page. */
uint64_t stretch_kpageflags(const struct env *env, const struct page_truth *truth)
{
	uint64_t nr = folio_pages(env, truth), at;

	if (!nr)
		return UINT64_MAX;
	at = truth->value & (nr - 1);
	return at ? nr - at : 1;
}

/* A large folio that is given up is likely to be the next one that is made. */
static bool is_risky(const struct env *env, const struct page_truth *truth)
{
	return env->careful && (page_flags(truth) & PTWALK_FLAG_LARGE) &&
	       !(page_flags(truth) & PTWALK_FLAG_HUGETLB) &&
	       kpageflags_crashes(env->kernel);
}

enum source_grain grain_kpageflags(const struct env *env,
				   const struct page_truth *truth)
{
	if (!entry_has_frame(truth) || is_risky(env, truth))
		return SOURCE_SKIPS;
	return is_counted(truth) && is_online(truth) &&
	       (page_flags(truth) & PTWALK_FLAG_LARGE) ?
	       SOURCE_FACTS : SOURCE_RUN;
}

/* Whether the page shows the flags of its folio: before Linux 6.10 a tail had its own. */
static bool shows_folio(const struct env *env, const struct page_truth *truth)
{
	return !offset_of(truth->facts) || kernel_version(env->kernel) >= KERNEL(6, 10);
}

/* What the folio has. Anonymous memory is up to date before it is mapped. */
static void expect_own_flags(const struct env *env, const struct page_truth *truth,
			     struct expectation *out)
{
	static const struct {
		uint32_t flag;
		uint64_t shown;
	} own[] = {
		{ PTWALK_PAGE_FLAG_UPTODATE, KPF_BIT(UPTODATE) },
		{ PTWALK_PAGE_FLAG_SWAPBACKED, KPF_BIT(SWAPBACKED) },
		{ PTWALK_PAGE_FLAG_MLOCKED, KPF_BIT(MLOCKED) },
		{ PTWALK_PAGE_FLAG_SWAPCACHE, KPF_BIT(SWAPCACHE) },
	};

	if (!truth->facts && (page_flags(truth) & PTWALK_FLAG_ANON)) {
		out->mask |= KPF_BIT(UPTODATE);
		out->value |= KPF_BIT(UPTODATE);
	}
	if (!truth->facts || !shows_folio(env, truth))
		return;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		out->mask |= own[i].shown;
		if (truth->facts->flags & own[i].flag)
			out->value |= own[i].shown;
	}
}

/* Whether it is the first page of a large folio, and another one, as flags. */
static uint64_t place_flag(const struct env *env, const struct page_truth *truth)
{
	uint64_t nr = folio_pages(env, truth);
	bool tail;

	if (!truth->facts && !nr)
		return 0;
	tail = truth->facts ? offset_of(truth->facts) : truth->value & (nr - 1);
	return tail ? KPF_BIT(COMPOUND_TAIL) : KPF_BIT(COMPOUND_HEAD);
}

static void expect_mapped_flags(const struct env *env, const struct page_truth *truth,
				struct expectation *out)
{
	uint32_t flags = page_flags(truth);
	uint64_t value = KPF_BIT(MMAP), mask = MAPPED_MASK, place;

	if (flags & PTWALK_FLAG_ANON)
		value |= KPF_BIT(ANON);
	if (flags & PTWALK_FLAG_KSM)
		value |= KPF_BIT(KSM);
	if (flags & PTWALK_FLAG_HUGETLB)
		value |= KPF_BIT(HUGE);
	if (!(flags & PTWALK_FLAG_LARGE)) {
		mask |= KPF_BIT(THP) | KPF_BIT(HWPOISON);
	} else {
		/* A driver's compound page isn't one, and isn't known. */
		if (flags & (PTWALK_FLAG_ANON | PTWALK_FLAG_HUGETLB))
			mask |= KPF_BIT(THP);
		if ((flags & PTWALK_FLAG_ANON) && !(flags & PTWALK_FLAG_HUGETLB))
			value |= KPF_BIT(THP);
		place = place_flag(env, truth);
		value |= place;
		if (!place)
			mask &= ~(KPF_BIT(COMPOUND_HEAD) | KPF_BIT(COMPOUND_TAIL));
	}
	out->value = value;
	out->mask = mask;
	if (truth->facts || !(flags & PTWALK_FLAG_LARGE))
		expect_own_flags(env, truth, out);
}

/*
 * Of a hugetlb page, the first page has HWPOISON, whichever failed, or nobody but
 * that one: the kernel takes a page that no file holds apart, and gives all other
 * parts away (me_huge_page(), mm/memory-failure.c).
 */
static bool has_hwpoison(const struct page_truth *truth)
{
	return !truth->vma || !(truth->vma->flags & PTWALK_VMA_FLAG_HUGETLB);
}

void expect_kpageflags(const struct env *env, const struct page_truth *truth,
		       struct expectation *out)
{
	uint32_t flags = page_flags(truth);

	expect_nothing(out);
	if (!is_online(truth)) {
		out->value = KPF_BIT(NOPAGE);
	} else if (is_counted(truth)) {
		expect_mapped_flags(env, truth, out);
	} else if (ptwalk_bits_present(truth->bits) && (flags & PTWALK_FLAG_ZERO)) {
		out->value = KPF_BIT(ZERO_PAGE);
		out->mask = KPF_BIT(ZERO_PAGE) | KPF_BIT(NOPAGE) |
			    KPF_BIT(ANON) | KPF_BIT(KSM) | KPF_BIT(HUGE) |
			    KPF_BIT(THP) | KPF_BIT(BUDDY) | KPF_BIT(SLAB);
		/* The small one is the kernel's own: enum pageflags in page-flags.h. */
		if (ptwalk_bits_level(truth->bits) != PTWALK_LEVEL_PTE) {
			out->value |= KPF_BIT(THP);
		} else {
			out->value |= KPF_BIT(RESERVED);
			out->mask |= KPF_BIT(RESERVED);
			out->mask &= ~KPF_BIT(THP);
		}
	} else if (page_kind(truth) == PTWALK_KIND_HWPOISON) {
		out->value = KPF_BIT(HWPOISON);
		out->mask = KPF_BIT(NOPAGE);
		if (has_hwpoison(truth))
			out->mask |= KPF_BIT(HWPOISON);
	} else if (page_kind(truth) == PTWALK_KIND_MIGRATION) {
		out->mask = KPF_BIT(ANON) | KPF_BIT(KSM) | KPF_BIT(NOPAGE) |
			    KPF_BIT(BUDDY) | KPF_BIT(SLAB) |
			    KPF_BIT(ZERO_PAGE);
		if (flags & PTWALK_FLAG_ANON)
			out->value |= KPF_BIT(ANON);
		if (flags & PTWALK_FLAG_KSM)
			out->value |= KPF_BIT(KSM);
	} else {
		/* A driver's memory: there is a page, and no more is known. */
		out->mask = KPF_BIT(NOPAGE);
	}
}

static bool counted_by_page(const struct env *env)
{
	return env->kernel->features & PTWALK_FEATURE_PAGE_MAPCOUNT;
}

/* The grain of a page that the kernel counts is @counted. */
static enum source_grain grain_present(const struct page_truth *truth,
				       enum source_grain counted)
{
	if (!ptwalk_bits_present(truth->bits))
		return SOURCE_SKIPS;
	if (!is_online(truth) || (page_flags(truth) & PTWALK_FLAG_ZERO))
		return SOURCE_RUN;
	return is_counted(truth) ? counted : SOURCE_SKIPS;
}

enum source_grain grain_kpagecount(const struct env *env,
				   const struct page_truth *truth)
{
	uint32_t flags = page_flags(truth);
	bool own_count = counted_by_page(env) || !(flags & PTWALK_FLAG_LARGE);

	return grain_present(truth,
			     (flags & PTWALK_FLAG_EXCLUSIVE) && own_count ?
			     SOURCE_RUN : SOURCE_FACTS);
}

/* Mappings of a page of the folio on average, as the kernel rounds it. */
static uint64_t average(const struct ptwalk_page *facts)
{
	uint32_t all = facts->folio_counts, entire = facts->folio_counts >> 32;
	unsigned int order = order_of(facts);
	uint64_t rounded;

	if (!order)
		return facts->counts >> 32;
	if (!all)
		return 0;
	if (all <= entire)
		return entire;
	rounded = ((all - entire + (1U << order) / 2) >> order) + entire;
	return rounded ? rounded : 1;
}

void expect_kpagecount(const struct env *env, const struct page_truth *truth,
		       struct expectation *out)
{
	expect_nothing(out);
	if (!is_online(truth) || !is_counted(truth))
		return;
	if (!truth->facts)
		out->value = 1;		/* see grain_kpagecount() */
	else if (counted_by_page(env))
		out->value = truth->facts->counts >> 32;
	else
		out->value = average(truth->facts);
}

enum source_grain grain_kpagecgroup(const struct env *env,
				    const struct page_truth *truth)
{
	return grain_present(truth, page_flags(truth) & PTWALK_FLAG_LARGE ?
			     SOURCE_FACTS : SOURCE_RUN);
}

/*
 * Where the module doesn't tell whom a page is charged to: anonymous memory is
 * to somebody, the zero pages and what is no memory to nobody; hugetlb and file pages
 * need not be.
 */
void expect_kpagecgroup(const struct env *env, const struct page_truth *truth,
			struct expectation *out)
{
	uint32_t flags = page_flags(truth);

	expect_nothing(out);
	if (!is_online(truth) || !is_counted(truth))
		return;
	if (truth->facts && truth->has_cgroup) {
		out->value = truth->cgroup & KPAGE_INODE_MASK;
		out->value |= truth->cgroup ? KPAGE_CHARGED : 0;
		return;
	}
	/* Whomever it is charged to, the file may not end before it. */
	out->mask = KPAGE_CGROUP_ENDS;
	/* See the rule kpagecgroup-tail: of a folio's other pages it takes facts. */
	if (!truth->facts && (flags & PTWALK_FLAG_LARGE) &&
	    kernel_version(env->kernel) < KERNEL(6, 4))
		return;
	if ((flags & PTWALK_FLAG_ANON) && !(flags & PTWALK_FLAG_HUGETLB) &&
	    env->memcg) {
		out->value = KPAGE_CHARGED;
		out->mask |= KPAGE_CHARGED;
	}
}
