// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "laws.h"
#include "laws_selfcheck.h"
#include "system.h"

/**
 * struct spoilt - a change that must be noticed
 * @law: The law that it breaks.
 * @spoil: Makes it, of a page that was the same before and after.
 * @excuse: What an operation that does this must be allowed, or 0.
 * @stale: On the disk the file has other contents.
 */
struct spoilt {
	const char *law;
	void (*spoil)(struct look_page *before, struct look_page *after,
		      struct look_page *other);
	u32 excuse;
	bool stale;
};

#define SPOIL(name)	static void name(struct look_page *before,		\
					 struct look_page *after,		\
					 struct look_page *other)
#define BITS(kind, flags)	ptwalk_bits(PTWALK_KIND_##kind, 0, 0, flags)
#define BIT(name)		BITS(NONE, PTWALK_FLAG_##name)

SPOIL(change_a_byte) { after->sum++; }
SPOIL(forbid_reading) { after->read = false; }
SPOIL(clear_contents) { after->sum = look_sum_of_zeros(sysconf(_SC_PAGESIZE)); }
SPOIL(clean_entry) { after->bits &= ~BIT(DIRTY); }
SPOIL(clear_soft_dirty) { after->bits &= ~BIT(SOFT_DIRTY); }
SPOIL(clear_vma) { after->vma &= ~PTWALK_VMA_FLAG_SOFTDIRTY; }
SPOIL(leave_writable)
{
	clear_soft_dirty(before, after, other);
	clear_vma(before, after, other);
}

SPOIL(protect) { after->bits = (after->bits | BIT(UFFD_WP)) & ~BIT(WRITE); }
SPOIL(forbid_writing) { after->vma &= ~PTWALK_VMA_FLAG_WRITE; }
SPOIL(allow_execution) { after->bits |= BIT(EXEC); }
SPOIL(change_type) { after->bits |= 1ULL << PTWALK_BITS_AUX_SHIFT; }
SPOIL(change_key) { after->bits |= 1ULL << PTWALK_BITS_PKEY_SHIFT; }
SPOIL(share) { after->bits &= ~BIT(EXCLUSIVE); }
SPOIL(stay_exclusive) { after->protected_bits = after->bits & ~BIT(EXCLUSIVE); }
SPOIL(move) { after->value++; }
SPOIL(unmap) { after->bits = BITS(NO_VMA, 0); }

SPOIL(clean_folio)
{
	before->bits &= ~BIT(DIRTY);
	before->page.flags |= PTWALK_PAGE_FLAG_DIRTY;
	after->bits = before->bits;
}

SPOIL(drop_clean)
{
	before->bits &= ~BIT(ANON);
	*after = *before;
	after->bits = BITS(NONE, 0);
	after->value = 0;
	after->touched_bits = BITS(PRESENT, 0);
}

SPOIL(free_lazily)
{
	after->bits &= ~BIT(DIRTY);
	after->page.flags &= ~PTWALK_PAGE_FLAG_SWAPBACKED;
}

SPOIL(leave_to_a_clean_other)
{
	after->bits &= ~BIT(DIRTY);
	*other = *after;
}

SPOIL(lose_advice) { after->vma ^= PTWALK_VMA_FLAG_NOHUGEPAGE; }

SPOIL(stay_merged)
{
	before->bits = (before->bits | BIT(KSM)) & ~BIT(WRITE);
	*after = *before;
}

SPOIL(unprotect)
{
	before->bits = (before->bits | BIT(UFFD_WP)) & ~BIT(WRITE);
	after->bits = before->bits & ~BIT(UFFD_WP);
}

SPOIL(leave_protected)
{
	before->bits &= ~BIT(WRITE);
	before->vma &= ~PTWALK_VMA_FLAG_UFFD_WP;
	*after = *before;
	after->bits |= BIT(UFFD_WP);
}

SPOIL(pass_over_hole)
{
	before->bits = BITS(NONE, 0);
	before->value = 0;
	*after = *before;
}

SPOIL(write_protected)
{
	before->bits |= BIT(UFFD_WP);
	after->bits |= BIT(UFFD_WP);
}

SPOIL(write_to_zeros)
{
	before->bits = BITS(PRESENT, PTWALK_FLAG_ZERO);
	after->bits = before->bits | BIT(WRITE);
}

SPOIL(open_to_reading)
{
	after->vma &= ~(PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE);
	after->bits &= ~BIT(WRITE);
}

SPOIL(discard_shared)
{
	before->vma = (before->vma & ~PTWALK_VMA_FLAG_ANONYMOUS) | PTWALK_VMA_FLAG_SHARED;
	after->vma = before->vma;
	after->sum = look_sum_of_zeros(sysconf(_SC_PAGESIZE));
}

SPOIL(swap_out) { after->bits = BITS(SWAP, PTWALK_FLAG_SOFT_DIRTY); }

SPOIL(swap_exclusive)
{
	before->bits = BITS(SWAP, PTWALK_FLAG_SWAP_EXCLUSIVE);
	*after = *before;
	*other = *before;
}

