// SPDX-License-Identifier: GPL-2.0
/*
 * The inline functions of the two headers as symbols of the library, and what else
 * there is to say of an entry or a VMA.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/types.h>
#include <linux/ptwalk.h>
#include <sys/types.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC visibility push(default)
#define static
#define inline
#include "lib/ptwalk.h"
#undef static
#undef inline
#pragma GCC visibility pop
#pragma GCC diagnostic pop

#include "lib/exchange.h"

uint64_t ptwalk_leaf_size(const struct ptwalk *p, uint64_t bits)
{
	const struct ptwalk_kernel *kernel = ptwalk_kernel(p);
	uint32_t level = ptwalk_bits_level(bits);

	if (ptwalk_bits_kind(bits) == PTWALK_KIND_NO_VMA || level >= PTWALK_LEVELS ||
	    !(kernel->levels & 1U << level))
		return 0;
	return UINT64_C(1) << kernel->level_shift[level];
}

uint32_t ptwalk_memory_type(const struct ptwalk *p, uint64_t bits)
{
	const struct ptwalk_kernel *kernel = ptwalk_kernel(p);
	uint32_t index = ptwalk_bits_aux(bits);

	return index < kernel->nr_memory_types ? kernel->memory_types[index] :
						 PTWALK_MEMORY_TYPE_UNKNOWN;
}

/* The kernel takes the mmap lock to read the link, and the two ends to find the VMA. */
ssize_t ptwalk_vma_path(struct ptwalk *p, pid_t pid, const struct ptwalk_vma *vma,
			char *path, size_t size)
{
	char link[96];
	ssize_t len;
	int busy;

	if (!size)
		return handle_fail(p, -ENAMETOOLONG, "there is no room for a path");
	*path = '\0';
	if (!vma->inode)
		return 0;
	busy = ptwalk_busy(p, pid);
	if (busy)
		return busy < 0 ? busy :
		       handle_fail(p, -EBUSY, "the process holds its mmap lock");
	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid,
		 vma->start, vma->last + 1);
	len = readlink(link, path, size);
	if (len >= 0 && (size_t)len < size) {
		path[len] = '\0';
		return len;
	}
	*path = '\0';
	if (len >= 0)
		return handle_fail(p, -ENAMETOOLONG, "the path of the mapping is longer");
	if (errno == ENOENT)
		return handle_fail(p, -ESTALE, "the mapping isn't there any more");
	return handle_fail(p, -errno, "cannot read %s: %s", link, strerror(errno));
}
