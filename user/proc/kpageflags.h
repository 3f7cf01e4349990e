/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc/kpageflags says of frames. */
#ifndef PTWALK_PROC_KPAGEFLAGS_H
#define PTWALK_PROC_KPAGEFLAGS_H

#include <stddef.h>
#include <stdint.h>
#include "base/names.h"

/* Its bits. */
extern const struct names names_kpageflags;

/*
 * Reads those of @nr frames from @pfn on. Returns of how many it could: none
 * without the file or the right to open it.
 */
size_t frameflags_read(uint64_t pfn, uint64_t *flags, size_t nr);

/*
 * The control group that a frame's page is charged to, by the inode of its folder, from
 * /proc/kpagecgroup; 0 for none, also where that can't be read.
 */
void frame_cgroup_read(uint64_t pfn, uint64_t *inode);

#endif /* PTWALK_PROC_KPAGEFLAGS_H */
