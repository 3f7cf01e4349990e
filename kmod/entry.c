// SPDX-License-Identifier: GPL-2.0
/* Decodes page-table entries, and combines those that are alike into runs. */
#include <linux/err.h>
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
#include "target.h"

/* What is charged to the budget of a walk, in instructions of x86-64, rounded up. */
enum {
	CHARGE_PTE	= 50,	/* a PTE that is known */
	CHARGE_KEY	= 50,	/* its page, which may be like that of none that is known */
	CHARGE_ROW	= 8,	/* one that follows from the PTE before */
	CHARGE_ADD	= 20,	/* one that isn't added in the loop of those before */
	CHARGE_RUN	= 300,	/* that without mixed lists: it may take a run of its own */
	CHARGE_DECODE	= 400,	/* a PTE of which nothing is known */
	CHARGE_FACTS	= 300,	/* ptwalk_page_facts(), of a large folio twice; */
	CHARGE_RAM	= 1000,	/* and where it looks for the frame in /proc/iomem */
	CHARGE_PAGE	= 400,	/* ptwalk_page_read() */
	CHARGE_COUNT	= 40,	/* each map count that it reads of a large folio */
	CHARGE_SKIPPED	= 10,	/* a PTE that a search skips */
	CHARGE_SEARCHED	= 300,	/* one that it can't */
	CHARGE_LEAF	= 600,	/* an entry above the PTE level */
};

/* Neither a PFN nor a swap offset reaches the numbers of mixed lists. */
static_assert(64 - PAGE_SHIFT <= PTWALK_MIXED_SHIFT);
static_assert(SWP_TYPE_SHIFT <= PTWALK_MIXED_SHIFT);

/* The kind of non-present entries of a swap type, which is below 1 << MAX_SWAPFILES_SHIFT. */
enum ptwalk_kind ptwalk_swap_type_kind(unsigned int type)
{
	const softleaf_t leaf = swp_entry(type, 0);

	if (type < MAX_SWAPFILES)
		return PTWALK_KIND_SWAP;
	if (softleaf_is_migration(leaf))
		return PTWALK_KIND_MIGRATION;
	if (softleaf_is_hwpoison(leaf))
		return PTWALK_KIND_HWPOISON;
	if (softleaf_is_device_private(leaf))
		return PTWALK_KIND_DEVICE_PRIVATE;
	if (softleaf_is_device_exclusive(leaf))
		return PTWALK_KIND_DEVICE_EXCLUSIVE;
	return softleaf_is_marker(leaf) ? PTWALK_KIND_MARKER : PTWALK_KIND_UNKNOWN;
}

/* The kinds that can occur on this kernel, as a mask of 1 << enum ptwalk_kind. */
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

/* The flags that can be set on this kernel, as a mask of enum ptwalk_flag. */
u32 ptwalk_entry_flags_known(void)
{
#define IF(condition, flags)	((condition) ? (flags) : 0)
	return PTWALK_ARCH_FLAGS | PTWALK_FLAG_WRITE | PTWALK_FLAG_YOUNG |
	       PTWALK_FLAG_DIRTY | PTWALK_FLAG_SWAP_EXCLUSIVE | PTWALK_FLAG_PAGE |
	       PTWALK_FLAG_ANON | PTWALK_FLAG_EXCLUSIVE | PTWALK_FLAG_ZERO |
	       PTWALK_FLAG_RAM | PTWALK_FLAG_LARGE | PTWALK_FLAG_ONLINE |
	       IF(IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL), PTWALK_FLAG_SPECIAL) |
	       IF(ptwalk_has_soft_dirty(), PTWALK_FLAG_SOFT_DIRTY) |
	       IF(ptwalk_has_uffd_wp(), PTWALK_FLAG_UFFD_WP) |
	       IF(IS_ENABLED(CONFIG_ARCH_HAS_PTE_DEVMAP), PTWALK_FLAG_DEVMAP) |
	       IF(IS_ENABLED(CONFIG_ZONE_DEVICE), PTWALK_FLAG_STALE) |
	       IF(IS_ENABLED(CONFIG_NUMA_BALANCING), PTWALK_FLAG_NUMA_HINT) |
	       IF(IS_ENABLED(CONFIG_KSM), PTWALK_FLAG_KSM) |
	       IF(IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE), PTWALK_FLAG_HEAD_EXCLUSIVE) |
	       IF(IS_ENABLED(CONFIG_HUGETLB_PAGE),
		  PTWALK_FLAG_HUGETLB | PTWALK_FLAG_HEAD_EXCLUSIVE | PTWALK_FLAG_MAYBE_SHARED) |
	       IF(IS_ENABLED(CONFIG_NO_PAGE_MAPCOUNT), PTWALK_FLAG_MAYBE_SHARED) |
	       IF(PTWALK_HUGETLB_PMD_SHARING, PTWALK_FLAG_PMD_SHARED) |
	       IF(PTWALK_KERNEL_MEMTYPES, PTWALK_FLAG_TYPE_DIFFERS);
