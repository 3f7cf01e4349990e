// SPDX-License-Identifier: GPL-2.0
/* How much vmalloc() has taken, by its counter and by its areas. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/folder.h"
#include "base/lines.h"
#include "proc/directmap.h"
#include "proc/vmalloc_used.h"

/* How often the lists are read of a kernel whose areas come and go. */
#define MOST_READS	16

/* What a processor may keep of a counter of a node (vm_node_stat_diff is an s8). */
#define MOST_KEPT	127

static size_t next_in_use(const struct vmallocinfo *info, size_t i)
{
	while (i < info->nr && info->area[i].is_freed)
		i++;
	return i;
}

bool vmallocinfo_same(const struct vmallocinfo *a, const struct vmallocinfo *b)
{
	size_t i = next_in_use(a, 0), j = next_in_use(b, 0);

	while (i < a->nr && j < b->nr && a->area[i].start == b->area[j].start &&
	       a->area[i].end == b->area[j].end && a->area[i].pages == b->area[j].pages) {
		i = next_in_use(a, i + 1);
		j = next_in_use(b, j + 1);
	}
	return i == a->nr && j == b->nr;
}

static int take_counter(char *line, void *arg)
{
	return !strncmp(line, "nr_vmalloc ", 11);
}

static int count_node(const char *name, void *arg)
{
	unsigned int node;

	*(uint64_t *)arg += sscanf(name, "node%u", &node) == 1;
	return 0;
}

/*
 * At first there was one atomic counter (6.12). Now it is one of each node (7.3), of
 * which each processor keeps a part for a while.
 */
static uint64_t rough_pages(void)
{
	uint64_t nodes = 0;

	if (lines_in("/proc/vmstat", take_counter, NULL) != 1)
		return 0;
	folder_each("/sys/devices/system/node", count_node, &nodes);
	return (nodes ? nodes : 1) * sysconf(_SC_NPROCESSORS_CONF) * MOST_KEPT;
}

static uint64_t vmalloc_pages(const struct vmallocinfo *areas)
{
	uint64_t pages = 0;

	/* Pages that vmap() was given with VM_MAP_PUT_PAGES aren't counted. */
	for (size_t i = 0; i < areas->nr; i++)
		if (areas->area[i].is_vmalloc && !areas->area[i].is_freed)
			pages += areas->area[i].pages;
	return pages;
}

void vmalloc_used_read(struct vmalloc_used *used)
{
	const uint64_t page_kb = sysconf(_SC_PAGESIZE) >> 10;
	struct vmallocinfo before = { 0 }, after = { 0 };
	struct directmap map;

	memset(used, 0, sizeof(*used));
	for (int i = 0; i < MOST_READS && !used->is_known; i++) {
		vmallocinfo_read(&before);
		if (!before.why_not && !directmap_read(&map) && map.has_used)
			vmallocinfo_read(&after);
		else
			i = MOST_READS;
		if (i < MOST_READS && !after.why_not && vmallocinfo_same(&before, &after))
			*used = (struct vmalloc_used){
				true, map.used_kb, vmalloc_pages(&after) * page_kb,
				rough_pages() * page_kb,
			};
		vmallocinfo_free(&before);
		vmallocinfo_free(&after);
	}
}
