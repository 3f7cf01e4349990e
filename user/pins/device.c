// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a device of VFIO has, against page tables.
 *
 * The kernel tells no one's addresses of it. But a mapping for DMA is of memory in a row
 * at bus addresses in a row: what stands between pages that a process has at one distance
 * from their bus addresses was at that distance, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "pins/device.h"

#define AT_ONCE	PTWALK_MAX_ADDRESSES

/**
 * struct row - bus addresses in a row whose frames a process has in a row
 * @first: The first one, @last is the last.
 * @phys: Where the first leads; @vaddr: where the process has it.
 * @holder: Its number.
 */
struct row {
	uint64_t first, last, phys, vaddr;
	size_t holder;
};

/**
 * struct rows - rows in ascending order of their first addresses
 * @row: Of them, those before @next have been met; the first @open of these are the ones
 *	that haven't ended.
 */
struct rows {
	struct row *row;
	size_t nr, max, open, next;
};

static int by_iova(const void *a, const void *b)
{
	const struct ptwalk_stretch *x = a, *y = b;

	return x->iova < y->iova ? -1 : x->iova > y->iova;
}

static int by_bus(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static int asked_to_stop(const struct device_tables *tables)
{
	return tables->stop ? tables->stop(tables->arg) : 0;
}

static int take_rows(struct rows *to, const struct bus_rows *from, size_t holder)
{
	for (size_t i = 0; i < from->nr; i++) {
		const struct bus_row *r = &from->row[i];

		if (!r->is_mapped)
			continue;
		if (!array_add(to->row, to->nr, to->max, (struct row){
			r->bus, r->bus + r->bytes - 1, r->phys, r->vaddr, holder
		}))
			return -ENOMEM;
	}
	return 0;
}

static int read_rows(struct rows *rows, const struct busmap *map,
		     const struct device_tables *tables)
{
	int err = 0;

	for (size_t i = 0; !err && i < tables->nr; i++) {
		const struct truth *t = &tables->truth[i];
		struct bus_rows found = { 0 };

		for (size_t j = 0; !err && j < t->nr_extents; j++) {
			const struct ptwalk_extent *e = &t->extents[j];

			err = asked_to_stop(tables);
			if (!err && ptwalk_bits_present(e->bits) &&
			    !(ptwalk_bits_flags(e->bits) & PTWALK_FLAG_ZERO))
				err = busmap_join(map, e->addr, e->value << tables->page_shift,
						  e->pages << tables->page_shift, &found);
		}
		if (!err)
			err = take_rows(rows, &found, i);
		bus_rows_free(&found);
	}
	if (!err && rows->nr)
		qsort(rows->row, rows->nr, sizeof(*rows->row), by_bus);
	return err;
}

void device_keep_shared(struct truth *truth)
{
	size_t nr = 0;

	for (size_t i = 0; i < truth->nr_extents; i++) {
		const struct ptwalk_extent e = truth->extents[i];
		const struct ptwalk_vma *vma = truth_vma_at(truth, e.addr);

		if (vma && vma->flags & PTWALK_VMA_FLAG_MAYSHARE)
			truth->extents[nr++] = e;
	}
	truth->nr_extents = nr;
}

static int append_part(struct device_parts *out, const struct device_part *part)
{
	struct device_part *last = out->nr ? &out->part[out->nr - 1] : NULL;

	if (last && last->state == part->state && last->holder == part->holder &&
	    last->now == part->now && last->bus + last->bytes == part->bus &&
	    last->phys + last->bytes == part->phys &&
	    last->vaddr + last->bytes == part->vaddr &&
	    last->elsewhere + last->bytes == part->elsewhere &&
	    (part->now != NOW_OTHER || last->now_phys + last->bytes == part->now_phys)) {
		last->bytes += part->bytes;
		return 0;
	}
	return array_add(out->part, out->nr, out->max, *part) ? 0 : -ENOMEM;
}

/*
 * The row that has @bus, best one with the same address in the process, or NULL; *@last
 * is how far that goes. @bus ascends from call to call.
 */
static const struct row *device_row_at(struct rows *rows, uint64_t bus, uint64_t *last)
{
	const struct row *best = NULL;
	size_t open = 0;

	while (rows->next < rows->nr && rows->row[rows->next].first <= bus)
		rows->row[rows->open++] = rows->row[rows->next++];
	if (rows->next < rows->nr && rows->row[rows->next].first - 1 < *last)
		*last = rows->row[rows->next].first - 1;
	for (size_t i = 0; i < rows->open; i++) {
		struct row *r = &rows->row[open];

		*r = rows->row[i];
		if (r->last < bus)
			continue;
		open++;
		if (r->last < *last)
			*last = r->last;
		if (!best || (best->vaddr != best->first && r->vaddr == r->first))
			best = r;
	}
	rows->open = open;
	return best;
}

/* Parts that somebody has, and such that nobody has, which are PART_LOST for now. */
static int split(struct device_parts *out, const struct busmap *map, struct rows *rows,
		 const struct device_tables *tables)
{
	uint64_t next = 0;
	int err = 0;

	for (size_t i = 0; !err && i < map->nr; i++) {
		const struct ptwalk_stretch *s = &map->stretch[i];
		const uint64_t end = s->iova + s->bytes - 1;

		/* What was looked up twice is there twice. */
		if (end < next)
			continue;
		for (uint64_t bus = s->iova > next ? s->iova : next, last; !err; bus = last + 1) {
			struct device_part part = { .bus = bus, .phys = s->phys + (bus - s->iova) };
			const struct row *row;

			last = end;
			row = device_row_at(rows, bus, &last);
			part.state = row ? PART_HELD : PART_LOST;
			part.holder = row ? row->holder : 0;
			part.vaddr = row ? row->vaddr + (bus - row->first) : bus;
			part.elsewhere = part.vaddr;
			part.bytes = last - bus + 1;
			err = append_part(out, &part) ?: asked_to_stop(tables);
			if (last == end)
				break;
		}
		next = end + 1;
	}
	return err;
}

/**
 * struct place - where a process had a part
 * @is_known: It is.
 * @is_sure: By more than one neighbour.
 * @by_private: One of these at least is private memory, so that the part may be, too.
 * @holder: Number of the process.
 * @vaddr: The address.
 */
struct place {
	bool is_known, is_sure, by_private;
	size_t holder;
	uint64_t vaddr;
};

static bool is_identity_mapped(const struct device_part *part)
{
	return part->state == PART_HELD && part->vaddr == part->bus;
}

/* Whether others are measured by it: if @own, only one at its own address is. */
static bool counts(const struct device_part *part, bool own)
{
	return own ? is_identity_mapped(part) : part->state == PART_HELD;
}

/**
 * struct near - parts in whose neighbourhood one is, in the same run of bus addresses
 * @own: It stands between some at the process's own addresses, and these alone count.
 * @before: The nearest one before, or NULL; @behind: the nearest behind.
 */
struct near {
	bool own;
	const struct device_part *before, *behind;
};

static bool in_one_vma(const struct truth *truth, uint64_t a, uint64_t b)
{
	const struct ptwalk_vma *vma = truth_vma_at(truth, a);

	return vma && vma == truth_vma_at(truth, b);
}

static bool is_private(const struct truth *truth, uint64_t addr)
{
	const struct ptwalk_vma *vma = truth_vma_at(truth, addr);

	return vma && !(vma->flags & PTWALK_VMA_FLAG_MAYSHARE);
}

static uint64_t seen_from(const struct device_part *neighbour, uint64_t bus)
{
	return neighbour->vaddr + (bus - neighbour->bus);
}

static struct place part_place(const struct device_part *part, struct near n,
			       const struct truth *truth)
{
	const uint64_t end = part->bytes - 1;

	if (n.own)
		return (struct place){
			.is_known = true, .is_sure = true, .holder = n.before->holder,
			.vaddr = part->bus,
		};
	if (n.before && n.behind && n.before->holder == n.behind->holder &&
	    seen_from(n.before, part->bus) == seen_from(n.behind, part->bus))
		return (struct place){
			true, true,
			is_private(&truth[n.before->holder],
				   n.before->vaddr + n.before->bytes - 1) ||
			is_private(&truth[n.behind->holder], n.behind->vaddr),
			n.before->holder, seen_from(n.before, part->bus),
		};
	/* One neighbour may be another mapping's, unless the VMA goes on. */
	if (n.before && !in_one_vma(&truth[n.before->holder],
				    n.before->vaddr + n.before->bytes - 1,
				    seen_from(n.before, part->bus) + end))
		n.before = NULL;
	if (n.behind && !in_one_vma(&truth[n.behind->holder], n.behind->vaddr,
				    seen_from(n.behind, part->bus)))
		n.behind = NULL;
	if (!n.before == !n.behind)
		return (struct place){ 0 };
	if (!n.before)
		n.before = n.behind;
	return (struct place){
		.is_known = true, .holder = n.before->holder,
		.vaddr = seen_from(n.before, part->bus),
	};
}

static enum part_now now_at(const struct device_tables *tables, const struct place *place,
			    uint64_t vaddr, uint64_t *phys)
{
	const struct ptwalk_extent *e;
	const struct truth *truth;
	size_t i;

	*phys = 0;
	if (!place->is_known)
		return NOW_UNKNOWN;
	truth = &tables->truth[place->holder];
	i = array_from(truth->extents, truth->nr_extents, addr, vaddr + 1);
	e = i ? &truth->extents[i - 1] : NULL;
	if (!e || (vaddr - e->addr) >> tables->page_shift >= e->pages)
		return truth_vma_at(truth, vaddr) ? NOW_ABSENT : NOW_UNMAPPED;
	if (!ptwalk_bits_present(e->bits))
		return NOW_ABSENT;
	*phys = (e->value << tables->page_shift) + (vaddr - e->addr);
	return NOW_OTHER;
}

/*
 * A file's page that is mapped has been read, or filled; a zero page never was. A list of
 * the LRU tells less: a page waits for it in a batch of its CPU.
 */
static bool frame_is_of_file(const struct ptwalk_page *page)
{
	return page->flags & PTWALK_PAGE_FLAG_UPTODATE &&
	       !(page->flags & PTWALK_PAGE_FLAG_ANON);
}

/*
 * Whether a page of a file may have been mapped for the device by itself, and not at
 * @vaddr. Through private memory no file's page is pinned: since Linux 6.2 a copy is made
 * for reading, too (gup_must_unshare()). Before, a mapping of a file that the device may
 * only read had it, and such a page is unknown here.
 */
static bool may_be_elsewhere(const struct place *place, const struct truth *truth, uint64_t vaddr)
{
	return place->by_private && is_private(truth, vaddr);
}

/* Where nobody has the frame; others of its folio may well be mapped. */
static enum part_state lost(const struct ptwalk_page *page, const struct place *place,
			    const struct device_tables *tables, const struct device_part *part)
{
	if (page->flags & PTWALK_PAGE_FLAG_FREE)
		return PART_FREE;
	if (page->flags & PTWALK_PAGE_FLAG_ANON && !(page->counts >> 32))
		return PART_LOST;
	if (frame_is_of_file(page) &&
	    may_be_elsewhere(place, &tables->truth[place->holder], part->vaddr))
		return PART_UNKNOWN;
	return (uint32_t)page->counts && place->is_sure && part->now == NOW_OTHER ? PART_LOST :
	       PART_UNKNOWN;
}

/* The frame that nobody has is there all the same: the zero page, which is everybody's. */
static bool is_same_frame(const struct device_part *page)
{
	return page->now == NOW_OTHER && page->now_phys == page->phys;
}

/* Where somebody has it, and has others on both sides at the same ones as the bus. */
static enum part_state moved(const struct ptwalk_page *page, enum part_now now)
{
	if (now == NOW_ABSENT && !(page->flags & PTWALK_PAGE_FLAG_ANON))
		return PART_HELD;
	return PART_MOVED;
}

static int judge_part(struct device_parts *out, const struct device_part *part,
		      const struct place *place, const struct device_tables *tables)
{
	const unsigned int shift = tables->page_shift;
	struct ptwalk_page pages[AT_ONCE];
	int err = 0;

	for (uint64_t done = 0, nr; !err && done < part->bytes; done += nr << shift) {
		nr = (part->bytes - done) >> shift;
		nr = nr < AT_ONCE ? nr : AT_ONCE;
		err = asked_to_stop(tables) ?:
		      tables->frames(tables->arg, (part->phys + done) >> shift, nr, pages);
		for (uint64_t i = 0; !err && i < nr; i++) {
			const uint64_t at = done + (i << shift);
			struct device_part page = {
				.bus = part->bus + at, .phys = part->phys + at,
				.bytes = 1ULL << shift, .holder = place->holder,
				.vaddr = place->is_known ? place->vaddr + at : part->bus + at,
				.elsewhere = part->elsewhere + at,
			};

			page.now = now_at(tables, place, page.vaddr, &page.now_phys);
			page.state = is_same_frame(&page) ? PART_HELD :
				     part->state == PART_HELD ? moved(&pages[i], page.now) :
				     lost(&pages[i], place, tables, &page);
			err = append_part(out, &page);
		}
	}
	return err;
}

/*
 * Parts @at to @end - 1 of @raw, which are a run. Where parts at the process's own
 * addresses begin or end, another mapping may, whose addresses somebody chose.
 */
static int judge_run(struct device_parts *out, const struct device_parts *raw, size_t at,
		     size_t end, const struct device_tables *tables)
{
	struct near near = { 0 };
	size_t next = at, first = at, last = end - 1;
	int err = 0;

	while (first < last && !is_identity_mapped(&raw->part[first]))
		first++;
	while (last > first && !is_identity_mapped(&raw->part[last]))
		last--;
	for (; !err && at < end; at++) {
		const struct device_part *part = &raw->part[at];
		struct place place;

		near.own = at > first && at < last;
		if (counts(part, near.own)) {
			near.before = part;
			err = append_part(out, part) ?: asked_to_stop(tables);
			continue;
		}
		if (next <= at)
			next = at + 1;
		while (next < end && !counts(&raw->part[next], near.own))
			next++;
		near.behind = next < end ? &raw->part[next] : NULL;
		place = part_place(part, near, tables->truth);
		err = judge_part(out, part, &place, tables);
	}
	return err;
}

static int judge_all(struct device_parts *out, const struct device_parts *raw,
		     const struct device_tables *tables)
{
	size_t end;
	int err = 0;

	for (size_t at = 0; !err && at < raw->nr; at = end) {
		for (end = at + 1; end < raw->nr; end++)
			if (raw->part[end - 1].bus + raw->part[end - 1].bytes !=
			    raw->part[end].bus)
				break;
		err = judge_run(out, raw, at, end, tables);
	}
	return err;
}

int device_parts_add(struct device_parts *out, struct busmap *map,
		     const struct device_tables *tables)
{
	struct device_parts raw = { 0 };
	struct rows rows = { 0 };
	int err = busmap_sort(map);

	if (!err)
		err = read_rows(&rows, map, tables);
	if (!err) {
		if (map->nr)
			qsort(map->stretch, map->nr, sizeof(*map->stretch), by_iova);
		err = split(&raw, map, &rows, tables);
	}
	if (!err)
		err = judge_all(out, &raw, tables);
	free(rows.row);
	device_parts_free(&raw);
	return err;
}

void device_parts_free(struct device_parts *parts)
{
	free(parts->part);
	memset(parts, 0, sizeof(*parts));
}

/* Another frame at a bus address is another mapping. */
static void part_key(const struct device_part *part, uint64_t key[DOUBT_KEYS])
{
	memcpy(key, (uint64_t[DOUBT_KEYS]){ part->phys - part->bus },
	       DOUBT_KEYS * sizeof(*key));
}

static uint64_t last_of(const struct device_part *part, unsigned int page_shift)
{
	return (part->bus + part->bytes - 1) >> page_shift;
}

int device_parts_doubt(const struct device_parts *parts, struct doubts *wrong,
			 unsigned int page_shift)
{
	uint64_t key[DOUBT_KEYS];
	int err = 0;

	for (size_t i = 0; !err && i < parts->nr; i++) {
		const struct device_part *part = &parts->part[i];

		part_key(part, key);
		if (part_is_wrong(part))
			err = doubts_add(wrong, key, part->bus >> page_shift,
					   last_of(part, page_shift));
	}
	return err;
}

int device_parts_settle(struct device_parts *parts, const struct doubts *doubts,
			unsigned int page_shift, uint64_t *unproven)
{
	struct device_parts settled = { 0 };
	uint64_t key[DOUBT_KEYS];
	int err = 0;

	for (size_t i = 0; !err && i < parts->nr; i++) {
		struct device_part rest = parts->part[i];

		part_key(&rest, key);
		while (!err && rest.bytes) {
			const uint64_t at = rest.bus >> page_shift;
			struct device_part part = rest;
			uint64_t last = last_of(&rest, page_shift);

			if (part_is_wrong(&rest)) {
				if (!doubts_prove(doubts, key, at, &last)) {
					part.state = PART_UNKNOWN;
					*unproven += last - at + 1;
				}
				part.bytes = (last - at + 1) << page_shift;
			}
			err = append_part(&settled, &part);
			rest.bus += part.bytes;
			rest.phys += part.bytes;
			rest.vaddr += part.bytes;
			rest.elsewhere += part.bytes;
			rest.now_phys += part.bytes;
			rest.bytes -= part.bytes;
		}
	}
	free(parts->part);
	*parts = settled;
	return err;
}
