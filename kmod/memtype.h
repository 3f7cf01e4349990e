/* SPDX-License-Identifier: GPL-2.0 */
/* Memory types (cache attributes) by the index in page-table entries. */
#ifndef PTWALK_MEMTYPE_H
#define PTWALK_MEMTYPE_H

#include <linux/types.h>

size_t ptwalk_memtypes(const u8 **types);
void ptwalk_memtypes_init(void);
bool ptwalk_memtype_differs(unsigned long pfn, u32 index);

#endif /* PTWALK_MEMTYPE_H */
