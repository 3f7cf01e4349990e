// SPDX-License-Identifier: GPL-2.0
/* /proc/kpageflags of some frames. */
#include <fcntl.h>
#include <unistd.h>
#include "proc/kpageflags.h"

size_t frameflags_read(uint64_t pfn, uint64_t *flags, size_t nr)
{
	static int fd = -2;
	ssize_t got;

	if (fd == -2)
		fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pfn > (uint64_t)INT64_MAX / sizeof(*flags) - nr)
		return 0;
	got = pread(fd, flags, nr * sizeof(*flags), pfn * sizeof(*flags));
	return got < 0 ? 0 : got / sizeof(*flags);
}
