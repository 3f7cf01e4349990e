// SPDX-License-Identifier: GPL-2.0
/* Decodes page-table entries, and combines those that are alike into runs. */
#include <linux/hugetlb.h>
#include <linux/pgtable.h>
#include <linux/pkeys.h>
#include <linux/swap.h>
#include "arch/arch.h"
#include "compat/cgroup.h"
#include "compat/page.h"
#include "compat/pgtable.h"
#include "compat/softleaf.h"
#include "entry.h"
#include "memtype.h"
#include "search.h"
#include "target.h"

/* Inside a VMA, the kernel doesn't count these entries as mappings. */
#define UNCOUNTED	(PTWALK_FLAG_SPECIAL | PTWALK_FLAG_DEVMAP)

/*
 * What is taken of the budget of the walk beside 1 for each PTE: where a run is
 * begun, or a mixed list goes on with a PTE that its loop doesn't take, for a PTE that
 * the fast paths don't take, and where runs carry pages, for one that isn't the same
 * as the page before.
 */
#define PTWALK_ENTRY_RUN	2U
#define PTWALK_ENTRY_SLOW	2U
#define PTWALK_ENTRY_PAGE	1U

/*
 * The bits that the PFN of a PTE can have in the sections of struct ptwalk_online: a
 * frame of another one has more, and ends the loops over such PTEs. 0 where
 * PTWALK_PTE_PFN_BITS is, and without such sections.
 */
#define PTWALK_ENTRY_PFN_BITS	(PTWALK_PTE_PFN_BITS &			\
				 PTWALK_SECTIONS_PFN_BITS << PAGE_SHIFT)

/* Neither a PFN nor a swap offset reaches the numbers of mixed lists. */
static_assert(64 - PAGE_SHIFT <= PTWALK_MIXED_SHIFT);
static_assert(SWP_TYPE_SHIFT <= PTWALK_MIXED_SHIFT);

/**
 * ptwalk_swap_type_kind() - the kind of non-present entries of a swap type
 * @type: Swap type, below 1 << MAX_SWAPFILES_SHIFT.
 *
 * Which types are special depends on the kernel configuration (linux/swap.h).
 *
 * Return: The kind.
 */
enum ptwalk_kind ptwalk_swap_type_kind(unsigned int type)
{
	if (type < MAX_SWAPFILES)
		return PTWALK_KIND_SWAP;

	switch (type) {
#ifdef CONFIG_MIGRATION
	case SWP_MIGRATION_READ:
	case SWP_MIGRATION_READ_EXCLUSIVE:
	case SWP_MIGRATION_WRITE:
		return PTWALK_KIND_MIGRATION;
#endif
#ifdef CONFIG_DEVICE_PRIVATE
	case SWP_DEVICE_WRITE:
	case SWP_DEVICE_READ:
		return PTWALK_KIND_DEVICE_PRIVATE;
	/*
	 * Linux 6.15, c25465eb7630: one type of device-exclusive entries
	 * instead of one for reading and one for writing.
	 */
#ifdef SWP_DEVICE_EXCLUSIVE
	case SWP_DEVICE_EXCLUSIVE:
#else
	case SWP_DEVICE_EXCLUSIVE_WRITE:
	case SWP_DEVICE_EXCLUSIVE_READ:
#endif
		return PTWALK_KIND_DEVICE_EXCLUSIVE;
#endif
#ifdef CONFIG_MEMORY_FAILURE
	case SWP_HWPOISON:
		return PTWALK_KIND_HWPOISON;
#endif
#ifdef SWP_PTE_MARKER
	case SWP_PTE_MARKER:
		return PTWALK_KIND_MARKER;
#endif
	default:
		return PTWALK_KIND_UNKNOWN;
	}
}

/**
 * ptwalk_entry_kinds_known() - the kinds that can occur on this kernel
 *
 * Return: Mask of 1 << enum ptwalk_kind.
 */
u32 ptwalk_entry_kinds_known(void)
{
	u32 kinds = BIT(PTWALK_KIND_NONE) | BIT(PTWALK_KIND_PRESENT) |
		    BIT(PTWALK_KIND_BAD) | BIT(PTWALK_KIND_NO_VMA) |
		    BIT(PTWALK_KIND_OTHER);
	unsigned int type;

	for (type = 0; type < 1 << MAX_SWAPFILES_SHIFT; type++)
		kinds |= BIT(ptwalk_swap_type_kind(type));
	return kinds;
}

/**
 * ptwalk_entry_flags_known() - the flags that can be set on this kernel
 *
 * Return: Mask of enum ptwalk_flag.
 */
