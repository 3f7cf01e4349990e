// SPDX-License-Identifier: GPL-2.0
/* The kernel's extents by area, for lists, and for what compares two moments. */
#include "base/array.h"
#include "base/error.h"
#include "kernel/pieces.h"

/* Takes the first @bytes off @e. */
static struct kernel_extent cut_extent(struct kernel_extent *e, uint64_t bytes)
{
	struct kernel_extent first = *e;

	first.bytes = bytes;
	e->start += bytes;
	e->bytes -= bytes;
	if (e->kind == KERNEL_MAPPED)
		e->phys += bytes;
	return first;
}

/* The first address behind @addr at which a region begins or has ended; 0: there is none. */
static uint64_t region_border(const struct kernel_tables *t, uint64_t addr)
{
	uint64_t border = 0, next;

	for (size_t i = 0; i < t->nr_regions; i++) {
		next = t->region[i].start > addr ? t->region[i].start :
		       t->region[i].last >= addr ? t->region[i].last + 1 : 0;
		if (next && (!border || next < border))
			border = next;
	}
	return border;
}

struct kernel_piece kernel_piece_cut(const struct kernel_facts *facts,
				     struct kernel_extent *e)
{
	const struct vmallocinfo *areas = &facts->areas;
	struct kernel_piece p = { .in_row = true };
	uint64_t end = region_border(&facts->tables, e->start), next = 0;
	size_t i;

	p.region = kernel_region_at(&facts->tables, e->start);
	p.area = vmallocinfo_at(areas, e->start);
	i = areas->why_not ? areas->nr : array_from(areas->area, areas->nr, start, e->start + 1);
	if (p.area)
		next = p.area->end;
	else if (i < areas->nr)
		next = areas->area[i].start;
	if (next && (!end || next < end))
		end = next;
	p.extent = cut_extent(e, end && end - e->start < e->bytes ? end - e->start : e->bytes);
	return p;
}

bool kernel_clip_frames(const struct range *frames, struct kernel_extent *e)
{
	if (!frames)
		return true;
	if (e->kind != KERNEL_MAPPED || e->phys > frames->last ||
	    e->phys + (e->bytes - 1) < frames->start)
		return false;
	if (frames->start > e->phys)
		cut_extent(e, frames->start - e->phys);
	if (e->bytes - 1 > frames->last - e->phys)
		e->bytes = frames->last - e->phys + 1;
	return true;
}

/* The first addresses of @e that a range has. False: there are none. */
static bool first_in_ranges(const struct kernel_wanted *wanted, const struct kernel_extent *e,
			    struct range *first)
{
	const uint64_t last = e->start + (e->bytes - 1);
	const struct range *r;
	bool found = !wanted->nr_ranges;
	uint64_t start;

	*first = (struct range){ e->start, last };
	for (size_t i = 0; i < wanted->nr_ranges; i++) {
		r = &wanted->range[i];
		start = r->start > e->start ? r->start : e->start;
		if (r->last < e->start || start > last || (found && start >= first->start))
			continue;
		*first = (struct range){ start, r->last < last ? r->last : last };
		found = true;
	}
	return found;
}

bool kernel_wanted_cut(const struct kernel_wanted *wanted, struct kernel_extent *e,
		       struct kernel_extent *part)
{
	struct range first;

	while (e->bytes && first_in_ranges(wanted, e, &first)) {
		cut_extent(e, first.start - e->start);
		*part = cut_extent(e, first.last - first.start + 1);
		if (kernel_clip_frames(wanted->frames, part))
			return true;
	}
	return false;
}

void kernel_pieces_describe(const struct kernel_facts *facts, struct ptwalk_kernel *info)
{
	const struct kernel_tables *t = &facts->tables;

	info->page_shift = t->page_shift;
	for (unsigned int i = 0; i < t->levels; i++) {
		info->levels |= 1U << i;
		info->level_shift[i] = t->level_shift[i];
	}
	/* An extent has its type, and not the number of an entry with it. */
	for (unsigned int i = 0; i < KERNEL_TYPES; i++)
		info->memory_types[info->nr_memory_types++] = i;
}

static bool is_unread(const struct kernel_extent *e)
{
	return e->kind == KERNEL_UNREADABLE || e->kind == KERNEL_CHANGING;
}

/* The first table that couldn't be read and is for some of @e, or NULL. */
static const struct kernel_extent *first_unread(const struct kernel_tables *t,
						const struct kernel_extent *e)
{
	const uint64_t last = e->start + (e->bytes - 1);

	for (size_t i = kernel_extent_from(t, e->start);
	     i < t->nr && t->extent[i].start <= last; i++)
		if (is_unread(&t->extent[i]))
			return &t->extent[i];
	return NULL;
}