#undef IF
}

/*
 * The flags that follow from the entry itself. @pte is the raw value of a leaf at any
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

	return ptwalk_bits(PTWALK_KIND_PRESENT, level, arch_memtype(pte_val(pte), level),
			   ptwalk_entry_present_flags(vma, pte, level)) |
	       pkey << PTWALK_BITS_PKEY_SHIFT;
}

/* Adds pages whose entries are alike. Returns false if there was no room. */
static __always_inline bool ptwalk_entry_add(struct ptwalk_reader *reader, u64 value,
					     u64 pages, u64 bits)
{
	if (unlikely(reader->search))
		return ptwalk_search_add(reader, value, pages, bits);
	reader->last_known = NULL;
	return ptwalk_sink_add(reader->sink, value, pages, bits);
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
 * Whether a driver chooses the memory types in @vma, so that they may differ
 * from those of the kernel's own mapping of the same memory.
 */
static bool ptwalk_entry_has_driver_types(const struct vm_area_struct *vma)
{
	return PTWALK_KERNEL_MEMTYPES && vma->vm_flags & (VM_PFNMAP | VM_MIXEDMAP);
}

/* The first frame that a present entry with @bits maps from @addr on. */
static struct ptwalk_frame ptwalk_entry_frame(const struct ptwalk_reader *reader,
					      unsigned long addr, unsigned long pfn, u64 bits)
{
	const u32 flags = ptwalk_bits_flags(bits);

	return (struct ptwalk_frame) {
		.vma = reader->walk.vma,
		.addr = addr,
		.pfn = pfn,
		.level = ptwalk_bits_level(bits),
		.special = reader->uncounted ||
			   flags & (PTWALK_FLAG_SPECIAL | PTWALK_FLAG_DEVMAP),
		.devmap = flags & PTWALK_FLAG_DEVMAP,
		.entry = reader->walk.leaf,
	};
}

/*
 * The facts of a page, with what the run carries of it that it is added to; both are
 * charged.
 */
static u32 ptwalk_entry_facts(struct ptwalk_reader *reader, const struct ptwalk_frame *frame,
			      struct ptwalk_key *key)
{
	struct folio *counted = reader->large.folio;
	u32 facts = ptwalk_page_facts(frame, reader->online, key, reader->sink->page,
				      &reader->large);

	ptwalk_charge(&reader->walk, CHARGE_FACTS +
		      (facts & PTWALK_FLAG_LARGE ? CHARGE_FACTS : 0) +
		      (facts && !(facts & PTWALK_FLAG_PAGE) ? CHARGE_RAM : 0) +
		      (reader->sink->page ? CHARGE_PAGE : 0));
	if (reader->large.folio != counted)
		ptwalk_charge(&reader->walk,
			      CHARGE_COUNT * ptwalk_folio_mapcount_reads(reader->large.folio));
	if (reader->cgroup)
		*reader->cgroup = facts & PTWALK_FLAG_PAGE ?
			ptwalk_page_cgroup_ino(pfn_to_page(frame->pfn)) : 0;
	return facts;
}

/* Of a PTE that is the same in all bits. */
static struct ptwalk_known ptwalk_entry_known_whole(pte_t pte, u64 value, u64 bits)
{
	return (struct ptwalk_known) {
		.mask = U64_MAX,
		.flip = arch_pte_raw(pte),
		.base = value,
		.bits = bits,
		.ahead = ptwalk_kind_ascends(ptwalk_bits_kind(bits)) ? U64_MAX : 0,
	};
}

/*
 * Finds how the bits @mask of a PTE hold its value: plain or inverted, and what is added.
 * Two PTEs are decoded for that: @pte has @value, and the one with all bits of @mask
 * inverted has @other. If no formula fits both, only PTEs equal to @pte are known.
 */
static struct ptwalk_known ptwalk_entry_known_value(pte_t pte, u64 mask, u64 value,
						    u64 other, u64 bits)
{
	struct ptwalk_known known = ptwalk_entry_known_whole(pte, value, bits);
	const unsigned int shift = mask ? __ffs64(mask) : 0;
	const u64 plain = (known.flip & mask) >> shift;
	const u64 inverted = (~known.flip & mask) >> shift;
	const bool is_plain = other - value == inverted - plain;

	if (!mask || (!is_plain && other - value != plain - inverted))
		return known;
	known.mask = ~mask;
	known.flip = is_plain ? known.flip & ~mask : known.flip | mask;
	known.base = value - (is_plain ? plain : inverted);
	known.step = is_plain ? BIT_ULL(shift) : -BIT_ULL(shift);
	known.shift = shift;
	known.ahead = 1;
	return known;
}

/*
 * Whether the page behind a PTE is like those of others that are known; for @whole, see
 * ptwalk_page_has_key(). A struct page is read only if the kernel counts the PTE as a
 * mapping, and if its memory is online.
 */
static __always_inline bool ptwalk_entry_has_page(struct ptwalk_reader *reader,
						  const struct ptwalk_known *known,
						  unsigned long pfn, const bool whole)
{
	return ptwalk_online(reader->online, pfn) &&
	       ptwalk_page_has_key(pfn_to_page(pfn), &known->key, whole);
}

/*
 * Finds the known PTEs that this one is like, from @known on, before @end, of which there
 * is one or more; NULL if none are. @value receives the value of the PTE. Without @facts no
 * page is looked at. Only the facts of a page are kept; runs that carry pages need the
 * @whole of it, so there the page must be like the last one added.
 */
static __always_inline const struct ptwalk_known *
ptwalk_entry_find(struct ptwalk_reader *reader, const struct ptwalk_known *known,
		  const struct ptwalk_known *end, u64 raw, u64 *value, const bool facts,
		  const bool whole)
{
	do {
		const u64 varies = raw ^ known->flip;

		if (varies & known->mask)
			continue;
		*value = known->base + (varies >> known->shift);
		if (!facts || !known->has_page ||
		    ((!whole || known == reader->last_known) &&
		     ptwalk_entry_has_page(reader, known, *value, whole)))
			return known;
	} while (++known < end);
	return NULL;
}

/*
 * Keeps @is in place of the oldest of the known PTEs. Returns NULL, and keeps nothing, if
 * mixed lists have no number left for it.
 */
static const struct ptwalk_known *ptwalk_entry_know(struct ptwalk_reader *reader,
						    struct ptwalk_known *is)
{
	struct ptwalk_known *known = &reader->known[reader->decoded % PTWALK_KNOWN];

	if (!ptwalk_sink_number(reader->sink, is->bits, &is->number))
		return NULL;
	reader->nr_known = min(reader->nr_known + 1, PTWALK_KNOWN);
	reader->decoded++;
	*known = *is;
	return known;
}

/*
 * Whether what was found of the page at @pfn, which the kernel counts as mapped there, is
 * true of others with its @key.
 */
static bool ptwalk_entry_has_key(struct ptwalk_reader *reader, unsigned long pfn, u32 facts,
				 const struct ptwalk_key *key)
{
	const u32 counted = PTWALK_FLAG_RAM | PTWALK_FLAG_PAGE;

	if (!IS_ENABLED(CONFIG_ARCH_HAS_PTE_SPECIAL) || (facts & counted) != counted ||
	    ptwalk_entry_has_driver_types(reader->walk.vma))
		return false;
	return !key->folio || (!reader->sink->page &&
			       ptwalk_page_has_key(pfn_to_page(pfn), key, false));
}

/*
 * Adds a present PTE of which nothing is known. It isn't kept if it is the last one of the
 * range, as one address to be translated is, or if its PFN depends on the address, as in
 * the blocks of Svnapot. Returns false if there was no room.
 */
static bool ptwalk_entry_add_present(struct ptwalk_reader *reader,
				     unsigned long addr, pte_t pte)
{
	struct vm_area_struct *vma = reader->walk.vma;
	const u64 pfn_bits = arch_ptes_are_raw() ? PTWALK_PTE_PFN_BITS : 0;
	const unsigned long pfn = arch_pte_pfn(pte, addr);
	const u64 bits = ptwalk_entry_present_bits(vma, pte, PTWALK_LEVEL_PTE);
	bool keep = reader->walk.end - addr > PAGE_SIZE &&
		    arch_pte_pfn(pte, addr ^ PAGE_SIZE) == pfn;
	struct ptwalk_known known = !keep ? ptwalk_entry_known_whole(pte, pfn, bits) :
		ptwalk_entry_known_value(pte, pfn_bits, pfn,
					 arch_pte_pfn(__pte(arch_pte_raw(pte) ^ pfn_bits), addr),
					 bits);
	const struct ptwalk_frame frame = ptwalk_entry_frame(reader, addr, pfn, bits);
	const struct ptwalk_known *last;
	u32 facts;

	if (reader->facts) {
		facts = ptwalk_entry_facts(reader, &frame, &known.key);
		if (facts & PTWALK_FLAG_RAM && ptwalk_entry_has_driver_types(vma) &&
		    ptwalk_memtype_differs(pfn, ptwalk_bits_aux(bits)))
			facts |= PTWALK_FLAG_TYPE_DIFFERS;
		if (facts & PTWALK_FLAG_ZERO)
			known = ptwalk_entry_known_whole(pte, pfn, bits);
		else
			keep &= ptwalk_entry_has_key(reader, pfn, facts, &known.key);
		known.has_page = facts & PTWALK_FLAG_PAGE;
		known.bits |= (u64)facts << PTWALK_BITS_FLAGS_SHIFT;
	}
	last = keep ? ptwalk_entry_know(reader, &known) : NULL;
	if (!ptwalk_entry_add(reader, pfn, 1, known.bits))
		return false;
	reader->last_known = last;
	return true;
}

/*
 * Adds a leaf above the PTE level, from @addr on, of which @pfn is the first PFN that it
 * maps there. Facts are asked for once, but for each page if single ones are mapped
 * elsewhere, and for each unit if the kernel doesn't count the leaf as a mapping: it may
 * begin in RAM and end in device memory. Returns the address up to which there was room
 * and budget.
 */
static unsigned long ptwalk_entry_add_large(struct ptwalk_reader *reader,
					    unsigned long addr, unsigned long next,
					    pte_t leaf, unsigned long pfn,
					    enum ptwalk_level level)
{
	const u64 bits = ptwalk_entry_present_bits(reader->walk.vma, leaf, level);
	struct ptwalk_frame frame = ptwalk_entry_frame(reader, addr, pfn, bits);
	const struct ptwalk_search *search = reader->search;
	u64 pages = (next - addr) >> PAGE_SHIFT;
	struct ptwalk_key key;
	bool vary, by_unit;
	u32 facts;

	if (!reader->facts ||
	    (search && (pfn > search->last || pfn + pages <= search->first)))
		return ptwalk_entry_add(reader, pfn, pages, bits) ? next : addr;

	reader->large.folio = NULL;
	facts = ptwalk_entry_facts(reader, &frame, &key);
	vary = ptwalk_page_facts_vary(facts, frame.pfn);
	by_unit = !(facts & PTWALK_FLAG_PAGE);
	for (;;) {
		pages = vary ? 1 : (next - frame.addr) >> PAGE_SHIFT;
		if (by_unit)
			pages = min_t(u64, pages, PTWALK_UNIT_PAGES -
				      (frame.pfn & (PTWALK_UNIT_PAGES - 1)));
		if (!ptwalk_entry_add(reader, frame.pfn, pages,
				      bits | (u64)facts << PTWALK_BITS_FLAGS_SHIFT))
			break;
		frame.addr += pages << PAGE_SHIFT;
		frame.pfn += pages;
		if (frame.addr == next || !reader->walk.budget)
			break;
		if (!vary) {
			facts = ptwalk_entry_facts(reader, &frame, &key);
			continue;
		}
		ptwalk_charge(&reader->walk, 2 * CHARGE_PTE);
		facts = (facts & ~PTWALK_FLAG_EXCLUSIVE) | ptwalk_page_exclusive(frame.pfn);
		if (!reader->sink->page)
			continue;
		ptwalk_charge(&reader->walk, CHARGE_PAGE);
		ptwalk_page_read(pfn_to_page(frame.pfn), facts, reader->sink->page,
				 &reader->large);
	}
	return frame.addr;
}

/*
 * The distance, in pages, from @addr back to the page whose PFN or swap offset
 * a non-present entry holds: its first one. Where a hugetlb page takes several
 * entries, all of them hold the PFN of the first page.
 */
static unsigned long ptwalk_entry_absent_skip(struct vm_area_struct *vma, unsigned long addr,
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
	if (reader->sink->page)
		*reader->sink->page = (struct ptwalk_page) {};
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
		if (softleaf_is_migration_write(leaf))
			flags |= PTWALK_FLAG_WRITE;
		if (softleaf_is_migration_read_exclusive(leaf))
			flags |= PTWALK_FLAG_SWAP_EXCLUSIVE;
		fallthrough;
	case PTWALK_KIND_HWPOISON:
	case PTWALK_KIND_DEVICE_PRIVATE:
	case PTWALK_KIND_DEVICE_EXCLUSIVE:
		value = (value & SWP_PFN_MASK) + skip;
		if (reader->facts && !reader->uncounted)
			flags |= ptwalk_page_facts_absent(value, kind,
							  is_vm_hugetlb_page(reader->walk.vma));
		break;
	case PTWALK_KIND_MARKER:
		if (value & PTWALK_MARKER_UFFD_WP)
			flags |= PTWALK_FLAG_UFFD_WP;
		break;
	default:
		value += skip;
	}
	return ptwalk_entry_add_no_page(reader, value, (next - addr) >> PAGE_SHIFT,
					ptwalk_bits(kind, level, type, flags));
}

