// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/directmap_image: what the tables of the direct mapping of RAM map, in the
 * words of /proc/meminfo. For x86-64 and Linux 6.1 to 7.3:
 *
 *	make -C /lib/modules/`uname -r`/build M=$PWD modules
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

static int directmap_show(struct seq_file *m, void *v)
{
	static const unsigned long size[] = { PAGE_SIZE, PMD_SIZE, PUD_SIZE };
	unsigned long end = ALIGN((unsigned long)high_memory, PUD_SIZE);
	unsigned long bytes[ARRAY_SIZE(size)] = {}, at = PAGE_OFFSET;
	unsigned int level;
	pte_t *entry;

	while (at < end) {
		entry = lookup_address(at, &level);
		if (entry && pte_present(*entry) && level && level <= ARRAY_SIZE(size)) {
			bytes[level - 1] += size[level - 1];
			at += size[level - 1];
		} else {
			at += PAGE_SIZE;
		}
		cond_resched();
	}
	seq_printf(m, "DirectMap4k: %lu kB\nDirectMap2M: %lu kB\nDirectMap1G: %lu kB\n",
		   bytes[0] >> 10, bytes[1] >> 10, bytes[2] >> 10);
	return 0;
}

static int __init directmap_init(void)
{
	return proc_create_single("directmap_image", 0400, NULL, directmap_show) ? 0 : -ENOMEM;
}
module_init(directmap_init);

static void __exit directmap_exit(void)
{
	remove_proc_entry("directmap_image", NULL);
}
module_exit(directmap_exit);

MODULE_DESCRIPTION("What the direct mapping of RAM consists of");
MODULE_LICENSE("GPL");
