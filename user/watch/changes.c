// SPDX-License-Identifier: GPL-2.0
/* Two readings of a process's page tables, side by side. */
#include "watch/changes.h"
#include "watch/remapped.h"

static const char *const change_names[] = {
	[CHANGE_MAPPED] = "mapped",
	[CHANGE_UNMAPPED] = "unmapped",
	[CHANGE_REMAPPED] = "remapped",
	[CHANGE_REPLACED] = "replaced",
	[CHANGE_MOVED] = "moved",
	[CHANGE_COPIED] = "copied",
	[CHANGE_SWAPPED_OUT] = "swapped-out",
	[CHANGE_SWAPPED_IN] = "swapped-in",
	[CHANGE_MIGRATING] = "migrating",
	[CHANGE_POISONED] = "poisoned",
	[CHANGE_SPLIT] = "split",
	[CHANGE_COLLAPSED] = "collapsed",
	[CHANGE_WRITTEN] = "written",
	[CHANGE_CLEANED] = "cleaned",
	[CHANGE_SOFT_DIRTY] = "soft-dirty",
	[CHANGE_SOFT_CLEAN] = "soft-clean",
	[CHANGE_UFFD_WP] = "uffd-wp",
	[CHANGE_UFFD_UNWP] = "uffd-unwp",
	[CHANGE_ALLOWED] = "allowed",
	[CHANGE_DENIED] = "denied",
	[CHANGE_RETYPED] = "retyped",
	[CHANGE_SHARED] = "shared",
	[CHANGE_EXCLUSIVE] = "exclusive",
	[CHANGE_YOUNG] = "young",
	[CHANGE_OLD] = "old",
};

const struct names names_change = { change_names, NR_CHANGES };

static bool holds_page(uint32_t kind)
{
	switch (kind) {
	case PTWALK_KIND_NONE:
	case PTWALK_KIND_NO_VMA:
	case PTWALK_KIND_MARKER:
		return false;
	}
	return true;
}

/* What a flag that was set or cleared means. */
static uint32_t of_flag(uint32_t before, uint32_t after, uint32_t flag,
			enum change_kind set, enum change_kind cleared)
{
	if (!((before ^ after) & flag))
		return 0;
	return 1U << (after & flag ? set : cleared);
}

static uint32_t of_access(uint32_t before, uint32_t after)
{
	const uint32_t rights = PTWALK_FLAG_WRITE | PTWALK_FLAG_EXEC;
	uint32_t what = 0;

	/* A NUMA hint takes the rights away for a while only. */
	if ((before | after) & PTWALK_FLAG_NUMA_HINT)
		return 0;
	if (after & ~before & rights || before & ~after & PTWALK_FLAG_PROT_NONE)
		what |= 1U << CHANGE_ALLOWED;
	if (before & ~after & rights || after & ~before & PTWALK_FLAG_PROT_NONE)
		what |= 1U << CHANGE_DENIED;
	return what;
}

/* A page that was present and is, in another frame. */
static enum change_kind of_frame(uint32_t before, uint32_t after)
{
	const uint32_t written = PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_DIRTY;

	if (!(after & PTWALK_FLAG_ANON))
		return CHANGE_MOVED;
	if (!(before & PTWALK_FLAG_ANON))
		return CHANGE_COPIED;
	/* Migration and khugepaged move pages of several processes, too. */
	return !(before & PTWALK_FLAG_EXCLUSIVE) &&
	       (after & written) == written ? CHANGE_COPIED : CHANGE_MOVED;
}

static uint32_t of_present(const struct change_side *before,
			   const struct change_side *after)
{
	uint32_t from = ptwalk_bits_level(before->bits);
	uint32_t to = ptwalk_bits_level(after->bits);
	uint32_t b = ptwalk_bits_flags(before->bits);
	uint32_t a = ptwalk_bits_flags(after->bits);
	uint32_t what = of_access(b, a);

	if (before->value != after->value)
		what |= 1U << of_frame(b, a);
	if (from != to)
		what |= 1U << (to < from ? CHANGE_SPLIT : CHANGE_COLLAPSED);
	if (ptwalk_bits_aux(before->bits) != ptwalk_bits_aux(after->bits))
		what |= 1U << CHANGE_RETYPED;
	what |= of_flag(b, a, PTWALK_FLAG_DIRTY, CHANGE_WRITTEN,
			CHANGE_CLEANED);
	what |= of_flag(b, a, PTWALK_FLAG_YOUNG, CHANGE_YOUNG, CHANGE_OLD);
	if (b & a & PTWALK_FLAG_PAGE)
		what |= of_flag(b, a, PTWALK_FLAG_EXCLUSIVE, CHANGE_EXCLUSIVE,
				CHANGE_SHARED);
	return what;
}

