// SPDX-License-Identifier: GPL-2.0
/* The kernel's extents by area, for lists, and for what compares two moments. */
#include "base/array.h"
#include "base/error.h"
#include "kernel/pieces.h"

struct kernel_piece kernel_piece_cut(const struct kernel_facts *facts,
				     struct kernel_extent *e)
{
	const struct vmallocinfo *areas = &facts->areas;
	struct kernel_piece p = { .extent = *e, .in_row = true };
	uint64_t end = 0;
	size_t i;

	p.region = kernel_region_at(&facts->tables, e->start);
	p.area = vmallocinfo_at(areas, e->start);
	if (p.area)
		end = p.area->end;
	i = areas->why_not ? areas->nr : array_from(areas->area, areas->nr, start, e->start + 1);
	if (!p.area && i < areas->nr)
		end = areas->area[i].start;
	if (end && end - e->start < e->bytes)
		p.extent.bytes = end - e->start;
	e->start += p.extent.bytes;
	e->bytes -= p.extent.bytes;
	if (e->kind == KERNEL_MAPPED)
		e->phys += p.extent.bytes;
	return p;
}

void kernel_pieces_describe(const struct kernel_facts *facts, struct ptwalk_kernel *info)
{
	const unsigned int shift = facts->tables.page_shift;

	info->page_shift = shift;
	for (unsigned int i = 0; i < PTWALK_LEVELS; i++) {
		info->levels |= 1U << i;
		info->level_shift[i] = shift + i * (shift - 3);
	}
	/* An extent has its type, and not the number of an entry with it. */
	for (unsigned int i = 0; i < KERNEL_TYPES; i++)
		info->memory_types[info->nr_memory_types++] = i;
}

static bool is_unread(const struct kernel_extent *e)
{
	return e->kind == KERNEL_UNREADABLE || e->kind == KERNEL_CHANGING;
}

/* Whether a table for some of @e couldn't be read. */
static bool was_unread(const struct kernel_tables *t, const struct kernel_extent *e)
{
	for (size_t i = kernel_extent_from(t, e->start);
	     i < t->nr && t->extent[i].start - e->start < e->bytes; i++)
		if (is_unread(&t->extent[i]))
			return true;
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

int kernel_pieces_truth(const struct kernel_facts *facts, const struct kernel_facts *other,
			bool (*wanted)(const struct kernel_extent *e, const void *arg),
			const void *arg, struct truth *truth, uint64_t *unread)
{
	const struct kernel_tables *t = &facts->tables;
	struct kernel_piece before = { 0 }, p;
	struct kernel_extent e;

	for (size_t i = 0; i < t->nr; i++) {
		e = t->extent[i];
		while (e.bytes) {
			p = kernel_piece_cut(facts, &e);
			if (!wanted(&p.extent, arg) || p.extent.kind == KERNEL_SAME_TABLE)
				continue;
			if (is_unread(&p.extent) || was_unread(&other->tables, &p.extent)) {
				*unread += p.extent.bytes;
				continue;
			}
			if (!add_piece(truth, &p, &before, t->page_shift))
				return error_no_memory();
			before = p;
		}
	}
	return 0;
}
