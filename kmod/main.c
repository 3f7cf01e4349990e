// SPDX-License-Identifier: GPL-2.0
/* Start and end of the module. */
#include <linux/init.h>
#include <linux/module.h>
#include "memtype.h"
#include "request.h"
#include "uapi/linux/ptwalk.h"

/* Nothing to unwind: the family is registered last and is all there is. */
static int __init ptwalk_init(void)
{
	ptwalk_memtypes_init();
	return genl_register_family(&ptwalk_nl_family);
}

/* Waits for requests; a dump in flight holds a reference to the module. */
static void __exit ptwalk_exit(void)
{
	genl_unregister_family(&ptwalk_nl_family);
}

module_init(ptwalk_init);
module_exit(ptwalk_exit);

MODULE_DESCRIPTION("Page table walker for debugging and testing");
MODULE_LICENSE("GPL");