u32 ptwalk_entry_flags_known(void)
{
	u32 flags = PTWALK_ARCH_FLAGS | PTWALK_FLAG_WRITE | PTWALK_FLAG_YOUNG |
		    PTWALK_FLAG_DIRTY | PTWALK_FLAG_SWAP_EXCLUSIVE | PTWALK_FLAG_PAGE |
		    PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE |
		    PTWALK_FLAG_ZERO | PTWALK_FLAG_RAM | PTWALK_FLAG_LARGE |
		    PTWALK_FLAG_ONLINE;

	if (IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL))
		flags |= PTWALK_FLAG_SPECIAL;
	if (ptwalk_has_soft_dirty())
		flags |= PTWALK_FLAG_SOFT_DIRTY;
	if (ptwalk_has_uffd_wp())
		flags |= PTWALK_FLAG_UFFD_WP;
	if (IS_ENABLED(CONFIG_ARCH_HAS_PTE_DEVMAP))
		flags |= PTWALK_FLAG_DEVMAP;
	if (IS_ENABLED(CONFIG_ZONE_DEVICE))
		flags |= PTWALK_FLAG_STALE;
	if (IS_ENABLED(CONFIG_NUMA_BALANCING))
		flags |= PTWALK_FLAG_NUMA_HINT;
	if (IS_ENABLED(CONFIG_KSM))
		flags |= PTWALK_FLAG_KSM;
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE))
		flags |= PTWALK_FLAG_HEAD_EXCLUSIVE;
	if (IS_ENABLED(CONFIG_HUGETLB_PAGE))
		flags |= PTWALK_FLAG_HUGETLB | PTWALK_FLAG_HEAD_EXCLUSIVE;
	if (IS_ENABLED(CONFIG_HUGETLB_PAGE) ||
	    IS_ENABLED(CONFIG_NO_PAGE_MAPCOUNT))
		flags |= PTWALK_FLAG_MAYBE_SHARED;
	if (PTWALK_HUGETLB_PMD_SHARING)
		flags |= PTWALK_FLAG_PMD_SHARED;
	if (PTWALK_KERNEL_MEMTYPES)
		flags |= PTWALK_FLAG_TYPE_DIFFERS;
	return flags;
}

/*
 * The flags that the entry itself tells. @pte is the raw value of a leaf at any
 * level: apart from what arch_flags() and arch_large_flags() handle, leaves of
 * all levels have their bits where PTEs have them.
 */
static u32 ptwalk_entry_present_flags(struct vm_area_struct *vma, pte_t pte,
				      enum ptwalk_level level)
{
	u32 flags;

#ifdef arch_large_flags
	if (level != PTWALK_LEVEL_PTE)
		return arch_large_flags(pte_val(pte), level);
#endif
	flags = arch_flags(pte_val(pte), level);
	if (pte_write(pte))
		flags |= PTWALK_FLAG_WRITE;
	if (pte_young(pte))
		flags |= PTWALK_FLAG_YOUNG;
	if (pte_dirty(pte))
		flags |= PTWALK_FLAG_DIRTY;
	if (IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) && pte_special(pte))
		flags |= PTWALK_FLAG_SPECIAL;
	if (pte_soft_dirty(pte))
		flags |= PTWALK_FLAG_SOFT_DIRTY;
	if (pte_uffd_wp(pte))
		flags |= PTWALK_FLAG_UFFD_WP;
#ifdef CONFIG_ARCH_HAS_PTE_DEVMAP
	if (pte_devmap(pte))
		flags |= PTWALK_FLAG_DEVMAP;
#endif
	if (flags & PTWALK_FLAG_PROT_NONE) {
		/* No access, even if the entry lacks a no-execute bit. */
		flags &= ~PTWALK_FLAG_EXEC;
		if (IS_ENABLED(CONFIG_NUMA_BALANCING) &&
		    vma_is_accessible(vma) && !ptwalk_uffd_rwp(vma, pte))
			flags |= PTWALK_FLAG_NUMA_HINT;
	}
	return flags;
}

static u64 ptwalk_entry_present_bits(struct vm_area_struct *vma, pte_t pte,
				     enum ptwalk_level level)
{
	u64 pkey = arch_pkeys_enabled() ? arch_pkey(pte_val(pte)) : 0;

	return ptwalk_bits(PTWALK_KIND_PRESENT, level,
			   arch_memtype(pte_val(pte), level),
			   ptwalk_entry_present_flags(vma, pte, level)) |
	       pkey << PTWALK_BITS_PKEY_SHIFT;
}

static u64 ptwalk_entry_add_flags(u64 bits, u32 flags)
{
	return bits | (u64)flags << PTWALK_BITS_FLAGS_SHIFT;
}

static __always_inline bool ptwalk_entry_add_all(struct ptwalk_reader *reader,
						 u64 value, u64 pages, u64 bits)
{
	struct ptwalk_sink *sink = reader->sink;
	const struct ptwalk_run *last = sink->last;
	bool added = sink->page ? ptwalk_sink_add_paged(sink, value, pages, bits) :
				  ptwalk_sink_add(sink, value, pages, bits);

	if (sink->last != last || ptwalk_sink_is_mixed(sink))
		ptwalk_spend(&reader->walk, PTWALK_ENTRY_RUN);
	return added;
}

/**
 * ptwalk_reader_add() - tell of pages whose entries are alike
 * @reader: The reader, which is running.
 * @value: Of the first page.
 * @pages: How many, above 0.
 * @bits: As in a run.
 *
 * A run that is begun is taken of the budget.
 *
 * Return: Whether there was room.
 */
bool ptwalk_reader_add(struct ptwalk_reader *reader, u64 value, u64 pages, u64 bits)
{
	return ptwalk_entry_add_all(reader, value, pages, bits);
}

/* Adds pages whose entries are alike. Returns false if there was no room. */
static __always_inline bool ptwalk_entry_add(struct ptwalk_reader *reader, u64 value,
					     u64 pages, u64 bits)
{
	if (unlikely(reader->search))
		return ptwalk_search_add(reader, value, pages, bits);
	return ptwalk_entry_add_all(reader, value, pages, bits);
}

/*
 * Returns how many entries from @pte up to @end map consecutive frames whose
 * pages are @alike, as @page is, which @pte maps. This loop runs for
 * nearly every page. noinline: inlined, its values are on the stack.
 */
static noinline unsigned int ptwalk_entry_plain_run(const u64 *pte, const u64 *end,
						    struct page *page,
						    struct ptwalk_alike alike, u64 step)
{
	const u64 *next = pte;
	u64 val = *pte;

