// SPDX-License-Identifier: GPL-2.0
/*
 * What mm/gup.c does with an address: check_vma_flags() looks at the VMA, and
 * follow_page_pte() at the entry, after faultin_page() where that must be another one.
 */
#include <string.h>
#include "pte/pte.h"
#include "report/pinning.h"

static struct pinning refused(const char *why)
{
	return (struct pinning){ .why = why };
}

/* Of a page of a file whose dirty pages are tracked. */
#define SHORT_TERM	"short-term pins only, as the file's dirty pages are tracked: RDMA, VFIO and io_uring get EFAULT for writing (not FOLL_LONGTERM, check_vma_flags()), and of fsdax EOPNOTSUPP for all"

/* What check_vma_flags() refuses altogether. */
static const char *of_vma(const struct ptwalk_vma *vma)
{
	if (vma->flags & (PTWALK_VMA_FLAG_PFNMAP | PTWALK_VMA_FLAG_IO))
		/* What is no driver's file is the kernel's own, as [vvar]. */
		return !vma->inode ? "EFAULT: VM_IO or VM_PFNMAP, check_vma_flags()" :
		       "EFAULT: VM_IO or VM_PFNMAP, check_vma_flags(); map struct pages with vm_insert_page(), or share a dma-buf";
	if (strstr(vma->ops, "secretmem"))
		return "EFAULT: memory of memfd_secret(), check_vma_flags()";
	if (!(vma->flags & PTWALK_VMA_FLAG_READ) && !(vma->flags & PTWALK_VMA_FLAG_WRITE))
		return "EFAULT: the VMA allows no access (PROT_NONE), check_vma_flags()";
	return NULL;
}

/* Only who asks for it is told why, as KVM does. */
#define POISONED(what)	"EFAULT: " what ", vm_fault_to_errno(); EHWPOISON with FOLL_HWPOISON (KVM)"

static const char *kind_refusal(unsigned int kind, uint64_t value, bool behind)
{
	const char *end = behind ? "EFAULT: behind the end of the file, faultin_page()" : NULL;

	switch (kind) {
	case PTWALK_KIND_HWPOISON:
		return POISONED("the page has failed");
	case PTWALK_KIND_NONE:
		return end;
	case PTWALK_KIND_MARKER:
		/* That of userfaultfd alone is filled, as nothing is. */
		return value & PTWALK_MARKER_POISONED ? POISONED("memory that has failed") :
		       value & PTWALK_MARKER_GUARD ? "EFAULT: a guard region, faultin_page()" : end;
	case PTWALK_KIND_BAD:
	case PTWALK_KIND_UNKNOWN:
		return "EFAULT: the entry makes no sense, faultin_page()";
	default:
		return NULL;
	}
}

/*
 * vma_needs_dirty_tracking(), of a shared VMA with a file. The kernel keeps the permission to
 * write out of vm_page_prot where vma_wants_writenotify(): for a page_mkwrite(), and for a file
 * system that writes back. A driver's file has it unless the driver has that function. After
 * clear_refs, no vm_page_prot has it; then only memory and inserted pages are known to be well.
 */
static bool is_tracked(const struct ptwalk_kernel *info, const struct ptwalk_vma *vma)
{
	const struct pte_request request = { .page_shift = info->page_shift };
	const struct pte_arch *arch = pte_arch_named(info->machine);
	struct pte prot = { 0 };

	if (!(vma->flags & PTWALK_VMA_FLAG_SHARED) || !vma->inode ||
	    vma->flags & (PTWALK_VMA_FLAG_SHMEM | PTWALK_VMA_FLAG_HUGETLB |
			  PTWALK_VMA_FLAG_MIXEDMAP))
		return false;
	/* Entries of 32 bits have different forms under one name of a machine. */
	if (arch && arch->bits == 64)
		pte_decode(arch, vma->page_prot, &request, &prot);
	return !(prot.flags & PTWALK_FLAG_WRITE);
}

/*
 * Of a page of a VMA that is tracked. get_user_pages_fast() looks at no VMA: where the entry
 * allows it, the folio decides, as that of a display's frame buffer, which is memory of
 * shmem in a mapping of a device.
 */
static const char *of_tracked(uint32_t flags, const struct ptwalk_page *page)
{
	if (!(flags & PTWALK_FLAG_WRITE))
		return SHORT_TERM "; and a write asks the file's page_mkwrite() first: EFAULT if it refuses";
	if (page && page->flags & PTWALK_PAGE_FLAG_SHMEM)
		return "a page of shmem: FOLL_LONGTERM for writing while the entry allows that, gup_fast_folio_allowed(); then EFAULT (RDMA, io_uring), check_vma_flags()";
	return SHORT_TERM;
}

