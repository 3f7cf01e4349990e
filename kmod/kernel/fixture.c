// SPDX-License-Identifier: GPL-2.0
/*
 * For tests alone: while it is loaded, the kernel's tables have what they must not
 * have, which wrong= says, in memory of its own that nobody reads or writes:
 *
 *	page-missing	a page of a vmalloc() isn't mapped
 *	page-extra	its guard page is
 *	phys		an ioremap() of at= maps the page behind that
 *	type		an ioremap() of at= maps it as memory, cached
 *	beyond		an ioremap() of at= maps the page behind it, too
 *	two-types	memory is mapped write-combined, beside the direct mapping
 *	write-exec	a page can be written to and executed
 *	writable-alias	one can be executed, and written to in the direct mapping
 *	user		processes can reach a page
 *	rodata		constants of the module can be written to, once later= is written, as
 *			its start makes them constant again
 *	freed-page	pages that are mapped by vmap() have been freed
 *	ioremap-ram	memory is mapped as ioremap() maps registers
 *	absent-huge	nothing: a huge page isn't in the direct mapping any more
 *	nobody		a page is mapped where no area is
 *	leftover	a vmalloc() isn't freed when the module is unloaded
 *	leftover-init	nor is one that its start-up code has made
 *	none		nothing; the leftover area at= is freed
 */
#include <linux/init.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include "arch.h"

#define FIXTURE_PAGES	4
/*
 * The order of blocks, of which lists of processors keep none, and how many keep one
 * from being used again.
 */
#define FIXTURE_BLOCK	10
#define FIXTURE_BLOCKS_BEHIND	8
/* Bytes of an area larger than the 256 pages that the lists of nodes keep when freed. */
#define FIXTURE_FREED	(1024 * PAGE_SIZE)

static char *wrong = "";
module_param(wrong, charp, 0444);
MODULE_PARM_DESC(wrong, "What is to be wrong in the kernel's tables");

static unsigned long at;
module_param(at, ulong, 0444);
MODULE_PARM_DESC(at, "Physical address of registers for phys, type and beyond; the area for none");

#ifdef CONFIG_X86_64
#define ENTRY_EXEC(e)	((e) & ~_PAGE_NX)
#define ENTRY_RDONLY(e)	((e) & ~(u64)(_PAGE_RW | _PAGE_DIRTY))
#define ENTRY_WRITE(e)	((e) | _PAGE_RW)
#define ENTRY_USER(e)	((e) | _PAGE_USER)
#define ENTRY_CACHED(e)	((e) & ~(u64)_PAGE_CACHE_MASK)
#define ENTRY_ABSENT(e)	((e) & ~(u64)(_PAGE_PRESENT | _PAGE_GLOBAL))
#elif defined(CONFIG_RISCV)
#define ENTRY_EXEC(e)	((e) | _PAGE_EXEC)
#define ENTRY_RDONLY(e)	((e) & ~(u64)_PAGE_WRITE)
#define ENTRY_WRITE(e)	((e) | _PAGE_WRITE)
#define ENTRY_USER(e)	((e) | _PAGE_USER)
#define ENTRY_CACHED(e)	((e) & ~(u64)_PAGE_MTMASK)
#define ENTRY_ABSENT(e)	((e) & ~(u64)_PAGE_PRESENT)
#elif defined(CONFIG_S390)
#define ENTRY_EXEC(e)	((e) & ~(u64)_PAGE_NOEXEC)
#define ENTRY_RDONLY(e)	((e) | _PAGE_PROTECT)
#define ENTRY_WRITE(e)	((e) & ~(u64)_PAGE_PROTECT)
/* There are neither such entries nor areas of ioremap(), without a PCI function. */
#define ENTRY_USER(e)	(e)
#define ENTRY_CACHED(e)	(e)
#define ENTRY_ABSENT(e)	((e) | _SEGMENT_ENTRY_INVALID)
#else
#define ENTRY_EXEC(e)	((e) & ~PTE_PXN)
#define ENTRY_RDONLY(e)	(((e) & ~PTE_WRITE) | PTE_RDONLY)
#define ENTRY_WRITE(e)	(((e) | PTE_WRITE) & ~PTE_RDONLY)
#define ENTRY_USER(e)	((e) | PTE_USER)
#define ENTRY_CACHED(e)	(((e) & ~(u64)PTE_ATTRINDX_MASK) | PTE_ATTRINDX(MT_NORMAL))
#define ENTRY_ABSENT(e)	((e) & ~(u64)PTE_VALID)
#endif
#ifdef CONFIG_RISCV
#define ENTRY_NEXT(e)	((e) + (1UL << _PAGE_PFN_SHIFT))
#else
#define ENTRY_NEXT(e)	((e) + PAGE_SIZE)
#endif
/* Of a PTE that maps nothing. */
#ifdef CONFIG_S390
#define ENTRY_NONE	_PAGE_INVALID
#else
#define ENTRY_NONE	0
#endif

