// SPDX-License-Identifier: GPL-2.0
/* Memory of devices, as sysfs, procfs and /dev/mem map it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <linux/pci.h>
#include <unistd.h>
#include "build_foreign.h"

#define PTR(p)		((u64)(uintptr_t)(p))
#define DEVICES		"/sys/bus/pci/devices"
#define MAX_LENGTH	(64ULL << 10)

/* Of the third number of a line of "resource": linux/ioport.h. */
#define RESOURCE_MEM	0x200

/**
 * struct bar - memory of a PCI device that no driver has taken
 * @device: Such as 0000:00:01.0.
 * @nr: Which of its resources.
 * @start: Physical address.
 * @length: In bytes, no more than is worth mapping.
 */
struct bar {
	char device[32];
	int nr;
	u64 start, length;
};

/* Resource @nr of a device; false if it is no memory. */
static bool read_bar(struct mapping *m, const char *device, int nr, struct bar *bar)
{
	u64 start, end, flags;
	char path[300];
	FILE *file;
	int i, got = 0;

	snprintf(path, sizeof(path), DEVICES "/%s/resource", device);
	file = fopen(path, "re");
	for (i = 0; file && i <= nr; i++)
		got = fscanf(file, "%llx %llx %llx", &start, &end, &flags);
	if (file)
		fclose(file);
	if (got != 3 || !(flags & RESOURCE_MEM) || end - start + 1 < m->page_size ||
	    start % m->page_size)
		return false;
	snprintf(bar->device, sizeof(bar->device), "%.31s", device);
	bar->nr = nr;
	bar->start = start;
	bar->length = end - start + 1 < MAX_LENGTH ? end - start + 1 : MAX_LENGTH;
	bar->length &= ~(m->page_size - 1);
	return true;
}

/* Maps the BAR in one of the kernel's ways; NULL if it refuses. */
typedef char *(*bar_mapper)(struct mapping *m, const struct bar *bar);

/* The first BAR that can be mapped; those that a driver owns can't. */
static char *map_any_bar(struct mapping *m, bar_mapper map, struct bar *bar)
{
	DIR *dir = opendir(DEVICES);
	struct dirent *entry;
	char *at = NULL;
	int nr;

	while (dir && !at && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		for (nr = 0; nr < 6 && !at; nr++)
			if (read_bar(m, entry->d_name, nr, bar))
				at = map(m, bar);
	}
	if (dir)
		closedir(dir);
	return at;
}

static void build_bar(struct mapping *m, bar_mapper map)
{
	struct expect *e;
	struct bar bar;
	char *at;

	if (access(DEVICES, R_OK))
		return mapping_lacks(m, "the machine has no PCI");
	at = map_any_bar(m, map, &bar);
	if (!at)
		return mapping_lacks(m, "no PCI device has memory that can be mapped so");
	e = mapping_expect(m, foreign_expect(m, at, bar.length / m->page_size, false));
	e->pfn = bar.start / m->page_size;
	e->set |= PTWALK_FLAG_WRITE;
	e->vma_set |= PTWALK_VMA_FLAG_IO | PTWALK_VMA_FLAG_SHARED;
}

/* Maps @size bytes of a file, and keeps it open. */
static char *map_file(struct mapping *m, const char *path, u64 offset, u64 size)
{
	char *at;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_SYNC);

	if (fd < 0)
		return NULL;
	at = foreign_map(m, fd, offset, size, FOREIGN_WRITE);
	close(fd);
	return at;
}

static char *map_resource_of(struct mapping *m, const struct bar *bar, const char *how)
{
	char path[300];

	snprintf(path, sizeof(path), DEVICES "/%s/resource%d%s", bar->device, bar->nr, how);
	return map_file(m, path, 0, bar->length);
}

static char *map_resource(struct mapping *m, const struct bar *bar)
{
	return map_resource_of(m, bar, "");
}

BUILDER(pci_resource)
{
	build_bar(m, map_resource);
}

/* Only of memory that may be read ahead. */
static char *map_resource_wc(struct mapping *m, const struct bar *bar)
{
	return map_resource_of(m, bar, "_wc");
}

BUILDER(pci_resource_wc)
{
	build_bar(m, map_resource_wc);
}

/* /proc/bus/pci takes the physical address for the offset. */
static char *map_proc_bus(struct mapping *m, const struct bar *bar)
{
	char path[64], *at = NULL;
	int fd;

	/* 0000:00:01.0 is 00/01.0 there. */
	snprintf(path, sizeof(path), "/proc/bus/pci/%.2s/%.4s", bar->device + 5,
		 bar->device + 8);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (!ioctl(fd, PCIIOC_MMAP_IS_MEM))
		at = foreign_map(m, fd, bar->start, bar->length, FOREIGN_WRITE);
	close(fd);
	return at;
}

BUILDER(pci_proc)
{
	build_bar(m, map_proc_bus);
}

static char *map_dev_mem(struct mapping *m, const struct bar *bar)
{
	return map_file(m, "/dev/mem", bar->start, bar->length);
}

BUILDER(dev_mem_device)
{
	build_bar(m, map_dev_mem);
}

/*
 * What is neither RAM nor a device: the firmware in the first megabyte of a
 * PC; on others, whatever stands at the address 0.
 */
BUILDER(dev_mem_firmware)
{
#if defined(__x86_64__) || defined(__i386__)
	u64 start = 0xf0000;
#else
	u64 start = 0;
#endif
	struct expect *e;
	char *at;

	if (access("/dev/mem", F_OK))
		return mapping_lacks(m, "there is no /dev/mem");
	at = map_file(m, "/dev/mem", start, MAX_LENGTH);
	if (!at)
		return mapping_lacks(m, "/dev/mem at %#llx: %s", start, strerror(errno));
	e = mapping_expect(m, foreign_expect(m, at, MAX_LENGTH / m->page_size, false));
#if defined(__x86_64__) || defined(__i386__)
	/* A PC's kernel has a struct page there, in a section with RAM. */
	e->set |= PTWALK_FLAG_ONLINE;
#endif
	e->pfn = start / m->page_size;
}
