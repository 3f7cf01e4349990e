// SPDX-License-Identifier: GPL-2.0
/*
 * The file kernel_page_tables in the folder ptwalk of debugfs. It is text, and it only
 * grows: readers skip lines whose first word they don't know, and words at the end of
 * a line. All numbers are hexadecimal without 0x:
 *
 *	ptwalk-kernel VERSION ARCH LEVELS PAGE_SHIFT
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
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>
#include <generated/utsrelease.h>
#include "../arch/arch.h"
#include "../memory.h"
#include "arch.h"
#include "gone.h"

/**
 * struct ktable_reader - an open file
 * @walk: Where it is.
 * @extent: What was found last.
 * @found: Extents until then; @extent is the one of that number.
 * @ended: There is none behind it.
 */
struct ktable_reader {
	struct ktable_walk walk;
	struct ktable_extent extent;
	loff_t found;
	bool ended;
};

/* Position 0 is the header, 1 the first extent, and the end has one of its own. */
static void *ktable_seek(struct ktable_reader *reader, loff_t pos)
{
	int ret;

	if (pos < reader->found || !pos) {
		ktable_walk_begin(&reader->walk);
		reader->found = 0;
		reader->ended = false;
	}
	while (reader->found < pos) {
		if (reader->ended)
			return NULL;
		ret = ktable_walk_next(&reader->walk, &reader->extent);
		if (ret < 0)
			return ERR_PTR(ret);
		reader->ended = !ret;
		reader->found++;
	}
	return reader;
}

static void *ktable_seq_start(struct seq_file *m, loff_t *pos)
{
	return ktable_seek(m->private, *pos);
}

static void *ktable_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	return ktable_seek(m->private, ++*pos);
}

static void ktable_seq_stop(struct seq_file *m, void *v)
{
}

static void ktable_put_region(void *arg, const char *name, u64 start, u64 last)
{
	seq_printf(arg, "region %llx %llx %s\n", start, last, name);
}

static void ktable_put_gone(void *arg, const char *name, u64 start, u64 last, u64 text)
{
	seq_printf(arg, "gone %llx %llx %s %llx\n", start, last, name, text);
}

static void ktable_put_header(struct seq_file *m)
{
	u8 types[PTWALK_MEMTYPES];
	size_t nr = arch_memtypes(types), i;
	struct ktable_root root;

	ktable_root(&root);
	seq_printf(m, "ptwalk-kernel 1 %s %x %x\n", utsname()->machine, root.levels,
		   PAGE_SHIFT);
	seq_puts(m, "memory-types");
	for (i = 0; i < nr; i++)
		seq_printf(m, " %x", types[i]);
	seq_putc(m, '\n');
	ktable_regions(ktable_put_region, m);
	ktable_gone(ktable_put_gone, m);
}

static int ktable_seq_show(struct seq_file *m, void *v)
{
	static const char *const word[] = {
		[KTABLE_MAPPED] = "extent",
		[KTABLE_SAME_TABLE] = "same-table",
		[KTABLE_UNREADABLE] = "unreadable",
		[KTABLE_CHANGING] = "changing",
	};
	const struct ktable_reader *reader = v;
	const struct ktable_extent *e = &reader->extent;

	if (!reader->found) {
		ktable_put_header(m);
		return 0;
	}
	if (reader->ended) {
		seq_printf(m, "end %llx %llx %llx\n", reader->found - 1,
			   reader->walk.tables, reader->walk.again);
		return 0;
	}
	seq_printf(m, "%s %llx %llx %llx %u", word[e->kind], e->start, e->bytes, e->phys,
		   e->level);
	if (e->kind == KTABLE_MAPPED)
		seq_printf(m, " r%c%c%c %u", e->rights.write ? 'w' : '-',
			   e->rights.exec ? 'x' : '-', e->rights.user ? 'u' : '-',
			   e->memtype);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations ktable_seq_ops = {
	.start = ktable_seq_start,
	.next = ktable_seq_next,
	.stop = ktable_seq_stop,
	.show = ktable_seq_show,
};

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

/*
 * The rights of who opens the file decide, as for /proc/kallsyms and /proc/kcore:
 * those to administer and to read memory, in the initial user namespace. It is refused
 * by a kernel that is locked down, of which debugfs_locked_down() lets pass a file that
 * can only be read.
 */
static int ktable_open(struct inode *inode, struct file *file)
{
	struct ktable_reader *reader;
	int err;

	if (!capable(CAP_SYS_ADMIN) || !capable(CAP_SYS_RAWIO) ||
	    !ktable_may_show_addresses())
		return -EPERM;
	err = security_locked_down(LOCKDOWN_DEBUGFS);
	if (err)
		return err;
	reader = kvzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;
	err = seq_open(file, &ktable_seq_ops);
	if (err) {
		kvfree(reader);
		return err;
	}
	((struct seq_file *)file->private_data)->private = reader;
	return 0;
}

static int ktable_release(struct inode *inode, struct file *file)
{
	kvfree(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

static const struct file_operations ktable_fops = {
	.owner = THIS_MODULE,
	.open = ktable_open,
	.read = seq_read,
	.release = ktable_release,
};

static struct dentry *ktable_folder;

static int __init ktable_init(void)
{
	struct dentry *file;
	int err;

	/* As ptwalk_init(): what an entry means isn't in the versions of symbols. */
	if (strcmp(init_utsname()->release, UTS_RELEASE)) {
		pr_err("ptwalk_kernel: built for Linux " UTS_RELEASE ", and for no other\n");
		return -ENOEXEC;
	}
	if (!ktable_is_known()) {
		pr_err("ptwalk_kernel: here page tables have no physical addresses (Xen PV)\n");
		return -EOPNOTSUPP;
	}
	err = ptwalk_memory_init(NULL);
	if (err)
		return err;
	err = ktable_gone_init();
	if (err)
		goto no_gone;
	ktable_folder = debugfs_create_dir("ptwalk", NULL);
	err = PTR_ERR_OR_ZERO(ktable_folder);
	if (err)
		goto no_folder;
	file = debugfs_create_file("kernel_page_tables", 0400, ktable_folder, NULL,
				   &ktable_fops);
	err = PTR_ERR_OR_ZERO(file);
	if (err)
		goto no_file;
	return 0;

no_file:
	debugfs_remove(ktable_folder);
no_folder:
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