/*
 * Adds a PTE of which nothing is known. One that is swapped out, or has no page, is
 * known then. Returns false if there was no room.
 */
static noinline bool ptwalk_entry_add_unknown(struct ptwalk_reader *reader,
					      unsigned long addr, pte_t pte)
{
	const u64 offset = arch_ptes_are_raw() ? PTWALK_PTE_SWAP_BITS : 0;
	struct ptwalk_known known;
	softleaf_t leaf;
	u64 bits, other;

	ptwalk_charge(&reader->walk, CHARGE_DECODE);
	if (pte_present(pte))
		return ptwalk_entry_add_present(reader, addr, pte);
	if (pte_none(pte)) {
		known = ptwalk_entry_known_whole(pte, 0, ptwalk_bits(PTWALK_KIND_NONE,
								     PTWALK_LEVEL_PTE, 0, 0));
		ptwalk_entry_know(reader, &known);
		return ptwalk_entry_add_no_page(reader, 0, 1, known.bits);
	}
	leaf = softleaf_from_pte(pte);
	if (offset && swp_type(leaf) < MAX_SWAPFILES) {
		bits = ptwalk_bits(PTWALK_KIND_SWAP, PTWALK_LEVEL_PTE, swp_type(leaf),
				   ptwalk_entry_absent_flags(pte));
		other = swp_offset(softleaf_from_pte(__pte(arch_pte_raw(pte) ^ offset)));
		known = ptwalk_entry_known_value(pte, offset, swp_offset(leaf), other, bits);
		ptwalk_entry_know(reader, &known);
		return ptwalk_entry_add_no_page(reader, swp_offset(leaf), 1, bits);
	}
	return ptwalk_entry_add_absent(reader, addr, addr + PAGE_SIZE, leaf,
				       ptwalk_entry_absent_flags(pte),
				       PTWALK_LEVEL_PTE, PAGE_MASK);
}