	do {
		val += step;
	} while (++next < end && *next == val && ptwalk_is_alike(++page, alike));
	return next - pte;
}

/*
 * Adds entries from @pte on to the list that the last run is, as long as they
 * have the bits @prot, and map frames that don't follow each other and whose
 * pages are @alike, as that of the last one on the list is. @end is the sentinel
 * behind them. This loop runs for nearly every page of memory that is scattered.
 * Returns how many were added. noinline: as above.
 */
static noinline unsigned int ptwalk_entry_list(struct ptwalk_sink *sink,
					       const struct ptwalk_online *online,
					       const u64 *ptes, const u64 *end,
					       u64 prot, struct ptwalk_alike alike)
{
	const u64 pfn_bits = PTWALK_ENTRY_PFN_BITS;
	const u64 step = BIT_ULL(PAGE_SHIFT);
	const u64 *pte = ptes;
	u64 *out = sink->next;

	if (!pfn_bits || sink->end - out < end - pte)
		return 0;
	while ((*pte & ~pfn_bits) == prot && pte[1] != *pte + step) {
		unsigned long pfn = (*pte & pfn_bits) >> PAGE_SHIFT;

		if (!ptwalk_online_whole(online, pfn) ||
		    !ptwalk_is_alike(pfn_to_page(pfn), alike))
			break;
		*out++ = pfn;
		pte++;
	}
	sink->last->pages += pte - ptes;
	sink->next = out;
	return pte - ptes;
}

/* Flags of a non-present entry that has the format of a PTE. */
static u32 ptwalk_entry_absent_flags(pte_t pte)
{
	u32 flags = 0;

	if (pte_swp_soft_dirty(pte))
		flags |= PTWALK_FLAG_SOFT_DIRTY;
	if (pte_swp_uffd_wp(pte))
		flags |= PTWALK_FLAG_UFFD_WP;
	if (pte_swp_exclusive(pte))
		flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
	return flags;
}

/*
 * Adds an entry that is swapped out, as ptwalk_entry_add_absent() does. Returns
 * false if it isn't, or if there was no room.
 */
static bool ptwalk_entry_add_swapped(struct ptwalk_reader *reader, pte_t pte)
{
	softleaf_t leaf;
	u64 bits;

	if (pte_none(pte) || pte_present(pte))
		return false;
	leaf = softleaf_from_pte(pte);
	if (swp_type(leaf) >= MAX_SWAPFILES)
		return false;
	bits = ptwalk_bits(PTWALK_KIND_SWAP, PTWALK_LEVEL_PTE, swp_type(leaf),
			   ptwalk_entry_absent_flags(pte));
	reader->swap = pte_val(pte) & ~(u64)PTWALK_PTE_SWAP_BITS;
	reader->swap_bits = bits;
	reader->numbered = false;
	return ptwalk_entry_add(reader, swp_offset(leaf), 1, bits);
}

/*
 * Where a loop stops that adds a word for each entry from @ptes on: NULL if there is
 * room for all of them, so that it is the sentinel at @end which stops it.
 */
static __always_inline const u64 *ptwalk_entry_stop(const struct ptwalk_sink *sink,
						    const u64 *ptes, const u64 *end)
{
	const ptrdiff_t room = sink->end - sink->next;

	return room < end - ptes ? ptes + room : NULL;
}

/* What ptwalk_entry_mixed() adds, up to @stop, or to the sentinel if that is NULL. */
static __always_inline unsigned int
ptwalk_entry_mixed_loop(const struct ptwalk_reader *reader, const u64 *ptes,
			const u64 *stop)
{
	const u64 pfn_bits = PTWALK_ENTRY_PFN_BITS;
	const u64 step = BIT_ULL(PAGE_SHIFT);
	const struct ptwalk_online *online = reader->online;
	const struct ptwalk_alike alike = reader->alike;
	const u64 prot = reader->known.prot, swap = reader->swap;
	const u64 present = reader->present, swapped = reader->swapped;
	u64 *out = reader->sink->next;
	const u64 *pte;

	for (pte = ptes; !stop || pte < stop; pte++) {
		u64 val = *pte;

		if ((val & ~pfn_bits) == prot) {
			unsigned long pfn = (val & pfn_bits) >> PAGE_SHIFT;

			if (pte[1] == val + step || !ptwalk_online_whole(online, pfn) ||
			    !ptwalk_is_alike(pfn_to_page(pfn), alike))
				break;
			*out++ = pfn | present;
		} else if ((val & ~PTWALK_PTE_SWAP_BITS) == swap && val) {
			*out++ = __swp_offset((swp_entry_t) { val }) | swapped;
		} else {
			break;
		}
	}
	return pte - ptes;
}

/*
 * Adds entries from @ptes on to the mixed list that the last run is, as long as they
 * differ from the last one that was swapped out in their offset only, or have the bits
 * @reader->known.prot and map pages as ptwalk_entry_list() takes them. @end is the
 * sentinel behind them. Returns how many were added. noinline: as above.
 */
