/* SPDX-License-Identifier: GPL-2.0 */
/* Scans of memory that ptwalk makes for them. */
#ifndef PTWALK_SOURCES_SCAN_OWN_H
#define PTWALK_SOURCES_SCAN_OWN_H

#include "sources/source.h"

/*
 * Whether limits, filters and the end of the vector are heeded where there are more
 * regions than the kernel gathers at once; of @categories, which it knows. Leaves
 * @fault alone if they are.
 */
void scan_own(uint64_t categories, struct source_fault *fault);

#endif /* PTWALK_SOURCES_SCAN_OWN_H */
