// SPDX-License-Identifier: GPL-2.0
/* From physical addresses back to the bus addresses that lead there. */
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "dma/busmap.h"

int busmap_add(struct busmap *map, const struct ptwalk_stretch *stretch)
{
	struct ptwalk_stretch *prev = map->nr ? &map->stretch[map->nr - 1] : NULL;

	if (prev && prev->iova + prev->bytes == stretch->iova &&
	    prev->phys + prev->bytes == stretch->phys) {
		prev->bytes += stretch->bytes;
		return 0;
	}
	return array_add(map->stretch, map->nr, map->max, *stretch) ? 0 : -ENOMEM;
}

bool busmap_find(const struct busmap *map, uint64_t bus, uint64_t *phys)
{
	for (size_t i = 0; i < map->nr; i++) {
		const struct ptwalk_stretch *s = &map->stretch[i];

		if (bus < s->iova || bus - s->iova >= s->bytes)
			continue;
		*phys = s->phys + (bus - s->iova);
		return true;
	}
	return false;
}

static int by_stretch_phys(const void *a, const void *b)
{
	const struct ptwalk_stretch *x = a, *y = b;

	if (x->phys != y->phys)
		return x->phys < y->phys ? -1 : 1;
	return x->iova < y->iova ? -1 : x->iova > y->iova;
}

int busmap_sort(struct busmap *map)
{
	uint64_t last = 0;

	free(map->last);
	map->last = calloc(map->nr + 1, sizeof(*map->last));
	if (!map->last)
		return -ENOMEM;
	if (map->nr)
		qsort(map->stretch, map->nr, sizeof(*map->stretch), by_stretch_phys);
	for (size_t i = 0; i < map->nr; i++) {
		const struct ptwalk_stretch *s = &map->stretch[i];

		if (s->phys + s->bytes - 1 > last)
			last = s->phys + s->bytes - 1;
		map->last[i] = last;
	}
	return 0;
}

void busmap_free(struct busmap *map)
{
	free(map->stretch);
	free(map->last);
	*map = (struct busmap){ 0 };
}

/* The first stretch that can reach as far as @phys. */
static size_t first_reaching(const struct busmap *map, uint64_t phys)
{
	return array_first(map->last, map->nr, sizeof(*map->last), phys);
}

static int add_row(struct bus_rows *rows, const struct bus_row *row)
{
	struct bus_row *prev = rows->nr ? &rows->row[rows->nr - 1] : NULL;

	if (prev && rows->is_open && prev->is_mapped == row->is_mapped &&
	    prev->vaddr + prev->bytes == row->vaddr &&
	    prev->phys + prev->bytes == row->phys &&
	    (!row->is_mapped || prev->bus + prev->bytes == row->bus)) {
		prev->bytes += row->bytes;
		return 0;
	}
	return array_add(rows->row, rows->nr, rows->max, *row) ? 0 : -ENOMEM;
}

/*
 * From @phys on, up to where the set of stretches changes, at most @bytes.
 * *@nr is how many there are.
 */
static uint64_t same_bytes(const struct busmap *map, uint64_t phys,
			   uint64_t bytes, size_t *nr)
{
	*nr = 0;
	for (size_t i = first_reaching(map, phys); i < map->nr; i++) {
		const struct ptwalk_stretch *s = &map->stretch[i];

		if (s->phys > phys) {
			if (s->phys - phys < bytes)
				bytes = s->phys - phys;
			break;
		}
		if (phys - s->phys >= s->bytes)
			continue;
		++*nr;
		if (s->bytes - (phys - s->phys) < bytes)
			bytes = s->bytes - (phys - s->phys);
	}
	return bytes;
}

static int add_mapped(const struct busmap *map, struct bus_row row,
		      struct bus_rows *rows)
{
	row.is_mapped = 1;
	for (size_t i = first_reaching(map, row.phys); i < map->nr; i++) {
		const struct ptwalk_stretch *s = &map->stretch[i];

		if (s->phys > row.phys)
			break;
		if (row.phys - s->phys >= s->bytes)
			continue;
		row.bus = s->iova + (row.phys - s->phys);
		if (add_row(rows, &row))
			return -ENOMEM;
	}
	return 0;
}

int busmap_join(const struct busmap *map, uint64_t vaddr, uint64_t phys,
		uint64_t bytes, struct bus_rows *rows)
{
	while (bytes) {
		struct bus_row row = { .vaddr = vaddr, .phys = phys };
		size_t nr;
		int err;

		row.bytes = same_bytes(map, phys, bytes, &nr);
		rows->is_open &= nr <= 1;
		err = nr ? add_mapped(map, row, rows) : add_row(rows, &row);
		if (err)
			return -ENOMEM;
		rows->is_open = nr <= 1;
		vaddr += row.bytes;
		phys += row.bytes;
		bytes -= row.bytes;
	}
	return 0;
}

void bus_rows_free(struct bus_rows *rows)
{
	free(rows->row);
	*rows = (struct bus_rows){ 0 };
}
