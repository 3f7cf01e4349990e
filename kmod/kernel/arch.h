/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tables of the kernel are on each architecture. Levels count from 1, that
 * of PTEs.
 *
 * ktable_why_not()	why the tables aren't what the others here take them for; NULL: they are
 * ktable_root(root)	where the top table is, and its shape
 * ktable_shift(level)	address bits below the entries of a level
 * ktable_is_present(e, level), ktable_is_leaf(e, level), ktable_phys(e, level)	of an
 *			entry; the last one with bits below the size of a leaf
 * ktable_narrow(e, leaf, rights)	takes from the rights what the entry denies
 * ktable_regions(take, arg)	what the addresses are for, region by region
 */
#ifndef PTWALK_KERNEL_ARCH_H
#define PTWALK_KERNEL_ARCH_H

#include <linux/mm.h>
#include <linux/pgtable.h>
#include "walk.h"

/**
 * struct ktable_root - the top table
 * @phys: Where it is.
 * @levels: How many there are.
 * @start: The first of the kernel's addresses.
 * @first: Index of that entry.
 * @nr: Entries of the table; the last one is of the kernel's last addresses.
 */
struct ktable_root {
	u64 phys, start;
	unsigned int levels, first, nr;
};

#ifdef CONFIG_S390
static inline unsigned int ktable_shift(unsigned int level)
{
	return level == 1 ? PAGE_SHIFT :
	       _SEGMENT_SHIFT + (level - 2) * (_REGION3_SHIFT - _SEGMENT_SHIFT);
}
#else
static inline unsigned int ktable_shift(unsigned int level)
{
	return PAGE_SHIFT + (level - 1) * (PAGE_SHIFT - 3);
}
#endif

/* Of a table that isn't the top one. */
static inline unsigned int ktable_entries(unsigned int level)
{
	return 1U << (ktable_shift(level + 1) - ktable_shift(level));
}

typedef void (*ktable_take_region)(void *arg, const char *name, u64 start, u64 last);

#if defined(CONFIG_X86_64)

#include <asm/cpu_entry_area.h>
#include <asm/fixmap.h>
#include <asm/kasan.h>
#include <asm/vsyscall.h>

/* Guests of Xen without hardware virtualisation have machine addresses in theirs. */
static inline const char *ktable_why_not(void)
{
	return boot_cpu_has(X86_FEATURE_XENPV) ?
	       "page tables have no physical addresses (Xen PV)" : NULL;
}

/*
 * All processes have the kernel's half in their top table, but for what is EFI's, and the
 * LDT, which each has its own of. Before about 6.17, pgd_populate_kernel(), entries for
 * memory that was plugged in later may be missing in some.
 */
static inline void ktable_root(struct ktable_root *root)
{
	*root = (struct ktable_root) {
		.phys = __pa(current->active_mm->pgd),
		.levels = pgtable_l5_enabled() ? 5 : 4,
		.first = PTRS_PER_PGD / 2,
		.nr = PTRS_PER_PGD,
	};
	root->start = -1ULL << (ktable_shift(root->levels + 1) - 1);
}

static inline bool ktable_is_present(u64 e, unsigned int level)
{
	return e & _PAGE_PRESENT;
}

static inline bool ktable_is_leaf(u64 e, unsigned int level)
{
	return level == 1 || (level <= 3 && e & _PAGE_PSE);
}

static inline u64 ktable_phys(u64 e, unsigned int level)
{
	return e & PTE_PFN_MASK;
}

static inline void ktable_narrow(u64 e, bool leaf, struct ktable_rights *rights)
{
	rights->write &= !!(e & _PAGE_RW);
	rights->exec &= !(e & _PAGE_NX);
	rights->user &= !!(e & _PAGE_USER);
}

