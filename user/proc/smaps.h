/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/PID/smaps, smaps_rollup and numa_maps, parsed. */
#ifndef PTWALK_PROC_SMAPS_H
#define PTWALK_PROC_SMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/lines.h"
#include "proc/field.h"

/* Fields of smaps and smaps_rollup, in kB unless said otherwise. */
enum smaps_field {
	SMAPS_SIZE,
	SMAPS_KERNEL_PAGE_SIZE,
	SMAPS_MMU_PAGE_SIZE,
	SMAPS_RSS,
	SMAPS_PSS,
	SMAPS_PSS_DIRTY,
	SMAPS_PSS_ANON,
	SMAPS_PSS_FILE,
	SMAPS_PSS_SHMEM,
	SMAPS_SHARED_CLEAN,
	SMAPS_SHARED_DIRTY,
	SMAPS_PRIVATE_CLEAN,
	SMAPS_PRIVATE_DIRTY,
	SMAPS_REFERENCED,
	SMAPS_ANONYMOUS,
	SMAPS_KSM,
	SMAPS_LAZYFREE,
	SMAPS_ANON_HUGE_PAGES,
	SMAPS_SHMEM_PMD_MAPPED,
	SMAPS_FILE_PMD_MAPPED,
	SMAPS_SHARED_HUGETLB,
	SMAPS_PRIVATE_HUGETLB,
	SMAPS_SWAP,
	SMAPS_SWAP_PSS,
	SMAPS_LOCKED,
	SMAPS_THP_ELIGIBLE,	/* a number */
	SMAPS_PROTECTION_KEY,	/* likewise */
	NR_SMAPS_FIELDS
};

/**
 * struct smaps_vma - what smaps says of a mapping
 * @start: First address.
 * @last: Last one, inclusive.
 * @perms: Such as "r-xp".
 * @offset: Of the first page in its file.
 * @dev_major: Device of the file, with @dev_minor; @inode is 0 without one.
 * @name: As in maps; "" for none.
 * @value: By field.
 * @has: Mask of 1 << field: the file has it.
 * @vm_flags: Mask of enum ptwalk_vma_flag, of VmFlags; 0 without that line.
 * @nr_flags: All flags in that line, of which @unknown_flags are "??".
 */
struct smaps_vma {
	uint64_t start, last;
	char perms[5];
	uint64_t offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	char *name;
	uint64_t value[NR_SMAPS_FIELDS];
	uint32_t has;
	uint64_t vm_flags;
	unsigned int nr_flags, unknown_flags;
};

/*
 * All zero is a valid empty one. smaps_rollup has one entry, and maps is read as
 * a smaps without fields.
 */
struct smaps {
	struct smaps_vma *vma;
	size_t nr, max;
};

extern const struct proc_field smaps_field[NR_SMAPS_FIELDS];

/* The flags of VMAs that VmFlags can show, a mask of enum ptwalk_vma_flag. */
uint64_t smaps_vm_flags_known(void);

/* Those for which that kernel's file has no letters, but "??". */
uint64_t smaps_vm_flags_nameless(const struct ptwalk_kernel *kernel);

/*
 * Reads @stream to its end, behind what @smaps has. Returns 0 or a negative
 * errno: -EINVAL for a line that is none of smaps (@line receives its number).
 */
int smaps_parse(FILE *stream, struct smaps *smaps, size_t *line);

/* The same of mappings that begin at @last or before it. */
int smaps_parse_until(struct long_lines *lines, uint64_t last, struct smaps *smaps);
void smaps_free(struct smaps *smaps);

/* The entry that begins at @start, or NULL. */
const struct smaps_vma *smaps_at(const struct smaps *smaps, uint64_t start);

/* Fields of numa_maps, in pages of the mapping's own size. */
enum numa_field {
	NUMA_ANON,
	NUMA_DIRTY,
	NUMA_MAPPED,
	NUMA_MAPMAX,
	NUMA_SWAPCACHE,
	NUMA_ACTIVE,
	NUMA_WRITEBACK,
	NUMA_KERNEL_PAGE_SIZE,	/* in kB */
	NR_NUMA_FIELDS
};

/**
 * struct numa_node - pages on a node
 */
struct numa_node {
	uint32_t node;
	uint64_t pages;
};

/* What a line of numa_maps says that the mapping is. */
enum numa_name { NUMA_NAMELESS, NUMA_FILE, NUMA_HEAP, NUMA_STACK };

#define NUMA_NO_POLICY	UINT32_MAX

/**
 * struct numa_vma - a line of numa_maps
 * @start: First address of the mapping.
 * @policy: Mode and mode flags, as in struct ptwalk_vma; NUMA_NO_POLICY for words
 *	that mean none. @policy_nodes are its nodes, unless they are @cut.
 * @name: What it is; @file the name of a file, with the spaces, tabs and
 *	equality signs in octal, or NULL.
 * @huge: It is of hugetlb.
 * @value: By field; 0 for one that isn't there.
 * @has: Mask of 1 << field.
 * @nodes: What N0=, N1= … say, with @nr_nodes.
 */
struct numa_vma {
	uint64_t start;
	uint32_t policy;
	uint64_t policy_nodes;
	bool cut;
	enum numa_name name;
	char *file;
	bool huge;
	uint64_t value[NR_NUMA_FIELDS];
	uint32_t has;
	struct numa_node *nodes;
	size_t nr_nodes;
};

struct numa_maps {
	struct numa_vma *vma;
	size_t nr, max;
};

extern const char *const numa_field_name[NR_NUMA_FIELDS];

/* "bind", or "?". */
const char *numa_policy_name(uint32_t policy);

/* "static|balancing"; "" for no flags, "?" for others. */
const char *numa_policy_flags(uint32_t policy);

/* Whether it is one with NUMA balancing. */
bool numa_policy_balances(uint32_t policy);

int numa_maps_parse(FILE *stream, struct numa_maps *maps, size_t *line);
int numa_maps_parse_until(struct long_lines *lines, uint64_t last,
			  struct numa_maps *maps);
void numa_maps_free(struct numa_maps *maps);
const struct numa_vma *numa_maps_at(const struct numa_maps *maps,
				    uint64_t start);

#endif /* PTWALK_PROC_SMAPS_H */