SPOIL(swap_elsewhere)
{
	before->bits = BITS(SWAP, 0);
	after->bits = before->bits;
	after->value++;
}

SPOIL(remove_guard)
{
	before->bits = BITS(MARKER, 0);
	before->value = PTWALK_MARKER_GUARD;
	after->bits = BITS(NONE, 0);
	after->value = 0;
}

SPOIL(put_guard)
{
	after->bits = BITS(MARKER, 0);
	after->value = PTWALK_MARKER_GUARD;
	after->read = false;
}

SPOIL(of_a_file)
{
	before->bits &= ~(BIT(ANON) | BIT(EXCLUSIVE));
	before->page.flags = PTWALK_PAGE_FLAG_DIRTY;
	before->vma = (before->vma & ~PTWALK_VMA_FLAG_ANONYMOUS) | PTWALK_VMA_FLAG_SHARED;
	*after = *before;
}

SPOIL(let_write)
{
	before->bits &= ~(BIT(SOFT_DIRTY) | BIT(WRITE));
	before->vma &= ~PTWALK_VMA_FLAG_SOFTDIRTY;
	*after = *before;
	after->bits |= BIT(WRITE);
}

SPOIL(let_write_to_file)
{
	of_a_file(before, after, other);
	let_write(before, after, other);
}

SPOIL(remove_from_file)
{
	of_a_file(before, after, other);
	after->bits = BITS(NONE, 0);
	after->value = 0;
	after->sum = look_sum_of_zeros(sysconf(_SC_PAGESIZE));
}

SPOIL(write_to_disk)
{
	of_a_file(before, after, other);
	after->bits &= ~(BIT(DIRTY) | BIT(WRITE));
	after->page.flags = 0;
}

/* A copy of one's own stays, whatever becomes of the file. */
SPOIL(remove_from_copy)
{
	before->vma &= ~PTWALK_VMA_FLAG_ANONYMOUS;
	*after = *before;
	after->sum = look_sum_of_zeros(sysconf(_SC_PAGESIZE));
}

SPOIL(leave_writable_on_disk)
{
	write_to_disk(before, after, other);
	after->bits |= BIT(WRITE);
}

SPOIL(merge)
{
	before->bits &= ~(BIT(WRITE) | BIT(EXCLUSIVE));
	before->bits |= BIT(UFFD_WP);
	after->bits = before->bits & ~(BIT(SOFT_DIRTY) | BIT(UFFD_WP));
	after->bits |= BIT(KSM);
}

static const struct spoilt spoilt[] = {
	{ "contents", change_a_byte },
	{ "contents", forbid_reading },
	{ "contents", clear_contents, MAY_DISCARD },
	{ "contents", discard_shared },
	{ "dirty", clean_entry, MAY_CLEAN },
	{ "dirty", clean_folio, MAY_CLEAN },
	{ "dirty", free_lazily, MAY_DISCARD },
	{ "dirty", leave_to_a_clean_other, MAY_CLEAN },
	{ "dirty", drop_clean },
	{ "soft-dirty", clear_soft_dirty, MAY_CLEAR_SOFT_DIRTY },
	{ "soft-dirty", leave_writable },
	{ "soft-dirty-vma", clear_vma, MAY_CLEAR_SOFT_DIRTY },
	{ "vma", lose_advice },
	{ "uffd-wp", protect, MAY_SET_UFFD_WP },
	{ "uffd-wp", unprotect, MAY_CLEAR_UFFD_WP },
	{ "uffd-wp", leave_protected, MAY_LEAVE_PROTECTED },
	{ "permissions", forbid_writing },
	{ "permissions", allow_execution },
	{ "permissions", write_protected },
	{ "permissions", write_to_zeros },
	{ "permissions", open_to_reading },
	{ "memory-type", change_type },
	{ "pkey", change_key, MAY_SET_PKEY },
	{ "exclusive", share },
	{ "exclusive", stay_exclusive },
	{ "exclusive", swap_exclusive },
	{ "frame", move, MAY_MOVE },
	{ "frame", unmap, MAY_UNMAP },
	{ "frame", drop_clean, MAY_DISCARD },
	{ "frame", swap_out, MAY_SWAP | MAY_CLEAN },
	{ "absent", swap_elsewhere },
	{ "absent", remove_guard, MAY_BAR },
	{ "contents", put_guard, MAY_BAR },
	{ "frame", put_guard, MAY_BAR },
	{ "contents", remove_from_file, MAY_REMOVE },
	{ "frame", remove_from_file, MAY_REMOVE },
	{ "dirty", write_to_disk, MAY_WRITE_BACK },
	{ "soft-dirty", merge, MAY_LOSE_MARKS },
	{ "uffd-wp", merge, MAY_LOSE_MARKS },
	{ "soft-dirty", let_write_to_file, MAY_UNTRACK },
};