/*
 * vma_is_fsdax(): by the functions of its file system, or by a page that isn't of RAM. Its
 * holes are mapped as the zero page, as are a private mapping of /dev/zero, which is anonymous
 * and keeps its file, and one of shmem, by UFFDIO_ZEROPAGE.
 */
static bool is_fsdax(uint64_t bits, const struct ptwalk_vma *vma)
{
	const uint32_t flags = ptwalk_bits_flags(bits);

	return vma->inode &&
	       (strstr(vma->ops, "dax") ||
		(ptwalk_bits_present(bits) &&
		 (!(flags & PTWALK_FLAG_RAM) ||
		  (flags & PTWALK_FLAG_ZERO &&
		   !(vma->flags & (PTWALK_VMA_FLAG_ANONYMOUS | PTWALK_VMA_FLAG_SHMEM))))));
}

/* Of a page that will be another one, or that must be brought first. */
static const char *step_before_pin(const struct ptwalk_kernel *info, uint64_t bits,
				   const struct ptwalk_page *page, const struct ptwalk_vma *vma,
				   bool write)
{
	const uint32_t flags = ptwalk_bits_flags(bits);

	/* Its copy, once it may be written to, is taken without a look at the VMA. */
	if (!(vma->flags & PTWALK_VMA_FLAG_SHARED) && !(flags & PTWALK_FLAG_WRITE) &&
	    is_fsdax(bits, vma))
		return "a file of DAX: for writing, a copy on write comes first; not FOLL_LONGTERM (RDMA, io_uring: EOPNOTSUPP), check_vma_flags()";
	if (!ptwalk_bits_present(bits))
		return "the page is brought by a fault first, faultin_page()";
	/* In a shared mapping it stands for a hole of the file. */
	if (flags & PTWALK_FLAG_ZERO && !(vma->flags & PTWALK_VMA_FLAG_SHARED))
		return "the zero page; for writing, and FOLL_LONGTERM, a page of its own comes first, gup_must_unshare()";
	if (write && !(flags & PTWALK_FLAG_WRITE) && !(vma->flags & PTWALK_VMA_FLAG_SHARED))
		return "for writing, a copy on write comes first, can_follow_write_pte()";
	if (is_tracked(info, vma))
		return of_tracked(flags, page);
	if (flags & PTWALK_FLAG_HUGETLB)
		return "a page of hugetlb; one in ZONE_MOVABLE or CMA is moved first for FOLL_LONGTERM";
	return "a page in ZONE_MOVABLE or CMA is moved first for FOLL_LONGTERM, check_and_migrate_movable_pages()";
}

struct pinning pinning_of(const struct ptwalk_kernel *info, uint64_t bits, uint64_t value,
			  const struct ptwalk_page *page, const struct ptwalk_vma *vma,
			  bool behind)
{
	const unsigned int kind = ptwalk_bits_kind(bits);
	const uint32_t flags = ptwalk_bits_flags(bits);
	const char *why = vma ? of_vma(vma) : "EFAULT: in no VMA, find_vma() in __get_user_pages()";
	struct pinning p = { 0 };

	if (!why)
		why = kind_refusal(kind, value, behind);
	if (why)
		return refused(why);
	/* Memory of DAX was special, too, as long as its entries had a bit (before 6.17). */
	if (kind == PTWALK_KIND_PRESENT && flags & PTWALK_FLAG_SPECIAL &&
	    !(flags & (PTWALK_FLAG_ZERO | PTWALK_FLAG_DEVMAP)))
		return refused(ptwalk_bits_level(bits) == PTWALK_LEVEL_PTE ?
			       "EEXIST: a special entry, without a struct page, follow_pfn_pte()" :
			       "EFAULT: a special entry, without a struct page, follow_page_pte()");
	if (flags & PTWALK_FLAG_STALE)
		return refused("EFAULT: the memory was removed");
	p.read = vma->flags & PTWALK_VMA_FLAG_READ;
	p.write = vma->flags & PTWALK_VMA_FLAG_WRITE &&
		  !(vma->flags & PTWALK_VMA_FLAG_SHADOW_STACK);
	if (!p.write)
		p.why = "for writing EFAULT: the VMA allows none (VM_WRITE), check_vma_flags()";
	else if (!p.read)
		p.why = "for reading EFAULT: the VMA allows none (VM_READ), check_vma_flags(); get_user_pages_fast() takes what the entry allows";
	else
		p.why = step_before_pin(info, bits, page, vma, p.write);
	return p;
}

const char *pinning_text(const struct pinning *pinning)
{
	if (!pinning->read && !pinning->write)
		return "no";
	if (!pinning->read)
		return "for writing only";
	return pinning->write ? "for reading and writing" : "for reading only";
}
