// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "checks.h"

static char text[1024];

#define wrong(...)	(snprintf(text, sizeof(text), __VA_ARGS__), text)

#define END_PAGES	128

static u64 next_sample(u64 i, u64 pages)
{
	if (pages <= SAMPLE_PAGES || i < END_PAGES || i + 1 >= pages - END_PAGES)
		return i + 1;
	i += pages / END_PAGES;
	return i < pages - END_PAGES ? i : pages - END_PAGES;
}

size_t sample_pages(u64 addr, u64 pages, u64 page_size, u64 *to)
{
	size_t nr = 0;
	u64 i;

	for (i = 0; i < pages && nr < SAMPLE_PAGES; i = next_sample(i, pages))
		to[nr++] = addr + i * page_size;
	return nr;
}

static const char *refused(struct ptw *ptw, const char *what, int err)
{
	return wrong("%s: %s (%s)", what, strerror(-err), ptw->error.message);
}

static const char *expect_flaw(const struct mapping *m, const struct expect *e,
			       const struct ptw_page *page, u64 addr)
{
	u32 kind = ptwalk_bits_kind(page->t.bits);
	u32 flags = ptwalk_bits_flags(page->t.bits);
	int level = ptwalk_bits_level(page->t.bits), i;
	u32 clear;
	u64 value = page->t.value, entry;
	u64 nr = (addr - e->addr) / m->page_size;

	if (page->t.addr != addr)
		return wrong("%#llx: the answer is about %#llx", addr, (u64)page->t.addr);
	if (!(e->kinds & 1U << kind))
		return wrong("%#llx: kind %u, not of those in %#x", addr, kind, e->kinds);
	if (e->level != ANY_LEVEL && e->level != level)
		return wrong("%#llx: level %d, not %d", addr, level, e->level);
	if (e->set & m->info.flags & ~flags)
		return wrong("%#llx: flags %#x lack %#x", addr, flags,
			     e->set & m->info.flags & ~flags);
	clear = e->clear;
	if (!kernel_forbids_execution())
		clear &= ~PTWALK_FLAG_EXEC;
	if (kind == PTWALK_KIND_PRESENT && clear & flags)
		return wrong("%#llx: flags %#x must not have %#x", addr, flags,
			     clear & flags);
	if (e->pfn != ANY_PFN && value != e->pfn + nr)
		return wrong("%#llx: frame %#llx, not %#llx", addr, value, e->pfn + nr);
	if (kind == PTWALK_KIND_MARKER && value != e->value)
		return wrong("%#llx: marker %#llx, not %#llx", addr, value, e->value);
	if (kind == PTWALK_KIND_NONE && (value || flags))
		return wrong("%#llx: an empty entry of value %#llx, flags %#x",
			     addr, value, flags);
	if (e->vma_set & m->info.vma_flags & ~page->vma.flags)
		return wrong("%#llx: VMA flags %#llx lack %#llx", addr, page->vma.flags,
			     e->vma_set & m->info.vma_flags & ~page->vma.flags);
	if (e->vma_clear & page->vma.flags)
		return wrong("%#llx: VMA flags %#llx must not have %#llx", addr,
			     page->vma.flags, e->vma_clear & page->vma.flags);
	if (kind == PTWALK_KIND_NO_VMA && page->vma.last)
		return wrong("%#llx: no VMA, and one is told", addr);
	if (kind != PTWALK_KIND_NO_VMA &&
	    (addr < page->vma.start || addr > page->vma.last))
		return wrong("%#llx: not inside its VMA %#llx-%#llx", addr,
			     page->vma.start, page->vma.last);

	for (i = 0; i < level; i++) {
		entry = page->t.entry[i];
		if (entry)
			return wrong("%#llx: entry %#llx at level %d, below the leaf",
				     addr, entry, i);
	}
	entry = page->t.entry[level];
	if (kind == PTWALK_KIND_PRESENT && !entry)
		return wrong("%#llx: present, and the entry is 0", addr);
	if (kind == PTWALK_KIND_NO_VMA && entry)
		return wrong("%#llx: no VMA, and an entry", addr);
	/* Above it, each level that there is has the entry that led there. */
	for (i = level + 1; i < PTWALK_LEVELS && kind != PTWALK_KIND_NO_VMA; i++)
		if (!page->t.entry[i] != !m->info.shift[i])
			return wrong("%#llx: entry %#llx at level %d", addr,
				     (u64)page->t.entry[i], i);
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static const char *distinct_flaw(const struct ptw_page *pages, size_t nr)
{
	static u64 values[SAMPLE_PAGES];
	size_t i;

	for (i = 0; i < nr; i++)
		values[i] = pages[i].t.value;
	qsort(values, nr, sizeof(values[0]), by_value);
	for (i = 1; i < nr; i++)
		if (values[i] == values[i - 1])
			return wrong("two pages with the value %#llx", values[i]);
	return NULL;
}

const char *check_translate(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES];
	const char *why;
	int i, err;

	for (i = 0; i < m->nr_expects; i++) {
		const struct expect *e = &m->expect[i];
		size_t nr = sample_pages(e->addr, e->pages, m->page_size, addrs), j;
		bool present = false;

		err = ptw_translate(ptw, m->pid, addrs, nr, pages);
		if (err)
			return refused(ptw, "translate", err);
		for (j = 0; j < nr; j++) {
			why = expect_flaw(m, e, &pages[j], addrs[j]);
			if (why)
				return why;
			present |= ptwalk_bits_kind(pages[j].t.bits) == PTWALK_KIND_PRESENT;
		}
		if (e->some_present && !present)
			return wrong("no page of %#llx is present", e->addr);
		why = e->distinct ? distinct_flaw(pages, nr) : NULL;
		if (why)
			return why;
	}
	return NULL;
}

