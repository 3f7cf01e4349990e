// SPDX-License-Identifier: GPL-2.0
/*
 * The file kernel_page_tables in the folder ptwalk of debugfs. It is text, and it only
 * grows: readers skip lines whose first word they don't know, and words at the end of
 * a line. All numbers are hexadecimal without 0x:
 *
 *	ptwalk-kernel VERSION ARCH LEVELS SHIFT...	address bits below the entries of
 *					each level, from that of PTEs on
 *	memory-types TYPE...		enum ptwalk_memory_type by index
 *	region START LAST NAME		what addresses are for; some overlap
 *	gone START LAST NAME TEXT	code of a module that was unloaded, and where
 *					that began; 0: start-up code
 *	extent START BYTES PHYS LEVEL RIGHTS INDEX	"rwxu" or "-" each; the index of
 *					the memory type
 *	same-table START BYTES PHYS LEVEL
 *	unreadable START BYTES PHYS LEVEL
 *	changing START BYTES PHYS LEVEL
 *	end EXTENTS TABLES AGAIN	the walk is complete; tables that were read,
 *					and read again as they had been replaced
 *
 * Extents ascend. They stand for the moment at which each table was read.
 */
#include <linux/init.h>
#include <linux/mm.h>
#include "../arch/arch.h"
#include "listing.h"
#include "../memory.h"
#include "arch.h"
#include "gone.h"

/**
 * struct ktable_reader - an open file
 * @listing: What all such files have.
 * @walk: Where it is.
 * @extent: What was found last.
 */
struct ktable_reader {
	struct listing listing;
	struct ktable_walk walk;
	struct ktable_extent extent;
};

static int listing_begin(void *file)
{
	struct ktable_reader *reader = file;

	ktable_walk_begin(&reader->walk);
	return 0;
}

static int listing_next(void *file)
{
	struct ktable_reader *reader = file;

	return ktable_walk_next(&reader->walk, &reader->extent);
}

static void ktable_put_region(void *arg, const char *name, u64 start, u64 last)
{
	seq_printf(arg, "region %llx %llx %s\n", start, last, name);
}

static void ktable_put_gone(void *arg, const char *name, u64 start, u64 last, u64 text)
{
	seq_printf(arg, "gone %llx %llx %s %llx\n", start, last, name, text);
}

static void listing_show_header(struct seq_file *m, const void *file)
{
	u8 types[PTWALK_MEMTYPES];
	size_t nr = arch_memtypes(types), i;
	struct ktable_root root;
	unsigned int level;

	ktable_root(&root);
	seq_printf(m, "ptwalk-kernel 1 %s %x", utsname()->machine, root.levels);
	for (level = 1; level <= root.levels; level++)
		seq_printf(m, " %x", ktable_shift(level));
	seq_puts(m, "\nmemory-types");
	for (i = 0; i < nr; i++)
		seq_printf(m, " %x", types[i]);
	seq_putc(m, '\n');
	ktable_regions(ktable_put_region, m);
	ktable_gone(ktable_put_gone, m);
}

static void listing_show_extent(struct seq_file *m, const void *file)
{
	static const char *const word[] = {
		[KTABLE_MAPPED] = "extent",
		[KTABLE_SAME_TABLE] = "same-table",
		[KTABLE_UNREADABLE] = "unreadable",
		[KTABLE_CHANGING] = "changing",
	};
	const struct ktable_reader *reader = file;
	const struct ktable_extent *e = &reader->extent;

	seq_printf(m, "%s %llx %llx %llx %u", word[e->kind], e->start, e->bytes, e->phys,
		   e->level);
	if (e->kind == KTABLE_MAPPED)
		seq_printf(m, " r%c%c%c %u", e->rights.write ? 'w' : '-',
			   e->rights.exec ? 'x' : '-', e->rights.user ? 'u' : '-',
			   e->memtype);
	seq_putc(m, '\n');
}

static void listing_show_end(struct seq_file *m, const void *file)
{
	const struct ktable_reader *reader = file;

	seq_printf(m, "end %llx %llx %llx\n", reader->listing.found - 1,
		   reader->walk.tables, reader->walk.again);
}

/*
 * As kallsyms_show_value(), which isn't exported: with CAP_SYSLOG, unless
 * kptr_restrict hides addresses from everybody, which %pK shows. What it prints
 * otherwise is the address, or a hash of it.
 */
static bool ktable_may_show_addresses(void)
{
	char text[2 * sizeof(long) + 1];

	snprintf(text, sizeof(text), "%pK", ktable_may_show_addresses);
	return capable(CAP_SYSLOG) && strspn(text, "0") != strlen(text);
}

static int ktable_open(struct inode *inode, struct file *file)
{
	return ktable_may_show_addresses() ?
	       listing_open(file, sizeof(struct ktable_reader)) : -EPERM;
}

static const struct file_operations ktable_fops = {
	.owner = THIS_MODULE,
	.open = ktable_open,
	.read = seq_read,
	.release = seq_release_private,
};

static struct dentry *ktable_folder;

static int __init ktable_init(void)
{
	const char *why_not = ktable_why_not();
	int err;

	if (!listing_fits())
		return -ENOEXEC;
	if (why_not) {
		pr_err("ptwalk_kernel: %s\n", why_not);
		return -EOPNOTSUPP;
	}
	err = ptwalk_memory_init(NULL);
	if (err)
		return err;
	err = ktable_gone_init();
	if (err)
		goto no_gone;
	ktable_folder = listing_create("ptwalk", "kernel_page_tables", 0400, &ktable_fops);
	err = PTR_ERR_OR_ZERO(ktable_folder);
	if (!err)
		return 0;
	ktable_gone_exit();
no_gone:
	ptwalk_memory_exit();
	return err;
}

/* Open files hold the module; whoever reads has come to an end in debugfs_remove(). */
static void __exit ktable_exit(void)
{
	debugfs_remove(ktable_folder);
	ktable_gone_exit();
	ptwalk_memory_exit();
}

module_init(ktable_init);
module_exit(ktable_exit);

MODULE_DESCRIPTION("Reader of the kernel's own page tables");
MODULE_LICENSE("GPL");
