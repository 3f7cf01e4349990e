// SPDX-License-Identifier: GPL-2.0
/* Which NUMA node has a physical address, by the memory blocks of sysfs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "base/folder.h"
#include "base/text.h"
#include "proc/numa_nodes.h"

/* The number behind @prefix if that and a number is all of @name. */
static int number_of(const char *name, const char *prefix, uint64_t *number)
{
	size_t len = strlen(prefix);
	int end = 0;

	return !strncmp(name, prefix, len) &&
	       sscanf(name + len, "%" SCNu64 "%n", number, &end) == 1 &&
	       !name[len + end];
}

/**
 * struct reading - the folders being read
 * @path: Of the nodes.
 * @nr: Nodes up to now, of which @node is the last.
 */
struct reading {
	struct nodes *nodes;
	const char *path;
	int nr, node;
};

static int take_memory_block(const char *name, void *arg)
{
	const struct reading *r = arg;
	uint64_t block;

	return !number_of(name, "memory", &block) ||
	       array_add(r->nodes->block, r->nodes->nr, r->nodes->max,
			 (struct node_block){ block, r->node }) ? 0 : -ENOMEM;
}

static int take_numa_node(const char *name, void *arg)
{
	struct reading *r = arg;
	char path[512];
	uint64_t node;

	if (!number_of(name, "node", &node))
		return 0;
	r->node = node;
	r->nodes->only = r->nr++ ? -1 : r->node;
	snprintf(path, sizeof(path), "%s/%.64s", r->path, name);
	return folder_each(path, take_memory_block, r);
}

static int read_block_size(const char *sysfs, uint64_t *size)
{
	char path[512], text[64];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/memory/block_size_bytes", sysfs);
	len = text_of(path, text, sizeof(text));
	if (sscanf(text, "%" SCNx64, size) != 1)
		*size = 0;
	return len < 0 ? error_unless_missing(len, path) : 0;
}

static int by_block(const void *a, const void *b)
{
	const struct node_block *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

int nodes_read(struct nodes *nodes, const char *sysfs)
{
	char path[512];
	struct reading r = { .nodes = nodes, .path = path };
	int err;

	memset(nodes, 0, sizeof(*nodes));
	nodes->only = -1;
	err = read_block_size(sysfs, &nodes->block_size);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/node", sysfs);
	err = folder_each(path, take_numa_node, &r);
	if (nodes->nr)
		qsort(nodes->block, nodes->nr, sizeof(*nodes->block), by_block);
	return error_unless_missing(err, path);
}

void nodes_free(struct nodes *nodes)
{
	free(nodes->block);
	memset(nodes, 0, sizeof(*nodes));
}

int nodes_at(const struct nodes *nodes, uint64_t addr)
{
	uint64_t block;
	size_t at;

	if (nodes->only >= 0 || !nodes->block_size)
		return nodes->only;
	block = addr / nodes->block_size;
	at = array_from(nodes->block, nodes->nr, block, block);
	if (at == nodes->nr || nodes->block[at].block != block)
		return -1;
	/* A block of several nodes doesn't tell. */
	if (at + 1 < nodes->nr && nodes->block[at + 1].block == block)
		return -1;
	return nodes->block[at].node;
}
