/* SPDX-License-Identifier: GPL-2.0 */
/* For those who find: how a finding is told. */
#ifndef PTWALK_KERNEL_FINDINGS_H
#define PTWALK_KERNEL_FINDINGS_H

#include "kernel/compare.h"

/* Adds a finding, which is returned; NULL without memory, which is noted. */
struct kernel_finding *kernel_found(struct kernel_findings *findings, const char *rule,
				    uint64_t start, uint64_t bytes, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif /* PTWALK_KERNEL_FINDINGS_H */
