// SPDX-License-Identifier: GPL-2.0
/* Huge leaves counted, and for each window without one the reason. */
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "base/parse.h"
#include "huge/count.h"
#include "module/version.h"

#define NO_REASON	NR_HUGE_REASONS

static uint64_t window_pages(const struct ptwalk_kernel *kernel)
{
	return 1ULL << (huge_shift(kernel) - kernel->page_shift);
}

/* What the memory is, which no setting and no other place would change. */
static enum huge_reason nature_reason(const struct huge_facts *f,
				      const struct ptwalk_vma *vma)
{
	const uint64_t special = PTWALK_VMA_FLAG_PFNMAP |
				 PTWALK_VMA_FLAG_MIXEDMAP | PTWALK_VMA_FLAG_IO |
				 PTWALK_VMA_FLAG_DONTEXPAND;

	if (vma->flags & PTWALK_VMA_FLAG_HUGETLB)
		return HUGE_HUGETLB;
	if (!(f->kernel->features & PTWALK_FEATURE_THP) || f->settings->absent)
		return HUGE_NO_THP;
	return vma->flags & special ? HUGE_SPECIAL : NO_REASON;
}

static bool is_anon(const struct ptwalk_vma *vma)
{
	return vma->flags & PTWALK_VMA_FLAG_ANONYMOUS;
}

static bool is_shmem(const struct ptwalk_vma *vma)
{
	return vma->flags & PTWALK_VMA_FLAG_SHMEM;
}

/* Of shared memory, the setting or the mount decides; THP_UNKNOWN: not known here. */
static enum thp_mode mode_of(const struct huge_facts *f, const struct ptwalk_vma *vma)
{
	if (is_shmem(vma))
		return tmpfs_mode(f->tmpfs, f->settings, vma->dev_major,
				  vma->dev_minor);
	return is_anon(vma) ? f->settings->anon : f->settings->files;
}

/* What somebody has said: the administrator first, then the process, of this VMA last. */
static enum huge_reason setting_reason(const struct huge_facts *f,
				       const struct ptwalk_vma *vma)
{
	const bool advised = vma->flags & PTWALK_VMA_FLAG_HUGEPAGE;
	const enum thp_mode mode = mode_of(f, vma);

	if (mode == THP_NEVER || mode == THP_DENY)
		return is_shmem(vma) ? HUGE_SHMEM : HUGE_NEVER;
	if (f->process->disabled)
		return HUGE_PRCTL;
	if (vma->flags & PTWALK_VMA_FLAG_NOHUGEPAGE)
		return HUGE_NOHUGEPAGE;
	if ((mode == THP_MADVISE || mode == THP_ADVISE) && !advised)
		return is_shmem(vma) ? HUGE_SHMEM : HUGE_MADVISE;
	return NO_REASON;
}

/*
 * Where the VMA lies, as far as that holds for all of its windows; and if that is
 * right, what else has smaps say that there can be none.
 */
static enum huge_reason place_reason(const struct huge_facts *f,
				     const struct ptwalk_vma *vma)
{
	const uint64_t mask = window_pages(f->kernel) - 1;

	if (!is_anon(vma) &&
	    ((vma->start >> f->kernel->page_shift) - vma->pgoff) & mask)
		return HUGE_FILE_OFFSET;
	if (!thp_process_refuses(f->process, vma->start))
		return NO_REASON;
	/* Of anonymous memory, PR_THP_DISABLE_EXCEPT_ADVISED is in no file. */
	return is_anon(vma) ? HUGE_PRCTL : is_shmem(vma) ? HUGE_SHMEM : HUGE_FILE;
}

static bool is_too_small(const struct huge_counter *c)
{
	return c->vma.last - c->vma.start < (1ULL << huge_shift(c->facts.kernel)) - 1;
}

static bool window_fits(const struct huge_counter *c, const struct huge_window *w)
{
	const uint64_t size = 1ULL << huge_shift(c->facts.kernel);

	return w->base >= c->vma.start && w->base + (size - 1) <= c->vma.last;
}