/* Cuts off @e the next *@part whose tables could be read, and what is in front of it. */
static bool read_cut(const struct kernel_tables *t, struct kernel_extent *e,
		     struct kernel_extent *part)
{
	const struct kernel_extent *unread;
	uint64_t bytes;

	while (e->bytes) {
		unread = first_unread(t, e);
		if (!unread || unread->start > e->start) {
			*part = cut_extent(e, unread ? unread->start - e->start : e->bytes);
			return true;
		}
		bytes = unread->bytes - (e->start - unread->start);
		cut_extent(e, bytes < e->bytes ? bytes : e->bytes);
	}
	return false;
}

static uint64_t bits_of(const struct kernel_extent *e)
{
	return ptwalk_bits(PTWALK_KIND_PRESENT, e->level - 1, e->type,
			   (e->write ? PTWALK_FLAG_WRITE : 0) |
			   (e->exec ? PTWALK_FLAG_EXEC : 0) |
			   (e->user ? PTWALK_FLAG_USER : 0));
}

/* Its area goes on if it is that of the piece before, or none. */
static bool add_piece(struct truth *truth, const struct kernel_piece *p,
		      const struct kernel_piece *before, unsigned int shift)
{
	const struct kernel_extent *e = &p->extent;
	struct ptwalk_vma *vma = truth->nr_vmas ? &truth->vmas[truth->nr_vmas - 1] : NULL;

	if (!array_room(&truth->vmas, &truth->max_vmas, truth->nr_vmas + 1,
			sizeof(*truth->vmas)) ||
	    !array_room(&truth->extents, &truth->max_extents, truth->nr_extents + 1,
			sizeof(*truth->extents)))
		return false;
	if (vma && before->region == p->region && before->area == p->area)
		truth->vmas[truth->nr_vmas - 1].last = e->start + (e->bytes - 1);
	else
		truth->vmas[truth->nr_vmas++] = (struct ptwalk_vma) {
			.start = e->start, .last = e->start + (e->bytes - 1),
		};
	truth->extents[truth->nr_extents++] = (struct ptwalk_extent) {
		.addr = e->start, .value = e->phys >> shift, .pages = e->bytes >> shift,
		.bits = bits_of(e),
	};
	return true;
}

/* Adds of @part, which is wanted, what could be read in @other, too. */
static int add_part(const struct kernel_facts *facts, const struct kernel_facts *other,
		    struct kernel_extent *part, struct kernel_piece *before,
		    struct truth *truth)
{
	struct kernel_extent rest;
	struct kernel_piece p;

	while (read_cut(&other->tables, part, &rest)) {
		while (rest.bytes) {
			p = kernel_piece_cut(facts, &rest);
			if (!add_piece(truth, &p, before, facts->tables.page_shift))
				return error_no_memory();
			*before = p;
		}
	}
	return 0;
}

int kernel_pieces_truth(const struct kernel_facts *facts, const struct kernel_facts *other,
			const struct kernel_wanted *wanted, struct truth *truth)
{
	const struct kernel_tables *t = &facts->tables;
	struct kernel_piece before = { 0 };
	struct kernel_extent e, part;
	int err = 0;

	for (size_t i = 0; i < t->nr; i++) {
		e = t->extent[i];
		while (!err && e.kind == KERNEL_MAPPED && kernel_wanted_cut(wanted, &e, &part))
			err = add_part(facts, other, &part, &before, truth);
	}
	return err;
}

uint64_t kernel_pieces_unread(const struct kernel_facts *a, const struct kernel_facts *b,
			      const struct kernel_wanted *wanted)
{
	struct kernel_wanted of_any_frame = *wanted;
	struct kernel_extent e, part, alone;
	uint64_t bytes = 0;

	of_any_frame.frames = NULL;
	for (size_t i = 0; i < a->tables.nr; i++) {
		e = a->tables.extent[i];
		while (is_unread(&e) && kernel_wanted_cut(&of_any_frame, &e, &part))
			bytes += part.bytes;
	}
	for (size_t i = 0; i < b->tables.nr; i++) {
		e = b->tables.extent[i];
		while (is_unread(&e) && kernel_wanted_cut(&of_any_frame, &e, &part))
			while (read_cut(&a->tables, &part, &alone))
				bytes += alone.bytes;
	}
	return bytes;
}