static noinline unsigned int ptwalk_entry_mixed(struct ptwalk_reader *reader,
						const u64 *ptes, const u64 *end)
{
	struct ptwalk_sink *sink = reader->sink;
	const u64 *stop;
	unsigned int nr;

	if (!PTWALK_ENTRY_PFN_BITS || !PTWALK_PTE_SWAP_BITS || !reader->alike_bits ||
	    !reader->swap_bits)
		return 0;
	if (!reader->numbered)
		reader->numbered = ptwalk_sink_number(sink, reader->alike_bits,
						      &reader->present) &&
				   ptwalk_sink_number(sink, reader->swap_bits,
						      &reader->swapped);
	if (!reader->numbered)
		return 0;
	stop = ptwalk_entry_stop(sink, ptes, end);
	if (likely(!stop))
		nr = ptwalk_entry_mixed_loop(reader, ptes, NULL);
	else
		nr = ptwalk_entry_mixed_loop(reader, ptes, stop);
	sink->last->pages += nr;
	sink->next += nr;
	return nr;
}

/*
 * Fast path: adds entries that differ from the last present one in their PFN
 * only, as long as they map pages of order 0, and those that are swapped out.
 * Returns how many were added; the caller handles the entry after those.
 */
static unsigned int ptwalk_entry_add_plain(struct ptwalk_reader *reader,
					   const u64 *ptes, unsigned int nr)
{
	const u64 pfn_bits = PTWALK_PTE_PFN_BITS;
	const u64 step = BIT_ULL(PAGE_SHIFT);
	const u64 *pte = ptes, *end = ptes + nr;

	if (!pfn_bits || !reader->known.plain)
		return 0;

	while (pte < end && reader->walk.budget) {
		unsigned long pfn = (*pte & pfn_bits) >> PAGE_SHIFT;
		struct page *page;
		u64 run = 1, bits;

		if (ptwalk_sink_is_mixed(reader->sink)) {
			run = ptwalk_entry_mixed(reader, pte, end);
			ptwalk_spend(&reader->walk, run);
			pte += run;
			if (run)
				continue;
			run = 1;
		}
		if ((*pte & ~pfn_bits) != reader->known.prot) {
			if (!ptwalk_entry_add_swapped(reader, __pte(*pte)))
				break;
			ptwalk_spend(&reader->walk, 1);
			pte++;
			continue;
		}
		if (!ptwalk_online(reader->online, pfn))
			break;
		page = pfn_to_page(pfn);
		if (PageCompound(page))
			break;
		reader->alike = ptwalk_alike(page);
		bits = ptwalk_entry_add_flags(reader->known.prot_bits, PTWALK_FLAG_RAM |
					      ptwalk_alike_facts(reader->alike));
		reader->alike_bits = bits;
		reader->numbered = false;

		/* The rest of the unit is online, too. */
		if (pte + 1 < end && pte[1] == *pte + step)
			run = ptwalk_entry_plain_run(pte, min_t(const u64 *, end, pte +
						     PTWALK_UNIT_PAGES -
						     (pfn & (PTWALK_UNIT_PAGES - 1))),
						     page, reader->alike, step);
		if (!ptwalk_entry_add(reader, pfn, run, bits))
			break;
		if (run == 1 && reader->sink->last->bits == (bits | PTWALK_BITS_LIST) &&
		    !reader->search)
			run += ptwalk_entry_list(reader->sink, reader->online, pte + 1,
						 end, reader->known.prot, reader->alike);
		ptwalk_spend(&reader->walk, run);
		pte += run;
	}
	return pte - ptes;
}

/*
 * As ptwalk_entry_go_on(), for a last run that is a @list, or is none, up to @stop,
 * or to the sentinel if that is NULL.
 */
static __always_inline unsigned int
ptwalk_entry_go_on_as(struct ptwalk_sink *sink, const struct ptwalk_online *online,
		      const u64 *ptes, const u64 *stop, u64 prot, u64 pfn_bits,
		      const struct ptwalk_same same, const bool list)
{
	u64 next = *ptwalk_sink_value(sink, sink->last) + sink->last->pages;
	const u64 *pte = ptes;
	u64 *out = sink->next;

	for (; !stop || pte < stop; pte++) {
		const u64 frame = *pte ^ prot;
		unsigned long pfn = frame >> PAGE_SHIFT;

		if (frame & ~pfn_bits || (!list && pfn != next++) ||
		    !ptwalk_online_whole(online, pfn) ||
		    !ptwalk_is_same(pfn_to_page(pfn), same))
			break;
		if (list)
			*out++ = pfn;
	}
	sink->last->pages += pte - ptes;
	sink->next = out;
	return pte - ptes;
}

/*
 * Continues the last run with entries from @ptes on that have the bits @prot, and
 * map pages which are the @same as those of the run. @end is as above. This loop
 * runs for nearly every page of memory whose facts are asked for. Returns how many
 * were added. noinline: as above.
 */
static noinline unsigned int ptwalk_entry_go_on(struct ptwalk_sink *sink,
						const struct ptwalk_online *online,
						const u64 *ptes, const u64 *end,
						u64 prot, const struct ptwalk_same *same)
{
	const u64 pfn_bits = PTWALK_ENTRY_PFN_BITS;
	const u64 *stop;

	if (!pfn_bits)
		return 0;
	if (!(sink->last->bits & PTWALK_BITS_LIST))
		return ptwalk_entry_go_on_as(sink, online, ptes, NULL, prot, pfn_bits,
					     *same, false);
	stop = ptwalk_entry_stop(sink, ptes, end);
	if (likely(!stop))
		return ptwalk_entry_go_on_as(sink, online, ptes, NULL, prot, pfn_bits,
					     *same, true);
	return ptwalk_entry_go_on_as(sink, online, ptes, stop, prot, pfn_bits, *same,
				     true);
}

/*
 * As ptwalk_entry_add_plain(), for runs that carry pages, and of entries that map
 * pages only.
 */
