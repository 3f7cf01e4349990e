// SPDX-License-Identifier: GPL-2.0
/* Instead of the rest, where KVM isn't there: DKMS must know which modules it gets. */
#include <linux/init.h>
#include <linux/module.h>

static int __init none_init(void)
{
	pr_err("ptwalk_guest: this kernel has no KVM\n");
	return -EOPNOTSUPP;
}
module_init(none_init);

MODULE_DESCRIPTION("Reader of the second stage of KVM, which this kernel has not");
MODULE_LICENSE("GPL");
