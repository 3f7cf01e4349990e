// SPDX-License-Identifier: GPL-2.0
/* Where the memory of processes goes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "footprint/file_swap.h"
#include "footprint/footprint.h"

const char *const footprint_kind_name[NR_FOOTPRINT_KINDS] = {
	[FOOTPRINT_HEAP] = "heap",
	[FOOTPRINT_STACK] = "stack",
	[FOOTPRINT_ANON] = "anonymous",
	[FOOTPRINT_FILE] = "file",
	[FOOTPRINT_SHMEM] = "shared memory",
	[FOOTPRINT_HUGETLB] = "hugetlb",
	[FOOTPRINT_DEVICE] = "device",
	[FOOTPRINT_OTHER] = "other",
};

const char *const footprint_class_name[NR_FRAMES_CLASSES] = {
	[FRAMES_ANON] = "anon",
	[FRAMES_FILE] = "file",
	[FRAMES_SHMEM] = "shmem",
	[FRAMES_KSM] = "ksm",
	[FRAMES_HUGETLB] = "hugetlb",
	[FRAMES_SPECIAL] = "special",
	[FRAMES_DEVICE] = "device",
};

static enum footprint_kind mapping_kind_of(const struct ptwalk_vma *vma)
{
	const uint64_t flags = vma->flags;

	if (flags & PTWALK_VMA_FLAG_HUGETLB)
		return FOOTPRINT_HUGETLB;
	if (flags & PTWALK_VMA_FLAG_SHMEM)
		return FOOTPRINT_SHMEM;
	if (flags & PTWALK_VMA_FLAG_HEAP)
		return FOOTPRINT_HEAP;
	if (flags & PTWALK_VMA_FLAG_STACK)
		return FOOTPRINT_STACK;
	if (flags & PTWALK_VMA_FLAG_ANONYMOUS)
		return FOOTPRINT_ANON;
	if (!vma->inode)
		return FOOTPRINT_OTHER;
	return flags & (PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_IO) ?
		       FOOTPRINT_DEVICE : FOOTPRINT_FILE;
}

/* Where the kernel counts no mappings of single pages, only it knows. */
static uint64_t pss_of(const struct rss *rss, const struct totals *t, uint64_t start)
{
	const struct smaps_vma *shown;

	if (rss->counted.info->features & PTWALK_FEATURE_PAGE_MAPCOUNT)
		return t->pss >> (TOTALS_PSS_SHIFT + 10);
	shown = smaps_at(&rss->shown.smaps, start);
	return shown ? shown->value[SMAPS_PSS] : 0;
}

static int footprint_add_row(struct footprint *f, const struct rss *rss, pid_t pid, size_t i,
			     const struct maps *maps)
{
	const unsigned int kb = rss->counted.info->page_shift - 10;
	const struct ptwalk_vma *vma = &rss->counted.vmas[i];
	const struct totals *t = &rss->counted.each[i];
	const uint64_t mapped = totals_present(t) + totals_absent(t);
	const uint64_t hugetlb = t->hugetlb + t->hugetlb_absent;
	struct footprint_row *row;

	if (!array_room(&f->row, &f->max, f->nr + 1, sizeof(*f->row)))
		return error_no_memory();
	row = &f->row[f->nr];
	*row = (struct footprint_row){
		.pid = pid, .start = vma->start, .last = vma->last,
		.kind = mapping_kind_of(vma), .name = strdup(maps_name_at(maps, vma->start)),
		.mapped = (mapped + hugetlb) << kb,
		.kb = {
			[FOOTPRINT_SIZE] = (vma->last - vma->start + 1) >> 10,
			[FOOTPRINT_RSS] = mapped << kb,
			[FOOTPRINT_PSS] = pss_of(rss, t, vma->start),
			[FOOTPRINT_PRIVATE] = t->exclusive << kb,
			[FOOTPRINT_SHARED] = (mapped - t->exclusive) << kb,
			[FOOTPRINT_SWAP] = t->swap << kb,
			[FOOTPRINT_HUGE] = (t->pmd[CLASS_ANON] + t->pmd[CLASS_FILE] +
					    t->pmd[CLASS_SHMEM] + hugetlb) << kb,
		},
	};
	if (!row->name)
		return error_no_memory();
	f->nr++;
	return 0;
}

/**
 * struct frame_reader - a process whose frames are gathered
 * @first: Its first row.
 * @at: The row of the VMA whose extents come.
 * @page: A page of memory that is looked at for zeros.
 */
struct frame_reader {
	struct footprint *f;
	const struct ptwalk_kernel *kernel;
	size_t first, at;
	char *page;
};

static enum footprint_class frame_class_of(const struct ptwalk_vma *vma, uint64_t bits)
{
	const uint32_t flags = ptwalk_bits_flags(bits);