const char *check_vma(struct ptw *ptw, struct mapping *m)
{
	u64 addrs[2] = { m->start, m->start + (m->pages - 1) * m->page_size };
	struct ptw_page pages[2];
	struct proc_vma vma;
	int err, i;

	err = ptw_translate(ptw, m->pid, addrs, 2, pages);
	if (err)
		return refused(ptw, "translate", err);
	for (i = 0; i < 2; i++) {
		const struct ptw_vma *v = &pages[i].vma;
		u64 known, told;

		err = proc_vma(m->pid, addrs[i], &vma);
		if (err || vma.start > addrs[i]) {
			if (v->last)
				return wrong("%#llx: a VMA that smaps doesn't have", addrs[i]);
			continue;
		}
		if (v->start != vma.start || v->last != vma.end - 1)
			return wrong("%#llx: VMA %#llx-%#llx, but %#llx-%#llx in smaps",
				     addrs[i], v->start, v->last + 1, vma.start, vma.end);
		known = vma.flags_known & m->info.vma_flags;
		told = v->flags & vma.flags_known;
		if (told != (vma.flags & known))
			return wrong("%#llx: VMA flags %#llx, but %#llx in smaps",
				     addrs[i], told, vma.flags & known);
	}
	return NULL;
}

/* What a dump says where translate says @bits: of entries alone, no facts of pages. */
static u64 bits_of_dump(const struct ptw *ptw, u64 bits)
{
	u32 facts = ptw->entries_only ? -(u32)PTWALK_FLAG_PAGE : 0;

	return bits & ~((u64)facts << PTWALK_BITS_FLAGS_SHIFT);
}

