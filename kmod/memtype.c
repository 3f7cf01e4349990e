// SPDX-License-Identifier: GPL-2.0
/* The table of memory types. It is read once: it does not change after boot. */
#include <linux/memory_hotplug.h>
#include "arch/arch.h"
#include "page.h"

/* By their index in page-table entries, enum ptwalk_memory_type; none if those have no index. */
u8 ptwalk_memtypes[PTWALK_MEMTYPES] __ro_after_init;
size_t ptwalk_nr_memtypes __ro_after_init;

/* Reads the table from the CPU; module init, before the family is registered. */
void ptwalk_memtypes_init(void)
{
	ptwalk_nr_memtypes = arch_memtypes(ptwalk_memtypes);
}

/* UC- is UC unless an MTRR overrides it, which none does for RAM. */
static u8 ptwalk_memtype_plain(u32 index)
{
	u8 type = index < ptwalk_nr_memtypes ? ptwalk_memtypes[index] :
					       PTWALK_MEMORY_TYPE_UNKNOWN;

	return type == PTWALK_MEMORY_TYPE_UC_MINUS ? PTWALK_MEMORY_TYPE_UC : type;
}

/*
 * Whether the kernel's own mapping of a page is known to have another memory type than that
 * of @index. The RCU read lock or a page-table lock is held, without which the memory could
 * be removed meanwhile, see memory.h.
 */
bool ptwalk_memtype_differs(unsigned long pfn, u32 index)
{
	u32 own;

	return pfn_to_online_page(pfn) && arch_kernel_memtype(pfn, &own) &&
	       ptwalk_memtype_plain(own) != ptwalk_memtype_plain(index);
}
