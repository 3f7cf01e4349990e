/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc/kpageflags says of frames. */
#ifndef PTWALK_PROC_KPAGEFLAGS_H
#define PTWALK_PROC_KPAGEFLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/names.h"
#include "module/version.h"

/* Its bits. */
extern const struct names names_kpageflags;

/*
 * Reads those of @nr frames from @pfn on. Returns of how many it could: none
 * without the file or the right to open it.
 */
size_t frameflags_read(uint64_t pfn, uint64_t *flags, size_t nr);

/*
 * Whether reading the flags of a frame can crash this kernel, if a compound page is
 * made of it meanwhile (kpageflags-compound-bug); those from ..._SINCE to before ..._BEFORE.
 */
#define KPAGEFLAGS_CRASHES_SINCE	KERNEL(5, 18)
#define KPAGEFLAGS_CRASHES_BEFORE	KERNEL(6, 2)
bool kpageflags_crashes(const struct ptwalk_kernel *kernel);

/*
 * As frameflags_read(), of frames that may be free, of which a compound page may be made
 * any time: where that can crash the kernel, none is read, and all are said to have no flags.
 */
size_t frameflags_read_free(const struct ptwalk_kernel *kernel, uint64_t pfn, uint64_t *flags,
			    size_t nr);

/*
 * The control group that a frame's page is charged to, by the inode of its folder, from
 * /proc/kpagecgroup; 0 for none, also where that can't be read.
 */
void frame_cgroup_read(uint64_t pfn, uint64_t *inode);

#endif /* PTWALK_PROC_KPAGEFLAGS_H */