static const char *check_dump_once(struct ptw *ptw, struct mapping *m)
{
	u64 last = m->start + (m->pages - 1) * m->page_size + m->page_size - 1;
	static struct ptw_page pages[SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES];
	size_t nr = sample_pages(m->start, m->pages, m->page_size, addrs), i;
	const char *why = NULL;
	struct ptw_dump dump;
	u64 covered = 0;
	int err;

	err = ptw_dump(ptw, m->pid, m->start, last, &dump);
	if (err) {
		why = refused(ptw, "dump", err);
		goto out;
	}
	err = ptw_translate(ptw, m->pid, addrs, nr, pages);
	if (err) {
		why = refused(ptw, "translate", err);
		goto out;
	}
	why = ptw_dump_flaw(&dump, &m->info, m->start, last);
	for (i = 0; i < nr && !why; i++) {
		const struct ptw_page *page = &pages[i];
		struct ptw_extent said;
		struct ptw_vma vma;
		bool none = ptwalk_bits_kind(page->t.bits) == PTWALK_KIND_NO_VMA;

		if (ptw_dump_find(&dump, m->info.page_shift, addrs[i], &said, &vma) == none)
			why = wrong("%#llx: %s", addrs[i], none ?
				    "dumped, but lies in no VMA" : "not dumped");
		else if (!none && (said.bits != bits_of_dump(ptw, page->t.bits) ||
				   said.value != page->t.value))
			why = wrong("%#llx: dump says %#llx %#llx, translate %#llx %#llx",
				    addrs[i], (u64)said.bits, (u64)said.value,
				    (u64)page->t.bits, (u64)page->t.value);
		else if (!none && memcmp(&said.page, &page->page, sizeof(said.page)))
			why = wrong("%#llx: dump has page %#llx %#llx %#llx %#llx, translate %#llx %#llx %#llx %#llx",
				    addrs[i], (u64)said.page.flags, (u64)said.page.counts,
				    (u64)said.page.folio_counts, (u64)said.page.place,
				    (u64)page->page.flags, (u64)page->page.counts,
				    (u64)page->page.folio_counts, (u64)page->page.place);
		else if (!none && (vma.start != page->vma.start || vma.flags != page->vma.flags))
			why = wrong("%#llx: dump and translate tell different VMAs", addrs[i]);
	}
	for (i = 0; i < dump.nr; i++)
		covered += dump.record[i].extent.pages;
	if (!why && covered > m->pages)
		why = wrong("%llu pages of %llu", covered, m->pages);
out:
	ptw_dump_free(&dump);
	return why;
}

/*
 * The one thing that doesn't hold still is the accessed bit, which reclaim
 * clears whenever it likes; so a difference must be there again and again.
 */
static const char *check_dump_tried(struct ptw *ptw, struct mapping *m)
{
	const char *why;
	int tries = 4;

	do {
		why = check_dump_once(ptw, m);
	} while (why && --tries);
	return why;
}

/* Without and with mixed lists, of entries alone, and with the pages behind them. */
const char *check_dump(struct ptw *ptw, struct mapping *m)
{
	const char *why = check_dump_tried(ptw, m);

	if (why)
		return why;
	ptw->want_mixed = true;
	why = check_dump_tried(ptw, m);
	if (!why) {
		ptw->entries_only = true;
		why = check_dump_tried(ptw, m);
		ptw->entries_only = false;
	}
	ptw->want_mixed = false;
	if (why)
		return why;
	ptw->want_pages = true;
	why = check_dump_tried(ptw, m);
	ptw->want_pages = false;
	return why;
}

/**
 * struct held - the pages of a dump whose entries hold a frame that is wanted
 * @pages: How many.
 * @sum: Of their addresses, frames and bits.
 * @others: Pages of other entries, as they are told without a search.
 */
struct held {
	u64 pages, sum, others;
};