/*
 * Counts the PTEs from @pte on, before @end, that are a row: each has the value of the
 * one before plus one page, and no other difference. The first one has @raw and @value and
 * is @known. PTEs of the zero page repeat one value: each is a row of its own.
 */
static unsigned int ptwalk_entry_count_row(struct ptwalk_reader *reader,
					   const struct ptwalk_known *known,
					   pte_t *pte, pte_t *end, u64 raw, u64 value)
{
	pte_t *next = pte + 1;
	unsigned int nr, i = 1;

	if (known->ahead == U64_MAX)
		return 1;
	while (next < end && arch_pte_raw(arch_ptep_get(next)) == raw + known->step) {
		raw += known->step;
		next++;
	}
	nr = next - pte;
	if (!known->has_page)
		return nr;
	while (i < nr && ptwalk_entry_has_page(reader, known, value + i, reader->sink->page))
		i++;
	return i;
}

/* Adds a row of PTEs that are known. Returns how many were added. */
static noinline unsigned int ptwalk_entry_add_row(struct ptwalk_reader *reader,
						  const struct ptwalk_known *known,
						  u64 value, unsigned int nr)
{
	if (reader->sink->page && !known->has_page)
		*reader->sink->page = (struct ptwalk_page) {};
	if (!ptwalk_entry_add(reader, value, nr, known->bits))
		return 0;
	reader->last_known = known;
	return nr;
}