/* The kind of the entry changed, or what isn't present has another value. */
static uint32_t kind_changes(const struct change_side *before,
			     const struct change_side *after)
{
	uint32_t b = ptwalk_bits_kind(before->bits);
	uint32_t a = ptwalk_bits_kind(after->bits);
	uint32_t what = 0;

	if (b == PTWALK_KIND_SWAP && a != b)
		what |= 1U << CHANGE_SWAPPED_IN;
	/* No fault makes a leaf of a higher level of it. */
	if (a == PTWALK_KIND_PRESENT &&
	    ptwalk_bits_level(after->bits) > ptwalk_bits_level(before->bits))
		what |= 1U << CHANGE_COLLAPSED;
	switch (a) {
	case PTWALK_KIND_SWAP:
		if (a != b || before->value != after->value ||
		    ptwalk_bits_aux(before->bits) != ptwalk_bits_aux(after->bits))
			what |= 1U << CHANGE_SWAPPED_OUT;
		break;
	case PTWALK_KIND_MIGRATION:
		if (a != b)
			what |= 1U << CHANGE_MIGRATING;
		break;
	case PTWALK_KIND_HWPOISON:
		if (a != b)
			what |= 1U << CHANGE_POISONED;
		break;
	}
	/* A migration entry has the frame from which, then that to which. */
	if ((b == PTWALK_KIND_MIGRATION || a == PTWALK_KIND_MIGRATION) &&
	    b != PTWALK_KIND_SWAP && a != PTWALK_KIND_SWAP &&
	    before->value != after->value)
		what |= 1U << CHANGE_MOVED;
	return what;
}

static uint32_t what_changed(const struct change_side *before,
			     const struct change_side *after)
{
	uint32_t b = ptwalk_bits_kind(before->bits);
	uint32_t a = ptwalk_bits_kind(after->bits);
	uint32_t from = ptwalk_bits_flags(before->bits);
	uint32_t to = ptwalk_bits_flags(after->bits);
	uint32_t what;

	if (!holds_page(b) && !holds_page(a))
		return 0;
	if (!holds_page(b))
		return 1U << CHANGE_MAPPED;
	if (!holds_page(a))
		return 1U << CHANGE_UNMAPPED;
	what = b == PTWALK_KIND_PRESENT && a == b ? of_present(before, after) :
						    kind_changes(before, after);
	what |= of_flag(from, to, PTWALK_FLAG_SOFT_DIRTY, CHANGE_SOFT_DIRTY,
			CHANGE_SOFT_CLEAN);
	what |= of_flag(from, to, PTWALK_FLAG_UFFD_WP, CHANGE_UFFD_WP,
			CHANGE_UFFD_UNWP);
	return what;
}

/**
 * struct reading - one of the two, and where it is read
 * @truth: It.
 * @extent: The first one that doesn't end before the address.
 * @vma: Likewise.
 */
struct reading {
	const struct truth *truth;
	size_t extent, vma;
};

static const struct ptwalk_extent *extent_of(const struct reading *r)
{
	return r->extent < r->truth->nr_extents ?
	       &r->truth->extents[r->extent] : NULL;
}

static uint64_t last_in_extent(const struct ptwalk_extent *e, unsigned int page_shift)
{
	return e->addr + ((e->pages - 1) << page_shift | ((1ULL << page_shift) - 1));
}