static struct held held(const struct ptw_dump *dump, const struct ptw_info *info,
			u64 first, u64 last)
{
	struct held h = { 0 };
	size_t i;
	u64 page;

	for (i = 0; i < dump->nr; i++) {
		const struct ptw_extent *e = &dump->record[i].extent;
		u32 kind = ptwalk_bits_kind(e->bits);
		bool has_frame = ptwalk_kind_ascends(kind) && kind != PTWALK_KIND_SWAP;

		if (kind == PTWALK_KIND_OTHER)
			continue;
		for (page = 0; page < e->pages; page++) {
			if (!has_frame || e->value + page < first || e->value + page > last) {
				h.others++;
				continue;
			}
			h.pages++;
			h.sum += (e->addr + (page << info->page_shift)) * 31 +
				 (e->value + page) * 17 + e->bits;
		}
	}
	return h;
}

/* Frames from @first to @last; @all is the dump that says where they are. */
static const char *check_frames_found(struct ptw *ptw, struct mapping *m,
				      const struct ptw_dump *all, u64 first, u64 last)
{
	u64 end = m->start + (m->pages - 1) * m->page_size + m->page_size - 1;
	struct held wanted = held(all, &m->info, first, last), found;
	struct ptw_dump dump;
	int err;

	ptw->search = true;
	ptw->first_frame = first;
	ptw->last_frame = last;
	err = ptw_dump(ptw, m->pid, m->start, end, &dump);
	ptw->search = false;
	found = held(&dump, &m->info, first, last);
	ptw_dump_free(&dump);
	if (err)
		return refused(ptw, "search", err);
	if (found.others)
		return wrong("frames %#llx to %#llx: %llu pages without one are told",
			     first, last, found.others);
	if (found.pages != wanted.pages || found.sum != wanted.sum)
		return wrong("frames %#llx to %#llx: %llu found, %llu there%s", first, last,
			     found.pages, wanted.pages, found.pages == wanted.pages ?
			     ", with other entries" : "");
	return NULL;
}

/* Some frames each for itself, all at once, and one behind them that isn't there. */
static const char *check_search_once(struct ptw *ptw, struct mapping *m)
{
	u64 end = m->start + (m->pages - 1) * m->page_size + m->page_size - 1;
	u64 least = ~0ULL, most = 0;
	const char *why = NULL;
	struct ptw_dump all;
	size_t i, step;
	int err;

	err = ptw_dump(ptw, m->pid, m->start, end, &all);
	if (err)
		why = refused(ptw, "dump", err);
	step = all.nr / 8 + 1;
	for (i = 0; i < all.nr && !why; i++) {
		const struct ptw_extent *e = &all.record[i].extent;
		u64 middle = e->value + e->pages / 2, last = e->value + e->pages - 1;

		if (!ptwalk_kind_ascends(ptwalk_bits_kind(e->bits)))
			continue;
		least = e->value < least ? e->value : least;
		most = last > most ? last : most;
		if (i % step)
			continue;
		why = check_frames_found(ptw, m, &all, middle, middle);
		if (!why)
			why = check_frames_found(ptw, m, &all, last, last + 1);
	}
	if (!why)
		why = check_frames_found(ptw, m, &all, most + 1, most + 1);
	if (!why && least <= most)
		why = check_frames_found(ptw, m, &all, least, most);
	ptw_dump_free(&all);
	return why;
}

/* As check_dump_tried(). */
const char *check_search(struct ptw *ptw, struct mapping *m)
{
	const char *why;
	int tries = 4;

	do {
		why = check_search_once(ptw, m);
	} while (why && --tries);
	return why;
}

