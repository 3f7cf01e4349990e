// SPDX-License-Identifier: GPL-2.0
/* Which NUMA node has a physical address, by the memory blocks of sysfs. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "proc/numa_nodes.h"

static void add(struct nodes *nodes, uint64_t block, int node)
{
	if (array_room(&nodes->block, &nodes->max, nodes->nr + 1,
		       sizeof(*nodes->block)))
		nodes->block[nodes->nr++] = (struct node_block) { block, node };
}

/* The number behind @prefix if that and a number is all of @name. */
static int number_of(const char *name, const char *prefix, uint64_t *number)
{
	size_t len = strlen(prefix);
	int end = 0;

	return !strncmp(name, prefix, len) &&
	       sscanf(name + len, "%" SCNu64 "%n", number, &end) == 1 &&
	       !name[len + end];
}

static void read_node(struct nodes *nodes, const char *path, int node)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t block;

	while (dir && (entry = readdir(dir)))
		if (number_of(entry->d_name, "memory", &block))
			add(nodes, block, node);
	if (dir)
		closedir(dir);
}

static uint64_t read_block_size(const char *sysfs)
{
	uint64_t size = 0;
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/memory/block_size_bytes", sysfs);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%" SCNx64, &size) != 1)
		size = 0;
	fclose(file);
	return size;
}

static int by_block(const void *a, const void *b)
{
	const struct node_block *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

void nodes_read(struct nodes *nodes, const char *sysfs)
{
	struct dirent *entry;
	char path[512];
	uint64_t node;
	int nr = 0;
	DIR *dir;

	memset(nodes, 0, sizeof(*nodes));
	nodes->only = -1;
	nodes->block_size = read_block_size(sysfs);
	snprintf(path, sizeof(path), "%s/node", sysfs);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!number_of(entry->d_name, "node", &node))
			continue;
		nodes->only = nr++ ? -1 : (int)node;
		snprintf(path, sizeof(path), "%s/node/%.64s", sysfs,
			 entry->d_name);
		read_node(nodes, path, node);
	}
	if (dir)
		closedir(dir);
	if (nodes->nr)
		qsort(nodes->block, nodes->nr, sizeof(*nodes->block), by_block);
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
