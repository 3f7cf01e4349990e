/* SPDX-License-Identifier: GPL-2.0 */
/* The NUMA node of a physical address, by the memory blocks of sysfs. */
#ifndef PTWALK_PROC_NUMA_NODES_H
#define PTWALK_PROC_NUMA_NODES_H

#include <stddef.h>
#include <stdint.h>

/* A memory block, of which one can belong to several nodes. */
struct node_block {
	uint64_t block;
	int node;
};

/**
 * struct nodes - what is known; all zero is a valid empty one
 * @block: Ascending, with @nr.
 * @max: Room for those.
 * @block_size: In bytes; 0 if the kernel tells of no blocks.
 * @only: The only node that there is, or -1.
 */
struct nodes {
	struct node_block *block;
	size_t nr, max;
	uint64_t block_size;
	int only;
};

#define NODES_SYSFS	"/sys/devices/system"

/* Reads what is below @sysfs; all of it may be missing. Returns 0 or a negative errno. */
int nodes_read(struct nodes *nodes, const char *sysfs);
void nodes_free(struct nodes *nodes);

/* The node of a physical address that is RAM, or -1: nobody knows. */
int nodes_at(const struct nodes *nodes, uint64_t addr);

#endif /* PTWALK_PROC_NUMA_NODES_H */
