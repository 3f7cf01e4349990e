// SPDX-License-Identifier: GPL-2.0
/* /proc/kpageflags of frames that may be free. */
#include <string.h>
#include "proc/kpageflags.h"

bool kpageflags_crashes(const struct ptwalk_kernel *kernel)
{
	return kernel_version(kernel) >= KPAGEFLAGS_CRASHES_SINCE &&
	       kernel_version(kernel) < KPAGEFLAGS_CRASHES_BEFORE;
}

size_t frameflags_read_free(const struct ptwalk_kernel *kernel, uint64_t pfn, uint64_t *flags,
			    size_t nr)
{
	if (!kpageflags_crashes(kernel))
		return frameflags_read(pfn, flags, nr);
	memset(flags, 0, nr * sizeof(*flags));
	return nr;
}
