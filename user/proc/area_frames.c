// SPDX-License-Identifier: GPL-2.0
/* The frames that areas of vmalloc() and its like map, by /proc/kpageflags. */
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "proc/area_frames.h"
#include "proc/kpageflags.h"
#include "proc/pagemap_bits.h"

#define AT_ONCE	512

#define FLAGS	(KPF_BIT(BUDDY) | KPF_BIT(PGTABLE) | KPF_BIT(OFFLINE) | KPF_BIT(RESERVED))

/* Adds pages from @addr on, to the run before if that is of the same area and kind. */
static bool add_frames(struct area_frames *frames, const struct vmalloc_area *area, uint64_t addr,
		       uint64_t bytes, uint64_t phys, uint64_t flags)
{
	struct frame_run *last = frames->nr ? &frames->run[frames->nr - 1] : NULL;

	if (last && last->start >= area->start && last->start + last->bytes == addr &&
	    last->flags == flags) {
		last->bytes += bytes;
		return true;
	}
	return array_add(frames->run, frames->nr, frames->max,
			 (struct frame_run){ addr, bytes, phys, flags });
}

/* Pages from @addr on, as many as lie before @end. */
static bool read_area_frames(struct area_frames *frames, const struct vmalloc_area *area,
			     const struct iomem *iomem, uint64_t addr, uint64_t end,
			     uint64_t phys, unsigned int shift)
{
	uint64_t flags[AT_ONCE], pages;
	size_t got;

	for (; addr < end; addr += pages << shift, phys += pages << shift) {
		pages = (end - addr) >> shift;
		if (pages > AT_ONCE)
			pages = AT_ONCE;
		got = frameflags_read(phys >> shift, flags, pages);
		for (size_t i = 0; i < pages; i++)
			if (!add_frames(frames, area, addr + (i << shift), 1ULL << shift,
					phys + (i << shift),
					(i < got ? flags[i] & FLAGS : 0) |
					(iomem_is_ram(iomem, phys + (i << shift)) ? FRAME_RAM : 0)))
				return false;
	}
	return true;
}

static bool read_area(struct area_frames *frames, const struct kernel_tables *t,
		      const struct vmalloc_area *area, const struct iomem *iomem)
{
	const struct kernel_extent *e;
	uint64_t from, end;

	for (size_t i = kernel_extent_from(t, area->start); i < t->nr; i++) {
		e = &t->extent[i];
		if (e->start >= area->end)
			break;
		from = e->start > area->start ? e->start : area->start;
		end = area->end - e->start < e->bytes ? area->end : e->start + e->bytes;
		if (e->kind == KERNEL_MAPPED &&
		    !read_area_frames(frames, area, iomem, from, end, e->phys + (from - e->start),
				      t->page_shift))
			return false;
	}
	return true;
}

void area_frames_read(struct area_frames *frames, const struct kernel_tables *tables,
		      const struct vmallocinfo *areas, const struct iomem *iomem)
{
	uint64_t flags;

	if (areas->why_not)
		frames->why_not = areas->why_not;
	else if (iomem->why_not)
		frames->why_not = iomem->why_not;
	else if (!frameflags_read(0, &flags, 1))
		frames->why_not = "/proc/kpageflags can't be read (CONFIG_PROC_PAGE_MONITOR)";
	for (size_t i = 0; i < areas->nr && !frames->why_not; i++)
		if (!areas->area[i].is_freed &&
		    !read_area(frames, tables, &areas->area[i], iomem))
			frames->why_not = "out of memory";
}

void area_frames_free(struct area_frames *frames)
{
	free(frames->run);
	memset(frames, 0, sizeof(*frames));
}
