// SPDX-License-Identifier: GPL-2.0
/* The table of memory types, read once: no kernel changes it after boot. */
#include "arch/arch.h"
#include "memtype.h"

static u8 memtypes[PTWALK_MEMTYPES];
static size_t nr_memtypes;

/**
 * ptwalk_memtypes_init() - read the table from the CPU
 *
 * Called once, before anyone can ask.
 */
void ptwalk_memtypes_init(void)
{
	nr_memtypes = arch_memtypes(memtypes);
}

/**
 * ptwalk_memtypes() - the memory types by index
 * @types: Receives the table, an enum ptwalk_memory_type each.
 *
 * Return: Length of the table; 0 where entries have no such index.
 */
size_t ptwalk_memtypes(const u8 **types)
{
	*types = memtypes;
	return nr_memtypes;
}