static u64 present_expected(const struct ptw_page *page,
			    const struct ptw_info *info, u64 *mask)
{
	u32 flags = ptwalk_bits_flags(page->t.bits);
	u64 entry = PM_PRESENT | (page->t.value & PM_PFN);

	if (flags & PTWALK_FLAG_PAGE && !(flags & (PTWALK_FLAG_ANON | PTWALK_FLAG_ZERO)))
		entry |= PM_FILE;
	if (flags & PTWALK_FLAG_UFFD_WP)
		entry |= PM_UFFD_WP;
	/*
	 * What makes a page of a large folio exclusive has changed again and
	 * again; that of a small one is always the same.
	 */
	if (flags & PTWALK_FLAG_LARGE)
		*mask &= ~PM_EXCLUSIVE;
	else if (flags & PTWALK_FLAG_EXCLUSIVE)
		entry |= PM_EXCLUSIVE;
	/* Up to Linux 6.14 those of DAX aren't counted, but huge ones a file's. */
	if (flags & PTWALK_FLAG_DEVMAP && ptwalk_bits_level(page->t.bits))
		*mask &= ~PM_FILE;
	/* The huge zero page counts as a file's up to Linux 6.x. */
	if (flags & PTWALK_FLAG_ZERO && ptwalk_bits_level(page->t.bits))
		*mask &= ~(PM_FILE | PM_EXCLUSIVE);
	return entry;
}

u64 pagemap_expected(const struct ptw_page *page, const struct ptw_info *info,
		     u64 *mask)
{
	u32 kind = ptwalk_bits_kind(page->t.bits);
	u32 flags = ptwalk_bits_flags(page->t.bits);
	u32 type_bits = info->swap_type_bits;
	u64 entry = 0;

	*mask = ~0ULL;
	if (page->vma.flags & PTWALK_VMA_FLAG_PFNMAP)
		kind = PTWALK_KIND_NONE;
	/* Of a hugetlb page that isn't present, one bit is all that is shown. */
	if (page->vma.flags & PTWALK_VMA_FLAG_HUGETLB && kind != PTWALK_KIND_PRESENT) {
		kind = PTWALK_KIND_NONE;
		if (flags & PTWALK_FLAG_UFFD_WP)
			entry |= PM_UFFD_WP;
	}
	switch (kind) {
	case PTWALK_KIND_PRESENT:
		entry = present_expected(page, info, mask);
		break;
	case PTWALK_KIND_MARKER:
		entry = PM_SWAP;
		if (flags & PTWALK_FLAG_UFFD_WP)
			entry |= PM_UFFD_WP;
		*mask &= ~(PM_PFN | PM_GUARD);
		break;
	case PTWALK_KIND_SWAP:
	case PTWALK_KIND_MIGRATION:
	case PTWALK_KIND_HWPOISON:
	case PTWALK_KIND_DEVICE_PRIVATE:
	case PTWALK_KIND_DEVICE_EXCLUSIVE:
	case PTWALK_KIND_UNKNOWN:
		entry = PM_SWAP | ptwalk_bits_aux(page->t.bits) |
			(page->t.value << type_bits & PM_PFN);
		if (flags & PTWALK_FLAG_UFFD_WP)
			entry |= PM_UFFD_WP;
		if (kind != PTWALK_KIND_SWAP)
			*mask &= ~(PM_FILE | PM_EXCLUSIVE);
		break;
	}
	if (page->vma.flags & PTWALK_VMA_FLAG_SOFTDIRTY ||
	    (flags & PTWALK_FLAG_SOFT_DIRTY &&
	     !(page->vma.flags & (PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_PFNMAP))))
		entry |= PM_SOFT_DIRTY;
	return entry;
}

static const char *pagemap_flaw(const struct mapping *m,
				const struct ptw_page *page, u64 addr, u64 entry)
{
	u64 mask, want = pagemap_expected(page, &m->info, &mask);

	if ((entry ^ want) & mask)
		return wrong("%#llx: pagemap %#llx, but the tables (kind %u, flags %#x, value %#llx) make it %#llx in the bits %#llx",
			     addr, entry, ptwalk_bits_kind(page->t.bits),
			     ptwalk_bits_flags(page->t.bits), (u64)page->t.value,
			     want, mask);
	return NULL;
}

