/* SPDX-License-Identifier: GPL-2.0 */
/* What the fixture driver publishes of its regions; see kmod/fixture/main.c. */
#ifndef PTWALK_TEST_DRIVER_H
#define PTWALK_TEST_DRIVER_H

#include "ptw.h"

#define DRIVER_DEVICE	"/dev/ptwalk_fixture"
#define DRIVER_PAGES	32

/*
 * The regions that are mapped rightly, one builder for each; the region's name
 * is what follows "driver_", with hyphens.
 */
#define DRIVER_BUILDERS(X)		\
	X(driver_coherent_remap)	\
	X(driver_coherent_mmap)		\
	X(driver_combining_mmap)	\
	X(driver_dma_pages_mmap)	\
	X(driver_pages_remap)		\
	X(driver_pages_combining)	\
	X(driver_insert_page)		\
	X(driver_insert_combining)	\
	X(driver_insert_pages)		\
	X(driver_map_pages)		\
	X(driver_vmalloc_remap)		\
	X(driver_fault_pfn)		\
	X(driver_fault_mixed)		\
	X(driver_pci_uncached)		\
	X(driver_pci_combining)		\
	X(driver_pci_fault_pfn)		\
	X(driver_pci_fault_mixed)	\
	X(driver_huge_pmd)		\
	X(driver_huge_pmd_pci)		\
	X(driver_huge_pud_pci)		\
	X(driver_edu_coherent)		\
	X(driver_edu_block)		\
	X(driver_edu_stream)

/**
 * struct driver_region - a region of the driver
 * @name: Its name.
 * @absent: Why there is none of this name here; the rest is empty then.
 * @offset: Where to map it.
 * @length: In bytes.
 * @phys: Physical address of the first page.
 * @dma: Bus address of it, if @has_dma.
 * @has_dma: Whether there is one.
 * @cache: Memory type by name, or "-" if that isn't known.
 * @entries: "pfnmap", "mixed" or "page".
 * @level: Level of the entries.
 * @wrong: What is wrong with the mapping, or "-".
 * @device: It is a device's memory, not RAM.
 * @page: If @nr_pages, the physical address of each page.
 * @nr_pages: How many.
 */
struct driver_region {
	char name[64];
	char absent[160];
	u64 offset, length, phys, dma;
	bool has_dma;
	char cache[24], entries[16], level[8], wrong[24];
	bool device;
	u64 page[DRIVER_PAGES];
	size_t nr_pages;
};

/* All that is published, as text; 0 or a negative errno. */
int driver_read(char *text, size_t size);

/* Loads the driver if it isn't there; -ENOENT if this kernel has none. */
int driver_load(void);

/* One region out of the text; -ENOENT if it isn't named there. */
int driver_region(const char *text, const char *name, struct driver_region *region);

/* Frame that a right driver maps as page @index of a region. */
u64 driver_frame(const struct driver_region *region, u64 index, u64 page_size);

/* Level of the entries of a region. */
enum ptwalk_level driver_level(const struct driver_region *region);

/* A memory type's name, as the driver publishes it. */
const char *driver_cache_name(const struct ptw_info *info, u64 bits);

#endif /* PTWALK_TEST_DRIVER_H */
