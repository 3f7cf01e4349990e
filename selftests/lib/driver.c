// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "driver.h"
#include "system.h"

int driver_load(void)
{
	return access(DRIVER_DEVICE, F_OK) ? module_load("ptwalk_fixture") : 0;
}

int driver_read(char *text, size_t size)
{
	int fd = open(DRIVER_DEVICE, O_RDONLY | O_CLOEXEC), err = 0;
	size_t done = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0 && done + 1 < size) {
		n = read(fd, text + done, size - 1 - done);
		if (n < 0)
			err = -errno;
		else
			done += n;
	}
	close(fd);
	text[done] = '\0';
	return err;
}

/* The line of a name, without the name; NULL if there is none. */
static const char *line_of(const char *text, const char *name)
{
	size_t length = strlen(name);

	while (text && *text) {
		if (!strncmp(text, name, length) && text[length] == ' ')
			return text + length + 1;
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

int driver_region(const char *text, const char *name, struct driver_region *region)
{
	const char *line = line_of(text, name);
	char dma[24], page[96];

	memset(region, 0, sizeof(*region));
	snprintf(region->name, sizeof(region->name), "%s", name);
	if (!line)
		return -ENOENT;
	if (sscanf(line, "- - - - - - - absent: %159[^\n]", region->absent) == 1)
		return 0;
	if (sscanf(line, "%llx %llx %llx %23s %23s %15s %7s %23s", &region->offset,
		   &region->length, &region->phys, dma, region->cache,
		   region->entries, region->level, region->wrong) != 8)
		return -EPROTO;
	region->has_dma = sscanf(dma, "%llx", &region->dma) == 1;
	region->device = strstr(name, "pci");
	while (region->nr_pages < DRIVER_PAGES) {
		snprintf(page, sizeof(page), "%s+%zu", name, region->nr_pages);
		line = line_of(text, page);
		if (!line || sscanf(line, "%llx", &region->page[region->nr_pages]) != 1)
			break;
		region->nr_pages++;
	}
	return 0;
}

u64 driver_frame(const struct driver_region *region, u64 index, u64 page_size)
{
	return index < region->nr_pages ? region->page[index] / page_size :
					  region->phys / page_size + index;
}

enum ptwalk_level driver_level(const struct driver_region *region)
{
	if (!strcmp(region->level, "pmd"))
		return PTWALK_LEVEL_PMD;
	return strcmp(region->level, "pud") ? PTWALK_LEVEL_PTE : PTWALK_LEVEL_PUD;
}

const char *driver_cache_name(const struct ptw_info *info, u64 bits)
{
	static const char *const names[] = {
		[PTWALK_MEMORY_TYPE_WB] = "wb",
		[PTWALK_MEMORY_TYPE_WC] = "wc",
		[PTWALK_MEMORY_TYPE_UC] = "uc",
		[PTWALK_MEMORY_TYPE_UC_MINUS] = "uc-minus",
		[PTWALK_MEMORY_TYPE_NORMAL] = "normal",
		[PTWALK_MEMORY_TYPE_NORMAL_NC] = "normal-nc",
		[PTWALK_MEMORY_TYPE_DEVICE_NGNRNE] = "device-ngnrne",
	};
	u32 index = ptwalk_bits_aux(bits), type;

	if (index >= info->nr_memtypes)
		return "-";
	type = info->memtypes[index];
	return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type] : "-";
}
