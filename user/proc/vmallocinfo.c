// SPDX-License-Identifier: GPL-2.0
/* /proc/vmallocinfo: what vmalloc(), vmap() and ioremap() have mapped, and for whom. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/lines.h"
#include "base/parse.h"
#include "proc/vmallocinfo.h"

/* "pages=4": whether @word begins with @key; the number behind it. */
static bool take_keyed_number(const char *word, const char *key, bool decimal, uint64_t *value)
{
	size_t length = strlen(key);

	return !strncmp(word, key, length) &&
	       !(decimal ? parse_decimal(word + length, UINT64_MAX, value) :
		 parse_hex(word + length, value));
}

static void take_vmalloc_word(const char *word, struct vmalloc_area *area)
{
	size_t length = strlen(area->caller);

	if (take_keyed_number(word, "pages=", true, &area->pages))
		area->has_pages = true;
	else if (take_keyed_number(word, "phys=", false, &area->phys))
		area->has_phys = true;
	else if (!strcmp(word, "vmalloc"))
		area->is_vmalloc = true;
	else if (!strcmp(word, "ioremap"))
		area->is_ioremap = true;
	else if (!strcmp(word, "dma-coherent"))
		area->is_coherent = true;
	else if (!strcmp(word, "unpurged"))
		area->is_freed = true;
	else if (strchr(word, '+') || *word == '[' || !strncmp(word, "0x", 2) ||
		 !strcmp(word, "vm_map_ram"))
		snprintf(area->caller + length, sizeof(area->caller) - length, "%s%s",
			 length ? " " : "", word);
}

/* "0xSTART-0xEND    20480 kernel_clone+0xc2/0x430 pages=4 vmalloc N0=4" */
static int parse_vmalloc_area(char *line, struct vmalloc_area *area)
{
	char *rest, *word = strtok_r(line, " ", &rest);
	char *dash = word ? strchr(word, '-') : NULL;

	memset(area, 0, sizeof(*area));
	if (!dash)
		return -EINVAL;
	*dash = '\0';
	if (parse_hex(word, &area->start) || parse_hex(dash + 1, &area->end))
		return -EINVAL;
	/* The size is the distance. */
	if (!strtok_r(NULL, " ", &rest))
		return -EINVAL;
	while ((word = strtok_r(NULL, " ", &rest)))
		take_vmalloc_word(word, area);
	return 0;
}

int vmallocinfo_line(char *line, struct vmallocinfo *info)
{
	struct vmalloc_area area;
	int err = parse_vmalloc_area(line, &area);

	if (err)
		return err;
	return array_add(info->area, info->nr, info->max, area) ? 0 : -ENOMEM;
}

/* Of areas at the same addresses, one may have been freed while the file was read. */
static int by_vmalloc_start(const void *a, const void *b)
{
	const struct vmalloc_area *x = a, *y = b;

	return x->start != y->start ? (x->start > y->start ? 1 : -1) :
	       (int)x->is_freed - (int)y->is_freed;
}

static int take_vmalloc_line(char *line, void *arg)
{
	return vmallocinfo_line(line, arg);
}

void vmallocinfo_sort(struct vmallocinfo *info)
{
	if (info->nr)
		qsort(info->area, info->nr, sizeof(*info->area), by_vmalloc_start);
}

int vmallocinfo_parse(FILE *stream, struct vmallocinfo *info)
{
	int err = lines_each(stream, take_vmalloc_line, info, NULL);

	vmallocinfo_sort(info);
	return err;
}

/* Hashes have 32 bits; no address of a kernel of 64 bits has, the module's only ones. */
static bool is_hashed(const struct vmallocinfo *info)
{
	for (size_t i = 0; i < info->nr; i++)
		if (!(info->area[i].start >> 32))
			return true;
	return false;
}

void vmallocinfo_read(struct vmallocinfo *info)
{
	FILE *stream = fopen("/proc/vmallocinfo", "re");
	int err = stream ? vmallocinfo_parse(stream, info) : -errno;

	if (stream)
		fclose(stream);
	if (err)
		info->why_not = err == -ENOENT ? "this kernel has no /proc/vmallocinfo" :
			err == -ENOMEM ? "/proc/vmallocinfo: out of memory" :
			"/proc/vmallocinfo can't be read";
	else if (!info->nr)
		info->why_not = "/proc/vmallocinfo is empty";
	else if (is_hashed(info))
		info->why_not = "/proc/vmallocinfo shows no addresses: sysctl kernel.kptr_restrict=1 lets it show them to root";
}

void vmallocinfo_free(struct vmallocinfo *info)
{
	free(info->area);
	memset(info, 0, sizeof(*info));
}

const struct vmalloc_area *vmallocinfo_at(const struct vmallocinfo *info, uint64_t addr)
{
	size_t i = info->why_not ? 0 : array_from(info->area, info->nr, start, addr);

	if (info->why_not)
		return NULL;
	if (i < info->nr && info->area[i].start == addr && !info->area[i].is_freed)
		return &info->area[i];
	/* Freed ones may be in between, of addresses that are in use again. */
	while (i--)
		if (!info->area[i].is_freed)
			return addr < info->area[i].end ? &info->area[i] : NULL;
	return NULL;
}
