// SPDX-License-Identifier: GPL-2.0
/* Where in a mapping its file ends. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "proc/file_end.h"
#include "proc/map_files.h"

/* What is known of its size: no server is asked, which may be gone. */
static bool has_size(int fd, const struct ptwalk_vma *vma, uint64_t *size)
{
	const uint64_t memory = PTWALK_VMA_FLAG_SHMEM | PTWALK_VMA_FLAG_HUGETLB;
	struct statx st;

	/* Files that have pages of their own can't grow, such as those of relay. */
	if (vma->flags & PTWALK_VMA_FLAG_DONTEXPAND && !(vma->flags & memory))
		return false;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE, &st) ||
	    !S_ISREG(st.stx_mode))
		return false;
	*size = st.stx_size;
	/* A part of a huge page has none. */
	if (vma->flags & PTWALK_VMA_FLAG_HUGETLB)
		*size &= ~((1ULL << vma->page_shift) - 1);
	return *size || vma->flags & memory;
}

uint64_t file_end(pid_t pid, const struct ptwalk_vma *vma, unsigned int page_shift)
{
	const uint64_t pages = (vma->last - vma->start + 1) >> page_shift;
	uint64_t size, end = UINT64_MAX;
	int fd = map_files_open(pid, vma->start, vma->last);

	if (fd < 0)
		return end;
	if (has_size(fd, vma, &size)) {
		/* The rest of the last page can be accessed. */
		size = (size >> page_shift) + !!(size & ((1ULL << page_shift) - 1));
		if (size <= vma->pgoff)
			end = vma->start;
		else if (size - vma->pgoff < pages)
			end = vma->start + ((size - vma->pgoff) << page_shift);
	}
	close(fd);
	return end;
}
