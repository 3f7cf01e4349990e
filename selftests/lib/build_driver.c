// SPDX-License-Identifier: GPL-2.0
/* What the fixture driver maps. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "build_driver.h"

#define PTR(p)	((u64)(uintptr_t)(p))

/* As much of a region as a slow kernel can be asked about within a test. */
#define MAX_PAGES	(1U << 14)

static char text[64 * 1024];

bool build_driver_open(struct mapping *m, const char *name,
		       struct driver_region *region)
{
	int err = driver_load();

	if (err == -ENOENT) {
		mapping_lacks(m, "there is no ptwalk_fixture module");
		return false;
	}
	m->fd = open(DRIVER_DEVICE, O_RDWR | O_CLOEXEC);
	if (m->fd < 0) {
		mapping_broken(m, "%s: %s (loading the module: %s)", DRIVER_DEVICE,
			       strerror(errno), strerror(-err));
		return false;
	}
	err = driver_read(text, sizeof(text));
	if (!err)
		err = driver_region(text, name, region);
	/* The part that knows PCI isn't there in a kernel without PCI. */
	if (err == -ENOENT && (strstr(name, "pci") || strstr(name, "edu")))
		mapping_lacks(m, "the driver was built without PCI");
	else if (err)
		mapping_broken(m, "region %s of %s: %s", name, DRIVER_DEVICE,
			       strerror(-err));
	else if (region->absent[0])
		mapping_lacks(m, "%s", region->absent);
	return !err && !region->absent[0];
}

/*
 * Reads each page, or one of each huge one. Registers of a device want to be
 * read as a whole, and QEMU's edu has nothing at the beginning of a page that
 * minds.
 */
static void touch(struct mapping *m, const struct driver_region *region,
		  char *at, u64 length)
{
	u64 step = mapping_level_size(m, driver_level(region)), i;

	for (i = 0; i < length; i += step)
		(void)*(volatile u32 *)(at + i + 0x80);
}

char *build_driver_map(struct mapping *m, const struct driver_region *region,
		       u64 skip, u64 pages)
{
	enum ptwalk_level level = driver_level(region);
	u64 length = pages * m->page_size;
	char *at, *place;

	if (!pages || length != (size_t)length) {
		mapping_lacks(m, "an address space for a region of that size");
		return NULL;
	}
	place = mapping_place(m, length, level == PTWALK_LEVEL_PTE ? 0 :
			      mapping_level_size(m, level), PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!place)
		return NULL;
	at = mmap(place, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		  m->fd, region->offset + skip * m->page_size);
	if (at == MAP_FAILED) {
		mapping_broken(m, "mmap of %s: %s", region->name, strerror(errno));
		return NULL;
	}
	return at;
}

/**
 * build_driver_map_alone() - map the first pages of a region where nothing else is
 * @m: Its file is that of the device.
 * @region: The region.
 * @pages: How many.
 *
 * The table of the PTE level that maps them has nothing else, and what is mapped
 * afterwards doesn't come next to them.
 *
 * Return: The address, or NULL with @m->broken or @m->lacks set.
 */
char *build_driver_map_alone(struct mapping *m, const struct driver_region *region,
			     u64 pages)
{
	/* Without a PMD level, the PGD level has its tables. */
	const size_t table = mapping_level_size(m, PTWALK_LEVEL_PMD) ?:
			     mapping_level_size(m, PTWALK_LEVEL_PGD);
	char *place, *at;

	place = mapping_place(m, table, table, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!place)
		return NULL;
	munmap(place, table);
	at = mmap(place + table / 2, pages * m->page_size, PROT_READ,
		  MAP_SHARED | MAP_FIXED, m->fd, region->offset);
	if (at == MAP_FAILED) {
		mapping_broken(m, "mmap of %s: %s", region->name, strerror(errno));
		return NULL;
	}
	return at;
}

/* Whether the kernel makes huge pages at a fault, for whoever wants them. */
static bool wants_huge(struct mapping *m, char *at, u64 length)
{
	char enabled[64] = "";

	proc_read("/sys/kernel/mm/transparent_hugepage/enabled", enabled,
		  sizeof(enabled));
	if (strstr(enabled, "[never]")) {
		mapping_lacks(m, "transparent_hugepage/enabled is never");
		return false;
	}
	/* Some kernels refuse that for a driver's memory. */
	if (strstr(enabled, "[madvise]") && madvise(at, length, MADV_HUGEPAGE)) {
		mapping_lacks(m, "transparent_hugepage/enabled is madvise: %s",
			      strerror(errno));
		return false;
	}
	return true;
}