/* By vmalloc(), and by vmap(). */
static void *area, *mapping;
static void __iomem *registers;
static struct page *page;
static unsigned int page_order;
static u64 *entry, was;

/* The entry of an address at a level; NULL if it has no table there. */
static u64 *entry_at(const void *addr, unsigned int wanted)
{
	struct ktable_root root;
	unsigned int level, index;
	u64 table, *e;

	ktable_root(&root);
	table = root.phys;
	for (level = root.levels; ; level--) {
		index = level == root.levels ?
			root.first + (((unsigned long)addr - root.start) >> ktable_shift(level)) :
			((unsigned long)addr >> ktable_shift(level)) & (ktable_entries(level) - 1);
		e = (u64 *)__va(table) + index;
		if (level == wanted)
			return e;
		if (!ktable_is_present(*e, level) || ktable_is_leaf(*e, level))
			return NULL;
		table = ktable_phys(*e, level);
	}
}

static u64 *entry_of(const void *addr)
{
	return entry_at(addr, 1);
}

static int change(const void *addr, u64 value)
{
	entry = entry_of(addr);
	if (!entry)
		return -EAGAIN;
	was = READ_ONCE(*entry);
	WRITE_ONCE(*entry, value);
	return 0;
}

/* Changes the entry of a page of vmalloc() that is right, or of the one behind. */
static int change_area(void)
{
	u64 first;

	area = vmalloc(FIXTURE_PAGES * PAGE_SIZE);
	if (!area || !entry_of(area))
		return -ENOMEM;
	first = *entry_of(area);
	if (!strcmp(wrong, "page-missing"))
		return change(area + PAGE_SIZE, ENTRY_NONE);
	if (!strcmp(wrong, "page-extra"))
		return change(area + FIXTURE_PAGES * PAGE_SIZE, first);
	if (!strcmp(wrong, "write-exec"))
		return change(area, ENTRY_EXEC(first));
	if (!strcmp(wrong, "writable-alias"))
		return change(area, ENTRY_EXEC(ENTRY_RDONLY(first)));
	if (!strcmp(wrong, "user"))
		return change(area, ENTRY_USER(first));
	return -EINVAL;
}

static int change_constants(void)
{
	static const u64 constant = 1;
	void *const addr = (void *)&constant;

	return entry_of(addr) ? change(addr, ENTRY_WRITE(*entry_of(addr))) : -EAGAIN;
}

static int change_registers(void)
{
	u64 *e;

	registers = ioremap(at, PAGE_SIZE);
	if (!registers)
		return -ENOMEM;
	e = entry_of((__force void *)registers);
	return e ? change((__force void *)registers,
			  strcmp(wrong, "type") ? ENTRY_NEXT(*e) : ENTRY_CACHED(*e)) : -EAGAIN;
}

static int map_beyond(void)
{
	registers = ioremap(at, 2 * PAGE_SIZE);
	return registers ? 0 : -ENOMEM;
}

static int map_twice(void)
{
	page = alloc_page(GFP_KERNEL);
	if (page)
		mapping = vmap(&page, 1, VM_MAP, pgprot_writecombine(PAGE_KERNEL));
	return mapping ? 0 : -ENOMEM;
}

/*
 * Pages that are freed now, but for those behind them, which are freed next: whoever
 * needs so large a block takes one of these.
 */
static int map_freed(void)
{
	struct page *block[1 + FIXTURE_BLOCKS_BEHIND], *part[FIXTURE_PAGES];
	int i, nr = 0;

	while (nr < ARRAY_SIZE(block) &&
	       (block[nr] = alloc_pages(GFP_KERNEL | __GFP_NOWARN, FIXTURE_BLOCK)))
		nr++;
	if (nr == ARRAY_SIZE(block)) {
		for (i = 0; i < FIXTURE_PAGES; i++)
			part[i] = block[0] + i;
		mapping = vmap(part, FIXTURE_PAGES, VM_MAP, PAGE_KERNEL);
	}
	for (i = 0; i < nr; i++)
		__free_pages(block[i], FIXTURE_BLOCK);
	return mapping ? 0 : -ENOMEM;
}