/* What khugepaged would do with a window of which nothing hinders it. */
static enum huge_reason scan_reason(const struct huge_counter *c,
				    const struct huge_window *w)
{
	const bool writable_only =
		kernel_version(c->facts.kernel) < KERNEL(6, 18);

	if (!(c->vma.flags & PTWALK_VMA_FLAG_ANONYMOUS)) {
		/* The rest is decided by the page cache, not by the entries. */
		if (w->copies)
			return HUGE_COPIES;
		return w->small && !w->parted ? HUGE_PTE_MAPPED : HUGE_NOT_YET;
	}
	if (w->why != NO_REASON)
		return w->why;
	if (writable_only && !w->writable)
		return HUGE_READ_ONLY;
	if (!w->young || (w->absent && w->young < c->pages / 2))
		return HUGE_IDLE;
	return HUGE_NOT_YET;
}

static enum huge_reason window_reason(const struct huge_counter *c,
				      const struct huge_window *w)
{
	if (w->empty == c->pages)
		return HUGE_EMPTY;
	if (c->nature != NO_REASON)
		return c->nature;
	if (is_too_small(c))
		return HUGE_TOO_SMALL;
	if (c->setting != NO_REASON)
		return c->setting;
	if (!window_fits(c, w))
		return HUGE_EDGE;
	if (c->place != NO_REASON)
		return c->place;
	return w->seen < c->pages ? HUGE_PARTIAL : scan_reason(c, w);
}

/* Ends a window, and those behind it that are like it: @times in all. */
static void close_window(struct huge_counter *c, uint64_t times)
{
	struct huge_window *w = &c->window;
	const bool whole = w->seen == c->pages && window_fits(c, w);
	enum huge_reason why;

	if (whole)
		c->sum.windows += times;
	if (whole && w->leaves == c->pages) {
		c->sum.huge += times;
	} else if (whole || w->small) {
		why = window_reason(c, w);
		c->sum.why[why].windows += whole ? times : 0;
		c->sum.why[why].pages += w->small * times;
	}
	w->seen = 0;
}

static void open_window(struct huge_counter *c, uint64_t base)
{
	c->window = (struct huge_window){ .base = base, .why = NO_REASON };
}

unsigned int huge_leaf_shift(const struct ptwalk_kernel *k,
			     const struct ptwalk_vma *vma, uint64_t bits)
{
	unsigned int level = ptwalk_bits_level(bits);
	unsigned int shift = level < PTWALK_LEVELS ? k->level_shift[level] : 0;

	if (vma->flags & PTWALK_VMA_FLAG_HUGETLB && vma->page_shift > shift)
		shift = vma->page_shift;
	return shift < HUGE_SHIFTS ? shift : HUGE_SHIFTS - 1;
}

static unsigned int leaf_shift(const struct huge_counter *c, uint64_t bits)
{
	return huge_leaf_shift(c->facts.kernel, &c->vma, bits);
}

static bool page_is_shared(const struct huge_counter *c, uint32_t flags)
{
	if (!(flags & PTWALK_FLAG_PAGE))
		return false;
	if (c->facts.kernel->features & PTWALK_FEATURE_PAGE_MAPCOUNT)
		return !(flags & PTWALK_FLAG_EXCLUSIVE);
	return flags & PTWALK_FLAG_MAYBE_SHARED;
}

/* Before it looks, khugepaged has all pages put onto the LRU lists. */
static bool has_more_references(const struct ptwalk_page *page)
{
	uint64_t expected = page->folio_counts & UINT32_MAX;

	if (!(page->flags & PTWALK_PAGE_FLAG_LRU))
		return false;
	if (page->flags & PTWALK_PAGE_FLAG_SWAPCACHE)
		expected += 1ULL << (ptwalk_page_order(page) % HUGE_SHIFTS);
	return (page->counts & UINT32_MAX) > expected;
}

