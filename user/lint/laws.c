// SPDX-License-Identifier: GPL-2.0
/*
 * What no entry may be at any moment. An operation of the kernel that loses a
 * write protection leaves such entries behind, and no file of /proc shows them.
 * selftests/lib/laws.c has those of two moments, too; of a process that isn't
 * ours, what was done to it between two looks isn't known.
 */
#include "lint/laws.h"

static bool in(const struct ptwalk_vma *vma, uint64_t flags)
{
	return vma->flags & flags;
}

/* What a driver puts there is its own affair; the zero page is special, too. */
static bool of_driver(const struct ptwalk_vma *vma, uint64_t bits)
{
	return (bits_have(bits, PTWALK_FLAG_SPECIAL | PTWALK_FLAG_DEVMAP) &&
		!bits_have(bits, PTWALK_FLAG_ZERO)) ||
	       in(vma, PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_MIXEDMAP);
}

/*
 * Who may write to an anonymous page without a fault has it alone
 * (PG_anon_exclusive, Linux 5.19; wp_can_reuse_anon_folio()). Where the kernel
 * counts the mappings of a large folio only, nothing is known of a page of it.
 */
static bool is_shared_writable(const struct ptwalk_kernel *kernel,
			       const struct ptwalk_vma *vma, uint64_t bits)
{
	if (!bits_have(bits, PTWALK_FLAG_WRITE) || !bits_have(bits, PTWALK_FLAG_ANON) ||
	    bits_have(bits, PTWALK_FLAG_EXCLUSIVE))
		return false;
	return !bits_have(bits, PTWALK_FLAG_LARGE) || bits_have(bits, PTWALK_FLAG_HUGETLB) ||
	       kernel->features & PTWALK_FEATURE_PAGE_MAPCOUNT;
}

static bool is_common_writable(const struct ptwalk_kernel *kernel,
			       const struct ptwalk_vma *vma, uint64_t bits)
{
	return bits_have(bits, PTWALK_FLAG_WRITE) && !of_driver(vma, bits) &&
	       bits_have(bits, PTWALK_FLAG_ZERO | PTWALK_FLAG_KSM);
}

/* vma_wants_writenotify() and pte_needs_soft_dirty_wp(); hugetlb keeps no such bits. */
static bool is_untracked(const struct ptwalk_kernel *kernel,
			 const struct ptwalk_vma *vma, uint64_t bits)
{
	return kernel->features & PTWALK_FEATURE_SOFT_DIRTY &&
	       bits_have(bits, PTWALK_FLAG_WRITE) && !bits_have(bits, PTWALK_FLAG_SOFT_DIRTY) &&
	       !in(vma, PTWALK_VMA_FLAG_SOFTDIRTY | PTWALK_VMA_FLAG_HUGETLB) &&
	       !of_driver(vma, bits);
}

/*
 * pte_mkuffd_wp() takes the right to write away. Outside of VM_UFFD_WP the bit
 * means nothing: UFFDIO_MOVE and, on older kernels, mremap() and the end of a
 * userfaultfd leave it there.
 */
static bool is_unprotected(const struct ptwalk_kernel *kernel,
			   const struct ptwalk_vma *vma, uint64_t bits)
{
	return bits_have(bits, PTWALK_FLAG_WRITE) && bits_have(bits, PTWALK_FLAG_UFFD_WP) &&
	       in(vma, PTWALK_VMA_FLAG_UFFD_WP);
}

/* vm_get_page_prot() puts that of the VMA into vm_page_prot; a NUMA hint has none. */
static bool is_of_other_key(const struct ptwalk_kernel *kernel,
			    const struct ptwalk_vma *vma, uint64_t bits)
{
	return kernel->features & PTWALK_FEATURE_PKEYS && !of_driver(vma, bits) &&
	       !bits_have(bits, PTWALK_FLAG_PROT_NONE) && ptwalk_bits_pkey(bits) != vma->pkey;
}

const struct law laws[] = {
	{ LINT_SHARED_WRITABLE, is_shared_writable,
	  "the page is anonymous and mapped more than once: others see what is written" },
	{ LINT_COMMON_WRITABLE, is_common_writable,
	  "it is the zero page, or merged by KSM: what is written changes the memory of others" },
	{ LINT_UNTRACKED, is_untracked,
	  "neither the entry nor the VMA is soft-dirty: who looks for what was written misses the next write" },
	{ LINT_UNPROTECTED, is_unprotected,
	  "a userfaultfd protects it from writing, and isn't told of the next write",
	  .migrating = true },
	{ LINT_OTHER_KEY, is_of_other_key,
	  "the VMA has another protection key" },
};

const unsigned int nr_laws = sizeof(laws) / sizeof(laws[0]);

uint32_t laws_lints(void)
{
	uint32_t mask = 1U << LINT_MORE;

	for (unsigned int i = 0; i < nr_laws; i++)
		mask |= 1U << laws[i].lint;
	return mask;
}