static unsigned int ptwalk_entry_add_paged(struct ptwalk_reader *reader,
					   const u64 *ptes, unsigned int nr)
{
	const u64 pfn_bits = PTWALK_PTE_PFN_BITS;
	const u64 *pte = ptes, *end = ptes + nr;
	struct ptwalk_sink *sink = reader->sink;

	if (!pfn_bits || !reader->known.plain)
		return 0;

	while (pte < end && (*pte & ~pfn_bits) == reader->known.prot && reader->walk.budget) {
		unsigned long pfn = (*pte & pfn_bits) >> __ffs64(pfn_bits);
		unsigned int run = 0;
		struct page *page;
		u64 bits;

		if (reader->same_run && reader->same_run == sink->last)
			run = ptwalk_entry_go_on(sink, reader->online, pte, end,
						 reader->known.prot, &reader->same);
		if (run) {
			ptwalk_spend(&reader->walk, run);
			pte += run;
			continue;
		}
		if (!ptwalk_online(reader->online, pfn))
			break;
		page = pfn_to_page(pfn);
		if (PageCompound(page))
			break;
		reader->same_run = NULL;
		bits = ptwalk_entry_add_flags(reader->known.prot_bits, PTWALK_FLAG_RAM |
					      ptwalk_small_page_read(page, reader->page,
								     &reader->same));
		if (!ptwalk_entry_add(reader, pfn, 1, bits))
			break;
		/* See ptwalk_is_same() for pages without references. */
		reader->same_run = (u32)reader->page->counts ? sink->last : NULL;
		ptwalk_spend(&reader->walk, PTWALK_ENTRY_PAGE + 1);
		pte++;
	}
	return pte - ptes;
}

/*
 * Whether a driver chooses the memory types in @vma, so that they may differ
 * from those of the kernel's own mapping of the same memory.
 */
static bool ptwalk_entry_has_driver_types(const struct vm_area_struct *vma)
{
	return PTWALK_KERNEL_MEMTYPES &&
	       vma->vm_flags & (VM_PFNMAP | VM_MIXEDMAP);
}

/* Whether the kernel doesn't count an entry with these flags as a mapping. */
static bool ptwalk_entry_is_uncounted(const struct ptwalk_reader *reader, u32 flags)
{
	return reader->uncounted || flags & UNCOUNTED;
}

static void ptwalk_entry_read_page(struct ptwalk_reader *reader,
				   const struct ptwalk_frame *frame, u32 facts)
{
	if (!reader->page)
		return;
	ptwalk_page_read(frame, facts, reader->page, &reader->large);
	if (reader->cgroup)
		*reader->cgroup = facts & PTWALK_FLAG_PAGE ?
			ptwalk_page_cgroup_ino(pfn_to_page(frame->pfn)) : 0;
}

static bool ptwalk_entry_add_present(struct ptwalk_reader *reader,
				     unsigned long addr, pte_t pte)
{
	struct vm_area_struct *vma = reader->walk.vma;
	u64 bits = ptwalk_entry_present_bits(vma, pte, PTWALK_LEVEL_PTE);
	u32 flags = ptwalk_bits_flags(bits), facts;
	const struct ptwalk_frame frame = {
		.vma = vma,
		.addr = addr,
		.pfn = arch_pte_pfn(pte, addr),
		.level = PTWALK_LEVEL_PTE,
		.special = ptwalk_entry_is_uncounted(reader, flags),
		.devmap = flags & PTWALK_FLAG_DEVMAP,
	};

	reader->known.prot = pte_val(pte) & ~(u64)PTWALK_PTE_PFN_BITS;
	reader->known.prot_bits = bits;
	reader->same_run = NULL;
	reader->alike_bits = 0;
	reader->known.plain = IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) &&
			      !ptwalk_entry_has_driver_types(vma) &&
			      reader->page == reader->sink->page &&
			      !frame.special && !(flags & PTWALK_FLAG_PROT_NONE);
	facts = ptwalk_page_facts(&frame, reader->online);
	ptwalk_entry_read_page(reader, &frame, facts);
	if (facts & PTWALK_FLAG_RAM && ptwalk_entry_has_driver_types(vma) &&
	    ptwalk_memtype_differs(frame.pfn, ptwalk_bits_aux(bits)))
		facts |= PTWALK_FLAG_TYPE_DIFFERS;
	return ptwalk_entry_add(reader, frame.pfn, 1, ptwalk_entry_add_flags(bits, facts));
}

/*
 * Adds a leaf that the kernel doesn't count as a mapping. It may begin in RAM
 * and end in device memory, so ptwalk_page_facts() is asked once for each unit,
 * which counts as an entry of the budget.
 * Advances @frame; returns the address up to which there was room and budget.
 */
static unsigned long ptwalk_entry_add_uncounted(struct ptwalk_reader *reader,
						struct ptwalk_frame *frame,
						unsigned long next, u64 bits)
{
	while (frame->addr < next && reader->walk.budget) {
		u64 pages = min_t(u64, (next - frame->addr) >> PAGE_SHIFT,
				  PTWALK_UNIT_PAGES -
				  (frame->pfn & (PTWALK_UNIT_PAGES - 1)));
		u32 facts = ptwalk_page_facts(frame, reader->online);

		if (!ptwalk_entry_add(reader, frame->pfn, pages,
				      ptwalk_entry_add_flags(bits, facts)))
			break;
		frame->addr += pages << PAGE_SHIFT;
		frame->pfn += pages;
		ptwalk_spend(&reader->walk, 1);
	}
	return frame->addr;
}