/* What is at @addr; *@last is lowered to where that ends. */
static struct change_side side_at(struct reading *r, unsigned int page_shift,
				  uint64_t addr, uint64_t *last)
{
	const struct ptwalk_extent *e = extent_of(r);
	struct change_side side = {
		.bits = ptwalk_bits(PTWALK_KIND_NO_VMA, 0, 0, 0),
	};

	if (!e)
		return side;
	if (e->addr > addr) {
		if (*last >= e->addr)
			*last = e->addr - 1;
		return side;
	}
	if (*last > last_in_extent(e, page_shift))
		*last = last_in_extent(e, page_shift);
	while (r->truth->vmas[r->vma].last < addr)
		r->vma++;
	side.vma = &r->truth->vmas[r->vma];
	side.bits = e->bits;
	side.value = e->value;
	if (ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
		side.value += (addr - e->addr) >> page_shift;
	return side;
}

static void pass_extent(struct reading *r, unsigned int page_shift, uint64_t last)
{
	const struct ptwalk_extent *e = extent_of(r);

	if (e && last_in_extent(e, page_shift) <= last)
		r->extent++;
}

static bool continues(const struct change *latest, const struct change *next,
		      unsigned int page_shift)
{
	const uint64_t bytes = latest->pages << page_shift;

	return latest->pages && latest->what == next->what &&
	       latest->addr + bytes == next->addr &&
	       (!(next->what & 1U << CHANGE_REMAPPED) ||
		latest->other + bytes == next->other) &&
	       latest->before.vma == next->before.vma &&
	       latest->after.vma == next->after.vma;
}

static int tell_if_changed(const struct change *change,
			   int (*each)(const struct change *change, void *arg), void *arg)
{
	return change->pages && change->what ? each(change, arg) : 0;
}

/**
 * struct window - the addresses of a leaf of a higher level than PTE
 * @start: First address; @last the last one. All zero: none.
 * @had_pages: There were smaller pages in it before, or what stood for some.
 */
struct window {
	uint64_t start, last;
	bool had_pages;
};

/**
 * struct comparison - two readings that are gone through side by side
 * @places: Whether it is known where in its file, or the like, a page belongs.
 * @at: Address up to which that was done.
 * @window: The latest that was looked at.
 * @gone: What has gone from where it was, if that is looked for elsewhere.
 * @come: What has come there.
 */
struct comparison {
	const struct ptwalk_kernel *kernel;
	unsigned int page_shift;
	bool places;
	struct reading from, to;
	uint64_t at;
	struct window window;
	struct remapped gone, come;
};

static void begin_comparison(struct comparison *c, const struct truth *before,
			     const struct truth *after)
{
	c->from = (struct reading){ .truth = before };
	c->to = (struct reading){ .truth = after };
	c->at = 0;
	c->window = (struct window){ 0 };
}

/* Not so of what mprotect(), for one, has made of a VMA. */
static bool belong_elsewhere(unsigned int page_shift, const struct ptwalk_vma *a,
			     const struct ptwalk_vma *b)
{
	return a->inode != b->inode || a->dev_major != b->dev_major ||
	       a->dev_minor != b->dev_minor ||
	       a->pgoff - (a->start >> page_shift) != b->pgoff - (b->start >> page_shift);
}

static bool had_pages(const struct comparison *c, uint64_t start, uint64_t last)
{
	const struct truth *t = c->from.truth;
	size_t low = 0, high = t->nr_extents, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (last_in_extent(&t->extents[mid], c->page_shift) < start)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < t->nr_extents && t->extents[low].addr <= last; low++)
		if (holds_page(ptwalk_bits_kind(t->extents[low].bits)))
			return true;
	return false;
}

/*
 * Where nothing was and a leaf of a higher level maps pages now, it may be that a
 * fault has made it, in one go, or that it was made of smaller pages around, with
 * zeros for what was missing. *@last is lowered to the end of the leaf.
 */
static bool is_filled_up(struct comparison *c, const struct change *pages,
			 uint64_t *last)
{
	const unsigned int level = ptwalk_bits_level(pages->after.bits);
	uint64_t mask;

	if (ptwalk_bits_kind(pages->before.bits) != PTWALK_KIND_NONE ||
	    !ptwalk_bits_present(pages->after.bits) ||
	    level == PTWALK_LEVEL_PTE || level >= PTWALK_LEVELS ||
	    pages->after.vma->flags & PTWALK_VMA_FLAG_HUGETLB)
		return false;
	mask = (1ULL << c->kernel->level_shift[level]) - 1;
	if (*last > (pages->addr | mask))
		*last = pages->addr | mask;
	if (c->window.start != (pages->addr & ~mask) || c->window.last != (pages->addr | mask))
		c->window = (struct window){
			pages->addr & ~mask, pages->addr | mask,
			had_pages(c, pages->addr & ~mask, pages->addr | mask),
		};
	return c->window.had_pages;
}

static uint32_t what_at(const struct comparison *c, const struct change *pages)
{
	if (c->places && holds_page(ptwalk_bits_kind(pages->before.bits)) &&
	    holds_page(ptwalk_bits_kind(pages->after.bits)) &&
	    belong_elsewhere(c->page_shift, pages->before.vma, pages->after.vma))
		return 1U << CHANGE_REPLACED;
	return what_changed(&pages->before, &pages->after);
}

