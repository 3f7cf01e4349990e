/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own page tables, by the file of the module ptwalk_kernel. */
#ifndef PTWALK_PROC_KERNEL_TABLES_H
#define PTWALK_PROC_KERNEL_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KERNEL_TABLES	"/sys/kernel/debug/ptwalk/kernel_page_tables"
#define KERNEL_TYPES	16
#define KERNEL_LEVELS	5

/**
 * struct kernel_region - what addresses are for
 * @start: First address.
 * @last: Last address.
 * @name: Such as "vmalloc".
 */
struct kernel_region {
	uint64_t start, last;
	char name[16];
};

/**
 * struct kernel_gone - where the code was of a module that was unloaded
 * @start: First address.
 * @last: Last address.
 * @text: Where the code of that module began; 0: it is start-up code.
 * @name: Of the module.
 */
struct kernel_gone {
	uint64_t start, last, text;
	char name[64];
};

/**
 * enum kernel_extent_kind - what stands at addresses
 * @KERNEL_MAPPED: Leaves of consecutive physical addresses.
 * @KERNEL_SAME_TABLE: The table of the addresses before, again and again.
 * @KERNEL_UNREADABLE: A table that can't be read.
 * @KERNEL_CHANGING: A table that was replaced each time that it was read.
 */
enum kernel_extent_kind {
	KERNEL_MAPPED,
	KERNEL_SAME_TABLE,
	KERNEL_UNREADABLE,
	KERNEL_CHANGING,
};

/**
 * struct kernel_extent - addresses that are mapped alike
 * @start: First address.
 * @bytes: Length.
 * @phys: Where the first byte is; of a table, where that is.
 * @level: Of the entries: 1 is that of PTEs.
 * @kind: Of them.
 * @write: It can be written to; @exec: the kernel can execute it; @user: processes
 *	can reach it.
 * @type: An enum ptwalk_memory_type.
 */
struct kernel_extent {
	uint64_t start, bytes, phys;
	unsigned int level;
	enum kernel_extent_kind kind;
	bool write, exec, user;
	unsigned int type;
};

/**
 * struct kernel_tables - the file; all zero is a valid empty one
 * @page_shift: Of a page.
 * @levels: Of the tables.
 * @level_shift: Address bits below the entries of each, from that of PTEs on.
 * @region: What addresses are for, with @nr_regions; some lie within others.
 * @gone: Modules that were unloaded since ptwalk_kernel was loaded, with @nr_gone.
 * @extent: What is mapped, ascending, with @nr.
 * @tables: How many were read; @again: those that had been replaced meanwhile.
 * @complete: The file was read to its end.
 */
struct kernel_tables {
	unsigned int page_shift, levels, level_shift[KERNEL_LEVELS];
	struct kernel_region *region;
	size_t nr_regions, max_regions;
	struct kernel_gone *gone;
	size_t nr_gone, max_gone;
	struct kernel_extent *extent;
	size_t nr, max;
	uint64_t tables, again;
	bool complete;
	unsigned int type[KERNEL_TYPES], nr_types;
};

/* Reads @stream to its end. Returns 0 or a negative errno; -EIO: it isn't complete. */
int kernel_tables_parse(FILE *stream, struct kernel_tables *tables);

/* Takes one line. Returns 0 or a negative errno. */
int kernel_tables_line(const char *line, struct kernel_tables *tables);

/* Reads the file. Returns 0 or a negative errno with a message. */
int kernel_tables_read(struct kernel_tables *tables);
void kernel_tables_free(struct kernel_tables *tables);

/* The region of that name, or NULL. */
const struct kernel_region *kernel_region_named(const struct kernel_tables *tables,
						const char *name);

/* The smallest region that holds @addr, or NULL. */
const struct kernel_region *kernel_region_at(const struct kernel_tables *tables,
					     uint64_t addr);

/* The module that is gone whose code was at @addr, or NULL. */
const struct kernel_gone *kernel_gone_at(const struct kernel_tables *tables, uint64_t addr);

/* The first extent that ends behind @addr; the number of extents if there is none. */
size_t kernel_extent_from(const struct kernel_tables *tables, uint64_t addr);

#endif /* PTWALK_PROC_KERNEL_TABLES_H */