/*
 * As PTWALK_PTE_PFN_BITS, of a level above PTEs with the address mask @mask, whose
 * entries may be wider than an address.
 */
static __always_inline u64 ptwalk_entry_pfn_bits(unsigned long mask)
{
	return PTWALK_PTE_PFN_BITS & ~(u64)~mask;
}

/* As ptwalk_entry_present_bits(), of a leaf that is mostly alike the one before. */
static u64 ptwalk_entry_large_bits(struct ptwalk_reader *reader, pte_t leaf,
				   enum ptwalk_level level, unsigned long mask)
{
	u64 prot = pte_val(leaf) & ~ptwalk_entry_pfn_bits(mask);
	struct ptwalk_known *known = &reader->known;

	if (!known->large_bits || prot != known->large_prot ||
	    level != ptwalk_bits_level(known->large_bits)) {
		known->large_prot = prot;
		known->large_bits = ptwalk_entry_present_bits(reader->walk.vma, leaf,
							      level);
	}
	return known->large_bits;
}

/*
 * Adds a leaf above the PTE level, from @addr on. @leaf_pfn is the first PFN
 * that the leaf maps, @mask the address mask of its level. Returns the address
 * up to which there was room.
 */
static unsigned long ptwalk_entry_add_large(struct ptwalk_reader *reader,
					    unsigned long addr, unsigned long next,
					    pte_t leaf, unsigned long leaf_pfn,
					    enum ptwalk_level level,
					    unsigned long mask)
{
	struct ptwalk_frame frame = {
		.vma = reader->walk.vma,
		.addr = addr,
		.pfn = leaf_pfn + ((addr & ~mask) >> PAGE_SHIFT),
		.level = level,
		.entry = reader->walk.leaf,
	};
	u64 bits = ptwalk_entry_large_bits(reader, leaf, level, mask);
	u64 pages = (next - addr) >> PAGE_SHIFT;
	u32 facts;

	if (reader->search && !ptwalk_search_meets(reader->search, frame.pfn, pages))
		return ptwalk_entry_add(reader, frame.pfn, pages, bits) ? next : addr;

	reader->large.folio = NULL;
	frame.special = ptwalk_entry_is_uncounted(reader, ptwalk_bits_flags(bits));
	frame.devmap = ptwalk_bits_flags(bits) & PTWALK_FLAG_DEVMAP;
	facts = ptwalk_page_facts(&frame, reader->online);
	ptwalk_entry_read_page(reader, &frame, facts);
	if (facts & PTWALK_FLAG_PAGE && !ptwalk_page_facts_vary(facts, frame.pfn))
		return ptwalk_entry_add(reader, frame.pfn, pages,
					ptwalk_entry_add_flags(bits, facts)) ? next : addr;
	if (!(facts & PTWALK_FLAG_PAGE))
		return ptwalk_entry_add_uncounted(reader, &frame, next, bits);

	/* This looks at each page, of which a PUD maps many. */
	facts &= ~PTWALK_FLAG_EXCLUSIVE;
	for (; addr < next && reader->walk.budget; addr += PAGE_SIZE, frame.pfn++) {
		u32 all = facts | ptwalk_page_exclusive(frame.pfn);

		ptwalk_entry_read_page(reader, &frame, all);
		if (!ptwalk_entry_add(reader, frame.pfn, 1,
				      ptwalk_entry_add_flags(bits, all)))
			break;
		ptwalk_spend(&reader->walk, 1);
	}
	return addr;
}

/*
 * The distance, in pages, from @addr back to the page whose PFN or swap offset
 * a non-present entry holds: its first one. Where a hugetlb page takes several
 * entries, all of them hold the PFN of the first page.
 */
static unsigned long ptwalk_entry_absent_skip(struct vm_area_struct *vma,
					      unsigned long addr,
					      unsigned long mask)
{
#ifdef CONFIG_HUGETLB_PAGE
	if (is_vm_hugetlb_page(vma))
		mask = huge_page_mask(hstate_vma(vma));
#endif
	return (addr & ~mask) >> PAGE_SHIFT;
}

/* Adds entries that aren't present. Returns false if there was no room. */
static __always_inline bool
ptwalk_entry_add_no_page(struct ptwalk_reader *reader, u64 value, u64 pages, u64 bits)
{
	if (unlikely(reader->page))
		*reader->page = (struct ptwalk_page) {};
	return ptwalk_entry_add(reader, value, pages, bits);
}

/*
 * Adds a non-present entry of any level; @mask is the address mask of the
 * level. Returns false if there was no room.
 */
static bool ptwalk_entry_add_absent(struct ptwalk_reader *reader,
				    unsigned long addr, unsigned long next,
				    softleaf_t leaf, u32 flags,
				    enum ptwalk_level level, unsigned long mask)
{
	unsigned long skip = ptwalk_entry_absent_skip(reader->walk.vma, addr, mask);
	unsigned int type = swp_type(leaf);
	enum ptwalk_kind kind = ptwalk_swap_type_kind(type);
	u64 value = swp_offset(leaf);

