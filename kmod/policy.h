/* SPDX-License-Identifier: GPL-2.0 */
/* The NUMA policy of a VMA. */
#ifndef PTWALK_POLICY_H
#define PTWALK_POLICY_H

#include <linux/types.h>

struct vm_area_struct;

bool ptwalk_policy_read(struct vm_area_struct *vma, bool shmem, u32 *policy, u64 *nodes);

#endif /* PTWALK_POLICY_H */