/* What is met at these entries, after those before them in the window. */
static enum huge_reason meets(const struct huge_counter *c, const struct huge_window *w,
			      uint32_t kind, uint32_t flags,
			      const struct ptwalk_page *page)
{
	const uint64_t armed = PTWALK_VMA_FLAG_UFFD_MISSING |
			       PTWALK_VMA_FLAG_UFFD_WP |
			       PTWALK_VMA_FLAG_UFFD_MINOR |
			       PTWALK_VMA_FLAG_UFFD_RWP;
	const struct thp_settings *s = c->facts.settings;
	const bool none = kind == PTWALK_KIND_NONE || flags & PTWALK_FLAG_ZERO;

	if (none && c->vma.flags & armed)
		return HUGE_USERFAULTFD;
	if (w->none > s->max_none)
		return HUGE_MAX_NONE;
	if (w->absent > s->max_swap)
		return HUGE_MAX_SWAP;
	if (flags & PTWALK_FLAG_UFFD_WP)
		return HUGE_USERFAULTFD;
	if (none || kind != PTWALK_KIND_PRESENT)
		return NO_REASON;
	if (!(flags & PTWALK_FLAG_PAGE))
		return HUGE_NO_PAGE;
	if (!(flags & PTWALK_FLAG_ANON))
		return HUGE_NOT_ANON;
	if (w->shared > s->max_shared)
		return HUGE_MAX_SHARED;
	return has_more_references(page) ? HUGE_PINNED : NO_REASON;
}

/* Takes @pages of @extent into the window. */
static void take_into_window(struct huge_counter *c, const struct ptwalk_extent *extent,
			     const struct ptwalk_page *page, uint64_t pages)
{
	const unsigned int huge = huge_shift(c->facts.kernel);
	const uint32_t kind = ptwalk_bits_kind(extent->bits);
	const uint32_t flags = ptwalk_bits_flags(extent->bits);
	struct huge_window *w = &c->window;

	w->seen += pages;
	if (kind == PTWALK_KIND_NONE) {
		w->none += pages;
		w->empty += pages;
	} else if (leaf_shift(c, extent->bits) >= huge) {
		w->leaves += pages;
		return;
	} else if (kind != PTWALK_KIND_PRESENT) {
		w->absent += pages;
	} else {
		w->small += pages;
		w->none += flags & PTWALK_FLAG_ZERO ? pages : 0;
		w->shared += page_is_shared(c, flags) ? pages : 0;
		if (flags & PTWALK_FLAG_YOUNG ||
		    page->flags & PTWALK_PAGE_FLAG_REFERENCED)
			w->young += pages;
		w->writable |= flags & PTWALK_FLAG_WRITE;
		w->copies |= flags & PTWALK_FLAG_ANON;
		w->parted |= ptwalk_page_order(page) +
			     c->facts.kernel->page_shift < huge;
	}
	if (w->why == NO_REASON)
		w->why = meets(c, w, kind, flags, page);
}

/* Blocks that are as large as both addresses and what is left allow. */
static void end_frame_row(struct huge_counter *c)
{
	const unsigned int page_shift = c->facts.kernel->page_shift;
	uint64_t page = c->row.addr >> page_shift, frame = c->row.pfn;
	uint64_t left = c->row.pages, block;

	for (; left; left -= block, page += block, frame += block) {
		block = (page | frame) & -(page | frame);
		if (!block || block > left)
			block = 1ULL << (63 - __builtin_clzll(left));
		c->sum.aligned[(page_shift + __builtin_ctzll(block)) % HUGE_SHIFTS] +=
			block;
	}
	c->row.pages = 0;
}

/* Extents that differ in a flag alone are one row. */
static void add_to_row(struct huge_counter *c, const struct ptwalk_extent *extent)
{
	const struct contiguous *row = &c->row;

	if (row->addr + (row->pages << c->facts.kernel->page_shift) != extent->addr ||
	    row->pfn + row->pages != extent->value)
		end_frame_row(c);
	if (!row->pages)
		c->row = (struct contiguous){ extent->addr, extent->value, 0 };
	c->row.pages += extent->pages;
}

/* What is counted without regard to windows. */
static void tally_extent(struct huge_counter *c, const struct ptwalk_extent *extent,
			 const struct ptwalk_page *page)
{
	struct huge_sum *sum = &c->sum;

	if (!ptwalk_bits_present(extent->bits))
		return;
	sum->present += extent->pages;
	sum->leaf[leaf_shift(c, extent->bits)] += extent->pages;
	add_to_row(c, extent);
	if (ptwalk_bits_flags(extent->bits) & PTWALK_FLAG_PAGE)
		sum->order[ptwalk_page_order(page) % HUGE_SHIFTS] +=
			extent->pages;
	else
		sum->no_folio += extent->pages;
}