	switch (kind) {
	case PTWALK_KIND_MIGRATION:
#ifdef CONFIG_MIGRATION
		if (type == SWP_MIGRATION_WRITE)
			flags |= PTWALK_FLAG_WRITE;
		if (type == SWP_MIGRATION_READ_EXCLUSIVE)
			flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
#endif
		fallthrough;
	case PTWALK_KIND_HWPOISON:
	case PTWALK_KIND_DEVICE_PRIVATE:
	case PTWALK_KIND_DEVICE_EXCLUSIVE:
		value = (value & SWP_PFN_MASK) + skip;
		if (!reader->uncounted)
			flags |= ptwalk_page_facts_absent(value, kind,
							  is_vm_hugetlb_page(reader->walk.vma));
		break;
	case PTWALK_KIND_MARKER:
#ifdef CONFIG_PTE_MARKER_UFFD_WP
		if (value & PTE_MARKER_UFFD_WP)
			flags |= PTWALK_FLAG_UFFD_WP;
#endif
		break;
	default:
		value += skip;
	}
	return ptwalk_entry_add_no_page(reader, value, (next - addr) >> PAGE_SHIFT,
					ptwalk_bits(kind, level, type, flags));
}

static bool ptwalk_entry_add_pte(struct ptwalk_reader *reader,
				 unsigned long addr, pte_t pte)
{
	if (pte_present(pte))
		return ptwalk_entry_add_present(reader, addr, pte);
	return ptwalk_entry_add_absent(reader, addr, addr + PAGE_SIZE,
				       softleaf_from_pte(pte),
				       ptwalk_entry_absent_flags(pte),
				       PTWALK_LEVEL_PTE, PAGE_MASK);
}

static bool ptwalk_entry_add_slowly(struct ptwalk_reader *reader,
				    unsigned long addr, pte_t pte)
{
	ptwalk_spend(&reader->walk, PTWALK_ENTRY_SLOW + 1);
	return ptwalk_entry_add_pte(reader, addr, pte);
}

/* Adds empty entries from @ptes on. Returns how many, 0 without room. */
static unsigned int ptwalk_entry_add_none(struct ptwalk_reader *reader,
					  const u64 *ptes, unsigned int nr)
{
	unsigned int i = 1;

	while (i < nr && ptes[i] == ptes[0])
		i++;
	ptwalk_spend(&reader->walk, i);
	return ptwalk_entry_add_no_page(reader, 0, i,
					ptwalk_bits(PTWALK_KIND_NONE,
						    PTWALK_LEVEL_PTE, 0, 0)) ? i : 0;
}

static unsigned long ptwalk_entry_read_ptes(struct ptwalk_walk *walk,
					    unsigned long addr, const u64 *ptes,
					    unsigned int nr)
{
	struct ptwalk_reader *reader = to_ptwalk_reader(walk);
	unsigned int i = 0;

	reader->large.folio = NULL;
	while (i < nr && walk->budget) {
		unsigned int added;

		added = reader->page ?
			ptwalk_entry_add_paged(reader, ptes + i, nr - i) :
			ptwalk_entry_add_plain(reader, ptes + i, nr - i);
		if (!added && pte_none(__pte(ptes[i])))
			added = ptwalk_entry_add_none(reader, ptes + i, nr - i);
		else if (!added)
			added = ptwalk_entry_add_slowly(reader, addr + i * PAGE_SIZE,
							__pte(ptes[i]));
		if (!added)
			break;
		i += added;
	}
	return addr + i * PAGE_SIZE;
}

/*
 * Fast path: adds leaves from @pmdp on, in one table, that are in [@addr, @end) as a
 * whole and differ from the last one in their PFN only, as long as pages behind each
 * don't differ. Returns the address up to which they were added; the caller handles
 * what is there.
 */
static unsigned long ptwalk_entry_add_pmds(struct ptwalk_reader *reader, pmd_t *pmdp,
					   unsigned long addr, unsigned long end)
{
	const u64 pfn_bits = ptwalk_entry_pfn_bits(PMD_MASK);
	const u64 prot = reader->known.large_prot, bits = reader->known.large_bits;
	const u32 flags = ptwalk_bits_flags(bits);
	struct ptwalk_frame frame = {
		.vma = reader->walk.vma,
		.addr = addr,
		.level = PTWALK_LEVEL_PMD,
	};

	/* See @plain of struct ptwalk_known. */
	if (!pfn_bits || reader->page || reader->search ||
	    ptwalk_entry_is_uncounted(reader, flags) || flags & PTWALK_FLAG_PROT_NONE)
		return addr;

	while (end - frame.addr >= PMD_SIZE && reader->walk.budget) {
		u64 val = pmd_val(ptwalk_pmdp_get(pmdp));
		u32 facts;

		if ((val & ~pfn_bits) != prot)
			break;
		frame.entry = pmdp++;
		frame.pfn = (val & pfn_bits) >> PAGE_SHIFT;
		facts = ptwalk_page_facts(&frame, reader->online);
		if (!(facts & PTWALK_FLAG_PAGE) ||
		    ptwalk_page_facts_vary(facts, frame.pfn) ||
		    !ptwalk_entry_add(reader, frame.pfn, PMD_SIZE >> PAGE_SHIFT,
				      ptwalk_entry_add_flags(bits, facts)))
			break;
		ptwalk_spend(&reader->walk, PTWALK_WALK_LEAF);
		frame.addr += PMD_SIZE;
	}
	return frame.addr;
}

static unsigned long ptwalk_entry_read_pmd(struct ptwalk_walk *walk,
					   unsigned long addr,
					   unsigned long end, pmd_t pmd)
{
	struct ptwalk_reader *reader = to_ptwalk_reader(walk);
	unsigned long next = pmd_addr_end(addr, end);
	pte_t pte = __pte(pmd_val(pmd));
	softleaf_t leaf;
	u32 flags = 0;

	if (ptwalk_pmd_present(pmd)) {
		addr = ptwalk_entry_add_large(reader, addr, next, pte, pmd_pfn(pmd),
					      PTWALK_LEVEL_PMD, PMD_MASK);
		return addr < next ? addr :
		       ptwalk_entry_add_pmds(reader, (pmd_t *)walk->leaf + 1, next, end);
	}

#ifdef arch_large_flags
	leaf = softleaf_from_pmd(pmd);
#else
	leaf = softleaf_from_pte(pte);
	flags = ptwalk_entry_absent_flags(pte);
#endif
	return ptwalk_entry_add_absent(reader, addr, next, leaf, flags,
				       PTWALK_LEVEL_PMD, PMD_MASK) ?
	       next : addr;
}

