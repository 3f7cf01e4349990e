// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the first byte of a function of the kernel, as it is, at its own address and
 * where the same memory is mapped as RAM; see s390-text-alias.txt. What came of it
 * stands in the parameters: 0, or -EFAULT.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/uaccess.h>

static int own = -EINVAL, alias = -EINVAL;
module_param(own, int, 0444);
module_param(alias, int, 0444);

static int write_same(u8 *to)
{
	u8 byte = READ_ONCE(*to);

	pagefault_disable();
	__put_kernel_nofault(to, &byte, u8, failed);
	pagefault_enable();
	return 0;
failed:
	pagefault_enable();
	return -EFAULT;
}

static int __init text_alias_init(void)
{
	u8 *code = (u8 *)_printk, *as_ram = __va(__pa(code));

	own = write_same(code);
	if (as_ram != code)
		alias = write_same(as_ram);
	return 0;
}
module_init(text_alias_init);

static void __exit text_alias_exit(void)
{
}
module_exit(text_alias_exit);

MODULE_DESCRIPTION("Writes to the kernel's code where it is mapped as RAM");
MODULE_LICENSE("GPL");