struct expect build_driver_expect(const struct mapping *m,
				  const struct driver_region *region)
{
	struct expect e = {
		.kinds = KIND(PRESENT),
		.level = driver_level(region),
		.set = PTWALK_FLAG_WRITE | PTWALK_FLAG_USER,
		.clear = PTWALK_FLAG_ANON | PTWALK_FLAG_ZERO | PTWALK_FLAG_UFFD_WP |
			 PTWALK_FLAG_PROT_NONE,
		.pfn = ANY_PFN,
		.vma_set = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE |
			   PTWALK_VMA_FLAG_SHARED,
		.vma_clear = PTWALK_VMA_FLAG_ANONYMOUS,
		.distinct = true,
	};

	if (region->device)
		e.clear |= PTWALK_FLAG_RAM | PTWALK_FLAG_PAGE;
	else
		e.set |= PTWALK_FLAG_RAM;
	if (!strcmp(region->entries, "page")) {
		e.set |= PTWALK_FLAG_PAGE;
		e.clear |= PTWALK_FLAG_SPECIAL;
		e.vma_set |= PTWALK_VMA_FLAG_MIXEDMAP;
		e.vma_clear |= PTWALK_VMA_FLAG_PFNMAP;
		e.pagemap_set = PM_PRESENT | PM_FILE;
		e.pagemap_clear = PM_SWAP;
		return e;
	}
	e.set |= PTWALK_FLAG_SPECIAL;
	e.clear |= PTWALK_FLAG_PAGE | PTWALK_FLAG_EXCLUSIVE;
	e.vma_set |= PTWALK_VMA_FLAG_IO;
	if (!strcmp(region->entries, "mixed")) {
		e.vma_set |= PTWALK_VMA_FLAG_MIXEDMAP;
		e.vma_clear |= PTWALK_VMA_FLAG_PFNMAP;
		e.pagemap_set = PM_PRESENT;
		e.pagemap_clear = PM_FILE | PM_EXCLUSIVE | PM_SWAP;
	} else {
		e.vma_set |= PTWALK_VMA_FLAG_PFNMAP;
		e.pagemap_clear = ~PM_SOFT_DIRTY;
	}
	return e;
}

void build_driver_part(struct mapping *m, const char *name, u64 skip, u64 leave)
{
	struct driver_region region;
	struct expect e;
	u64 pages, i;
	char *at;

	if (!build_driver_open(m, name, &region))
		return;
	pages = region.length / m->page_size;
	if (pages <= skip + leave)
		return mapping_lacks(m, "a region with enough pages");
	pages -= skip + leave;
	at = build_driver_map(m, &region, skip, pages);
	if (!at)
		return;
	if (driver_level(&region) != PTWALK_LEVEL_PTE &&
	    !wants_huge(m, at, pages * m->page_size))
		return;
	if (strstr(name, "fault") || driver_level(&region) != PTWALK_LEVEL_PTE)
		touch(m, &region, at, pages * m->page_size);
	if (m->pages > MAX_PAGES)
		m->pages = MAX_PAGES;
	e = build_driver_expect(m, &region);
	if (!region.nr_pages) {
		e.addr = PTR(at);
		e.pages = pages;
		e.pfn = driver_frame(&region, skip, m->page_size);
		mapping_expect(m, e);
		return;
	}
	e.pages = 1;
	for (i = 0; i < pages; i++) {
		e.addr = PTR(at) + i * m->page_size;
		e.pfn = driver_frame(&region, skip + i, m->page_size);
		mapping_expect(m, e);
	}
}

void build_driver_name(const char *builder, char *name, size_t size)
{
	char *p;

	snprintf(name, size, "%s", builder + strlen("driver_"));
	for (p = name; *p; p++)
		if (*p == '_')
			*p = '-';
}

int build_driver_region(const char *builder, struct driver_region *region)
{
	char name[64];
	int err = driver_read(text, sizeof(text));

	build_driver_name(builder, name, sizeof(name));
	return err ? err : driver_region(text, name, region);
}

#define DRIVER_BUILDER(builder)						\
	BUILDER(builder)						\
	{								\
		char name[64];						\
									\
		build_driver_name(#builder, name, sizeof(name));	\
		build_driver_part(m, name, 0, 0);			\
	}

DRIVER_BUILDERS(DRIVER_BUILDER)