/*
 * Adds PTEs from @pte on, before @end, that are known, to the last run for as long as it is
 * a list on which they belong, and they aren't a row there. The PTE that was added last is
 * @known, or NULL. Returns the first one that isn't added. This loop runs for every PTE.
 */
static __always_inline pte_t *ptwalk_entry_add_list(struct ptwalk_reader *reader, pte_t *pte,
						    pte_t *end, const struct ptwalk_known *known,
						    const bool facts, const bool whole)
{
	const struct ptwalk_known *first = reader->known, *behind = first + reader->nr_known;
	struct ptwalk_sink *sink = reader->sink;
	struct ptwalk_run *last = sink->last;
	u64 *out = sink->next, value;
	pte_t *stop = pte;

	if (!last || !(last->bits & PTWALK_BITS_LIST) || first == behind)
		return pte;
	if (last->bits != PTWALK_BITS_MIXED) {
		if (!known || last->bits != (known->bits | PTWALK_BITS_LIST))
			return pte;
		first = known;
		behind = known + 1;
	}
	end = pte + min(end - pte, sink->end - out);
	while (pte == stop && pte < end) {
		stop += min_t(ptrdiff_t, end - pte, PTWALK_LIST_ROW);
		for (; pte < stop; pte++) {
			known = ptwalk_entry_find(reader, first, behind,
						  arch_pte_raw(arch_ptep_get(pte)), &value,
						  facts, whole);
			if (unlikely(!known))
				break;
			*out++ = value | known->number;
		}
		if (pte < end && known && ptwalk_words_are_row(out, known->ahead))
			break;
	}
	last->pages += out - sink->next;
	sink->next = out;
	return pte;
}