/* Documentation/arch/x86/x86_64/mm.rst */
static inline void ktable_regions(ktable_take_region take, void *arg)
{
#ifdef CONFIG_MODIFY_LDT_SYSCALL
	take(arg, "ldt", LDT_BASE_ADDR, LDT_END_ADDR - 1);
#endif
	take(arg, "direct", PAGE_OFFSET, VMALLOC_START - 1);
	take(arg, "vmalloc", VMALLOC_START, VMALLOC_END);
	take(arg, "vmemmap", VMEMMAP_START, VMEMMAP_START +
	     ((1ULL << MAX_PHYSMEM_BITS) >> PAGE_SHIFT) * sizeof(struct page) - 1);
#ifdef CONFIG_KASAN
	take(arg, "kasan", KASAN_SHADOW_START, KASAN_SHADOW_END - 1);
#endif
	take(arg, "cpu-entry", CPU_ENTRY_AREA_BASE, ESPFIX_BASE_ADDR - 1);
	take(arg, "espfix", ESPFIX_BASE_ADDR, ESPFIX_BASE_ADDR + P4D_SIZE - 1);
	take(arg, "efi", EFI_VA_END, EFI_VA_START - 1);
	take(arg, "image", __START_KERNEL_map, MODULES_VADDR - 1);
	take(arg, "modules", MODULES_VADDR, MODULES_END - 1);
	take(arg, "fixmap", MODULES_END, VSYSCALL_ADDR - 1);
	take(arg, "vsyscall", VSYSCALL_ADDR, VSYSCALL_ADDR + PAGE_SIZE - 1);
}

#elif defined(CONFIG_ARM64)

#include <asm/fixmap.h>
#include <asm/io.h>
#include <asm/sysreg.h>

/* PXNTable, UXNTable and APTable: bits of tables that deny for all below. */
#define TABLE_PXN	BIT_ULL(59)
#define TABLE_NO_USER	BIT_ULL(61)
#define TABLE_RDONLY	BIT_ULL(62)

static inline const char *ktable_why_not(void)
{
	return NULL;
}

static inline void ktable_root(struct ktable_root *root)
{
	u64 ttbr = read_sysreg(ttbr1_el1), tcr = read_sysreg(tcr_el1);
	unsigned int bits = 64 - ((tcr >> 16) & 63);

	*root = (struct ktable_root) {
		.phys = ttbr & GENMASK_ULL(47, 6),
		.levels = DIV_ROUND_UP(bits - PAGE_SHIFT, PAGE_SHIFT - 3),
		.start = -1ULL << bits,
	};
	if (IS_ENABLED(CONFIG_ARM64_PA_BITS_52)) {
		root->phys &= ~GENMASK_ULL(5, 2);
		root->phys |= (ttbr & GENMASK_ULL(5, 2)) << 46;
	}
	root->nr = 1U << (bits - ktable_shift(root->levels));
}

static inline bool ktable_is_present(u64 e, unsigned int level)
{
	return e & PTE_VALID;
}

static inline bool ktable_is_leaf(u64 e, unsigned int level)
{
	return level == 1 || (e & PMD_TYPE_MASK) == PMD_TYPE_SECT;
}

static inline u64 ktable_phys(u64 e, unsigned int level)
{
	return __pte_to_phys(__pte(e));
}

/* With permission indirection, PTE_WRITE decides; without, PTE_RDONLY. */
static inline void ktable_narrow(u64 e, bool leaf, struct ktable_rights *rights)
{
	if (leaf) {
		rights->write &= e & PTE_WRITE || !(e & PTE_RDONLY);
		rights->exec &= !(e & PTE_PXN);
		rights->user &= !!(e & PTE_USER);
	} else {
		rights->write &= !(e & TABLE_RDONLY);
		rights->exec &= !(e & TABLE_PXN);
		rights->user &= !(e & TABLE_NO_USER);
	}
}

/* Documentation/arch/arm64/memory.rst; the image is in the region vmalloc. */
#ifndef FIXADDR_TOT_START
#define FIXADDR_TOT_START	FIXADDR_START
#endif
static inline void ktable_regions(ktable_take_region take, void *arg)
{
	take(arg, "direct", PAGE_OFFSET, PAGE_END - 1);
	take(arg, "modules", MODULES_VADDR, MODULES_END - 1);
	take(arg, "vmalloc", VMALLOC_START, VMALLOC_END - 1);
	take(arg, "vmemmap", VMEMMAP_START, VMEMMAP_END - 1);
	take(arg, "pci-io", PCI_IO_START, PCI_IO_END - 1);
	take(arg, "fixmap", FIXADDR_TOT_START, FIXADDR_TOP - 1);
}

