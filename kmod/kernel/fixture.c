// SPDX-License-Identifier: GPL-2.0
/*
 * For tests alone: while it is loaded, the kernel's tables have what they must not
 * have, which wrong= says, in a page of its own that nobody reads or writes:
 *
 *	page-missing	a page of a vmalloc() isn't mapped
 *	page-extra	its guard page is
 *	phys		an ioremap() of at= maps the page behind that
 *	two-types	memory is mapped write-combined, beside the direct mapping
 *	write-exec	a page can be written to and executed
 *	writable-alias	one can be executed, and written to in the direct mapping
 *	user		processes can reach a page
 */
#include <linux/init.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>
#include "arch.h"

#define FIXTURE_PAGES	4

static char *wrong = "";
module_param(wrong, charp, 0444);
MODULE_PARM_DESC(wrong, "What is to be wrong in the kernel's tables");

static unsigned long at;
module_param(at, ulong, 0444);
MODULE_PARM_DESC(at, "Physical address of a device's registers, for wrong=phys");

#ifdef CONFIG_X86_64
#define ENTRY_EXEC(e)	((e) & ~_PAGE_NX)
#define ENTRY_RDONLY(e)	((e) & ~(u64)(_PAGE_RW | _PAGE_DIRTY))
#define ENTRY_USER(e)	((e) | _PAGE_USER)
#else
#define ENTRY_EXEC(e)	((e) & ~PTE_PXN)
#define ENTRY_RDONLY(e)	(((e) & ~PTE_WRITE) | PTE_RDONLY)
#define ENTRY_USER(e)	((e) | PTE_USER)
#endif

static void *area;
static void __iomem *registers;
static struct page *page;
static u64 *entry, was;

/* The PTE of an address; NULL if it has no table. */
static u64 *entry_of(const void *addr)
{
	struct ktable_root root;
	unsigned int level, index;
	u64 table, *e;

	ktable_root(&root);
	table = root.phys;
	for (level = root.levels; ; level--) {
		index = level == root.levels ?
			root.first + (((unsigned long)addr - root.start) >> ktable_shift(level)) :
			((unsigned long)addr >> ktable_shift(level)) & (PTRS_PER_PTE - 1);
		e = (u64 *)__va(table) + index;
		if (level == 1)
			return e;
		if (!ktable_is_present(*e) || ktable_is_leaf(*e, level))
			return NULL;
		table = ktable_phys(*e);
	}
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
		return change(area + PAGE_SIZE, 0);
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

static int change_registers(void)
{
	u64 *e;

	registers = ioremap(at, PAGE_SIZE);
	if (!registers)
		return -ENOMEM;
	e = entry_of((__force void *)registers);
	return e ? change((__force void *)registers, *e + PAGE_SIZE) : -EAGAIN;
}

static int map_twice(void)
{
	page = alloc_page(GFP_KERNEL);
	if (page)
		area = vmap(&page, 1, VM_MAP, pgprot_writecombine(PAGE_KERNEL));
	return area ? 0 : -ENOMEM;
}

static void fixture_undo(void)
{
	if (entry)
		WRITE_ONCE(*entry, was);
	if (registers)
		iounmap(registers);
	if (page) {
		vunmap(area);
		__free_page(page);
	} else {
		vfree(area);
	}
}

static int __init fixture_init(void)
{
	int err;

	if (!strcmp(wrong, "phys"))
		err = change_registers();
	else if (!strcmp(wrong, "two-types"))
		err = map_twice();
	else
		err = change_area();
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
