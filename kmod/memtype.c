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

/* UC- means UC where no MTRR overrides it, and for RAM none does. */
static u8 ptwalk_memtype_plain(u32 index)
{
	u8 type = index < nr_memtypes ? memtypes[index] :
					PTWALK_MEMORY_TYPE_UNKNOWN;

	return type == PTWALK_MEMORY_TYPE_UC_MINUS ? PTWALK_MEMORY_TYPE_UC : type;
}

/**
 * ptwalk_memtype_differs() - whether the kernel maps a page in another way
 * @pfn: PFN of the page, which is online memory.
 * @index: Memory type index of another mapping.
 *
 * Return: true if the kernel's own mapping is known to have another type.
 */
bool ptwalk_memtype_differs(unsigned long pfn, u32 index)
{
	u32 own;

	return arch_kernel_memtype(pfn, &own) &&
	       ptwalk_memtype_plain(own) != ptwalk_memtype_plain(index);
}