	if (vma->flags & PTWALK_VMA_FLAG_HUGETLB)
		return FRAMES_HUGETLB;
	if (!(flags & PTWALK_FLAG_PAGE))
		return flags & PTWALK_FLAG_RAM ? FRAMES_SPECIAL : FRAMES_DEVICE;
	if (flags & PTWALK_FLAG_KSM)
		return FRAMES_KSM;
	if (flags & PTWALK_FLAG_ANON)
		return FRAMES_ANON;
	return vma->flags & PTWALK_VMA_FLAG_SHMEM ? FRAMES_SHMEM : FRAMES_FILE;
}

static struct footprint_row *footprint_row_at(struct frame_reader *r, uint64_t start)
{
	struct footprint *f = r->f;

	while (r->at < f->nr && f->row[r->at].start < start)
		r->at++;
	return r->at < f->nr && f->row[r->at].start == start ? &f->row[r->at] : NULL;
}

static bool is_zeros(const char *page, size_t size)
{
	return !page[0] && !memcmp(page, page + 1, size - 1);
}

/* Looks at the bytes of @pages frames from @pfn on. */
static int look_for_zeros(struct frame_reader *r, struct footprint_row *row,
			  uint64_t pfn, uint64_t pages)
{
	const size_t size = 1UL << r->kernel->page_shift;

	for (; pages; pages--, pfn++) {
		if (r->f->stop && *r->f->stop)
			return -EINTR;
		if (kcore_read(r->f->kcore, pfn << r->kernel->page_shift, r->page,
			       size) != (ssize_t)size) {
			r->f->unread++;
			continue;
		}
		if (!is_zeros(r->page, size))
			continue;
		if (row)
			row->kb[FOOTPRINT_ZEROS] += size >> 10;
		if (distinct_add(&r->f->zeros, pfn, 1))
			return error_no_memory();
	}
	return 0;
}

static int gather_frames(const struct ptwalk_vma *vma, const struct ptwalk_extent *extents,
			 size_t nr, void *arg)
{
	struct frame_reader *r = arg;
	struct footprint_row *row = footprint_row_at(r, vma->start);
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		const struct ptwalk_extent *e = &extents[i];
		const uint32_t flags = ptwalk_bits_flags(e->bits);

		if (!ptwalk_bits_present(e->bits) ||
		    flags & PTWALK_FLAG_ZERO)
			continue;
		r->f->mapped += e->pages;
		if (distinct_add(&r->f->frames[frame_class_of(vma, e->bits)], e->value,
				 e->pages))
			return error_no_memory();
		if (r->page && flags & PTWALK_FLAG_PAGE && flags & PTWALK_FLAG_RAM)
			err = look_for_zeros(r, row, e->value, e->pages);
	}
	return err ? err : r->f->stop && *r->f->stop ? -EINTR : 0;
}

static int add_swap(struct footprint *f, struct ptwalk *client, pid_t pid, size_t first,
		    const struct maps *maps)
{
	const unsigned int kb = ptwalk_kernel(client)->page_shift - 10;
	const struct map *map;
	uint64_t pages;
	int err = 0;

	for (size_t i = first; !err && i < f->nr; i++) {
		map = maps_at(maps, f->row[i].start);
		if (f->row[i].kind != FOOTPRINT_SHMEM || !map ||
		    map->start != f->row[i].start)
			continue;
		err = file_swap_pages(client, pid, map, &pages);
		f->row[i].kb[FOOTPRINT_SWAP] += pages << kb;
	}
	return err;
}

int footprint_add(struct footprint *f, struct ptwalk *client, pid_t pid,
		  const struct rss *rss, const struct maps *maps)
{
	struct frame_reader r = { f, ptwalk_kernel(client), f->nr, f->nr, NULL };
	int err = 0;

	for (size_t i = 0; rss && !err && i < rss->counted.nr; i++)
		err = footprint_add_row(f, rss, pid, i, maps);
	if (!err && rss)
		err = add_swap(f, client, pid, r.first, maps);
	if (f->kcore)
		r.page = malloc(1UL << r.kernel->page_shift);
	if (!err && f->kcore && !r.page)
		err = error_no_memory();
	if (!err)
		err = truth_stream(client, pid, 0, UINT64_MAX, gather_frames, &r);
	free(r.page);
	return err;
}

static int by_mapped(const void *a, const void *b)
{
	const struct footprint_row *x = a, *y = b;

	if (x->mapped != y->mapped)
		return x->mapped > y->mapped ? -1 : 1;
	if (x->kb[FOOTPRINT_SIZE] != y->kb[FOOTPRINT_SIZE])
		return x->kb[FOOTPRINT_SIZE] > y->kb[FOOTPRINT_SIZE] ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

void footprint_sort(struct footprint *f)
{
	if (f->nr)
		qsort(f->row, f->nr, sizeof(*f->row), by_mapped);
}

void footprint_free(struct footprint *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->row[i].name);
	free(f->row);
	for (unsigned int i = 0; i < NR_FRAMES_CLASSES; i++)
		distinct_free(&f->frames[i]);
	distinct_free(&f->zeros);
	memset(f, 0, sizeof(*f));
}