const char *check_pagemap(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES];
	size_t nr = sample_pages(m->start, m->pages, m->page_size, addrs), j;
	const char *why;
	u64 entry;
	int i, err, got;

	err = ptw_translate(ptw, m->pid, addrs, nr, pages);
	if (err)
		return refused(ptw, "translate", err);
	for (j = 0; j < nr; j++) {
		got = proc_pagemap(m->pid, addrs[j], &entry, 1);
		if (!got && ptwalk_bits_kind(pages[j].t.bits) == PTWALK_KIND_NO_VMA)
			continue;
		if (got != 1)
			return wrong("%#llx: pagemap can't be read", addrs[j]);
		why = pagemap_flaw(m, &pages[j], addrs[j], entry);
		if (why)
			return why;
	}

	for (i = 0; i < m->nr_expects; i++) {
		const struct expect *e = &m->expect[i];

		nr = sample_pages(e->addr, e->pages, m->page_size, addrs);
		for (j = 0; j < nr; j++) {
			if (proc_pagemap(m->pid, addrs[j], &entry, 1) != 1)
				continue;
			if (m->bug && e->pagemap_set & e->pagemap_lost & ~entry) {
				m->shown = true;
				entry |= e->pagemap_set & e->pagemap_lost;
			}
			if (e->pagemap_set & ~entry || e->pagemap_clear & entry)
				return wrong("%#llx: pagemap %#llx, must have %#llx and not %#llx",
					     addrs[j], entry, e->pagemap_set,
					     e->pagemap_clear);
		}
	}
	return NULL;
}

static const char *kpage_flaw(const struct expect *e, const struct ptw_page *page)
{
	u32 flags = ptwalk_bits_flags(page->t.bits);
	u64 addr = page->t.addr, pfn = page->t.value, word;

	if (ptwalk_bits_kind(page->t.bits) != PTWALK_KIND_PRESENT ||
	    !(flags & PTWALK_FLAG_RAM))
		return NULL;
	if (proc_kpage("/proc/kpageflags", pfn, &word))
		return wrong("%#llx: no flags of the frame %#llx", addr, pfn);
	if (e->kpage_set & ~word || e->kpage_clear & word)
		return wrong("%#llx: kpageflags of the frame %#llx are %#llx, must have %#llx and not %#llx",
			     addr, pfn, word, e->kpage_set, e->kpage_clear);
	return NULL;
}

static const char *relation_flaw(struct ptw *ptw, const struct relation *r)
{
	struct ptw_page page[2];
	u64 pfn[2];
	int i, err;
	bool same;

	for (i = 0; i < 2; i++) {
		err = ptw_translate_one(ptw, r->pid[i], r->addr[i], &page[i]);
		if (err)
			return refused(ptw, "translate", err);
		pfn[i] = page[i].t.value;
		if (ptwalk_bits_kind(page[i].t.bits) != PTWALK_KIND_PRESENT)
			return wrong("%#llx of %d isn't present", r->addr[i], r->pid[i]);
	}
	same = pfn[0] == pfn[1];
	if (same != r->same)
		return wrong("%#llx of %d has the frame %#llx, %#llx of %d has %#llx: not as it should be",
			     r->addr[0], r->pid[0], pfn[0], r->addr[1], r->pid[1], pfn[1]);
	return NULL;
}

const char *check_frames(struct ptw *ptw, struct mapping *m)
{
	static struct ptw_page pages[SAMPLE_PAGES];
	static u64 addrs[SAMPLE_PAGES];
	const char *why = NULL;
	int i, err;

	for (i = 0; i < m->nr_expects && !why; i++) {
		const struct expect *e = &m->expect[i];
		size_t nr = sample_pages(e->addr, e->pages, m->page_size, addrs), j;

		if (access("/proc/kpageflags", R_OK))
			break;
		err = ptw_translate(ptw, m->pid, addrs, nr, pages);
		if (err)
			return refused(ptw, "translate", err);
		for (j = 0; j < nr && !why; j++)
			why = kpage_flaw(e, &pages[j]);
	}
	for (i = 0; i < m->nr_relations && !why; i++)
		why = relation_flaw(ptw, &m->relation[i]);
	return why;
}
