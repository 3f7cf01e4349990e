/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which memory types x86 has given out for what is no RAM: the file
 * x86/pat_memtype_list of debugfs, memtype_seq_show() in arch/x86/mm/pat/memtype.c.
 */
#ifndef PTWALK_PROC_MEMTYPE_LIST_H
#define PTWALK_PROC_MEMTYPE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MEMTYPE_LIST	"/sys/kernel/debug/x86/pat_memtype_list"

/**
 * struct memtype_range - a line: physical addresses that somebody has asked for
 * @start: First address.
 * @end: The address behind the last.
 * @type: An enum ptwalk_memory_type.
 */
struct memtype_range {
	uint64_t start, end;
	unsigned int type;
};

/**
 * struct memtype_list - the file; all zero is a valid empty one
 * @range: Its lines, with @nr.
 * @is_there: The kernel has the file.
 */
struct memtype_list {
	struct memtype_range *range;
	size_t nr, max;
	bool is_there;
};

/* Reads @stream to its end. Returns 0 or a negative errno. */
int memtype_list_parse(FILE *stream, struct memtype_list *list);

/*
 * Reads the file; a kernel that has none has an empty one. Returns 0 or a negative
 * errno with a message.
 */
int memtype_list_read(struct memtype_list *list);
void memtype_list_free(struct memtype_list *list);

#endif /* PTWALK_PROC_MEMTYPE_LIST_H */