/*
 * Adds up to @nr PTEs from @ptep on, of which the first one maps @addr. Returns how many
 * were added; 0 without room or budget.
 */
static unsigned int ptwalk_entry_add_ptes(struct ptwalk_reader *reader, unsigned long addr,
					  pte_t *ptep, unsigned int nr)
{
	const unsigned int charge = CHARGE_PTE + (reader->facts ? CHARGE_KEY : 0);
	const unsigned int add = reader->sink->mixed ? CHARGE_ADD : CHARGE_RUN;
	pte_t *pte = ptep, *end = ptep + nr;
	u64 value;

	ptwalk_note(&reader->walk, PTWALK_LEVEL_PTE, pte_val(arch_ptep_get(ptep)));
	while (pte < end && reader->walk.budget) {
		pte_t *stop = pte + min_t(size_t, end - pte, reader->walk.budget / charge + 1);
		const pte_t entry = arch_ptep_get(pte);
		const u64 raw = arch_pte_raw(entry);
		const struct ptwalk_known *known;
		pte_t *from = pte;
		unsigned int n, row = 0;

		known = !reader->nr_known ? NULL :
			ptwalk_entry_find(reader, reader->known, reader->known + reader->nr_known,
					  raw, &value, true, reader->sink->page);
		if (known) {
			n = ptwalk_entry_count_row(reader, known, pte, stop, raw, value);
			n = ptwalk_entry_add_row(reader, known, value, n);
			row = known->has_page ? 0 : n;
		} else {
			n = ptwalk_entry_add_unknown(reader, addr + (pte - ptep) * PAGE_SIZE,
						     entry);
		}
		if (!n)
			break;
		pte += n;
		if (reader->sink->page)
			pte = ptwalk_entry_add_list(reader, pte, stop, known, true, true);
		else if (reader->facts)
			pte = ptwalk_entry_add_list(reader, pte, stop, known, true, false);
		else
			pte = ptwalk_entry_add_list(reader, pte, stop, known, false, false);
		ptwalk_charge(&reader->walk,
			      row * CHARGE_ROW + (pte - from - row + 1) * charge + add);
	}
	return pte - ptep;
}

