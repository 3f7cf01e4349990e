/* SPDX-License-Identifier: GPL-2.0 */
/* What a physical address is, according to /proc/iomem. */
#ifndef PTWALK_PROC_IOMEM_H
#define PTWALK_PROC_IOMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct iomem_resource - a line of /proc/iomem
 * @start: First address.
 * @last: Last address, inclusive.
 * @depth: 0 at the top; a resource lies inside the one before it with a
 *	smaller depth.
 * @name: Such as "System RAM".
 */
struct iomem_resource {
	uint64_t start, last;
	unsigned int depth;
	char *name;
};

/**
 * struct iomem - /proc/iomem; all zero is a valid empty one
 * @resource: In the file's order, outer before inner.
 * @nr: Number of those.
 * @max: Room for those.
 * @why_not: Why nothing is known, or NULL.
 */
struct iomem {
	struct iomem_resource *resource;
	size_t nr, max;
	const char *why_not;
};

#define IOMEM_DEPTH	8

/* Reads @stream to its end. Returns 0 or a negative errno. */
int iomem_parse(FILE *stream, struct iomem *iomem);

/*
 * Reads /proc/iomem. Never fails: @iomem->why_not tells what was missing, of
 * which the likeliest is that the kernel shows zeros without CAP_SYS_ADMIN.
 */
void iomem_read(struct iomem *iomem);
void iomem_free(struct iomem *iomem);

/*
 * Writes the resources that hold @addr to @chain, from the outermost to the
 * innermost, and returns their number.
 */
size_t iomem_at(const struct iomem *iomem, uint64_t addr,
		const struct iomem_resource *chain[IOMEM_DEPTH]);

/* Whether @addr is System RAM, as far as is known. */
bool iomem_is_ram(const struct iomem *iomem, uint64_t addr);

/* Of an address that no resource holds: the last one before the next resource. */
uint64_t iomem_gap(const struct iomem *iomem, uint64_t addr);

/* Whether it is a part of the kernel's image, inside of RAM. */
bool iomem_is_image(const struct iomem_resource *resource);

/*
 * How many of @chain are left for a page that a process uses as its own: what of
 * the kernel's image was freed (its start-up code, the room behind .bss) is still
 * listed inside System RAM.
 */
size_t iomem_in_use(const struct iomem_resource *const *chain, size_t nr);

#endif /* PTWALK_PROC_IOMEM_H */
