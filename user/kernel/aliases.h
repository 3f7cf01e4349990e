/* SPDX-License-Identifier: GPL-2.0 */
/* Which of the kernel's own mappings reach a physical address. */
#ifndef PTWALK_KERNEL_ALIASES_H
#define PTWALK_KERNEL_ALIASES_H

#include "proc/kernel_tables.h"
#include "proc/vmallocinfo.h"

/**
 * struct kernel_alias - a mapping of the kernel, or a part of one
 * @addr: First virtual address.
 * @phys: The physical address of it.
 * @bytes: Length.
 * @type: An enum ptwalk_memory_type.
 * @write: It can be written to; @exec: the kernel can execute it.
 * @is_direct: It is the direct mapping of RAM.
 * @region: What the addresses are for, or NULL.
 * @area: Whose they are, or NULL.
 */
struct kernel_alias {
	uint64_t addr, phys, bytes;
	unsigned int type;
	bool write, exec, is_direct;
	const struct kernel_region *region;
	const struct vmalloc_area *area;
};

/**
 * struct kernel_aliases - all of them; all zero is a valid empty one
 * @tables: The kernel's tables.
 * @areas: Whose they are, if the kernel says so.
 * @direct: The direct mapping, at @offset from the physical addresses, or NULL.
 * @by_phys: The others by physical address, with @nr; @furthest is the end of those up
 *	to there.
 */
struct kernel_aliases {
	struct kernel_tables tables;
	struct vmallocinfo areas;
	const struct kernel_region *direct;
	uint64_t offset;
	struct kernel_by_phys {
		uint64_t furthest;
		const struct kernel_extent *extent;
	} *by_phys;
	size_t nr;
};

/* Reads them. Returns 0 or a negative errno with a message, as kernel_tables_read(). */
int kernel_aliases_read(struct kernel_aliases *aliases);
/* Sorts them, where @tables and @areas are read already. Returns 0 or -ENOMEM. */
int kernel_aliases_sort(struct kernel_aliases *aliases);
void kernel_aliases_free(struct kernel_aliases *aliases);

/*
 * Calls @each with what is mapped of @bytes from @phys on, clipped to that; the direct
 * mapping comes last.
 */
void kernel_aliases_of(const struct kernel_aliases *aliases, uint64_t phys, uint64_t bytes,
		       void (*each)(const struct kernel_alias *alias, void *arg), void *arg);

#define KERNEL_ALIAS_TEXT	128

/* "normal-nc [dma-coherent, dma_direct_alloc]", "wb [direct]". */
void kernel_alias_text(const struct kernel_alias *alias, char buf[KERNEL_ALIAS_TEXT]);

/* "dma-coherent", "ioremap", "vmalloc", "vmap"; NULL if it is of none of these. */
const char *kernel_alias_kind(const struct kernel_alias *alias);

#endif /* PTWALK_KERNEL_ALIASES_H */