/* As ptwalk_entry_add_ptes(), of a search. */
static unsigned int ptwalk_entry_search_ptes(struct ptwalk_reader *reader,
					     unsigned long addr, pte_t *ptep,
					     unsigned int nr)
{
	unsigned int skipped = ptwalk_search_skip(reader->search, ptep, nr);

	if (!skipped) {
		ptwalk_charge(&reader->walk, CHARGE_SEARCHED);
		return ptwalk_entry_add_ptes(reader, addr, ptep, 1);
	}
	ptwalk_charge(&reader->walk, CHARGE_PTE + skipped * CHARGE_SKIPPED);
	return ptwalk_search_add_other(reader, skipped) ? skipped : 0;
}

/*
 * A large folio that was known under the lock of another table may have been freed, and
 * its first page be that of another one.
 */
static void ptwalk_entry_forget_folios(struct ptwalk_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr_known; i++)
		if (reader->known[i].key.folio)
			reader->known[i].key.folio = ERR_PTR(-ESTALE);
	reader->large.folio = NULL;
}

static unsigned long ptwalk_entry_read_ptes(struct ptwalk_walk *walk, unsigned long addr,
					    pte_t *ptep, unsigned int nr)
{
	struct ptwalk_reader *reader = to_ptwalk_reader(walk);
	unsigned int i = 0, added;

	ptwalk_online_begin(reader->online);
	ptwalk_entry_forget_folios(reader);
	if (!reader->search)
		return addr + ptwalk_entry_add_ptes(reader, addr, ptep, nr) * PAGE_SIZE;
	for (; i < nr && walk->budget; i += added) {
		added = ptwalk_entry_search_ptes(reader, addr + i * PAGE_SIZE, ptep + i, nr - i);
		if (!added)
			break;
	}
	return addr + i * PAGE_SIZE;
}