#elif defined(CONFIG_RISCV)

#include <linux/version.h>
#include <asm/csr.h>
#include <asm/fixmap.h>
#include <asm/io.h>
#include <asm/kasan.h>

/*
 * Linux 6.5, 7d3332be011e: the top table of each process has the entries of vmalloc() and
 * modules from the start. Before, it got each when the process faulted there.
 */
static inline const char *ktable_why_not(void)
{
	if (LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0))
		return "no process has all of the kernel's tables before Linux 6.5";
	if ((csr_read(CSR_SATP) - SATP_MODE_39) >> 60 > KTABLE_MAX_LEVELS - 3)
		return "satp has a mode other than Sv39, Sv48 and Sv57";
	return NULL;
}

/* All processes have the kernel's half in their top table. */
static inline void ktable_root(struct ktable_root *root)
{
	u64 satp = csr_read(CSR_SATP);

	*root = (struct ktable_root) {
		.phys = PFN_PHYS(satp & SATP_PPN),
		.levels = 3 + ((satp - SATP_MODE_39) >> 60),
		.first = PTRS_PER_PGD / 2,
		.nr = PTRS_PER_PGD,
	};
	root->start = -1ULL << (ktable_shift(root->levels + 1) - 1);
}

static inline bool ktable_is_present(u64 e, unsigned int level)
{
	return e & _PAGE_PRESENT;
}

static inline bool ktable_is_leaf(u64 e, unsigned int level)
{
	return level == 1 || e & _PAGE_LEAF;
}

static inline u64 ktable_phys(u64 e, unsigned int level)
{
	return PFN_PHYS((e & _PAGE_PFN_MASK) >> _PAGE_PFN_SHIFT);
}

/* Tables deny nothing. */
static inline void ktable_narrow(u64 e, bool leaf, struct ktable_rights *rights)
{
	if (!leaf)
		return;
	rights->write &= !!(e & _PAGE_WRITE);
	rights->exec &= !!(e & _PAGE_EXEC);
	rights->user &= !!(e & _PAGE_USER);
}

/* Documentation/arch/riscv/vm-layout.rst; modules are in the 2G before the image's end. */
static inline void ktable_regions(ktable_take_region take, void *arg)
{
	const u64 image = kernel_map.virt_addr, end = PFN_ALIGN(image + kernel_map.size);

#ifdef CONFIG_KASAN
	take(arg, "kasan", KASAN_SHADOW_START, KASAN_SHADOW_END - 1);
#endif
	take(arg, "fixmap", FIXADDR_START, FIXADDR_TOP - 1);
	take(arg, "pci-io", PCI_IO_START, PCI_IO_END - 1);
	take(arg, "vmemmap", VMEMMAP_START, VMALLOC_START - 1);
	take(arg, "vmalloc", VMALLOC_START, PAGE_OFFSET - 1);
	take(arg, "direct", PAGE_OFFSET, PAGE_OFFSET + KERN_VIRT_SIZE - 1);
	take(arg, "modules", end - SZ_2G, image - 1);
	/* Its last leaf is mapped as a whole. */
	take(arg, "image", image, ALIGN(end, PMD_SIZE) - 1);
}

#elif defined(CONFIG_S390)

#include <asm/kasan.h>
#include <asm/lowcore.h>

static __always_inline u64 ktable_control(unsigned int nr)
{
	u64 value;

	asm volatile("stctg %1,%1,%0" : "=Q" (value) : "i" (nr));
	return value;
}

/*
 * The kernel runs in the home address space (PSW_KERNEL_BITS). The primary one was the
 * kernel's, too, and is the process's in 7.2.
 */
