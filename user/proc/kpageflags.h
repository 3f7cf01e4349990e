/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc/kpageflags says of frames. */
#ifndef PTWALK_PROC_KPAGEFLAGS_H
#define PTWALK_PROC_KPAGEFLAGS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads those of @nr frames from @pfn on. Returns of how many it could: none
 * without the file or the right to open it.
 */
size_t frameflags_read(uint64_t pfn, uint64_t *flags, size_t nr);

#endif /* PTWALK_PROC_KPAGEFLAGS_H */
