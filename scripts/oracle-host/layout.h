/* SPDX-License-Identifier: GPL-2.0 */
/* Where physical memory lies in files of the host, as QEMU tells it. */
#ifndef ORACLE_LAYOUT_H
#define ORACLE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct region - physical addresses in a row
 * @start: The first one.
 * @last: The last one.
 * @offset: Of @start in what backs the region.
 * @type: "ram", "rom", "i/o", ...
 * @name: Of the memory or the device.
 * @fd: The file that it is in, or -1.
 */
struct region {
	uint64_t start, last, offset;
	char type[16], name[48];
	int fd;
};

#define MAX_REGIONS	1024
#define MAX_FILES	4

/**
 * struct layout - physical memory
 * @region: Its regions.
 * @nr: How many.
 * @file: Which memory is in which file.
 * @nr_files: How many.
 */
struct layout {
	struct region region[MAX_REGIONS];
	size_t nr;
	struct {
		char name[48];
		int fd;
	} file[MAX_FILES];
	size_t nr_files;
};

/* "NAME=PATH": memory that is in a file. */
bool layout_add_file(struct layout *l, const char *arg);

/* What "info mtree -f" says. */
void layout_parse(struct layout *l, const char *mtree);

const struct region *layout_find(const struct layout *l, uint64_t phys);

/* False where no file has it. */
bool layout_read(const struct layout *l, uint64_t phys, void *to, size_t size);
bool layout_write(const struct layout *l, uint64_t phys, const void *from, size_t size);

#endif /* ORACLE_LAYOUT_H */