/* Pages of which in both readings the entries are alike, changed or not. */
static bool next_pages(struct comparison *c, struct change *next)
{
	const struct ptwalk_extent *from = extent_of(&c->from), *to = extent_of(&c->to);
	uint64_t last = UINT64_MAX;

	if (!from && !to)
		return false;
	next->addr = from && (!to || from->addr < to->addr) ? from->addr : to->addr;
	if (next->addr < c->at)
		next->addr = c->at;
	next->before = side_at(&c->from, c->page_shift, next->addr, &last);
	next->after = side_at(&c->to, c->page_shift, next->addr, &last);
	if (is_filled_up(c, next, &last))
		next->what = 1U << CHANGE_COLLAPSED;
	else
		next->what = what_at(c, next);
	next->pages = ((last - next->addr) >> c->page_shift) + 1;
	pass_extent(&c->from, c->page_shift, last);
	pass_extent(&c->to, c->page_shift, last);
	c->at = last + 1;
	return true;
}

bool change_is_away(const struct change *change)
{
	return !holds_page(ptwalk_bits_kind(change->after.bits));
}

#define GONE	(1U << CHANGE_UNMAPPED | 1U << CHANGE_REPLACED)
#define COME	(1U << CHANGE_MAPPED | 1U << CHANGE_REPLACED)

static int find_elsewhere(struct comparison *c)
{
	struct change next;
	int err = 0;

	while (!err && next_pages(c, &next)) {
		if (next.what & GONE)
			err = remapped_add(&c->gone, c->page_shift, next.addr,
					   next.pages, &next.before);
		if (!err && next.what & COME)
			err = remapped_add(&c->come, c->page_shift, next.addr,
					   next.pages, &next.after);
	}
	remapped_sort(&c->gone);
	remapped_sort(&c->come);
	return err;
}

static void skip(struct change_side *side, uint64_t pages)
{
	if (ptwalk_kind_ascends(ptwalk_bits_kind(side->bits)))
		side->value += pages;
}

/* What has happened to a page of @before on its way to @after, in the same frame. */
static uint32_t what_on_the_way(const struct change_side *before,
				const struct change_side *after)
{
	struct change_side page = *before;

	page.value = after->value;
	return what_changed(&page, after);
}

/* Takes off @rest the first pages that went the same way. */
static struct change split_change(const struct comparison *c, struct change *rest)
{
	const struct remapped_piece *found;
	struct change part = *rest;

	if (part.what & 1U << CHANGE_UNMAPPED &&
	    remapped_find(&c->come, c->page_shift, part.addr, &part.before,
			  &part.other, &part.pages))
		part.what = 1U << CHANGE_REMAPPED;
	if (part.what & COME) {
		found = remapped_find(&c->gone, c->page_shift, part.addr, &part.after,
				      &part.other, &part.pages);
		if (found)
			part.what = (part.what & 1U << CHANGE_REPLACED) |
				    1U << CHANGE_REMAPPED |
				    what_on_the_way(&found->side, &part.after);
	}
	rest->addr += part.pages << c->page_shift;
	rest->pages -= part.pages;
	skip(&rest->before, part.pages);
	skip(&rest->after, part.pages);
	return part;
}

int changes_between(const struct ptwalk_kernel *kernel, const struct truth *before,
		    const struct truth *after, uint32_t kinds,
		    int (*each)(const struct change *change, void *arg),
		    void *arg)
{
	struct comparison c = {
		.kernel = kernel, .page_shift = kernel->page_shift,
		.places = kinds & CHANGES_PLACES,
	};
	struct change latest = { 0 }, rest, next;
	int stop = 0;

	begin_comparison(&c, before, after);
	if (c.places)
		stop = find_elsewhere(&c);
	begin_comparison(&c, before, after);
	while (!stop && next_pages(&c, &rest)) {
		while (!stop && rest.pages) {
			next = split_change(&c, &rest);
			next.what &= kinds;
			if (continues(&latest, &next, kernel->page_shift)) {
				latest.pages += next.pages;
				continue;
			}
			stop = tell_if_changed(&latest, each, arg);
			latest = next;
		}
	}
	remapped_free(&c.gone);
	remapped_free(&c.come);
	return stop ? stop : tell_if_changed(&latest, each, arg);
}