/* Of an entry above the PTE level with the raw value @val, the leaf that it holds. */
static unsigned long ptwalk_entry_read_leaf(struct ptwalk_walk *walk, unsigned long addr,
					    unsigned long next, u64 val, bool present,
					    unsigned long pfn, enum ptwalk_level level)
{
	struct ptwalk_reader *reader = to_ptwalk_reader(walk);
	const unsigned long mask = level == PTWALK_LEVEL_PMD ? PMD_MASK : PUD_MASK;
	u32 flags = 0;
	softleaf_t leaf;

	ptwalk_online_begin(reader->online);
	ptwalk_charge(walk, CHARGE_LEAF);
	if (present)
		return ptwalk_entry_add_large(reader, addr, next, __pte(val),
					      pfn + ((addr & ~mask) >> PAGE_SHIFT), level);
#ifdef arch_large_flags
	leaf = softleaf_from_pmd(__pmd(val));
#else
	leaf = softleaf_from_pte(__pte(val));
	flags = ptwalk_entry_absent_flags(__pte(val));
#endif
	return ptwalk_entry_add_absent(reader, addr, next, leaf, flags, level, mask) ?
	       next : addr;
}

static unsigned long ptwalk_entry_read_pmd(struct ptwalk_walk *walk, unsigned long addr,
					   unsigned long next, pmd_t pmd)
{
	bool present = ptwalk_pmd_present(pmd);

	return ptwalk_entry_read_leaf(walk, addr, next, pmd_val(pmd), present,
				      present ? pmd_pfn(pmd) : 0, PTWALK_LEVEL_PMD);
}

/* pud_present() may be false for PROT_NONE, which hugetlb has at this level. */
static unsigned long ptwalk_entry_read_pud(struct ptwalk_walk *walk, unsigned long addr,
					   unsigned long next, pud_t pud)
{
	bool present = pud_present(pud);

#ifndef arch_large_flags
	if (is_vm_hugetlb_page(walk->vma))
		present = pte_present(__pte(pud_val(pud)));
#endif
	return ptwalk_entry_read_leaf(walk, addr, next, pud_val(pud), present,
				      present ? pud_pfn(pud) : 0, PTWALK_LEVEL_PUD);
}

static unsigned long ptwalk_entry_read_hole(struct ptwalk_walk *walk, unsigned long addr,
					    unsigned long next,
					    enum ptwalk_level level, bool bad)
{
	enum ptwalk_kind kind = bad ? PTWALK_KIND_BAD : PTWALK_KIND_NONE;

	return ptwalk_entry_add_no_page(to_ptwalk_reader(walk), 0, (next - addr) >> PAGE_SHIFT,
					ptwalk_bits(kind, level, 0, 0)) ? next : addr;
}

static const struct ptwalk_walk_ops ptwalk_entry_walk_ops = {
	.ptes	= ptwalk_entry_read_ptes,
	.pmd	= ptwalk_entry_read_pmd,
	.pud	= ptwalk_entry_read_pud,
	.hole	= ptwalk_entry_read_hole,
};

/*
 * Prepares to read; ptwalk_reader_move() tells what. @online is empty, or one of this hold
 * of the mmap lock, which lasts for as long as @reader is used.
 */
void ptwalk_reader_init(struct ptwalk_reader *reader, struct mm_struct *mm,
			struct ptwalk_sink *sink, struct ptwalk_online *online,
			const struct ptwalk_search *search)
{
	memset(reader, 0, offsetof(struct ptwalk_reader, known));
	reader->walk.ops = &ptwalk_entry_walk_ops;
	reader->walk.budget = PTWALK_WALK_BUDGET;
	reader->walk.levels = ptwalk_mm_levels(mm);
	reader->sink = sink;
	reader->online = online;
	reader->facts = true;
	reader->search = search;
}

/*
 * Prepares to read [@addr, @end), which are page-aligned, of one VMA. What is left of the
 * budget stays. With pages or mixed lists, a reader reads one VMA only.
 */
void ptwalk_reader_move(struct ptwalk_reader *reader, struct vm_area_struct *vma,
			unsigned long addr, unsigned long end)
{
	reader->walk.vma = vma;
	reader->walk.addr = addr;
	reader->walk.end = end;
	reader->nr_known = 0;
	reader->decoded = 0;
	reader->last_known = NULL;
}
