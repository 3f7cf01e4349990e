/* SPDX-License-Identifier: GPL-2.0 */
/* For those who find: how a finding is told. */
#ifndef PTWALK_KERNEL_FINDINGS_H
#define PTWALK_KERNEL_FINDINGS_H

#include "kernel/compare.h"

/* Adds a finding, which is returned; NULL without memory, which is noted. */
struct kernel_finding *kernel_found(struct kernel_findings *findings, const char *rule,
				    uint64_t start, uint64_t bytes, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* How an area is called: who made it. */
const char *kernel_area_name(const struct vmalloc_area *area);

/*
 * Whether the same area was there before the tables were read. Who made it is no mark
 * of it: where that was code that has been freed, the kernel names what lies there now.
 */
bool kernel_area_was_there(const struct kernel_facts *facts, const struct vmalloc_area *area);

#endif /* PTWALK_KERNEL_FINDINGS_H */