static int map_as_registers(void)
{
	page = alloc_page(GFP_KERNEL);
	if (page)
		mapping = vmap(&page, 1, VM_IOREMAP, PAGE_KERNEL);
	return mapping ? 0 : -ENOMEM;
}

static int change_later(const char *value, const struct kernel_param *param)
{
	return entry ? -EBUSY : change_constants();
}

static const struct kernel_param_ops later_ops = {
	.set = change_later,
};
module_param_cb(later, &later_ops, NULL, 0200);
MODULE_PARM_DESC(later, "Anything: do now what rodata is");

static int __init do_nothing(void)
{
	return 0;
}

/*
 * As set_memory_np() leaves it: of the first huge page that is mapped by a leaf. Others
 * were split, as where a module's code has been.
 */
static int unmap_huge(void)
{
	struct page *split[16];
	size_t nr = 0;
	int err = -EAGAIN;

	page_order = PMD_SHIFT - PAGE_SHIFT;
	while (err == -EAGAIN) {
		page = alloc_pages(GFP_KERNEL, page_order);
		if (!page) {
			err = -ENOMEM;
			break;
		}
		entry = entry_at(page_address(page), 2);
		if (entry && ktable_is_leaf(*entry, 2)) {
			was = READ_ONCE(*entry);
			WRITE_ONCE(*entry, ENTRY_ABSENT(was));
			err = 0;
		} else if (nr < ARRAY_SIZE(split)) {
			split[nr++] = page;
		} else {
			break;
		}
	}
	if (err)
		entry = NULL;
	while (nr)
		__free_pages(split[--nr], page_order);
	return err;
}

/*
 * The last entry of a large area that has been freed: it keeps its table, and who needs
 * less than all of it begins at its first.
 */
static int map_for_nobody(void)
{
	void *freed = vmalloc(FIXTURE_FREED);

	area = vmalloc(PAGE_SIZE);
	vfree(freed);
	vm_unmap_aliases();
	return freed && area && entry_of(area) ?
	       change(freed + FIXTURE_FREED - PAGE_SIZE, *entry_of(area)) : -ENOMEM;
}

/* By a function that stays until the module is unloaded. */
static noinline int leave_area(void)
{
	void *left = vmalloc(FIXTURE_PAGES * PAGE_SIZE);

	return left ? 0 : -ENOMEM;
}

static noinline int __init leave_area_of_init(void)
{
	void *left = vmalloc(FIXTURE_PAGES * PAGE_SIZE);

	return left ? 0 : -ENOMEM;
}

static int free_left(void)
{
	vfree((void *)at);
	return 0;
}

static void fixture_undo(void)
{
	if (entry)
		WRITE_ONCE(*entry, was);
	if (registers)
		iounmap(registers);
	vunmap(mapping);
	if (page)
		__free_pages(page, page_order);
	vfree(area);
}

/**
 * struct mistake - what can be wrong
 * @wrong: Its name.
 * @make: Makes it. Returns 0 or a negative errno.
 */
struct mistake {
	const char *wrong;
	int (*make)(void);
};

static const struct mistake mistakes[] __initconst = {
	{ "rodata", do_nothing },
	{ "phys", change_registers },
	{ "type", change_registers },
	{ "beyond", map_beyond },
	{ "two-types", map_twice },
	{ "freed-page", map_freed },
	{ "ioremap-ram", map_as_registers },
	{ "absent-huge", unmap_huge },
	{ "nobody", map_for_nobody },
	{ "leftover", leave_area },
	{ "leftover-init", leave_area_of_init },
	{ "none", free_left },
};

static int __init fixture_init(void)
{
	int (*make)(void) = change_area;
	int i, err;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++)
		if (!strcmp(wrong, mistakes[i].wrong))
			make = mistakes[i].make;
	err = make();
	if (err)
		fixture_undo();
	return err;
}
module_init(fixture_init);

static void __exit fixture_exit(void)
{
	fixture_undo();
}
module_exit(fixture_exit);

MODULE_DESCRIPTION("Mistakes in the kernel's page tables, for tests");
MODULE_LICENSE("GPL");