static void take_huge_extent(struct huge_counter *c, const struct ptwalk_extent *extent,
			     const struct ptwalk_page *page)
{
	const unsigned int page_shift = c->facts.kernel->page_shift;
	uint64_t addr = extent->addr, left = extent->pages, base, part, times;

	tally_extent(c, extent, page);
	for (; left; left -= part * times, addr += part * times << page_shift) {
		base = addr >> huge_shift(c->facts.kernel)
			    << huge_shift(c->facts.kernel);
		if (c->window.seen && c->window.base != base)
			close_window(c, 1);
		if (!c->window.seen)
			open_window(c, base);
		part = c->pages - ((addr - base) >> page_shift);
		part = part < left ? part : left;
		times = 1;
		take_into_window(c, extent, page, part);
		if (part == c->pages) {
			/* All that it fills are alike. */
			times = left / part;
			close_window(c, times);
		}
	}
}

void huge_begin(struct huge_counter *c, const struct huge_facts *facts,
		const struct ptwalk_vma *vma)
{
	*c = (struct huge_counter){
		.facts = *facts, .vma = *vma,
		.pages = window_pages(facts->kernel),
		.nature = nature_reason(facts, vma),
		.setting = setting_reason(facts, vma),
		.place = place_reason(facts, vma),
	};
}

void huge_take(struct huge_counter *c, const struct ptwalk_extent *extents,
	       const struct ptwalk_page *pages, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		take_huge_extent(c, &extents[i], &pages[i]);
}

void huge_end(struct huge_counter *c)
{
	if (c->window.seen)
		close_window(c, 1);
	end_frame_row(c);
}

void huge_add(struct huge_sum *sum, const struct huge_sum *other)
{
	sum->present += other->present;
	sum->no_folio += other->no_folio;
	sum->windows += other->windows;
	sum->huge += other->huge;
	for (unsigned int i = 0; i < HUGE_SHIFTS; i++) {
		sum->leaf[i] += other->leaf[i];
		sum->order[i] += other->order[i];
		sum->aligned[i] += other->aligned[i];
	}
	for (unsigned int i = 0; i < NR_HUGE_REASONS; i++) {
		sum->why[i].windows += other->why[i].windows;
		sum->why[i].pages += other->why[i].pages;
	}
}

uint64_t huge_at_least(const struct huge_sum *sum, uint64_t size)
{
	uint64_t pages = 0;

	for (unsigned int i = 0; i < HUGE_SHIFTS; i++)
		if (1ULL << i >= size)
			pages += sum->leaf[i];
	return pages;
}

const char *huge_goal_parse(const char *s, struct huge_goal *goal)
{
	static const char usage[] =
		"give a percentage of 1 to 100 and a size, such as '95% 2M'";
	const size_t len = strcspn(s, "%");
	uint64_t percent, size;
	char digits[4];

	if (!s[len] || len >= sizeof(digits))
		return usage;
	memcpy(digits, s, len);
	digits[len] = '\0';
	s += len + 1;
	s += strspn(s, " ");
	if (parse_decimal(digits, 100, &percent) || !percent ||
	    parse_size(s, &size) || !size)
		return usage;
	*goal = (struct huge_goal){ percent, size };
	return NULL;
}

const char *huge_goal_beyond(const struct huge_goal *goal,
			     const struct ptwalk_kernel *kernel, uint64_t hugetlb)
{
	static const unsigned int levels[] = {
		PTWALK_LEVEL_PTE, PTWALK_LEVEL_PMD, PTWALK_LEVEL_PUD,
	};
	const char *separator = "no leaf has that size here: give ";
	char size[FORMAT_SIZE];
	static char text[256];
	uint64_t sizes = hugetlb;
	size_t at = 0;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (kernel->levels & 1U << levels[i])
			sizes |= 1ULL << kernel->level_shift[levels[i]];
	if (goal->size & sizes && !(goal->size & (goal->size - 1)))
		return NULL;
	for (; sizes && at < sizeof(text); sizes &= sizes - 1) {
		at += snprintf(text + at, sizeof(text) - at, "%s%s", separator,
			       format_size(sizes & -sizes, size));
		/* The last but one is followed by the last. */
		separator = (sizes & (sizes - 1)) & ((sizes & (sizes - 1)) - 1) ?
			    ", " : " or ";
	}
	return text;
}

bool huge_goal_met(const struct huge_goal *goal, const struct huge_sum *sum)
{
	const uint64_t found = huge_at_least(sum, goal->size);

	return sum->present && found * 100 >= sum->present * goal->percent;
}
