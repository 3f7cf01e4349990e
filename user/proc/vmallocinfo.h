/* SPDX-License-Identifier: GPL-2.0 */
/* Areas of the kernel's address space, by /proc/vmallocinfo. */
#ifndef PTWALK_PROC_VMALLOCINFO_H
#define PTWALK_PROC_VMALLOCINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct vmalloc_area - a line of /proc/vmallocinfo
 * @start: First address.
 * @end: The address behind it, with the guard page, if the area has one.
 * @has_pages: @pages of memory are mapped in it, from its beginning on.
 * @has_phys: It maps @phys, as ioremap() does.
 * @is_vmalloc: By vmalloc(), which knows its pages.
 * @is_ioremap: By ioremap() or its like, of what is no memory.
 * @is_coherent: Of memory for DMA, which may have a memory type of its own.
 * @is_freed: Freed, and waiting until its addresses can be used again.
 * @caller: Who made it: a function, its address if it is gone, "" if it isn't told.
 */
struct vmalloc_area {
	uint64_t start, end, pages, phys;
	bool has_pages, has_phys, is_vmalloc, is_ioremap, is_coherent, is_freed;
	char caller[96];
};

/**
 * struct vmallocinfo - the file; all zero is a valid empty one
 * @area: Its lines, ascending, with @nr.
 * @why_not: Why nothing is known, or NULL.
 */
struct vmallocinfo {
	struct vmalloc_area *area;
	size_t nr, max;
	const char *why_not;
};

/* Reads @stream to its end. Returns 0 or a negative errno. */
int vmallocinfo_parse(FILE *stream, struct vmallocinfo *info);

/* The same of one line, and at the end of them. */
int vmallocinfo_line(char *line, struct vmallocinfo *info);
void vmallocinfo_sort(struct vmallocinfo *info);

/*
 * Reads the file. Never fails: @info->why_not tells what was missing, of which the
 * likeliest is that the kernel shows hashes for addresses.
 */
void vmallocinfo_read(struct vmallocinfo *info);
void vmallocinfo_free(struct vmallocinfo *info);

/* The area that holds @addr, or NULL; those that are freed hold nothing. */
const struct vmalloc_area *vmallocinfo_at(const struct vmallocinfo *info, uint64_t addr);

#endif /* PTWALK_PROC_VMALLOCINFO_H */
