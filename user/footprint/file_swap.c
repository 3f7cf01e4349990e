// SPDX-License-Identifier: GPL-2.0
/* Pages of shared memory in swap, by mapping. */
#include "proc/swapped.h"
#include "footprint/file_swap.h"

/**
 * struct below - private mapping of shared memory that is gone through
 * @pages: Of its file, in swap where nothing is mapped.
 */
struct below {
	struct swapped swapped;
	unsigned int page_shift;
	uint64_t pages;
};

static int take_empty(const struct ptwalk_vma *vma, const struct ptwalk_extent *extents,
		      size_t nr, void *arg)
{
	struct below *b = arg;

	for (size_t i = 0; i < nr; i++)
		if (ptwalk_bits_kind(extents[i].bits) == PTWALK_KIND_NONE)
			b->pages += swapped_pages(&b->swapped, extents[i].addr,
						  extents[i].pages << b->page_shift);
	return 0;
}

int file_swap_pages(struct ptwalk *client, pid_t pid, const struct map *map,
		    uint64_t *pages)
{
	struct below b = { .page_shift = ptwalk_kernel(client)->page_shift };
	int err = 0;

	*pages = 0;
	if (!swapped_open_map(&b.swapped, pid, map)) {
		swapped_close(&b.swapped);
		return 0;
	}
	/* Of a page in swap, no entry is present; but there may be a private copy. */
	if (map->perms[3] == 's')
		b.pages = swapped_pages(&b.swapped, map->start, map->last - map->start + 1);
	else
		err = truth_stream(client, pid, map->start, map->last, take_empty, &b);
	swapped_close(&b.swapped);
	*pages = b.pages;
	return err;
}
