/* SPDX-License-Identifier: GPL-2.0 */
/* VmallocUsed of /proc/meminfo beside what /proc/vmallocinfo lists. */
#ifndef PTWALK_PROC_VMALLOC_USED_H
#define PTWALK_PROC_VMALLOC_USED_H

#include <stdbool.h>
#include <stdint.h>
#include "proc/vmallocinfo.h"

/**
 * struct vmalloc_used - both, in kB; all zero: they aren't known
 * @is_known: The areas were the same ones before and after meminfo was read.
 * @used: What meminfo says.
 * @listed: The pages of areas that were made by vmalloc().
 * @rough: How far @used may be off, as the kernel counts on each processor.
 */
struct vmalloc_used {
	bool is_known;
	uint64_t used, listed, rough;
};

/* Reads them until they are known, several times at most. Never fails. */
void vmalloc_used_read(struct vmalloc_used *used);

/* Whether both list the same areas; what was freed is none. Both ascend. */
bool vmallocinfo_same(const struct vmallocinfo *a, const struct vmallocinfo *b);

#endif /* PTWALK_PROC_VMALLOC_USED_H */
