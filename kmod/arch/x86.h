/* SPDX-License-Identifier: GPL-2.0 */
/* x86: Intel SDM volume 3, chapters 4.3 to 4.5 (entries) and 12.12 (PAT). */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <asm/coco.h>
#include <asm/msr.h>
#include <asm/pgtable_types.h>

#define PTWALK_ARCH_FLAGS	(PTWALK_FLAG_USER | PTWALK_FLAG_EXEC | \
				 PTWALK_FLAG_GLOBAL | PTWALK_FLAG_PROT_NONE | \
				 (cc_mkdec(0) | ~cc_mkdec(~0ULL) ? \
				  PTWALK_FLAG_ENCRYPTED : 0))
#define PTWALK_PTE_PFN_BITS	PTE_PFN_MASK
#ifdef CONFIG_X86_64
/*
 * __swp_entry(): below it the flags, above it the type. It is inverted: the highest bit,
 * which no swap area is large enough for, is set, and left out. So an empty PTE is like
 * none that is swapped out.
 */
#define PTWALK_PTE_SWAP_BITS	GENMASK_ULL(62 - SWP_TYPE_BITS, SWP_OFFSET_FIRST_BIT)
#endif
#define PTWALK_PTE_PLAIN	((u64)_PAGE_PRESENT)

/*
 * Without _PAGE_PRESENT, the G bit of a present entry is _PAGE_PROTNONE.
 * cc_mkdec() sets the bit of what is shared (TDX, vTOM of SEV-SNP) or clears that of
 * what is encrypted (SME, SEV). PTE_PFN_MASK leaves either out.
 */
static inline u32 arch_flags(u64 val, enum ptwalk_level level)
{
	u32 flags = 0;

	if (val & _PAGE_USER)
		flags |= PTWALK_FLAG_USER;
	if (!(val & _PAGE_NX))
		flags |= PTWALK_FLAG_EXEC;
	if (cc_mkdec(val) != val)
		flags |= PTWALK_FLAG_ENCRYPTED;
	if (!(val & _PAGE_PRESENT))
		flags |= PTWALK_FLAG_PROT_NONE;
	else if (val & _PAGE_GLOBAL)
		flags |= PTWALK_FLAG_GLOBAL;
	return flags;
}

/* pte_val() without the call that it is where the kernel can run as a guest of Xen PV. */
#define arch_pte_raw(entry)	((u64)(entry).pte)
#define arch_ptes_are_raw()	(!cpu_feature_enabled(X86_FEATURE_XENPV))

#define arch_pkey(val)	(((val) & _PAGE_PKEY_MASK) >> _PAGE_BIT_PKEY_BIT0)

/* PWT, PCD and PAT form the index; PAT is bit 12 above the PTE level. */
static inline u32 arch_memtype(u64 val, enum ptwalk_level level)
{
	u64 pat = level == PTWALK_LEVEL_PTE ? _PAGE_PAT : _PAGE_PAT_LARGE;

	return (val & _PAGE_PWT ? 1 : 0) | (val & _PAGE_PCD ? 2 : 0) |
	       (val & pat ? 4 : 0);
}

static inline size_t arch_memtypes(u8 *types)
{
	/* Encodings of a PAT entry; 2 and 3 are reserved. */
	static const u8 encoding[8] = {
		[0] = PTWALK_MEMORY_TYPE_UC,
		[1] = PTWALK_MEMORY_TYPE_WC,
		[4] = PTWALK_MEMORY_TYPE_WT,
		[5] = PTWALK_MEMORY_TYPE_WP,
		[6] = PTWALK_MEMORY_TYPE_WB,
		[7] = PTWALK_MEMORY_TYPE_UC_MINUS,
	};
	u32 pat[2];
	size_t i;

	rdmsr(MSR_IA32_CR_PAT, pat[0], pat[1]);
	for (i = 0; i < 8; i++)
		types[i] = encoding[pat[i / 4] >> (i % 4 * 8) & 7];
	return 8;
}

/*
 * set_memory_wc() and the like change the direct mapping; highmem has none.
 * Tables of it may be freed when they are merged to larger entries, after a TLB flush.
 * That waits for processors with interrupts disabled, unless they flush by INVLPGB
 * (AMD): then what is read may be of a table that was just freed, and the
 * answer wrong.
 */
static inline bool arch_kernel_memtype(unsigned long pfn, u32 *index)
{
	unsigned long flags;
	unsigned int level;
	pte_t *entry;
	u64 val = 0;

	if (PageHighMem(pfn_to_page(pfn)))
		return false;
	local_irq_save(flags);
	entry = lookup_address((unsigned long)pfn_to_kaddr(pfn), &level);
	if (entry)
		val = pte_val(READ_ONCE(*entry));
	local_irq_restore(flags);
	*index = arch_memtype(val, level == PG_LEVEL_4K ? PTWALK_LEVEL_PTE :
							  PTWALK_LEVEL_PMD);
	return val & _PAGE_PRESENT;
}

#define arch_kernel_memtype	arch_kernel_memtype