static inline u64 ktable_asce(void)
{
	return ktable_control(13);
}

/* Parts of tables, which the architecture allows, are nowhere in those of the kernel. */
static inline const char *ktable_why_not(void)
{
	const u64 asce = ktable_asce();

	return asce & _ASCE_REAL_SPACE || ~asce & _ASCE_TABLE_LENGTH ?
	       "control register 13 has no whole table of the kernel" : NULL;
}

/* All addresses are the kernel's: processes have others. */
static inline void ktable_root(struct ktable_root *root)
{
	const u64 asce = ktable_asce();

	*root = (struct ktable_root) {
		.phys = asce & _ASCE_ORIGIN,
		.levels = 2 + (asce & _ASCE_TYPE_MASK) / _ASCE_TYPE_REGION3,
		.nr = _CRST_ENTRIES,
	};
}

/* Segment and region tables have their bits in the same places. */
static inline bool ktable_is_present(u64 e, unsigned int level)
{
	return !(e & (level == 1 ? _PAGE_INVALID : _SEGMENT_ENTRY_INVALID));
}

static inline bool ktable_is_leaf(u64 e, unsigned int level)
{
	return level == 1 || (level <= 3 && e & _SEGMENT_ENTRY_LARGE);
}

static inline u64 ktable_phys(u64 e, unsigned int level)
{
	return e & (level == 2 ? _SEGMENT_ENTRY_ORIGIN : PAGE_MASK);
}

/*
 * Control register 0: whether the processor heeds _PAGE_NOEXEC. The kernel sets it where
 * it protects its code, which "rodata=off" of its command line prevents, and entries have
 * the bit nevertheless.
 */
#define HEEDS_NOEXEC	BIT_ULL(63 - 43)

/* Tables can deny to write alone. No process reaches this address space. */
static inline void ktable_narrow(u64 e, bool leaf, struct ktable_rights *rights)
{
	rights->write &= !(e & _PAGE_PROTECT);
	rights->exec &= !(leaf && e & _PAGE_NOEXEC && ktable_control(0) & HEEDS_NOEXEC);
	rights->user = false;
}

/*
 * setup_kernel_memory_layout() of arch/s390/boot/startup.c, of which not all is exported:
 * in front of vmalloc() is a page to copy real memory by, and before it, aligned, all
 * processors' lowcores.
 */
static inline void ktable_regions(ktable_take_region take, void *arg)
{
	const u64 real = VMALLOC_START - PAGE_SIZE, size = sizeof(struct lowcore);
	const u64 lowcores = round_down(real - CONFIG_NR_CPUS * size, size);
#ifdef LOWCORE_ALT_ADDRESS
	const u64 lowcore = (u64)get_lowcore();
#else
	const u64 lowcore = 0;
#endif

	take(arg, "lowcore", lowcore, lowcore + size - 1);
	take(arg, "direct", PAGE_OFFSET, (u64)vmemmap - 1);
	take(arg, "vmemmap", (u64)vmemmap, lowcores - 1);
	take(arg, "lowcores", lowcores, lowcores + CONFIG_NR_CPUS * size - 1);
	take(arg, "real-copy", real, VMALLOC_START - 1);
	take(arg, "vmalloc", VMALLOC_START, VMALLOC_END - 1);
#ifndef CONFIG_KMSAN
	take(arg, "modules", VMALLOC_END, VMALLOC_END + MODULES_LEN - 1);
#endif
	/* Linux 6.10, c98d2ecae08f: before, it is in the region direct. */
#ifdef __kaslr_offset
	/* It may end with the address space. */
	take(arg, "image", __kaslr_offset, __kaslr_offset +
	     min_t(u64, KERNEL_IMAGE_SIZE - 1, ~__kaslr_offset & (_REGION2_SIZE - 1)));
#endif
#ifdef CONFIG_KASAN
	take(arg, "kasan", KASAN_SHADOW_START, KASAN_SHADOW_END - 1);
#endif
}

#endif

#endif /* PTWALK_KERNEL_ARCH_H */