/* pud_present() may be false for PROT_NONE, which hugetlb has at this level. */
static bool ptwalk_entry_pud_present(struct vm_area_struct *vma, pud_t pud)
{
#ifndef arch_large_flags
	if (is_vm_hugetlb_page(vma))
		return pte_present(__pte(pud_val(pud)));
#endif
	return pud_present(pud);
}

static unsigned long ptwalk_entry_read_pud(struct ptwalk_walk *walk,
					   unsigned long addr,
					   unsigned long next, pud_t pud)
{
	struct ptwalk_reader *reader = to_ptwalk_reader(walk);
	pte_t pte = __pte(pud_val(pud));
	softleaf_t leaf;
	u32 flags = 0;

	if (ptwalk_entry_pud_present(walk->vma, pud))
		return ptwalk_entry_add_large(reader, addr, next, pte, pud_pfn(pud),
					      PTWALK_LEVEL_PUD, PUD_MASK);

#ifdef arch_large_flags
	leaf = softleaf_from_pmd(__pmd(pud_val(pud)));
#else
	leaf = softleaf_from_pte(pte);
	flags = ptwalk_entry_absent_flags(pte);
#endif
	return ptwalk_entry_add_absent(reader, addr, next, leaf, flags,
				       PTWALK_LEVEL_PUD, PUD_MASK) ?
	       next : addr;
}

static unsigned long ptwalk_entry_read_hole(struct ptwalk_walk *walk,
					    unsigned long addr,
					    unsigned long next,
					    enum ptwalk_level level, bool bad)
{
	enum ptwalk_kind kind = bad ? PTWALK_KIND_BAD : PTWALK_KIND_NONE;

	return ptwalk_entry_add_no_page(to_ptwalk_reader(walk), 0,
					(next - addr) >> PAGE_SHIFT,
					ptwalk_bits(kind, level, 0, 0)) ? next : addr;
}

static const struct ptwalk_walk_ops ptwalk_entry_walk_ops = {
	.ptes	= ptwalk_entry_read_ptes,
	.pmd	= ptwalk_entry_read_pmd,
	.pud	= ptwalk_entry_read_pud,
	.hole	= ptwalk_entry_read_hole,
};

static const struct ptwalk_walk_ops ptwalk_entry_search_ops = {
	.ptes	= ptwalk_entry_read_ptes,
	.pmd	= ptwalk_entry_read_pmd,
	.pud	= ptwalk_entry_read_pud,
	.hole	= ptwalk_search_hole,
	.pass	= PTWALK_PTE_PLAIN ? ptwalk_search_pass : NULL,
};

/**
 * ptwalk_reader_init() - prepare to read a range of one VMA
 * @reader: The reader.
 * @vma: The VMA.
 * @addr: First address, page-aligned.
 * @end: End of the range, exclusive; page-aligned, not past the VMA.
 * @sink: Receives the runs, with the pages behind the entries if its @page is
 *	set.
 * @online: An empty cache, or one of this hold of the mmap lock.
 * @search: What is looked for, or NULL.
 *
 * Context: The mmap lock is held, also for as long as @reader is used.
 */
void ptwalk_reader_init(struct ptwalk_reader *reader, struct vm_area_struct *vma,
			unsigned long addr, unsigned long end,
			struct ptwalk_sink *sink, struct ptwalk_online *online,
			const struct ptwalk_search *search)
{
	*reader = (struct ptwalk_reader) {
		.walk = {
			.ops = search ? &ptwalk_entry_search_ops :
					&ptwalk_entry_walk_ops,
			.vma = vma,
			.addr = addr,
			.end = end,
			.budget = PTWALK_WALK_BUDGET,
			.levels = ptwalk_mm_levels(vma->vm_mm),
		},
		.sink = sink,
		.online = online,
		.page = sink->page,
		.search = search,
	};
}

/**
 * ptwalk_reader_move() - prepare to search a range of another VMA
 * @reader: A reader of ptwalk_reader_init() with a search, for which neither pages nor
 *	mixed lists are told.
 * @vma: The VMA, of the same process.
 * @addr: As for ptwalk_reader_init(), and so
 * @end: this.
 *
 * Context: The mmap lock is held, and was all the time since ptwalk_reader_init().
 */
void ptwalk_reader_move(struct ptwalk_reader *reader, struct vm_area_struct *vma,
			unsigned long addr, unsigned long end)
{
	reader->walk.vma = vma;
	reader->walk.addr = addr;
	reader->walk.end = end;
	reader->known = (struct ptwalk_known) {};
}

/**
 * ptwalk_reader_run() - read until the range ends, or sink or budget run out
 * @reader: A reader of ptwalk_reader_init().
 *
 * Context: The mmap lock is held for reading. Takes the locks of ptwalk_walk().
 * Return: As ptwalk_walk(); @reader->walk.addr is the address it got to.
 */
int ptwalk_reader_run(struct ptwalk_reader *reader)
{
	return ptwalk_walk(&reader->walk);
}
