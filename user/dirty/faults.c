// SPDX-License-Identifier: GPL-2.0
/* Which accesses would fault. */
#include <stddef.h>
#include "dirty/faults.h"

const char *const fault_access_name[NR_FAULT_ACCESSES] = {
	[FAULT_NO] = "none", [FAULT_WRITE] = "write", [FAULT_ANY] = "any",
};

/* Nothing is mapped, not even something swapped out. */
static const char *why_empty(const struct ptwalk_vma *vma, bool behind)
{
	if (vma->flags & (PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_IO))
		return "nothing is mapped: the driver is asked, or SIGBUS";
	if (behind)
		return "it is behind the end of the file: SIGBUS";
	if (vma->flags & PTWALK_VMA_FLAG_HUGETLB)
		return "no huge page is mapped: that of the file is, or one is taken from the pool, or SIGBUS";
	if (vma->flags & PTWALK_VMA_FLAG_ANONYMOUS)
		return "there is no page: one is made";
	if (vma->flags & PTWALK_VMA_FLAG_SHMEM)
		return "no page is mapped: that of the file is, or it is read from swap, or made";
	return "no page is mapped: that of the file is, or it is read first";
}

/* An entry that isn't present. */
static const char *why_absent(const struct ptwalk_vma *vma, uint64_t bits, bool behind)
{
	switch (ptwalk_bits_kind(bits)) {
	case PTWALK_KIND_NONE:
		return why_empty(vma, behind);
	case PTWALK_KIND_SWAP:
		return "it is in swap: it is read";
	case PTWALK_KIND_MIGRATION:
		return "it is being moved: the access waits";
	case PTWALK_KIND_HWPOISON:
		return "its memory has failed: SIGBUS";
	case PTWALK_KIND_DEVICE_PRIVATE:
		return "it is in the memory of a device: it is brought back";
	case PTWALK_KIND_DEVICE_EXCLUSIVE:
		return "a device has it for itself: it is asked for it";
	case PTWALK_KIND_MARKER:
		return "a marker: userfaultfd is asked, or SIGBUS or SIGSEGV";
	}
	return "the entry is no page";
}

/* A present entry that may not be written to, in a VMA that may. */
static const char *why_read_only(const struct ptwalk_vma *vma, uint32_t flags)
{
	if (flags & PTWALK_FLAG_UFFD_WP)
		return "userfaultfd protects it";
	if (flags & PTWALK_FLAG_ZERO)
		return "the zero page: a page of its own is made";
	if (vma->flags & PTWALK_VMA_FLAG_MAYSHARE)
		return vma->flags & (PTWALK_VMA_FLAG_HUGETLB | PTWALK_VMA_FLAG_SHMEM) ?
			       "shared memory that was protected from writes: the entry becomes writable" :
			       "a clean page of a file: the file system notes the write";
	if (vma->flags & PTWALK_VMA_FLAG_HUGETLB && !(flags & PTWALK_FLAG_EXCLUSIVE))
		return "a huge page of others, too: it is copied to one of the pool, or SIGBUS";
	if (flags & PTWALK_FLAG_KSM)
		return "KSM has merged it: it is copied";
	if (!(flags & PTWALK_FLAG_ANON))
		return "a page of the file: it is copied";
	return flags & PTWALK_FLAG_EXCLUSIVE ?
		       "its own, protected from writes: by a fork() that is over, or to note them" :
		       "another process has it, too: it is copied";
}

struct fault_verdict fault_of(const struct ptwalk_vma *vma, uint64_t bits, bool behind)
{
	const uint64_t access = PTWALK_VMA_FLAG_READ | PTWALK_VMA_FLAG_WRITE |
				PTWALK_VMA_FLAG_EXEC;
	const uint32_t flags = ptwalk_bits_flags(bits);

	/* What isn't allowed is no fault that goes away. */
	if (!(vma->flags & access))
		return (struct fault_verdict){ FAULT_NO, NULL };
	if (!ptwalk_bits_present(bits))
		return (struct fault_verdict){ FAULT_ANY, why_absent(vma, bits, behind) };
	if (flags & PTWALK_FLAG_NUMA_HINT)
		return (struct fault_verdict){ FAULT_ANY,
			"NUMA balancing wants to know which node uses it" };
	if (flags & PTWALK_FLAG_PROT_NONE)
		return (struct fault_verdict){ FAULT_ANY, "the entry allows no access" };
	if (vma->flags & PTWALK_VMA_FLAG_WRITE && !(flags & PTWALK_FLAG_WRITE))
		return (struct fault_verdict){ FAULT_WRITE, why_read_only(vma, flags) };
	return (struct fault_verdict){ FAULT_NO, NULL };
}