/* What isn't excused either, though the operation may do something like it. */
static const struct spoilt inexcusable[] = {
	{ "contents", remove_from_copy, MAY_REMOVE },
	{ "dirty", leave_writable_on_disk, MAY_WRITE_BACK },
	{ "dirty", write_to_disk, MAY_WRITE_BACK, .stale = true },
	{ "soft-dirty", clear_soft_dirty, MAY_LOSE_MARKS },
	{ "soft-dirty", clear_soft_dirty, MAY_UNTRACK },
	{ "soft-dirty", let_write, MAY_UNTRACK },
	{ "frame", clear_soft_dirty, MUST_UNMAP },
	{ "frame", stay_merged, MUST_UNMERGE },
	{ "uffd-wp", pass_over_hole, MUST_SET_UFFD_WP_ANYWHERE },
};

#define NR_SPOILT	(sizeof(spoilt) / sizeof(spoilt[0]))
#define NR_INEXCUSABLE	(sizeof(inexcusable) / sizeof(inexcusable[0]))

static u32 law_of(const char *name)
{
	for (size_t i = 0; i < nr_laws; i++)
		if (!strcmp(laws[i].name, name))
			return 1U << i;
	return 0;
}

/* Of a page of a kernel that has everything, with one thing made wrong. */
static u32 broken_by(const struct spoilt *s, u32 may)
{
	const struct ptw_info info = {
		.features = PTWALK_FEATURE_SOFT_DIRTY | PTWALK_FEATURE_PAGE_MAPCOUNT,
		.memtypes = { PTWALK_MEMORY_TYPE_WB, PTWALK_MEMORY_TYPE_UC },
		.nr_memtypes = 2,
	};
	struct look_page before = {
		.bits = BITS(PRESENT, PTWALK_FLAG_WRITE | PTWALK_FLAG_USER |
			     PTWALK_FLAG_DIRTY | PTWALK_FLAG_SOFT_DIRTY | PTWALK_FLAG_PAGE |
			     PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_RAM),
		.value = 0x1234,
		.vma = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE |
		       PTWALK_VMA_FLAG_ANONYMOUS | PTWALK_VMA_FLAG_SOFTDIRTY |
		       PTWALK_VMA_FLAG_UFFD_WP,
		.page.flags = PTWALK_PAGE_FLAG_ANON | PTWALK_PAGE_FLAG_SWAPBACKED,
		.read = true,
		.sum = 1,
	};
	struct look_page after = before, other = { 0 };
	struct moments m = {
		.info = &info,
		.page_size = sysconf(_SC_PAGESIZE),
		.before = &before,
		.after = &after,
		.may = may,
		.stale = s && s->stale,
		.known = true,
		.sum = before.sum,
	};

	if (s)
		s->spoil(&before, &after, &other);
	if (other.bits)
		m.other = &other;
	return laws_broken(&m);
}

static char why[128];

#define wrong(...)	(snprintf(why, sizeof(why), __VA_ARGS__), why)

static const char *check_sums(void)
{
	struct look look = {
		.page_size = 4096,
		.nr = 2,
		.page = {
			{ .bits = BITS(PRESENT, PTWALK_FLAG_PAGE),
			  .vma = PTWALK_VMA_FLAG_ANONYMOUS },
			{ .bits = BITS(SWAP, 0), .vma = PTWALK_VMA_FLAG_ANONYMOUS },
		},
		.summed = true,
		.rss = 4096,
		.swap = 4096,
	};

	if (laws_broken_sums(&look))
		return "right sums are reported";
	look.rss = 0;
	if (!laws_broken_sums(&look))
		return "a wrong Rss isn't noticed";
	look.rss = 4096;
	look.swap = 8192;
	return laws_broken_sums(&look) ? NULL : "a wrong Swap isn't noticed";
}

const char *laws_flaw(void)
{
	u32 noticed = 0;
	size_t i;

	if (broken_by(NULL, 0))
		return "a page that stayed as it was is reported";
	for (i = 0; i < NR_SPOILT; i++) {
		const struct spoilt *s = &spoilt[i];
		u32 law = law_of(s->law), broken = broken_by(s, 0);

		if (s->spoil == allow_execution && !kernel_forbids_execution())
			continue;
		if (!(broken & law))
			return wrong("change %zu isn't noticed by the law of %s", i, s->law);
		if (s->excuse && broken_by(s, s->excuse))
			return wrong("change %zu isn't excused of the law of %s", i, s->law);
		noticed |= broken;
	}
	for (i = 0; i < NR_INEXCUSABLE; i++)
		if (!(broken_by(&inexcusable[i], inexcusable[i].excuse) &
		      law_of(inexcusable[i].law)))
			return wrong("change %zu is excused of the law of %s, which it isn't to be",
				     i, inexcusable[i].law);
	for (i = 0; i < nr_laws; i++)
		if (laws[i].holds && !(noticed & 1U << i))
			return wrong("no change breaks the law of %s", laws[i].name);
	return check_sums();
}
